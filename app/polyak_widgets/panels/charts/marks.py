"""Marks on the curves: where a run ended and why, where an estimate froze; the band of rounding errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING, method_look
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.panels.curves import Curve, drawn, mark
from polyak_widgets.panels.texts import (
    A_RESTART,
    END_OF_BUDGET,
    FROZEN,
    SOME_RESTARTS,
    of_initial_gap,
    rounding_below,
)
from polyak_widgets.panels.words.race import end_text
from polyak_widgets.panels.words.words import label

OUTCOME_SYMBOLS = {
    pc.Outcome.TARGET: "target",
    pc.Outcome.EXACT: "exact",
    pc.Outcome.FLOOR: "floor",
    pc.Outcome.STALLED: "stalled",
    pc.Outcome.BOUNCING: "bouncing",
    pc.Outcome.DIVERGED: "diverged",
    pc.Outcome.NON_FINITE: "non-finite",
    pc.Outcome.BUDGET: "budget",
    pc.Outcome.CANCELLED: "cancelled",
}
WORDS = {outcome: str(outcome) for outcome in pc.Outcome} | {pc.Outcome.BUDGET: END_OF_BUDGET}
RINGS = 25
"""Rings that have room side by side along a chart."""


def end_marks(experiment: Experiment, heights: Mapping[str, Array]) -> list[dict[str, Any]]:
    """The end of each run that has ended, at its height, with its reason as the symbol."""
    marks = []
    for run, trace in drawn(experiment):
        height = heights[run.method][-1]
        if run.finished and np.isfinite(height):
            k = len(trace) - 1
            text = f"{label(run.method, experiment.settings)}: {WORDS[trace.outcome]} at k = {count_text(k)}"
            colour = method_look(run.method).colour
            if trace.gap[0] > 0:
                text = f"{text}, {of_initial_gap(end_text(trace, experiment.problem))}"
            sign = mark(OUTCOME_SYMBOLS[trace.outcome], trace, k, height, text, colour)
            marks.append(sign | {"uid": f"end:{run.method}"})
    return marks


def freeze_marks(experiment: Experiment, heights: Mapping[str, Array]) -> list[dict[str, Any]]:
    """The first record from which on every estimate of a run was refused, at its height."""
    marks = []
    for run, trace in drawn(experiment):
        k = frozen_from(trace) if run.finished and run.method in ESTIMATING else None
        if k is not None:
            y = float(heights[run.method][k])
            text = f"{label(run.method, experiment.settings)}: {FROZEN}, k = {count_text(k)}"
            sign = mark("frozen", trace, k, y, text, method_look(run.method).colour)
            marks.append(sign | {"uid": f"frozen:{run.method}"})
    return marks


def frozen_from(trace: pc.Trace) -> int | None:
    """The first record of the refusals that last to the end; None if the last estimate was taken."""
    successes = np.flatnonzero(~trace.frozen)
    first = int(successes[-1]) + 1 if successes.size else 0
    return first if first < len(trace) else None


def floor_bands(experiment: Experiment, lowest: float) -> list[dict[str, Any]]:
    """The relative gap below which rounding errors dominate, as far as the axis shows it."""
    floor = max((trace.floor / (trace.gap[0] or 1.0) for _, trace in drawn(experiment)), default=0.0)
    if floor <= lowest:
        return []
    return [{"from": None, "to": floor, "text": rounding_below(number_text(floor))}]


def ringed(trace: pc.Trace, x: Array, y: Array) -> npt.NDArray[np.intp]:
    """The records of the restarts that have a ring: of those that would lie on each other only the first.

    `x` and `y` say where the records stand in the chart, as parts of its sides, shape (records,).
    """
    at = np.flatnonzero(trace.restarted)
    cells = np.floor(RINGS * np.nan_to_num(np.stack([x[at], y[at]]), posinf=0.0, neginf=0.0))
    first = np.append(True, (np.diff(cells) != 0).any(axis=0))[: at.size]
    return np.asarray(at[first])


def ring_words(experiment: Experiment, curves: Sequence[Curve]) -> str:
    """What a ring of these curves means; none where there are no restarts."""
    restarts = sum(int(trace.restarted.sum()) for _, trace in drawn(experiment))
    rings = sum(int(np.isfinite(curve.x).sum()) for curve in curves if curve.uid.startswith("restarts:"))
    return "" if not restarts else A_RESTART if rings == restarts else SOME_RESTARTS


def key_of(marks: list[dict[str, Any]], ring: str = "") -> list[dict[str, str]]:
    """What the symbols of a chart mean, each once."""
    words = {OUTCOME_SYMBOLS[outcome]: WORDS[outcome] for outcome in pc.Outcome} | {"frozen": FROZEN}
    shown = {each["symbol"]: words[each["symbol"]] for each in marks}
    if ring:
        shown["ring"] = ring
    return [{"symbol": symbol, "text": text} for symbol, text in shown.items()]
