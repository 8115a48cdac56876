"""What notebooks show of the objects of this package: small HTML tables, and the same facts as plain text.

No library for plots or HTML is needed. All text is escaped. Nothing here starts work on x* or f*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array

if TYPE_CHECKING:
    from polyak_core.data.datasets import Dataset
    from polyak_core.methods.registry import Method
    from polyak_core.problems.problem import Problem
    from polyak_core.runs.trace import Trace

Facts = list[tuple[str, str]]
TOLERANCES = (1e-4, 1e-8, 1e-10)
CURVE = (280, 96)
"""Width and height of a small curve, in pixels."""
CURVE_POINTS = 280
LEFT = 'style="text-align:left"'
NAME = 'style="text-align:left;vertical-align:top;white-space:nowrap"'


def facts_text(title: str, facts: Facts) -> str:
    """Facts as aligned lines under a title."""
    width = max((len(name) for name, _ in facts), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {value}" for name, value in facts)])


def facts_html(title: str, facts: Facts, beside: str = "") -> str:
    """Facts as a table under a title, with a picture beside it."""
    cells = (
        f"<tr><th {NAME}>{escape(name)}</th><td {LEFT}>{escape(value)}</td></tr>" for name, value in facts
    )
    table = f"<table style='max-width:44em'><tbody>{''.join(cells)}</tbody></table>"
    picture = f"<div>{beside}</div>" if beside else ""
    row = f'<div style="display:flex;gap:24px;align-items:center;flex-wrap:wrap">{table}{picture}</div>'
    return f"<div><strong>{escape(title)}</strong>{row}</div>"


def table_html(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A table with a line of names above."""
    top = "".join(f"<th {LEFT}>{escape(cell)}</th>" for cell in head)
    rows = ("".join(f"<td {LEFT}>{escape(cell)}</td>" for cell in row) for row in body)
    lines = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


class Formula:
    """What has a `formula` shows it."""

    formula: str

    def __repr__(self) -> str:
        """One line."""
        return f"<{type(self).__name__}: {self.formula}>"


# -- problems ----------------------------------------------------------------------------------


def problem_facts(problem: Problem) -> Facts:
    """The formula with its constants; f* only if it is there already."""
    facts = [("f", problem.loss.formula), ("size", f"n = {problem.loss.size}"), ("L", f"{problem.L:.6g}")]
    if problem.L != problem.true_L and not problem.constant:
        facts[-1] = ("L", f"{problem.L:.6g} (given; the true one is {problem.true_L:.6g})")
    facts += [("μ", f"{problem.mu:.6g}"), ("κ = L/μ", f"{problem.condition_number:.6g}")]
    if problem.mu_restricted > 0 and problem.mu_restricted != problem.mu:
        facts.append(("smallest curvature > 0", f"{problem.mu_restricted:.6g}"))
    if problem.solution.certified:
        error = f"f(x*) − min f ≤ {problem.f_star_error:.2g}"
        if not problem.reference.proven:
            error = "an estimate"
        facts += [("f*", f"{problem.f_star:.17g}"), ("error", error), ("by", problem.f_star_source)]
    else:
        facts.append(("f*", "not sought yet: problem.f_star, or the first run, does it"))
    return facts + [("note", note) for note in problem.loss.notes]


def problem_html(problem: Problem) -> str:
    """A problem in a notebook."""
    return facts_html(problem.name, problem_facts(problem))


# -- traces ------------------------------------------------------------------------------------


def trace_title(trace: Trace) -> str:
    """What was run on what."""
    named = [str(trace.settings[key]) for key in ("method", "problem") if trace.settings.get(key)]
    return " on ".join(named) or "Trace"


def trace_facts(trace: Trace) -> Facts:
    """How far it came, what it cost, how it ended."""
    if not len(trace):
        return [("records", "none"), ("outcome", str(trace.outcome)), ("message", trace.message)]
    reached = ", ".join(f"{_power(t)}: {_steps(trace.first_below(t))}" for t in TOLERANCES)
    spent = (
        f"{trace.gradients[-1]:.0f} gradients, {trace.proxes[-1]:.0f} prox steps, "
        f"{trace.products[-1]:.0f} matrix products, {trace.seconds[-1]:.3g} s"
    )
    facts = [
        ("outcome", str(trace.outcome)),
        ("iterations", f"{len(trace) - 1}"),
        ("gap", f"{trace.gap[0]:.3g} at first, {trace.gap[-1]:.3g} at last; floor {trace.floor:.1e}"),
        ("first below, of gap_0", reached),
        ("cost", spent),
    ]
    if np.isfinite(trace.mu[-1]):
        facts.append(("μ_k at last", f"{trace.mu[-1]:.6g}"))
    told = {name: value for name, value in trace.settings.items() if name not in ("method", "problem")}
    asked = ", ".join(f"{name} = {_short(value)}" for name, value in told.items() if value is not None)
    return facts + ([("settings", asked)] if asked else []) + [("message", trace.message)]


def _power(value: float) -> str:
    return f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")


def _steps(k: int | None) -> str:
    return "not reached" if k is None else f"k = {k}"


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def trace_html(trace: Trace) -> str:
    """A trace in a notebook: its facts and its gap as a small curve."""
    return facts_html(trace_title(trace), trace_facts(trace), curve_svg(trace.k, trace.gap))


