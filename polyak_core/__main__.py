"""The paper's problems on the command line: the problem with its constants, and how methods end on it.

``python -m polyak_core sonar lasso --method adapt_apg_v2 restart --iterations 2000``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import polyak_core as pc

PRECISIONS = 1e-3, 1e-6, 1e-10
HEADINGS = (
    "method",
    *(f"to {p:.0e}" for p in PRECISIONS),
    "last k",
    "last gap",
    "gradients",
    "seconds",
    "outcome",
)
COMPLETION = "matrix_completion"


def parser() -> argparse.ArgumentParser:
    """What can be asked."""
    made = argparse.ArgumentParser(prog="python -m polyak_core", description=__doc__.split("\n")[0])
    made.add_argument("data", choices=("sonar", "musk", "madelon", COMPLETION), help="the data set")
    made.add_argument("loss", nargs="?", help="least_squares, logistic, lasso or svm_dual")
    made.add_argument(
        "--method", nargs="+", default=["adapt_apg_v2"], metavar="NAME", help=", ".join(pc.METHODS)
    )
    made.add_argument("--iterations", type=int, default=1000, help="records k = 0..iterations")
    made.add_argument("--target", type=float, help="end at this part of the first gap")
    return made


def report(problem: pc.Problem, traces: Sequence[pc.Trace]) -> Iterator[str]:
    """The lines of the report: the problem, a table of outcomes, and each end in a sentence."""
    yield problem.describe()
    yield ""
    yield from aligned([HEADINGS, *map(row, traces)])
    yield ""
    yield f"gap = f(y_k) - f*, {traces[0].gap[0]:.3g} at first; 'to 1e-03': the first k with 1e-03 of that"
    yield from (f"{trace.settings['method']}: {trace.message}" for trace in traces)


def row(trace: pc.Trace) -> tuple[str, ...]:
    """One run in the table."""
    reached = (trace.first_below(precision) for precision in PRECISIONS)
    return (
        trace.settings["method"],
        *("-" if k is None else str(k) for k in reached),
        str(len(trace) - 1),
        f"{trace.gap[-1]:.1e}",
        f"{trace.gradients[-1]:.0f}",
        f"{trace.seconds[-1]:.2g}",
        str(trace.outcome),
    )


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Columns as wide as they need, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        first, *numbers, last = (
            cell.ljust(width) if i in (0, len(widths) - 1) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield "  ".join((first, *numbers, last)).rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; what cannot be done is said in one line."""
    asked = parser().parse_args(arguments)
    try:
        problem = pc.paper_problem(asked.data, *([asked.loss] if asked.loss else []))
        traces = [pc.solve(problem, name, asked.iterations, target=asked.target) for name in asked.method]
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(report(problem, traces)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
