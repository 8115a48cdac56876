"""The paper's problems on the command line: the problem with its constants, and how methods end on it.

``python -m polyak_core sonar lasso --method adapt_apg_v2 restart --iterations 2000``
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

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
INTERRUPTED, READER_LEFT = 130, 141
"""128 and the number of the signal, as shells have it."""


def parser() -> argparse.ArgumentParser:
    """What can be asked."""
    arguments = argparse.ArgumentParser(prog="python -m polyak_core", description=__doc__.split("\n")[0])
    arguments.add_argument("data", choices=("sonar", "musk", "madelon", COMPLETION), help="the data set")
    arguments.add_argument("loss", nargs="?", help="least_squares, logistic, lasso or svm_dual")
    arguments.add_argument(
        "--method", nargs="+", default=["adapt_apg_v2"], metavar="NAME", help=", ".join(pc.METHODS)
    )
    arguments.add_argument("--iterations", type=int, default=1000, help="records k = 0..iterations")
    arguments.add_argument("--target", type=float, help="end at this part of the initial gap")
    return arguments


def report(problem: pc.Problem, traces: Sequence[pc.Trace]) -> Iterator[str]:
    """The lines of the report: the problem, a table of outcomes, and each end in a sentence."""
    yield problem.describe()
    yield ""
    yield from aligned_lines([HEADINGS, *map(row, traces)])
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


def aligned_lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Columns as wide as they need, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        first, *numbers, last = (
            cell.ljust(width) if i in (0, len(widths) - 1) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield "  ".join((first, *numbers, last)).rstrip()


def reported(arguments: Sequence[str] | None) -> int:
    """Print the report; what cannot be done is said in one line."""
    options = parser().parse_args(arguments)
    try:
        problem = pc.paper_problem(options.data, *([options.loss] if options.loss else []))
        traces = [
            pc.solve(problem, name, options.iterations, target=options.target) for name in options.method
        ]
    except ValueError as error:
        return failed(f"error: {error}", 2)
    print("\n".join(report(problem, traces)))
    return 0


def failed(words: str, code: int) -> int:
    """Say so, where there is somebody to say it to."""
    with suppress(OSError):
        print(words, file=sys.stderr, flush=True)
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """The report and the code to exit with: that of the shell for an interrupt and for a reader who left."""
    try:
        try:
            return reported(arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return failed("interrupted", INTERRUPTED)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is not tried again
        if isinstance(error, BrokenPipeError):
            return READER_LEFT
        return failed(f"error: the report cannot be written: {error.strerror}", 1)


if __name__ == "__main__":
    sys.exit(main())
