"""From a third panel to what the page draws: its words, axes, and one binary buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .frame import thin
from .look import Look

Numbers = npt.NDArray[np.float64]
MOST_POINTS = 1000


@dataclass(frozen=True)
class Shape:
    """One line or one set of marks of the third panel.

    Attributes:
        uid: the same in every frame.
        label: its name, none for one that needs no name.
        look: colour, dash and width.
        x, y: shape (points,); where it follows the iteration cursor y, and x too if it differs from step to
            step, has shape (steps, points).
        mode: "lines" or "markers".
        symbol, size: of a mark, in plotly's words and pixels.
        faint: drawn half transparent.
        sets: the setting that a click on a point sets to its x.
        steps: the iterations of the steps, ascending, shape (steps,).
    """

    uid: str
    label: str
    look: Look
    x: Numbers
    y: Numbers
    mode: str = "lines"
    symbol: str = "circle-open"
    size: float = 8.0
    faint: bool = False
    sets: str = ""
    steps: Numbers | None = None


def make_third_frame(panel: dict[str, Any], serial: int, settled: bool) -> dict[str, Any]:
    """One frame for the card: the shapes of the panel become places in a buffer."""
    pieces: list[Numbers] = []
    curves = [pack_shape(shape, pieces) for shape in panel.get("curves", ())]
    data = np.concatenate(pieces) if pieces else np.empty(0)
    return {
        "serial": serial,
        "settled": settled,
        "panel": {**panel, "curves": curves},
        "data": data.astype("<f8").tobytes(),
    }


def pack_shape(shape: Shape, pieces: list[Numbers]) -> dict[str, Any]:
    """Append the numbers of a shape and describe where they lie."""
    x, y = shape.x, shape.y
    if shape.steps is None and shape.mode == "lines" and y.size > MOST_POINTS:
        kept = thin(y, MOST_POINTS)
        x, y = x[kept], y[kept]
    begin = sum(piece.size for piece in pieces)
    pieces += [x.ravel(), y.ravel()]
    count = y.shape[-1]
    described: dict[str, Any] = {
        "uid": shape.uid,
        "label": shape.label,
        "colour": shape.look.colour,
        "dash": shape.look.dash,
        "width": shape.look.width,
        "start": begin,
        "yStart": begin + x.size,
        "count": count,
        "mode": shape.mode,
        "symbol": shape.symbol,
        "size": shape.size,
        "faint": shape.faint,
        "sets": shape.sets,
    }
    if shape.steps is not None:
        described["steps"] = {
            "start": begin + x.size + y.size,
            "count": shape.steps.size,
            "x": count if x.ndim > 1 else 0,
            "y": count,
        }
        pieces.append(np.asarray(shape.steps, dtype=np.float64))
    return described
