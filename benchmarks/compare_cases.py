"""One side of compare.py: names of cases on the first line, then seconds for each name that is asked for."""

from __future__ import annotations

import sys
from functools import cache, partial

import cases
from timing import Effort, seconds_of

import polyak_core as pc

METHODS = ("pgd", "restart", "adapt_apg", "adapt_apg_v2", "adapt_apg_free")
EFFORT = Effort("--quick" in sys.argv)
LARGE = dict(zip(("least squares", "LASSO", "logistic"), cases.large(EFFORT), strict=True))
PROBLEMS = {
    "quadratic, n = 100": (lambda: pc.quadratic(pc.spectrum("log", 100, 1e4)), 2000),
    "quadratic, n = 100 000": (lambda: pc.quadratic(pc.spectrum("log", EFFORT.size(100_000, 1000), 1e4)), 20),
    "least squares, A": (lambda: LARGE["least squares"].problem("A"), 50),
    "least squares, G": (lambda: LARGE["least squares"].problem("G"), 500),
    "LASSO, G": (lambda: LARGE["LASSO"].problem("G"), 200),
    "logistic": (LARGE["logistic"].problem, 50),
    "Sonar LASSO": (lambda: pc.paper_problem("sonar", "lasso"), 400),
    "matrix completion": (lambda: pc.paper_problem("matrix_completion"), 50),
}


@cache
def problem(name):
    return PROBLEMS[name][0]()


def seconds(case):
    """Of one run; NaN where this revision cannot."""
    name, method = case.rsplit(", ", 1)
    try:
        return seconds_of(
            partial(pc.solve, problem(name), method, iterations=EFFORT.size(PROBLEMS[name][1], 3))
        )
    except Exception as error:
        print(f"{case}: {error}", file=sys.stderr)
        return float("nan")


if __name__ == "__main__":
    print(";".join(f"{name}, {method}" for name in PROBLEMS for method in METHODS), flush=True)
    for line in sys.stdin:
        print(seconds(line.strip()), flush=True)
