"""The axes of plain figures: where they lie, their ticks, and the way from values to pixels and back."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import one_of
from polyak_widgets.figures.theme import Theme
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.settings.units import UNITS

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TICKS, X_TICKS = 7, 6
FEW_DECADES = 2.5


class PanelBox(NamedTuple):
    """Where the axes of a panel lie in the figure, in pixels from its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


def in_unit(panel: dict[str, Any], unit: str) -> dict[str, Any]:
    """The panel with x in another unit, as far as it knows that one.

    Raises:
        ValueError: there is no such unit.
    """
    one_of(unit, "x", tuple(UNITS))
    units = panel["x"].get("units", {})
    if unit not in units:
        return panel
    curves = [replace(curve, x=curve.clocks.get(unit, curve.x)) for curve in panel["curves"]]
    return {**panel, "x": {**panel["x"], **units[unit]}, "curves": curves}


def ordinal(i: int) -> str:
    """What stands behind x and y in the names of the axes of panel i, counted from 1."""
    return "" if i == 1 else str(i)


def add_axes(figure: Figure, panel: dict[str, Any], i: int, box: PanelBox, look: Theme) -> None:
    """Both axes of panel i."""
    width, height = figure.layout.width, figure.layout.height
    spans = {
        "x": [box.left / width, (box.left + box.width) / width],
        "y": [box.bottom / height, (box.bottom + box.height) / height],
    }
    for name, other in (("x", "y"), ("y", "x")):
        panel_axis = panel[name]
        log = panel_axis["type"] == "log"
        ends = np.log10(panel_axis["range"]) if log else np.asarray(panel_axis["range"], dtype=np.float64)
        axis: dict[str, Any] = {
            "domain": spans[name],
            "anchor": other + ordinal(i),
            "type": panel_axis["type"],
            "range": [float(end) for end in ends],
            "title": {"text": escape(panel_axis["title"]), "standoff": 8, "font": {"size": 12}},
            "tickfont": {"size": 10 if log else 12},  # plotly enlarges powers of ten by a quarter
            "gridcolor": look.hair,
            "linecolor": look.hair,
            "zeroline": False,
            "showline": True,
            "showspikes": name == "x",
            "spikecolor": look.quiet,
            "spikethickness": 1,
            "spikedash": "solid",
            "ticks": "",
            "nticks": TICKS if name == "y" else X_TICKS,
            "exponentformat": "power" if log else "none",
            "separatethousands": True,
            "hoverformat": "" if log else ",d",
        }
        if log:
            axis |= _log_ticks(fine_ticks(ends[0], ends[1]))
        figure.update_layout({f"{name}axis{ordinal(i)}": axis})


def fine_ticks(low: float, high: float) -> int | tuple[list[float], list[str]]:
    """Every how many powers of ten a tick stands; where few are, ticks at 1, 2, 5 times powers, with text."""
    if high - low >= FEW_DECADES:
        return max(1, round((high - low) / TICKS))
    powers = 10.0 ** np.arange(np.floor(low), np.ceil(high))
    values = np.outer(powers, [1, 2, 5]).ravel()
    values = values[(values >= 10.0**low) & (values <= 10.0**high)]
    return values.tolist(), [count_text(int(v)) if v >= 1 else number_text(v) for v in values]


def _log_ticks(ticks: int | tuple[list[float], list[str]]) -> dict[str, Any]:
    if isinstance(ticks, int):
        return {"dtick": float(ticks)}
    return {"tickvals": ticks[0], "ticktext": ticks[1], "tickfont": {"size": 12}}


def pixel_scale(axis: dict[str, Any], length: float) -> Any:
    """From values to pixels on an axis."""
    low, high = np.log10(axis["range"]) if axis["type"] == "log" else axis["range"]

    def pixels(values: Array) -> Array:
        if axis["type"] == "log":
            values = np.log10(np.where(values > 0, values, np.nan))
        return np.asarray((values - low) / (high - low) * length)

    return pixels


def value_at(axis: dict[str, Any], length: float, pixels: float) -> float:
    """From pixels to a value on an axis."""
    low, high = np.log10(axis["range"]) if axis["type"] == "log" else axis["range"]
    value = low + pixels / length * (high - low)
    return float(10.0**value if axis["type"] == "log" else value)
