"""Traces and sweeps as pandas tables, for people who have pandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polyak_core.runs.sweep import Failure, checked_runs
from polyak_core.runs.trace import COLUMNS, TOLERANCES, Trace

FIRST_BELOW = {f"first below {tolerance:.0e}": tolerance for tolerance in TOLERANCES}
"""The columns of a sweep's table for the first k below a part of the initial gap."""
if TYPE_CHECKING:
    Runs = Iterable[tuple[dict[str, Any], Trace | Failure]]


def to_pandas(runs: Trace | Runs) -> Any:
    """A trace as a table of its records, or a sweep as a table of its runs.

    Args:
        runs: a trace, or what `polyak_core.sweep` returned.

    Returns:
        For a trace a row for each k (the index) and a column for each of its columns. For a sweep a row for
        each run, in the same order: its settings, then outcome, iterations, gap, mu, the first k with a gap
        below 1e-4, 1e-8 and 1e-10 of the first one (missing if there is none), gradients, products, seconds,
        message. A run that failed has the outcome "failed" and why.

    Raises:
        ImportError: pandas is missing; the message has the line that installs it.
        ValueError: it is neither a trace nor a sweep.

    >>> import polyak_core as pc
    >>> runs = pc.sweep(pc.quadratic([1.0, 0.1, 0.01]), method="restart", gamma=[1, 5], iterations=500)
    >>> to_pandas(runs)[["gamma", "first below 1e-08"]].to_numpy().tolist()
    [[1, 228], [5, 102]]
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError('tables need pandas: pip install "polyak-explorer[tables]"') from error
    if isinstance(runs, Trace):
        table = pandas.DataFrame({name: getattr(runs, name) for name in COLUMNS})
        return table.astype({"k": int}).set_index("k")
    rows = [{**settings, **_row(result)} for settings, result in checked_runs(runs, "runs")]
    table = pandas.DataFrame(rows)
    return table.astype({name: "Int64" for name in ("iterations", *FIRST_BELOW) if name in table})


def _row(result: Trace | Failure) -> dict[str, Any]:
    if isinstance(result, Failure):
        return {"outcome": "failed", "message": result.message}
    return {
        "outcome": str(result.outcome),
        "iterations": len(result) - 1,
        "gap": float(result.gap[-1]),
        "mu": float(result.mu[-1]),
        **{name: result.first_below(tolerance) for name, tolerance in FIRST_BELOW.items()},
        **{name: float(getattr(result, name)[-1]) for name in ("gradients", "products", "seconds")},
        "message": result.message,
    }
