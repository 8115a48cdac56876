"""Who needs how much to which relative gap: the one place that compares runs, in the unit that is counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.settings.units import UNITS

EXPONENTS = (-3, -6, -10)
"""Of the powers of ten, as relative gaps, to which the page says what methods need."""
STOPPED = (pc.Outcome.BUDGET, pc.Outcome.STALLED, pc.Outcome.CANCELLED)
"""A run that ended so might have come lower."""
SHORTEST = 1e-3
"""Seconds below which a clock and a scheduler say more than a method."""


class Race(NamedTuple):
    """The strictest level that is decided.

    Attributes:
        exponent: the level is this power of ten.
        costs: what each method that is there needs, the first come first; times too short to tell are equal.
        first: the methods that need least; several are equal.
        late: the methods that are not there.
        won: whether no other method can have needed less: none of the late ones was stopped before that.
    """

    exponent: int
    costs: dict[str, float]
    first: list[str]
    late: list[str]
    won: bool


def traces_of(experiment: Experiment) -> dict[str, pc.Trace]:
    """The runs that there are, by method."""
    return {run.method: run.trace for run in experiment.runs if run.trace is not None and len(run.trace)}


def race(experiment: Experiment, unit: str) -> Race | None:
    """The order at the strictest level that anybody has reached; None where no level is decided.

    While runs go on, a level is decided when every one has spent as much as the first has needed. Levels
    below the target are reached by accident.
    """
    traces = traces_of(experiment)
    going = [run.trace for run in experiment.runs if run.method in traces and not run.finished]
    spent = min((cost(t, len(t) - 1, unit) for t in going if t is not None), default=np.inf)
    for exponent in reversed(levels(experiment)):
        ks = {method: trace.first_below(10.0**exponent) for method, trace in traces.items()}
        costs = {
            method: comparable_cost(traces[method], k, unit) for method, k in ks.items() if k is not None
        }
        if costs and min(costs.values()) <= spent:
            ordered = dict(sorted(costs.items(), key=lambda pair: pair[1]))
            least = min(costs.values())
            first = [method for method in traces if costs.get(method) == least]
            late = [method for method in traces if method not in costs]
            return Race(exponent, ordered, first, late, _won(least, [traces[m] for m in late], unit))
    return None


def levels(experiment: Experiment) -> list[int]:
    """The levels at which runs are compared, as powers of ten: none that lies below the target."""
    target = experiment.settings.target * (1 - 1e-9)
    return [exponent for exponent in EXPONENTS if 10.0**exponent >= target]


def comparable_cost(trace: pc.Trace, k: int, unit: str) -> float:
    """What a run has spent at iteration k; times too short to tell are equal."""
    return max(cost(trace, k, unit), SHORTEST if unit == "seconds" else 0.0)


def _won(least: float, late: list[pc.Trace], unit: str) -> bool:
    """Whether none of the late runs was stopped before it had spent so much."""
    return all(trace.outcome not in STOPPED or cost(trace, len(trace) - 1, unit) >= least for trace in late)


def cost(trace: pc.Trace, k: int, unit: str) -> float:
    """What a run has spent at iteration k."""
    if unit == "iterations":
        return float(k)
    return float(trace.gradients[k]) if unit == "gradients" else k * trace.step_seconds


def amount(spent: float, unit: str) -> str:
    """So much of a unit, with its name."""
    if unit == "iterations":
        return iterations_text(round(spent))
    if unit == "gradients":
        return f"{count_text(round(spent))} gradient call{'' if round(spent) == 1 else 's'}"
    return f"{seconds_text(spent)} s"


def bare_amount(spent: float, unit: str) -> str:
    """The same without the name."""
    return seconds_text(spent) if unit == "seconds" else count_text(round(spent))


def seconds_text(seconds: float) -> str:
    """Seconds, where there are enough of them to be timed."""
    return number_text(seconds) if seconds >= SHORTEST else f"< {number_text(SHORTEST)}"


def more_text(text: str, spent: float, unit: str) -> str:
    """More than that, which is said in `text`; a time too short to tell stays one."""
    return text if unit == "seconds" and spent < SHORTEST else f"> {text}"


def too_short(seconds: float, unit: str) -> bool:
    """Whether this is a time, and too short to tell more of it."""
    return unit == "seconds" and seconds <= SHORTEST


def place(trace: pc.Trace, k: int, unit: str) -> str:
    """Where something happens on the x axis; at which iteration, where the time is too short to tell."""
    spent = cost(trace, k, unit)
    if unit == "iterations" or (unit == "seconds" and spent < SHORTEST):
        return f"k = {count_text(k)}"
    return amount(spent, unit)


def unit_words(unit: str) -> str:
    """What is counted."""
    return UNITS[unit].label


def relative_end(trace: pc.Trace) -> float:
    """The last gap as a part of the initial one; NaN where that is 0 or the last is none."""
    first, last = float(trace.gap[0]), float(trace.gap[-1])
    return last / first if first > 0 else np.nan


def end_text(trace: pc.Trace, problem: pc.Problem) -> str:
    """The last relative gap, no smaller than what is known of f*."""
    return relative_text(float(trace.gap[-1]), trace, problem)


def relative_text(gap: float, trace: pc.Trace, problem: pc.Problem) -> str:
    """A gap as a part of the initial one; below what is known of f* it is a bound."""
    first, known = float(trace.gap[0]), max(trace.floor, float(problem.f_star_error))
    if 0 < gap < known < np.inf:
        return f"≤ {number_text(known / first)}"
    return number_text(gap / first)
