"""The list that a sweep returns, as a table in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from polyak_core.display import aligned, short, table_html, ten_to
from polyak_core.runs.trace import TOLERANCES

SHOWN_RUNS = 40
"""Lines of a sweep that are shown; a table of all of them is `polyak_core.to_pandas`."""


class RunList(list[tuple[dict[str, Any], Any]]):
    """The list that a sweep returns, (settings, trace or failure) each, shown as a table."""

    def __repr__(self) -> str:
        """A line for each run: the settings in which it differs, and its result."""
        title, head, rows, more = _runs_shown(self)
        return "\n".join([title, aligned([head, *rows]), *([more] if more else [])]) if rows else title

    def _repr_html_(self) -> str:
        """The same as a table."""
        title, head, rows, more = _runs_shown(self)
        table = table_html(head, rows) if rows else ""
        return f"<div><strong>{escape(title)}</strong>{table}{escape(more)}</div>"


def _runs_shown(runs: RunList) -> tuple[str, list[str], list[list[str]], str]:
    """Title, names of columns, lines, and what is left out."""
    names = dict.fromkeys(name for settings, _ in runs for name in settings)
    texts = {name: [short(settings.get(name, "")) for settings, _ in runs] for name in names}
    varied = {name: each for name, each in texts.items() if len(set(each)) > 1}
    same = ", ".join(f"{name} = {each[0]}" for name, each in texts.items() if name not in varied)
    title = f"{len(runs)} run{'s' * (len(runs) != 1)}" + (f" with {same}" if same else "")
    results = [result for _, result in runs][:SHOWN_RUNS]
    head = [*varied, "outcome", "iterations", "gap", *(f"to {ten_to(t)}" for t in TOLERANCES)]
    rows = [
        [*(each[i] for each in varied.values()), *_result_cells(result)] for i, result in enumerate(results)
    ]
    if any(reasons := [_reason(result) for result in results]):
        head.append("why")
        rows = [[*row, why] for row, why in zip(rows, reasons, strict=True)]
    left = len(runs) - len(results)
    return title, head, rows, f"... and {left} more: pc.to_pandas(runs) has them all." if left else ""


def _reason(result: Any) -> str:
    """The reason of a failure, which has no gap; "" for a trace."""
    return "" if hasattr(result, "gap") else str(result.message)


def _result_cells(result: Any) -> list[str]:
    """How a run ended, how far it came, the first k below each tolerance."""
    if _reason(result):
        return ["failed", "", "", *[""] * len(TOLERANCES)]
    reached = (result.first_below(tolerance) for tolerance in TOLERANCES)
    last = f"{result.gap[-1]:.3g}" if len(result) else ""
    steps = ("not reached" if k is None else str(k) for k in reached)
    return [str(result.outcome), str(len(result) - 1), last, *steps]
