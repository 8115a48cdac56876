"""A still picture of the charts, as SVG in HTML: for notebooks that are read where no kernel runs.

It is made of the panels of the page by this module alone; no browser and no plotting library takes part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_widgets.figures.end_labels import end_of, label_heights
from polyak_widgets.figures.plotly_axes import TICKS, X_TICKS, fine_ticks, in_unit, pixel_scale
from polyak_widgets.figures.theme import Theme, theme
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import FONT
from polyak_widgets.numbers import count_text, number_text, power_text
from polyak_widgets.panels import PANELS
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.frame import thin
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.panels.words.unusual import picture_words
from polyak_widgets.settings.view import View
from polyak_widgets.share.texts import NOT_ENDED

WIDTH, HEIGHT = 520, 400
"""Of a panel, in pixels."""
LEFT, TOP, BOTTOM = 60, 60, 48
LINE, LEADER, LETTER = 17, 14, 7.0
"""A name: its height, the length of the line that leads to it, the mean width of a letter."""
POINTS = 400
DASHES = {"dash": (4, 2.5), "dot": (1, 2), "dashdot": (4, 2, 1, 2)}
"""In widths of the line."""


def still_html(experiment: Experiment, view: View, show: Sequence[str], ground: str = "light") -> str:
    """The panels that are shown, side by side, and the sentence below them, on a light or a dark ground."""
    look = theme(ground)
    panels = [_panel(experiment, view, name) for name in show or ("gap",)]
    charts = "".join(_chart(panel, WIDTH * place, look) for place, panel in enumerate(panels))
    words = "".join(str(text) for text, _ in sentence(experiment, view.x))
    made_with = picture_words(experiment.settings, experiment.problem)
    caption = escape(("" if experiment.finished else f"{NOT_ENDED} ") + f"{words} {made_with}")
    titles = escape("; ".join(panel["title"] for panel in panels), quote=True)
    width = WIDTH * len(panels)
    return (
        f'<figure class="polyak-still" style="margin:0;max-width:{width}px">'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{titles}" '
        f'viewBox="0 0 {width} {HEIGHT}" style="width:100%;background:{look.card}" font-family="{FONT}" '
        f'font-size="12" fill="{look.ink}">{charts}</svg><figcaption>{caption}</figcaption></figure>'
    )


def _panel(experiment: Experiment, view: View, name: str) -> dict[str, Any]:
    """With the lines of theory among its curves, and x in the unit that is shown."""
    panel = PANELS[name](experiment, view)
    return in_unit({**panel, "curves": [*panel.get("lines", ()), *panel["curves"]]}, view.x)


def _chart(panel: Mapping[str, Any], left: float, look: Theme) -> str:
    """A panel whose left upper corner is at (left, 0)."""
    longest = max((len(curve.label) for curve in panel["curves"]), default=0)
    width, height = WIDTH - LEFT - LEADER - 12 - LETTER * longest, HEIGHT - TOP - BOTTOM
    to_x, to_y = pixel_scale(panel["x"], width), pixel_scale(panel["y"], height)
    places = [(curve, to_x(curve.x), to_y(curve.y)) for curve in panel["curves"]]
    lines = "".join(_curve(curve, x, height - y, look) for curve, x, y in places)
    return (
        f'<g transform="translate({left + LEFT},{TOP})">'
        f'<text x="{14 - LEFT}" y="-36" font-size="14" font-weight="bold">{escape(panel["title"])}</text>'
        f'<text x="{14 - LEFT}" y="-18" fill="{look.quiet}">{escape(panel["subtitle"])}</text>'
        f"{_grid(panel, (width, height), look)}"
        f'<svg width="{width}" height="{height}">{lines}</svg>{_names(places, (width, height), look)}</g>'
    )


def _grid(panel: Mapping[str, Any], size: tuple[float, float], look: Theme) -> str:
    """Both axes: hairlines with their numbers, and what x counts."""
    (width, height), parts = size, []
    for value, text in axis_ticks(panel["x"], X_TICKS):
        x = float(pixel_scale(panel["x"], width)(np.array(value)))
        parts.append(f'<path d="M{x:.1f},0V{height}" stroke="{look.hair}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{text}</text>')
    for value, text in axis_ticks(panel["y"], TICKS):
        y = height - float(pixel_scale(panel["y"], height)(np.array(value)))
        parts.append(f'<path d="M0,{y:.1f}H{width}" stroke="{look.hair}"/>')
        parts.append(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    title = escape(panel["x"]["title"])
    parts.append(f'<text x="{width / 2:.1f}" y="{height + 36}" text-anchor="middle">{title}</text>')
    return "".join(parts)


def axis_ticks(axis: Mapping[str, Any], most: int) -> list[tuple[float, str]]:
    """Round values on an axis, and how they are written."""
    low, high = axis["range"]
    if axis["type"] != "log":
        step = 10.0 ** np.floor(np.log10((high - low) / most))
        step *= next(times for times in (1, 2, 5, 10) if (high - low) / (times * step) <= most)
        values = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
        return [(v, count_text(round(v)) if step >= 1 else number_text(v)) for v in values.tolist()]
    first, last = np.log10([low, high])
    step = fine_ticks(first, last)
    if not isinstance(step, int):
        return list(zip(*step, strict=True))
    powers = range(int(np.ceil(first / step)) * step, int(np.floor(last)) + 1, step)
    return [(10.0**power, power_text(power)) for power in powers]


def _curve(curve: Curve, x: Array, y: Array, look: Theme) -> str:
    """One line, broken where there is no number, or one set of rings."""
    indices = thin(curve.y, POINTS)
    indices = indices[np.isfinite(x[indices]) & np.isfinite(y[indices])]
    colour, opacity = look.curve(curve.look.colour), ' opacity="0.6"' if curve.faint else ""
    if curve.mode != "lines":
        rings = "".join(
            f"M{a - 3:.1f},{b:.1f}a3,3 0 1 0 6,0a3,3 0 1 0 -6,0"
            for a, b in zip(x[indices], y[indices], strict=True)
        )
        return f'<path d="{rings}" fill="none" stroke="{colour}" stroke-width="1.5"/>' if rings else ""
    broken = _breaks(np.isfinite(y) & np.isfinite(x), indices)
    points = "".join(
        f"{'M' if new else 'L'}{a:.1f},{b:.1f}"
        for a, b, new in zip(x[indices], y[indices], broken, strict=True)
    )
    width = curve.look.width
    dashes = " ".join(f"{part * width:g}" for part in DASHES.get(curve.look.dash, ()))
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    style = f'fill="none" stroke="{colour}" stroke-width="{width}"{dashed}{opacity}'
    return f'<path d="{points}" {style}><title>{escape(curve.label or curve.uid)}</title></path>'


def _breaks(there: npt.NDArray[np.bool_], indices: npt.NDArray[np.intp]) -> list[bool]:
    """Whether something is missing between each point that is kept and the one before."""
    missing = np.concatenate([[0], np.cumsum(~there)])
    return [True, *(np.diff(missing[indices]) > 0).tolist()] if indices.size else []


def _names(places: list[tuple[Curve, Array, Array]], size: tuple[float, float], look: Theme) -> str:
    """The name of each curve at the right, with a line from its end."""
    width, height = size
    ends = [(curve, end_of(x, y, width, height)) for curve, x, y in places if curve.label]
    visible = [(curve, end) for curve, end in ends if end]
    if not visible:
        return ""
    heights = label_heights([end for _, end in visible], size, LINE)
    parts = []
    for (curve, (x, y)), level in zip(visible, heights, strict=True):
        colour = look.curve(curve.look.colour)
        line = f"M{x:.1f},{height - y:.1f}L{width + LEADER:.1f},{height - level:.1f}"
        parts.append(f'<path d="{line}" fill="none" stroke="{colour}" opacity="0.5"/>')
        at = f'x="{width + LEADER + 4:.1f}" y="{height - level + 4:.1f}"'
        parts.append(f'<text {at} fill="{colour}">{escape(curve.label)}</text>')
    return "".join(parts)
