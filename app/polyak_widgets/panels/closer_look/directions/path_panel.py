"""The closer look's path: the iterates in a plane of two eigen-directions through x*, on contours of f."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import CONTOUR, START, TRUE_MU, method_look
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.closer_look.directions.components import (
    TRACKED,
    Components,
    kept_iterations,
    tracked_places,
)
from polyak_widgets.panels.closer_look.directions.directions import Directions
from polyak_widgets.panels.closer_look.directions.path_words import path_sentence, path_subtitle, path_summary
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.texts import NO_MOTION, ONE_DIRECTION, SLOWEST_AXIS
from polyak_widgets.panels.words.words import label

MOST_ON_PATH = 800
AROUND = 96
"""Corners of an ellipse."""
LEVELS = 26
"""Each holds a tenth of the gap of the next, so zooming in shows the same again and again."""
SECOND_OF = {"slow": "second", "tenfold": "tenfold", "ends": "fastest"}
FLAT = 3.0
"""Paths so many times as wide as high, or as high as wide, would be a line with equal scales."""
BESIDE = 0.08
"""Room around the paths, as a part of what they take."""


def path_panel(
    experiment: Experiment, basis: Directions, results: dict[str, Components], plane: str
) -> dict[str, Any]:
    """The paths of all methods in the plane of the slowest direction and the one that `plane` names."""
    if basis.eigenvalues.size < 2:
        return {"empty": ONE_DIRECTION}
    columns = [0, TRACKED.index(SECOND_OF[plane])]
    curvatures = basis.eigenvalues[tracked_places(basis.eigenvalues)[columns]]
    tracks = {method: result.track[:, columns] for method, result in results.items()}
    start = next(iter(tracks.values()))[0]
    gap = float(curvatures @ start**2) / 2
    if not gap > 0:
        return {"empty": NO_MOTION}
    x, y = (_extent(tracks, start, axis) for axis in (0, 1))
    equal = 1 / FLAT <= (y[1] - y[0]) / (x[1] - x[0]) <= FLAT
    return {
        "subtitle": path_subtitle(basis, plane, float(curvatures[1] / curvatures[0]), equal),
        "sentence": path_sentence(experiment, tracks, start),
        "summary": path_summary(experiment, tracks),
        "x": _axis(SLOWEST_AXIS, curvatures[0], x),
        "y": _axis("", curvatures[1], y),
        "curves": _curves(experiment, tracks, curvatures, gap),
        "legend": True,
        "at": "● k = ",
        "equal": equal,
        "no_choice": basis.eigenvalues.size == 2,
        "closer": True,
    }


def _curves(experiment: Experiment, tracks: dict[str, Array], curvatures: Array, gap: float) -> list[Curve]:
    start, centre = next(iter(tracks.values()))[0], np.zeros(1)
    paths, dots = _paths(experiment, tracks)
    return [
        Curve("contours", "", CONTOUR, *contours(curvatures, gap), faint=True, whole=True),
        *paths,
        Curve("begin", "", START, start[:1], start[1:], "markers", symbol="square-open", size=11),
        Curve("minimiser", "", TRUE_MU, centre, centre, "markers", symbol="x-thin", size=11),
        *dots,
    ]


def contours(curvatures: Array, gap: float) -> tuple[Array, Array]:
    """Ellipses on which 1/2 sum lambda_i c_i^2 is 10 gap, gap, gap/10, ..., as one line with breaks."""
    turn = np.append(np.linspace(0, 2 * np.pi, AROUND + 1), np.nan)
    heights = gap * 10.0 ** np.arange(1, 1 - LEVELS, -1)
    radii = np.sqrt(2 * heights[:, None] / curvatures)
    return (radii[:, :1] * np.cos(turn)).ravel(), (radii[:, 1:] * np.sin(turn)).ravel()


def _paths(experiment: Experiment, tracks: dict[str, Array]) -> tuple[list[Curve], list[Curve]]:
    """A line for each method, and a dot on it that follows the cursor."""
    lines, dots = [], []
    for method, track in tracks.items():
        some = kept_iterations(len(track) - 1, MOST_ON_PATH)
        u, v = np.where(np.isfinite(track[some]), track[some], np.nan).T
        look = method_look(method)
        lines.append(Curve(f"path:{method}", label(method, experiment.settings), look, u, v, whole=True))
        dot, steps = (f"dot:{method}", "", look, u[:, None], v[:, None]), some.astype(np.float64)
        dots.append(Curve(*dot, "markers", symbol="circle", size=10, steps=steps))
    return lines, dots


def _extent(tracks: dict[str, Array], start: Array, axis: int) -> tuple[float, float]:
    """From where to where the paths and x* reach on one axis; those that run away do not count."""
    limit = 3 * float(np.abs(start).max())
    values = np.concatenate([track[:, axis] for track in tracks.values()])
    inside = values[np.isfinite(values) & (np.abs(values) <= limit)]
    low, high = float(inside.min(initial=0.0)), float(inside.max(initial=0.0))
    room = BESIDE * (high - low) or limit
    return low - room, high + room


def _axis(words: str, curvature: float, extent: tuple[float, float]) -> dict[str, Any]:
    return {
        "title": f"{words}λ = {number_text(float(curvature))}",
        "type": "linear",
        "range": list(extent),
    }
