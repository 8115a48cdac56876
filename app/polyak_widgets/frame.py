"""From an experiment to what the page draws: words, axes, and one binary buffer of thinned curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .experiment import Experiment
from .figures import PANELS, Curve
from .words import NOTE, rows, sentence

LIVE_POINTS, SETTLED_POINTS = 400, 2000
Indices = npt.NDArray[np.intp]


def make_frame(experiment: Experiment, show: tuple[str, ...], serial: int) -> dict[str, Any]:
    """One frame for `polyak_widgets.stage.Stage`, settled if the experiment is finished."""
    points = SETTLED_POINTS if experiment.finished else LIVE_POINTS
    pieces: list[npt.NDArray[np.float64]] = []
    panels = [PANELS[name](experiment) for name in show]
    for panel in panels:
        panel["curves"] = [pack(curve, points, pieces) for curve in panel["curves"]]
    data = np.concatenate(pieces) if pieces else np.empty(0)
    with np.errstate(over="ignore"):
        buffer = data.astype("<f8").tobytes()
    return {
        "serial": serial,
        "settled": experiment.finished,
        "sentence": sentence(experiment),
        "panels": panels,
        "rows": rows(experiment),
        "note": NOTE,
        "data": buffer,
    }


def pack(curve: Curve, points: int, pieces: list[npt.NDArray[np.float64]]) -> dict[str, Any]:
    """Append the numbers of a curve, thinned, and describe where they lie."""
    begin = sum(piece.size for piece in pieces)
    kept = thin(curve.y, points) if curve.mode == "lines" else np.arange(curve.y.size)
    pieces += [curve.x[kept], curve.y[kept]]
    return {
        "uid": curve.uid,
        "label": curve.label,
        "colour": curve.look.colour,
        "dash": curve.look.dash,
        "width": curve.look.width,
        "start": begin,
        "count": int(kept.size),
        "mode": curve.mode,
        "symbol": "circle-open",
        "faint": curve.faint,
    }


def thin(y: npt.NDArray[np.float64], points: int) -> Indices:
    """Indices of at most `points` values that draw the same picture on linear and logarithmic axes.

    Half of them are the extremes of equal stretches, so that no ripple is lost, the others lie evenly and at
    equal ratios of the index, so that the first iterations stay whole.
    """
    n = y.size
    if n <= points:
        return np.arange(n)
    quarter = points // 4
    stretch = -(-n // quarter)
    padded = np.full(stretch * quarter, np.nan)
    padded[:n] = y
    blocks = padded.reshape(quarter, stretch)
    offsets = stretch * np.arange(quarter)
    low = offsets + np.argmin(np.where(np.isnan(blocks), np.inf, blocks), axis=1)
    high = offsets + np.argmax(np.where(np.isnan(blocks), -np.inf, blocks), axis=1)
    ratios = np.geomspace(1, n - 1, quarter).astype(np.intp)
    even = np.linspace(0, n - 1, quarter).astype(np.intp)
    kept: Indices = np.unique(np.concatenate([low, high, ratios, even, [0]]))
    return kept[kept < n]
