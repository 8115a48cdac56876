"""What the sensitivity of the third panel says in words; every number comes from the runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.closer_look.sensitivity import Swept
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.panels.curves import drawn
from polyak_widgets.panels.mu import true_mu
from polyak_widgets.panels.words import label

if TYPE_CHECKING:
    from polyak_widgets.closer_look.sensitivity_panel import Cost

FAILING = (pc.Outcome.BOUNCING, pc.Outcome.DIVERGED, pc.Outcome.NON_FINITE)
NAMES = {"gamma": "γ", "mu0": "μ₀", "condition_number": "κ"}


def why_none(
    experiment: Experiment, swept: str, results: Mapping[str, Swept], cost: Cost | None = None
) -> str:
    """Why there is nothing to draw, in words after "because"; `cost` where other methods reach its goal."""
    goal = cost.goal if cost else "10⁻³ of the first gap"
    if results and any(trace.outcome in FAILING for _, trace in drawn(experiment)):
        return f"no run comes below {goal}: they bounce or diverge, and the table says why."
    if results:
        most = max(result.iterations for result in results.values())
        within = iterations_text(most)
        return f"no run comes below {goal} within {within}; allow more iterations."
    if swept == "condition_number" and experiment.settings.problem == "quadratic":
        return "the spectrum is a list of your own; take another one to let κ vary."
    if swept == "condition_number":
        return "data have the condition number that they have; take the quadratic to let κ vary."
    return "no method can run here; the table says why."


def sensitivity_sentence(
    experiment: Experiment, swept: str, results: Mapping[str, Swept], cost: Cost, now: Mapping[str, float]
) -> str:
    """What is seen; `now` is what is needed with the value that the parameter has."""
    if not all(result.finished for result in results.values()):
        return "The runs are on their way; the quickest values come first."
    if swept == "condition_number":
        return _growth(experiment, results, cost)
    return _best_and_worst(experiment, swept, results, cost, now)


def _best_and_worst(
    experiment: Experiment, swept: str, results: Mapping[str, Swept], cost: Cost, now: Mapping[str, float]
) -> str:
    method, result = next(iter(results.items()))
    y = cost.swept(result)
    name, subject = NAMES[swept], {"gamma": "The restarted method", "mu0": "AdaptAPG"}[swept]
    if not np.isfinite(y).any():
        return f"{subject} reaches {cost.goal} for no {name} in this range."
    levels = cost.levels(experiment)
    parts = [_extremes(experiment, swept, result, y, cost)]
    if np.isfinite(now.get(method, np.nan)):
        here = _value(experiment, swept, float(getattr(experiment.settings, swept)))
        fewer = ", fewer than any of these values" if now[method] < np.nanmin(y) else ""
        parts.append(f"Now {here} takes {count_text(round(now[method]))}{fewer}.")
    leads = [m for m in ESTIMATING if m in levels and m != method]
    if leads:
        choice = "nothing to choose" if leads[0] != "adapt_apg" else "no γ to choose"
        needs = count_text(round(levels[leads[0]]))
        parts.append(f"{label(leads[0], experiment.settings)}, with {choice}, takes {needs}.")
    return " ".join(parts)


def _extremes(experiment: Experiment, swept: str, result: Swept, y: Array, cost: Cost) -> str:
    """The best value and the worst, or how many are never there."""
    subject = {"gamma": "the restarted method", "mu0": "AdaptAPG"}[swept]
    best, worst = int(np.nanargmin(y)), int(np.nanargmax(y))
    least = cost.text(y[best])
    missing = int((result.ended & np.isnan(y)).sum())
    there = int(result.ended.sum())
    if y[best] == y[worst] and there == y.size and not missing:
        return f"Whatever {NAMES[swept]} is, {subject} takes {least} to {cost.goal}."
    near = _value(experiment, swept, result.values[best])
    words = f"Of {there} values {near} is the quickest for {subject}: {least} to {cost.goal}"
    if missing:
        return f"{words}; {missing} of them need more than {count_text(round(cost.most(result)))}."
    far = _value(experiment, swept, result.values[worst])
    return f"{words}; {far} takes {number_text(y[worst] / y[best])} times as many."


def _value(experiment: Experiment, swept: str, value: float) -> str:
    """A value of the parameter as it is spoken of."""
    if swept == "gamma":
        return f"γ = {number_text(value, 3)}"
    mu = true_mu(experiment.problem)
    if mu is not None and abs(value * experiment.problem.L / mu - 1) < 0.2:
        return "μ₀ near μ"
    return f"μ₀ = {number_text(value, 2)} L"


def _growth(experiment: Experiment, results: Mapping[str, Swept], cost: Cost) -> str:
    """How fast the need grows with kappa: the slope of the upper half of what is reached."""
    parts = []
    for method, result in results.items():
        y = cost.swept(result)
        there = np.flatnonzero(np.isfinite(y) & (y > 0))
        upper = there[there.size // 2 :]
        if upper.size < 4:
            continue
        slope = float(np.polyfit(np.log(result.values[upper]), np.log(y[upper]), 1)[0])
        parts.append(f"{slope:.2f} for {label(method, experiment.settings)}")
    if not parts:
        return f"Too few of these runs reach {cost.goal} to tell how the need grows with κ."
    return f"The {cost.unit} to {cost.goal} grow like a power of κ, with exponent " + "; ".join(parts) + "."


def sensitivity_summary(swept: str, results: Mapping[str, Swept], cost: Cost) -> str:
    """The chart as text: a few of its points for each method."""
    parts = []
    for method, result in results.items():
        y = cost.swept(result)
        some = np.unique(np.linspace(0, y.size - 1, 8).round().astype(int))
        parts.append(f"{method}: " + ", ".join(_point(swept, result, y, i) for i in some))
    return f"{cost.unit.capitalize()} to {cost.goal}. " + "; ".join(parts) + "."


def _point(swept: str, result: Swept, y: Array, i: int) -> str:
    where = f"{NAMES[swept]} = {number_text(result.values[i], 3)}"
    if np.isfinite(y[i]):
        return f"{where}: {count_text(round(y[i]))}"
    return f"{where}: {'never' if result.ended[i] else 'not known'}"
