"""What the path says in words; every number comes from the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.panels.closer_look.directions.directions import Directions
from polyak_widgets.panels.words.words import label

UNSEEN = 1e-6
"""What is smaller than this part of the start is at x* for the eye."""
IN_PLANES = {
    "slow": "the two slowest directions",
    "tenfold": "the slowest direction and one {ratio} times as fast",
    "ends": "the slowest and the fastest direction",
}


def path_subtitle(basis: Directions, plane: str, ratio: float, equal: bool) -> str:
    """Which plane is drawn, and what its signs are."""
    which = IN_PLANES[plane].format(ratio=number_text(ratio))
    if basis.n == 2:
        which = "the whole space, since n = 2"
    model = "" if basis.exact else " of the quadratic model at x*"
    scales = "" if equal else " · the axes have different scales"
    return f"{which} · □ start, × x* · each contour{model} has a tenth of the gap of the next{scales}"


def crossings(values: Array) -> int:
    """How often a sequence changes its sign while it is above a millionth of where it began.

    >>> crossings(np.array([1.0, -0.5, 0.2, -1e-9, 1e-9]))
    2
    """
    large = np.abs(values) > UNSEEN * abs(values[0])
    signs = np.sign(values[np.isfinite(values) & large])
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


def path_sentence(experiment: Experiment, tracks: Mapping[str, Array], start: Array) -> str:
    """How often each method overshoots, those that do so most first."""
    if abs(start[0]) <= UNSEEN * abs(start[1]):
        return "The start has no part in the slowest direction, so nothing moves along it."
    counts = {method: crossings(track[:, 0]) for method, track in tracks.items()}
    if not any(counts.values()):
        return "In the slowest direction every method approaches x* from one side and never swings past it."
    parts = []
    for method in sorted(counts, key=lambda name: -counts[name]):
        if counts[method]:
            times = {1: "once", 2: "twice"}.get(counts[method], f"{count_text(counts[method])} times")
            parts.append(f"{label(method, experiment.settings)} {times}")
    others = len(counts) - len(parts)
    rest = {0: "", 1: "; the other one never"}.get(others, "; the others never")
    return f"In the slowest direction yₖ swings past x*: {'; '.join(parts)}{rest}."


def path_summary(experiment: Experiment, tracks: Mapping[str, Array]) -> str:
    """Where the paths begin and end, for those who hear the chart."""
    parts = []
    for method, track in tracks.items():
        ends = [f"({number_text(float(u))}, {number_text(float(v))})" for u, v in track[[0, -1]]]
        parts.append(
            f"{label(method, experiment.settings)} goes from {ends[0]} to {ends[1]}"
            f" in {iterations_text(len(track) - 1)}"
        )
    return "Coordinates are components of y − x*. " + "; ".join(parts) + "."
