"""From an experiment to what the page draws: words, axes, and one binary buffer of thinned curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.panels.curves import Curve, drawn, last_k, last_seen
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.pins import groups, listed, with_pins
from polyak_widgets.panels.words.headline import leading, sentence
from polyak_widgets.panels.words.table import rows
from polyak_widgets.panels.words.unusual import title_words, unusual
from polyak_widgets.settings.units import UNITS
from polyak_widgets.settings.view import View

LIVE_POINTS, SETTLED_POINTS, CLOSER_LOOK_POINTS = 400, 2000, 1000
ALL_UNITS = ("gradients", "seconds")
Indices = npt.NDArray[np.intp]


def make_frame(
    experiment: Experiment,
    view: View,
    show: tuple[str, ...],
    serial: int,
    pins: tuple[Pin, ...] = (),
    *,
    points: int = SETTLED_POINTS,
    units: tuple[str, ...] = ALL_UNITS,
) -> dict[str, Any]:
    """One frame for `polyak_widgets.page.widgets.Stage`, settled if the experiment is finished.

    A settled frame has up to so many `points` of a curve, and its x values in iterations and in `units`; one
    of a run that streams has fewer points, and x in the unit that is shown.
    """
    if not experiment.finished:
        points, units = LIVE_POINTS, (view.x,)
    stops = stopping_places(experiment.settings.iterations, points)
    pieces: list[Array] = []
    panels = [with_pins(name, experiment, view, pins) for name in show]
    for panel in panels:
        for kind in ("curves", "lines"):
            panel[kind] = [pack(curve, pieces, points, units, stops) for curve in panel.get(kind, ())]
    return {
        "serial": serial,
        "settled": experiment.finished,
        "subject": subject(experiment, view),
        "sentence": sentence(experiment, view.x),
        "unusual": unusual_chips(experiment),
        "title": title_words(experiment.settings, experiment.problem),
        "panels": panels,
        "rows": rows(experiment) | {"groups": groups(pins, experiment)},
        "pins": listed(pins, experiment, view.x),
        "cursor": cursor(first_drawn(experiment, view), stops, points),
        "data": joined(pieces),
    }


def unusual_chips(experiment: Experiment) -> list[dict[str, Any]]:
    """What is not as usual, each with the values that take it back."""
    changes = unusual(experiment.settings, experiment.problem)
    return [{"name": each.name, "words": each.words, "back": dict(each.back)} for each in changes]


def subject(experiment: Experiment, view: View) -> list[Any]:
    """What a picture is of: a zoom made in one of another subject would show nothing or something else."""
    settings = experiment.settings
    return [settings.problem, settings.data, settings.condition_number, settings.iterations, view.y]


def make_closer_look_frame(panel: dict[str, Any], serial: int, settled: bool) -> dict[str, Any]:
    """One frame for the panel that the reader chooses, which has a buffer of its own."""
    pieces: list[Array] = []
    curves = [pack(curve, pieces, CLOSER_LOOK_POINTS) for curve in panel.get("curves", ())]
    return {
        "serial": serial,
        "settled": settled,
        "panel": {**panel, "curves": curves},
        "data": joined(pieces),
    }


def points_for(pixels: object) -> int:
    """How many points of a curve a chart so many pixels wide can show: four for every pixel, in steps.

    >>> points_for(290), points_for(360), points_for(9000), points_for("?")
    (1200, 1600, 2000, 2000)
    """
    if not isinstance(pixels, int | float) or not pixels > 0:
        return SETTLED_POINTS
    return int(min(-(-4 * pixels // LIVE_POINTS) * LIVE_POINTS, SETTLED_POINTS))


def joined(pieces: list[Array]) -> bytes:
    """The buffer of a frame: little-endian float64."""
    with np.errstate(over="ignore"):
        return np.concatenate([*pieces, np.empty(0)]).astype("<f8").tobytes()


def pack(
    curve: Curve,
    pieces: list[Array],
    points: int,
    units: tuple[str, ...] = (),
    stops: Indices | None = None,
) -> dict[str, Any]:
    """Append the numbers of a curve, a long line thinned, and describe where they lie.

    From "start" on there are "count" x values, then as many y values, then x in each of the `units` that the
    curve has. Where the curve follows the cursor, "steps" says where its iterations are and how many, where
    its y values begin, and how far the x values of two steps lie apart; those of y lie "count" apart.
    """
    begin = sum(piece.size for piece in pieces)
    thinned = curve.mode == "lines" and not curve.whole and curve.steps is None
    indices = thin(curve.y, points, stops) if thinned else slice(None)
    x, y = curve.x[indices], curve.y[indices]
    count = int(y.shape[-1])
    clocks = [unit for unit in units if unit in curve.clocks]
    pieces += [x.ravel(), y.ravel(), *(curve.clocks[unit][indices] for unit in clocks)]
    packed = {
        "uid": curve.uid,
        "label": curve.label,
        "colour": curve.look.colour,
        "dash": curve.look.dash,
        "width": curve.look.width,
        "start": begin,
        "count": count,
        "units": {unit: begin + (2 + i) * count for i, unit in enumerate(clocks)},
        "mode": curve.mode,
        "marker": curve.look.marker if curve.run else "",
        "run": curve.run,
        "symbol": curve.symbol,
        "size": curve.size,
        "faint": curve.faint,
        "sets": curve.sets,
    }
    packed |= {"group": curve.group} if curve.group else {}
    if curve.steps is None:
        return packed
    pieces.append(curve.steps)
    at, stride = begin + x.size, count if x.ndim > 1 else 0
    return packed | {"steps": {"start": at + y.size, "count": curve.steps.size, "x": stride, "y": at}}


def cursor(experiment: Experiment, stops: Indices, points: int) -> dict[str, Any]:
    """How far the cursor may go, where it may stop (None: anywhere), where it begins; units of the x axis."""
    last = min(int(last_k(experiment)), longest(experiment))
    units = [[name, unit.label, unit.help] for name, unit in UNITS.items()]
    anywhere = last < points or not experiment.finished
    return {
        "last": last,
        "stops": None if anywhere else stops[stops <= last].tolist(),
        "start": beginning(experiment),
        "units": units,
    }


def longest(experiment: Experiment) -> int:
    """The last iteration that a curve has, or may have while the runs grow."""
    ends = [len(trace) - 1 for _, trace in drawn(experiment)]
    return max(ends) if ends and experiment.finished else experiment.settings.iterations


def beginning(experiment: Experiment) -> int:
    """Where the cursor begins: where the method that leads the sentence has come down to a millionth.

    If it never does, at a third of the axis, or earlier if that curve has ended there.
    """
    lead, third = leading(experiment), int(last_k(experiment)) // 3
    if lead is None or not len(lead):
        return third
    start = lead.first_below(1e-6)
    return start or (min(third, 2 * last_seen(lead) // 3) if experiment.finished else third)


def stopping_places(last: int, points: int) -> Indices:
    """Iterations whose records all curves keep: half of `points`, evenly and at equal ratios."""
    half = points // 4
    even = np.linspace(0, last, half).astype(np.intp)
    ratios = np.geomspace(1, max(last, 1), half).astype(np.intp)
    return np.unique(np.concatenate([even, ratios]))


def thin(y: Array, points: int, stops: Indices | None = None) -> Indices:
    """Indices of at most `points` values that draw the same picture on linear and logarithmic axes.

    Half of them are the extremes of equal stretches, so that no ripple is lost, the others are `stops`: they
    lie evenly and at equal ratios of the index, so that the first iterations stay whole.
    """
    n = y.size
    if n <= points:
        return np.arange(n)
    stops = stopping_places(n - 1, points) if stops is None else stops
    quarter = points // 4
    stretch = -(-n // quarter)
    padded = np.full(stretch * quarter, np.nan)
    padded[:n] = y
    blocks = padded.reshape(quarter, stretch)
    offsets = stretch * np.arange(quarter)
    low = offsets + np.argmin(np.where(np.isnan(blocks), np.inf, blocks), axis=1)
    high = offsets + np.argmax(np.where(np.isnan(blocks), -np.inf, blocks), axis=1)
    indices: Indices = np.unique(np.concatenate([low, high, stops, [n - 1]]))
    return indices[indices < n]
