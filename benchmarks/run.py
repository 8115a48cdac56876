"""All benchmarks, and their tables into README.md: `make bench`.

python benchmarks/run.py                 everything, written to benchmarks/README.md
python benchmarks/run.py floor peers     these sections alone
python benchmarks/run.py --quick         tiny sizes, one round, printed and not written: does everything run?
"""

from __future__ import annotations

import os
import sys

for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[threads] = "1"

import argparse
import importlib
from pathlib import Path

from timing import Effort, machine

PAGE = Path(__file__).with_name("README.md")
SECTIONS = ("floor", "peers", "quadratics", "sparse", "stacks", "growth", "sizes", "sweep_efficiency")


def written(page, section, text):
    """The page with the text between the markers of a section."""
    start, end = f"<!-- {section} -->", f"<!-- end of {section} -->"
    before, rest = page.split(start)
    return f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}"


def main(arguments):
    parser = argparse.ArgumentParser(description="Measure, and write the tables into README.md.")
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], help="all by default")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one round; nothing is written")
    options = parser.parse_args(arguments)
    effort = Effort(options.quick)
    for section in options.sections or SECTIONS:
        section_text = importlib.import_module(section).report(effort)
        print(f"\n## {section}\n\n{section_text}", flush=True)
        if not options.quick:
            page = written(PAGE.read_text(encoding="utf-8"), section, section_text)
            PAGE.write_text(written(page, "machine", machine()), encoding="utf-8")
    print(f"\n{machine()}")


if __name__ == "__main__":
    main(sys.argv[1:])
