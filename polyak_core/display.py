"""Small HTML tables and curves for notebooks, and the same facts as plain text.

No library for plots or HTML is needed. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array

Facts = list[tuple[str, str]]
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


def ten_to(value: float) -> str:
    """1e-08 as 1e-8, 1e+00 as 1."""
    return f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")


def reached_at(k: int | None) -> str:
    """An iteration, or that there is none."""
    return "not reached" if k is None else f"k = {k}"


def short(value: Any) -> str:
    """A value in at most 60 characters."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def curve_svg(k: Array, gap: Array) -> str:
    """The gap on a logarithmic axis as inline SVG, in the colour of the text around; "" if there is none."""
    shown = np.isfinite(gap) & (gap > 0)
    if shown.sum() < 2:
        return ""
    x, y = k[shown], np.log10(gap[shown])
    width, height = CURVE
    low, high = float(y.min()), max(float(y.max()), float(y.min()) + 1)
    outline = _outline(y)
    across = (x[outline] - x[0]) / (x[-1] - x[0]) * width
    up = (high - y[outline]) / (high - low) * height
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
    extremes = [part[each] for part in stretches for each in (np.argmin(y[part]), np.argmax(y[part]))]
    return np.unique([0, *extremes, y.size - 1])


def aligned(rows: list[list[str]]) -> str:
    """Cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
