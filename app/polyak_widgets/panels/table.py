"""The table below the charts: what each method needs to three tolerances, how fast it falls, how it ended."""

from __future__ import annotations

from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.look import method_look
from polyak_widgets.numbers import count_text, number_text, power_text, rate_text
from polyak_widgets.panels.curves import clocks
from polyak_widgets.panels.rates import observed_rate, theoretical_rate
from polyak_widgets.panels.words import EXPONENTS, label, outcome
from polyak_widgets.settings.units import UNITS

NEVER = (pc.Outcome.DIVERGED, pc.Outcome.NON_FINITE)
NOTHING = "–"
NOTE = (
    "52 / 61: first time below, and last time above where ripples lift the gap again. Rate: what an "
    "iteration multiplies the gap by, over its last three decades, – where it does not fall geometrically; "
    "in brackets what theory promises. "
)


def rows(experiment: Experiment) -> dict[str, Any]:
    """The table; where a cell depends on the unit it is {"units": {unit: text}}."""
    titles = {name: f"{unit.label.capitalize()} to a part of the first gap" for name, unit in UNITS.items()}
    return {
        "title": {"units": titles},
        "head": ["Method", *(f"to {power_text(t)}" for t in EXPONENTS), "rate (theory)", "outcome"],
        "align": ["left", "right", "right", "right", "right", "left"],
        "body": [_row(run, experiment) for run in experiment.runs],
        "note": {"units": {name: NOTE + unit.note for name, unit in UNITS.items()}},
    }


def _row(run: MethodRun, experiment: Experiment) -> list[Any]:
    look = method_look(run.method)
    first = {
        "text": label(run.method, experiment.settings),
        "colour": look.colour,
        "dash": look.dash,
        "marker": look.marker,
        "explains": f"method:{run.method}",
    }
    if run.trace is None:
        return [first, *([NOTHING] * (len(EXPONENTS) + 1)), run.refusal]
    trace = run.trace
    needed = [{"units": needed_texts(trace, 10.0**t)} for t in EXPONENTS]
    return [first, *needed, _rates(run, experiment.problem), outcome(run)]


def needed_texts(trace: pc.Trace, tolerance: float) -> dict[str, str]:
    """When the gap is first below a part of the first one, and when last above it if that is later."""
    first, last, end = trace.first_below(tolerance), trace.last_above(tolerance), len(trace) - 1
    if first is None:
        never = trace.outcome in NEVER
        return {unit: NOTHING if never else f"> {_amount(trace, end, unit)}" for unit in UNITS}
    texts = {unit: _amount(trace, first, unit) for unit in UNITS}
    if last is None or last < first:
        return texts
    more = "> " if last == end else ""
    return {unit: f"{text} / {more}{_amount(trace, last, unit)}" for unit, text in texts.items()}


def _amount(trace: pc.Trace, k: int, unit: str) -> str:
    if unit == "iterations":
        return count_text(k)
    spent = float(clocks(trace)[unit][k])
    return count_text(int(spent)) if unit == "gradients" else number_text(spent)


def _rates(run: MethodRun, problem: pc.Problem) -> str:
    if run.trace is None or not run.finished:
        return NOTHING
    seen, promised = observed_rate(run.trace), theoretical_rate(problem, run.method, run.trace)
    text = NOTHING if seen is None else rate_text(seen)
    return text if promised is None else f"{text} ({rate_text(promised)})"
