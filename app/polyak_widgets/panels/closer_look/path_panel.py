"""The closer look's path: the iterates in a plane of two eigen-directions through x*, on contours of f."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import CONTOUR, START, TRUE_MU, method_look
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.panels.closer_look.components import TRACKED, Components, kept_iterations, tracked_places
from polyak_widgets.panels.closer_look.directions import Directions
from polyak_widgets.panels.curves import Curve
from polyak_widgets.panels.words.words import label

MOST_ON_PATH = 800
AROUND = 96
"""Corners of an ellipse."""
LEVELS = 26
"""Each holds a tenth of the gap of the next, so zooming in shows the same again and again."""
NOTHING = 1e-6
"""What is smaller than this part of the start is at x* for the eye."""
SECOND_OF = {"slow": "second", "tenfold": "tenfold", "ends": "fastest"}
WORDS = {
    "slow": "the two slowest directions",
    "tenfold": "the slowest direction and one {ratio} times as fast",
    "ends": "the slowest and the fastest direction",
}
FLAT = 3.0
"""Paths so many times as wide as high, or as high as wide, would be a line with equal scales."""
BESIDE = 0.08
"""Room around the paths, as a part of what they take."""


def path_panel(
    experiment: Experiment, basis: Directions, results: dict[str, Components], plane: str
) -> dict[str, Any]:
    """The paths of all methods in the plane of the slowest direction and the one that `plane` names."""
    if basis.eigenvalues.size < 2:
        return {"empty": "there is one direction with curvature only, so every path is a line through x*."}
    columns = [0, TRACKED.index(SECOND_OF[plane])]
    curvatures = basis.eigenvalues[tracked_places(basis.eigenvalues)[columns]]
    tracks = {method: result.track[:, columns] for method, result in results.items()}
    start = next(iter(tracks.values()))[0]
    gap = float(curvatures @ start**2) / 2
    if not gap > 0:
        return {"empty": "the start has no part in these two directions: nothing moves in their plane."}
    x, y = (_extent(tracks, start, axis) for axis in (0, 1))
    equal = 1 / FLAT <= (y[1] - y[0]) / (x[1] - x[0]) <= FLAT
    return {
        "subtitle": _subtitle(basis, plane, float(curvatures[1] / curvatures[0]), equal),
        "sentence": _sentence(experiment, tracks, start),
        "summary": _summary(experiment, tracks),
        "x": _axis("slowest direction, ", curvatures[0], x),
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


def _subtitle(basis: Directions, plane: str, ratio: float, equal: bool) -> str:
    which = WORDS[plane].format(ratio=number_text(ratio))
    if basis.n == 2:
        which = "all there is, since n = 2"
    model = "" if basis.exact else " of the quadratic model at x*"
    scales = "" if equal else " · the axes have different scales"
    return f"{which} · □ start, × x* · each contour{model} has a tenth of the gap of the next{scales}"


def crossings(values: Array) -> int:
    """How often a sequence changes its sign while it is above a millionth of where it began.

    >>> crossings(np.array([1.0, -0.5, 0.2, -1e-9, 1e-9]))
    2
    """
    large = np.abs(values) > NOTHING * abs(values[0])
    signs = np.sign(values[np.isfinite(values) & large])
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


def _sentence(experiment: Experiment, tracks: dict[str, Array], start: Array) -> str:
    """How often each method overshoots, those that do so most first."""
    if abs(start[0]) <= NOTHING * abs(start[1]):
        return "The start has no part in the slowest direction, so nothing moves along it."
    counts = {method: crossings(track[:, 0]) for method, track in tracks.items()}
    if not any(counts.values()):
        return "In the slowest direction every method comes from one side and never swings past x*."
    parts = []
    for method in sorted(counts, key=lambda name: -counts[name]):
        if counts[method]:
            times = {1: "once", 2: "twice"}.get(counts[method], f"{count_text(counts[method])} times")
            parts.append(f"{label(method, experiment.settings)} {times}")
    others = len(counts) - len(parts)
    rest = {0: "", 1: "; the other one never"}.get(others, "; the others never")
    return f"In the slowest direction yₖ swings past x*: {'; '.join(parts)}{rest}."


def _summary(experiment: Experiment, tracks: dict[str, Array]) -> str:
    parts = []
    for method, track in tracks.items():
        ends = [f"({number_text(float(u))}, {number_text(float(v))})" for u, v in track[[0, -1]]]
        parts.append(
            f"{label(method, experiment.settings)} goes from {ends[0]} to {ends[1]}"
            f" in {iterations_text(len(track) - 1)}"
        )
    return "Coordinates are components of y − x*. " + "; ".join(parts) + "."
