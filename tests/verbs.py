"""Run every verb of the Makefile once, as somebody who has just cloned the project: `python3 tests/verbs.py`.

The last commit is cloned into a new folder, with a new home beside it, so that nothing that lies on this
machine by chance helps. Each verb does as little as shows that it works; the two that serve are stopped as
soon as they answer. `python3 tests/verbs.py bench-page figures` runs these alone, `--folder F` keeps the
clone and all that the verbs print in F. The standard library is enough; making .venv takes minutes.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 1800
"""Seconds that a verb may take, with what it installs."""
LAST_LINES = 30


class Verb(NamedTuple):
    """A target of the Makefile.

    Attributes:
        variables: what make is given; `{port}` stands for a free port.
        page: the path at which a verb that serves answers, "" for a verb that ends by itself.
        words: what is in that answer, or in what the verb prints.
    """

    variables: tuple[str, ...] = ()
    page: str = ""
    words: str = ""


# In this order a verb finds few packages that only the extras of another have brought.
VERBS = {
    "help": Verb(words="make app"),
    "app": Verb(("PORT={port}", "VOILA_FLAGS=--no-browser"), "/", "<title>Polyak Explorer</title>"),
    "serve": Verb(("PORT={port}", "POLYAK_BASE_URL=/"), "/", "<title>Polyak Explorer</title>"),
    "bench": Verb(("BENCH_ARGS=sparse --quick",), words="## sparse"),
    "bench-page": Verb(("BENCH_ARGS=--rounds 1 --print-only",), words="| Explorer |"),
    "bench-compare": Verb(("REV=HEAD", "BENCH_ARGS=--quick"), words="here / there"),
    "figures": Verb(("FIGURES=3",), words="figure-3.svg"),
    "lecture": Verb(("PORT=9000",), words="questions.xml"),
    "static": Verb(words="holds the page"),
    "lab": Verb(("JUPYTER_PORT={port}", "BROWSER=true"), "/api", '"version"'),
    "lint": Verb(words="All checks passed"),
    "docs": Verb(words="The site is in"),
    "review": Verb(words="see CONTRIBUTING.md"),
    "test": Verb(
        ("PYTEST_ARGS=tests/core/test_penalties.py tests/browser/charts/test_panels.py",), words="passed"
    ),
    "test-other": Verb(("PYTEST_ARGS=-k all_but_the_launcher",), words="passed"),
    "coverage": Verb(("PYTEST_ARGS=tests/core/test_penalties.py",), words="TOTAL"),
    "test-processors": Verb(("PYTEST_ARGS=tests/core/test_penalties.py",), words="passed"),
    "firefox": Verb(("PYTEST_ARGS=-k dragged",), words="passed"),
    "faults": Verb(("PYTEST_ARGS=-k without_a_socket",), words="passed"),
    "soak": Verb(("STUDENTS=2", "MINUTES=0.3"), words="0 errors"),
    "test-oldest": Verb(("PYTEST_ARGS=tests/core/test_penalties.py",), words="oldest versions: works"),
    "test-newest": Verb(("PYTEST_ARGS=tests/core/test_penalties.py",), words="newest versions: works"),
    "constraints": Verb(words="constraints.txt has"),
    "package": Verb(("PYTEST_ARGS=-k without_the_extra",), words="passed"),
    "hunt": Verb(("HUNT_SECONDS=1", "PYTEST_ARGS=tests/core/matrices"), words="without a finding"),
    "picture": Verb(words="1 passed"),
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answer(address: str, process: subprocess.Popen) -> str:
    """What the server says as soon as it is there; "" when it has ended, or is not there in time."""
    stop = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < stop:
        try:
            with urlopen(address, timeout=120) as page:
                return page.read().decode()
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    return ""


def end(process: subprocess.Popen) -> None:
    """Stop make and all that it started."""
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            continue


def works(name: str, clone: Path, environment: dict[str, str], log: Path) -> bool:
    """Run one verb in the clone; all that it prints goes to the log."""
    verb = VERBS[name]
    port = free_port()
    variables = [each.format(port=port) for each in verb.variables]
    with log.open("w") as file:
        process = subprocess.Popen(
            ["make", name, *variables], cwd=clone, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=file, stderr=file,
        )  # fmt: skip
        try:
            if verb.page:
                return verb.words in answer(f"http://localhost:{port}{verb.page}", process)
            ended = process.wait(PATIENCE) == 0
        except subprocess.TimeoutExpired:
            ended = False
        finally:
            end(process)
    return ended and verb.words in log.read_text()


def main(arguments: list[str]) -> int:
    """Run the verbs that are named, or all; the number of those that fail is the answer."""
    parser = argparse.ArgumentParser(description="Run every verb of the Makefile once, in a new clone.")
    parser.add_argument("verbs", nargs="*", choices=[[], *VERBS], help="all by default")
    parser.add_argument("--folder", type=Path, help="a new folder for the clone, which is kept")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as passing:
        folder = (options.folder or Path(passing)).resolve()
        home, clone = folder / "home", folder / "clone"
        home.mkdir(parents=True, exist_ok=True)
        if not clone.exists():
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        left = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
        }
        failed = []
        for name in options.verbs or VERBS:
            began, log = time.monotonic(), folder / f"{name}.log"
            good = works(name, clone, left | {"HOME": str(home)}, log)
            print(
                f"make {name}: {'works' if good else 'FAILS'} ({time.monotonic() - began:.0f} s)", flush=True
            )
            if not good:
                failed.append(name)
                print(*log.read_text().splitlines()[-LAST_LINES:], sep="\n", flush=True)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