def curve_svg(k: Array, gap: Array) -> str:
    """The gap on a logarithmic axis as inline SVG, in the colour of the text around; "" if there is none."""
    shown = np.isfinite(gap) & (gap > 0)
    if shown.sum() < 2:
        return ""
    x, y = k[shown], np.log10(gap[shown])
    width, height = CURVE
    low, high = float(y.min()), max(float(y.max()), float(y.min()) + 1)
    kept = _outline(y)
    across = (x[kept] - x[0]) / (x[-1] - x[0]) * width
    up = (high - y[kept]) / (high - low) * height
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across + 4, up + 16, strict=True))
    words = (
        f"gap from {gap[shown][0]:.1e} to {gap[shown][-1]:.1e} in {x[-1]:.0f} iterations, logarithmic axis"
    )
    text = 'font-size="11" fill="currentColor" stroke="none"'
    return (
        f'<svg width="{width + 8}" height="{height + 36}" role="img" aria-label="{words}" '
        'fill="none" stroke="currentColor" xmlns="http://www.w3.org/2000/svg">'
        f'<text x="4" y="10" {text}>{10**high:.2g}</text>'
        f'<polyline points="{points}" stroke-width="1.5"/>'
        f'<text x="4" y="{height + 30}" {text}>{10**low:.2g}</text>'
        f'<text x="{width + 4}" y="{height + 30}" text-anchor="end" {text}>k = {x[-1]:.0f}</text></svg>'
    )


def _outline(y: Array) -> npt.NDArray[np.intp]:
    """Indices that draw the same picture: the extremes of equal stretches."""
    if y.size <= CURVE_POINTS:
        return np.arange(y.size)
    stretches = np.array_split(np.arange(y.size), CURVE_POINTS // 2)
    kept = [part[each] for part in stretches for each in (np.argmin(y[part]), np.argmax(y[part]))]
    return np.unique([0, *kept, y.size - 1])


# -- the others --------------------------------------------------------------------------------


def dataset_facts(data: Dataset) -> Facts:
    """Shape, target, where it comes from, on what terms."""
    values = np.unique(data.y)
    target = f"{data.y.min():.6g} to {data.y.max():.6g}"
    if set(values) <= {-1.0, 1.0}:
        target = f"{int((data.y == 1).sum())} times +1, {int((data.y == -1).sum())} times −1"
    shape = f"{data.X.shape[0]} observations, {data.X.shape[1]} features"
    facts = [("size", shape), ("target", target), ("source", data.source), ("licence", data.licence)]
    return facts + [("note", note) for note in data.notes]


SHOWN_RUNS = 40
"""Lines of a sweep that are shown; a table of all of them is `polyak_core.to_pandas`."""


class RunList(list[tuple[dict[str, Any], Any]]):
    """The list that a sweep returns, (settings, trace or failure) each, shown as a table."""

    def __repr__(self) -> str:
        """What differs from run to run, and what came out: a line each."""
        title, head, rows, more = _runs_shown(self)
        return "\n".join([title, _aligned([head, *rows]), *([more] if more else [])]) if rows else title

    def _repr_html_(self) -> str:
        """The same as a table."""
        title, head, rows, more = _runs_shown(self)
        table = table_html(head, rows) if rows else ""
        return f"<div><strong>{escape(title)}</strong>{table}{escape(more)}</div>"


def _runs_shown(runs: RunList) -> tuple[str, list[str], list[list[str]], str]:
    """Title, names of columns, lines, and what is left out."""
    names = dict.fromkeys(name for settings, _ in runs for name in settings)
    texts = {name: [_short(settings.get(name, "")) for settings, _ in runs] for name in names}
    varied = {name: each for name, each in texts.items() if len(set(each)) > 1}
    same = ", ".join(f"{name} = {each[0]}" for name, each in texts.items() if name not in varied)
    title = f"{len(runs)} run{'s' * (len(runs) != 1)}" + (f" with {same}" if same else "")
    results = [result for _, result in runs][:SHOWN_RUNS]
    head = [*varied, "outcome", "iterations", "gap", *(f"to {_power(t)}" for t in TOLERANCES)]
    rows = [[*(each[i] for each in varied.values()), *_came(result)] for i, result in enumerate(results)]
    if any(reasons := [_why(result) for result in results]):
        head.append("why")
        rows = [[*row, why] for row, why in zip(rows, reasons, strict=True)]
    left = len(runs) - len(results)
    return title, head, rows, f"... and {left} more: pc.to_pandas(runs) has them all." if left else ""


def _why(result: Any) -> str:
    """The reason of a failure, which has no gap; "" for a trace."""
    return "" if hasattr(result, "gap") else str(result.message)


def _came(result: Any) -> list[str]:
    """How a run ended, how far it came, the first k below each tolerance."""
    if _why(result):
        return ["failed", "", "", *[""] * len(TOLERANCES)]
    reached = (result.first_below(tolerance) for tolerance in TOLERANCES)
    last = f"{result.gap[-1]:.3g}" if len(result) else ""
    steps = ("not reached" if k is None else str(k) for k in reached)
    return [str(result.outcome), str(len(result) - 1), last, *steps]


def _aligned(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


METHOD_HEAD = ("name", "label", "what it does", "what it must be told", "reference")


def method_cells(name: str, method: Method) -> tuple[str, ...]:
    """One line of the table of methods."""
    return name, method.label, method.summary, ", ".join(method.needs) or "nothing", method.reference


def methods_text(methods: Mapping[str, Method]) -> str:
    """The methods as aligned lines."""
    cells = [list(method_cells(name, method)[:4]) for name, method in methods.items()]
    return _aligned(cells) or "no methods"


def methods_html(methods: Mapping[str, Method]) -> str:
    """The methods as a table."""
    return table_html(METHOD_HEAD, (method_cells(name, method) for name, method in methods.items()))
