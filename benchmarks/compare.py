"""Is this checkout slower than another revision? Both are measured alternately, in one run.

python benchmarks/compare.py REV [--quick]     (make bench-compare REV=main)

The revision is checked out in a temporary folder (git worktree), and removed after. Each side has a process
of its own that waits for the word to run one case; the sides take turns in every round. Printed is the median
over the rounds of the time here over the time there: above 1 is slower.
"""

from __future__ import annotations

import os

for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[threads] = "1"

import argparse
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from timing import Effort, short, table

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("compare_cases.py")


@contextmanager
def checked_out(revision):
    """A folder with the revision in it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "base"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "--quiet", str(place), revision], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


@contextmanager
def side(place, effort):
    """A function that runs a case in a process with the package from `place`, and the names of cases."""
    command = [sys.executable, str(WORKER), *(["--quick"] if effort.quick else [])]
    environment = {**os.environ, "PYTHONPATH": str(place)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, cwd=place, **pipes) as process:

        def run(case):
            process.stdin.write(f"{case}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        names = process.stdout.readline().strip().split(";")
        yield run, names
        process.stdin.close()


def compared(revision, effort):
    """A row for each case."""
    with checked_out(revision) as place, side(place, effort) as there, side(ROOT, effort) as here:
        (base, _), (head, names) = there, here
        rows = []
        for name in names:
            rounds = [(base(name), head(name)) for _ in range(effort.rounds + 1)][1:]  # the first makes x*
            both = [median(times) for times in zip(*rounds, strict=True)]
            rows.append([name, *map(short, both), f"{median(new / old for old, new in rounds):.2f}"])
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(description="Compare the speed of this checkout with another revision.")
    parser.add_argument("revision")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one round")
    options = parser.parse_args(arguments)
    rows = compared(options.revision, Effort(options.quick))
    print(table(["case", options.revision, "here", "here / there"], rows))


if __name__ == "__main__":
    main(sys.argv[1:])
