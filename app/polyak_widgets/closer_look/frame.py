"""From a third panel to what the page draws: its words, axes, and one binary buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_widgets.look import Look
from polyak_widgets.panels.frame import thin

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
        whole: every point is drawn; else a long line is thinned, whose x must ascend.
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
    whole: bool = False
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
    if not shape.whole and shape.steps is None and y.size > MOST_POINTS:
        kept = thin(y, MOST_POINTS)
        x, y = x[kept], y[kept]
    begin = sum(piece.size for piece in pieces)
    pieces += [x.ravel(), y.ravel()]
    told = {
        name: getattr(shape, name) for name in ("uid", "label", "mode", "symbol", "size", "faint", "sets")
    }
    told |= {"colour": shape.look.colour, "dash": shape.look.dash, "width": shape.look.width}
    count = y.shape[-1]
    told |= {"start": begin, "yStart": begin + x.size, "count": count}
    if shape.steps is not None:
        stride = count if x.ndim > 1 else 0
        at = begin + x.size + y.size
        told["steps"] = {"start": at, "count": shape.steps.size, "x": stride, "y": count}
        pieces.append(shape.steps)
    return told
