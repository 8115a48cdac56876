"""The table below the charts: what each method needs to three tolerances, how fast it falls, how it ended."""

from __future__ import annotations

from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.look import method_look
from polyak_widgets.numbers import power_text, rate_text
from polyak_widgets.panels.words.race import EXPONENTS, bare_amount, cost, more_text
from polyak_widgets.panels.words.rates import observed_rate, theoretical_rate
from polyak_widgets.panels.words.words import label, outcome
from polyak_widgets.settings.units import UNITS

NEVER = (
    pc.Outcome.DIVERGED,
    pc.Outcome.NON_FINITE,
    pc.Outcome.BOUNCING,
    pc.Outcome.TARGET,
    pc.Outcome.FLOOR,
)
"""A run that ended so would not come lower with more iterations, or was not to."""
NOTHING = "–"
NOTE = (
    "52 / 61: first below the level at k = 52; ripples lift the gap above it again until k = 61. Rate: the "
    "factor per iteration over the last three decades, – if the fall is not geometric; in brackets the "
    "theorem’s. "
)


def rows(experiment: Experiment, with_theory: bool = True) -> dict[str, Any]:
    """The table; where a cell depends on the unit it is {"units": {unit: text}}.

    The rates of theory are those for the problem of the experiment; runs on another one have none.
    """
    goal = "to a relative gap (f(yₖ) − f*)/(f(x₀) − f*)"
    titles = {name: f"{unit.label.capitalize()} {goal}" for name, unit in UNITS.items()}
    return {
        "title": {"units": titles},
        "head": ["Method", *(f"to {power_text(t)}" for t in EXPONENTS), "rate (theory)", "outcome"],
        "align": ["left", "right", "right", "right", "right", "left"],
        "body": [_row(run, experiment, with_theory) for run in experiment.runs],
        "note": {"units": {name: NOTE + unit.note for name, unit in UNITS.items()}},
    }


def _row(run: MethodRun, experiment: Experiment, with_theory: bool) -> list[Any]:
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
    rates = _rates(run, experiment.problem if with_theory else None)
    return [first, *needed, rates, outcome(run, experiment.problem)]


def needed_texts(trace: pc.Trace, tolerance: float) -> dict[str, str]:
    """When the gap is first below a part of the first one, and when last above it if that is later."""
    first, last, end = trace.first_below(tolerance), trace.last_above(tolerance), len(trace) - 1
    if first is None:
        never = trace.outcome in NEVER
        return {unit: NOTHING if never else _more(trace, end, unit) for unit in UNITS}
    texts = {unit: _amount(trace, first, unit) for unit in UNITS}
    if last is None or last < first:
        return texts
    text_of = _more if last == end else _amount
    later = {unit: text_of(trace, last, unit) for unit in UNITS}
    return {unit: text if later[unit] == text else f"{text} / {later[unit]}" for unit, text in texts.items()}


def _amount(trace: pc.Trace, k: int, unit: str) -> str:
    return bare_amount(cost(trace, k, unit), unit)


def _more(trace: pc.Trace, k: int, unit: str) -> str:
    return more_text(_amount(trace, k, unit), cost(trace, k, unit), unit)


def _rates(run: MethodRun, problem: pc.Problem | None) -> str:
    if run.trace is None or not run.finished:
        return NOTHING
    measured = observed_rate(run.trace)
    promised = None if problem is None else theoretical_rate(problem, run.method, run.trace)
    text = NOTHING if measured is None else rate_text(measured)
    return text if promised is None else f"{text} ({rate_text(promised)})"
