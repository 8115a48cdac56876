"""What a chart is made of: curves, marks, and axes in three units. Pure, no widget, no plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.look import Look
from polyak_widgets.settings.units import UNITS

Records = slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]
PARTS = 6
"""A logarithmic axis is at least so many steps of its lower end long; a step is at most two decades."""
DEEPEST = 1e-30
"""The gap axis ends at this part of the initial gap; zoom out for what lies below."""
BEYOND = 1.05
"""An axis ends so much after the last curve."""
NEARLY_ALL = 0.9
"""If the last curve comes at least so far, the axis stays as long as the run may be."""
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""First digits at which a shorter axis may end, so that it stays as it is while a slider moves a little."""


@dataclass(frozen=True)
class Curve:
    """One line or one set of marks.

    Attributes:
        uid: the same in every frame.
        label: its name, shown at its end; none for one that needs no name.
        look: colour, dash and width.
        x: iterations, or whatever the axis of its panel counts; shape (points,).
        y: values, shape (points,); NaN breaks the line.
        mode: "lines", "markers", or "band" for the area within one closed line.
        symbol, size: of a mark, in plotly's words and pixels.
        faint: drawn half transparent.
        clocks: x in other units, by the names of `UNITS`; with them x counts the records of a run, and the
            cursor finds its place on the curve.
        level: only a line at one height, so the cursor leaves it alone.
        whole: every point is drawn; else a long line is thinned, whose x must ascend.
        sets: the setting that a click on a point sets to its x.
        group: the heading that it stands under in a legend, if any.
        steps: iterations, ascending, shape (steps,), of a curve that follows the iteration cursor: then y,
            and x too if it differs from step to step, has shape (steps, points).
    """

    uid: str
    label: str
    look: Look
    x: Array
    y: Array
    mode: str = "lines"
    _: KW_ONLY
    symbol: str = "circle-open"
    size: float = 8.0
    faint: bool = False
    clocks: Mapping[str, Array] = field(default_factory=dict)
    level: bool = False
    whole: bool = False
    sets: str = ""
    group: str = ""
    steps: Array | None = None

    @property
    def run(self) -> bool:
        """Whether x counts the records of a run."""
        return bool(self.clocks) and not self.level


def clocks(trace: pc.Trace, records: Records = slice(None)) -> dict[str, Array]:
    """What the records of a run cost, in the units besides iterations."""
    return {"gradients": trace.gradients[records], "seconds": trace.step_seconds * trace.k[records]}


def level(uid: str, label: str, look: Look, experiment: Experiment, y: float) -> Curve:
    """A line at one height across the whole chart, on linear and on logarithmic axes, in every unit."""
    ends = {unit: np.array([0.0, *span]) for unit, span in spans(experiment).items()}
    return Curve(uid, label, look, ends.pop("iterations"), np.full(3, y), clocks=ends, level=True)


def mark(symbol: str, trace: pc.Trace, k: int, y: float, text: str, colour: str) -> dict[str, Any]:
    """A sign at one record of a run, with what it says."""
    x = {"iterations": float(trace.k[k])} | {unit: float(v[k]) for unit, v in clocks(trace).items()}
    return {"symbol": symbol, "x": x, "y": float(y), "text": text, "colour": colour}


def drawn(experiment: Experiment) -> list[tuple[MethodRun, pc.Trace]]:
    """The runs that have a curve."""
    return [(run, run.trace) for run in experiment.runs if run.trace is not None and len(run.trace)]


def last_seen(trace: pc.Trace) -> int:
    """The last record of a run whose gap the axis shows: what falls on lies below the chart."""
    visible = np.flatnonzero(trace.gap > DEEPEST * trace.gap[0])
    return int(visible[-1]) if visible.size else len(trace) - 1


def last_k(experiment: Experiment) -> float:
    """Where the axis of iterations ends: a little after the last curve that is still seen.

    While the runs grow, and where a curve comes nearly as far as they may, it ends with what is asked for.
    """
    iterations = experiment.settings.iterations
    last = max((max(1, last_seen(trace)) for _, trace in drawn(experiment)), default=iterations)
    return float(axis_end(last, iterations) if experiment.finished else iterations)


def axis_end(last: float, most: float) -> float:
    """A round number a little after `last`, or `most` if that is hardly more.

    >>> axis_end(11, 1500), axis_end(439, 1500), axis_end(1400, 1500)
    (12.0, 500.0, 1500.0)
    """
    end = BEYOND * last
    if not 0 < end < NEARLY_ALL * most:
        return float(most)
    decade = 10.0 ** np.floor(np.log10(end))
    rounded = next(step * decade for step in STEPS if step * decade >= end)
    return float(min(rounded, most))


def spans(experiment: Experiment) -> dict[str, tuple[float, float]]:
    """For each unit where a logarithmic axis begins and where every axis ends."""
    traces = [trace for _, trace in drawn(experiment) if len(trace) > 1]
    by_unit = {"iterations": (1.0, max(2.0, last_k(experiment)))}
    known = [(clocks(trace), last_seen(trace)) for trace in traces]
    for unit in ("gradients", "seconds"):
        columns = [(each[unit], last) for each, last in known]
        first = min((float(column[1]) for column, _ in columns), default=1.0)
        last = max((float(column[-1]) for column, _ in columns), default=1.0)
        if experiment.finished:
            last = axis_end(max((float(column[k]) for column, k in columns), default=1.0), last)
        first = first if first > 0 else last / 1e3
        by_unit[unit] = (first, max(last, 1.01 * first)) if last > 0 else (1.0, 10.0)
    return by_unit


def x_axis(experiment: Experiment, kind: str) -> dict[str, Any]:
    """The axis of iterations, with the same in the other units beside it under "units"."""
    units = {
        unit: {"title": UNITS[unit].axis, "range": [first if kind == "log" else 0.0, last]}
        for unit, (first, last) in spans(experiment).items()
    }
    return {**units["iterations"], "type": kind, "units": units}


def decades(values: Sequence[Array], lowest: float) -> list[float]:
    """A range around what is drawn, two decades at least, ending at `lowest`.

    Ends are rounded outwards, the lower one, which moves most, to a sixth to a twelfth of the whole, at most
    two decades: axes that stay as they are while a slider moves need not be drawn anew.
    """
    high = np.log10(max_of(values))
    least = min((v[usable(v)].min() for v in values if usable(v).any()), default=1.0)
    low = np.log10(max(least, lowest, 1e-300))
    step = 2.0 ** np.clip(np.floor(np.log2(max(high - low, 1.0) / PARTS)), -2, 1)
    above = min(step, 0.5)
    below = min(step, 1) / 4 if least > lowest else 0.0
    top, bottom = above * np.ceil(high / above + 0.5), step * np.floor((low - below) / step)
    return [float(10.0 ** min(bottom, top - 2)), float(10.0**top)]


def max_of(values: Sequence[Array]) -> float:
    """The largest finite positive number, 1 if there is none."""
    return float(max((v[usable(v)].max() for v in values if usable(v).any()), default=1.0))


def usable(values: Array) -> npt.NDArray[np.bool_]:
    """What a logarithmic axis can show."""
    return np.isfinite(values) & (values > 0)


def true_mu(problem: pc.Problem) -> float | None:
    """mu, or the smallest non-zero curvature where mu = 0, or None."""
    if problem.mu > 0:
        return problem.mu
    return problem.mu_restricted if problem.mu_restricted > 0 else None
