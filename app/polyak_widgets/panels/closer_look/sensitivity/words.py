"""What the sensitivity of the closer look says in words; every number comes from the runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING
from polyak_widgets.numbers import change_text, count_text, iterations_text, multiple_text, number_text
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import Swept
from polyak_widgets.panels.curves import drawn, true_mu
from polyak_widgets.panels.words.headline import FAILING
from polyak_widgets.panels.words.words import label

if TYPE_CHECKING:
    from polyak_widgets.panels.closer_look.sensitivity.panel import Cost

NAMES = {"gamma": "γ", "mu0": "μ₀", "condition_number": "κ"}


def counted(results: Mapping[str, Swept], cost: Cost) -> tuple[int, int]:
    """Of how many runs it is known what they need, and how many there are."""
    known = sum(int(result.known(cost.tolerance).sum()) for result in results.values())
    return known, sum(result.values.size for result in results.values())


def why_none(
    experiment: Experiment,
    swept: str,
    results: Mapping[str, Swept],
    stopped: bool = False,
    cost: Cost | None = None,
) -> str:
    """Why there is nothing to draw, in words after "because"; `cost` where other methods reach its goal."""
    goal = cost.goal if cost else "10⁻³ of the initial gap"
    if results and not all(result.ended.all() for result in results.values()):
        over = "it was stopped" if stopped else "the time for this chart was used up"
        return f"{over} before any run came to {goal}; take a smaller problem or fewer iterations."
    if results and any(trace.outcome in FAILING for _, trace in drawn(experiment)):
        return f"no run comes below {goal}: they bounce or diverge, and the table says why."
    if results:
        most = max(result.iterations for result in results.values())
        within = iterations_text(most)
        return f"no run comes below {goal} within {within}; allow more iterations."
    if swept == "condition_number" and experiment.settings.problem == "quadratic":
        return "the spectrum is a list of your own; take another one to let κ vary."
    if swept == "condition_number":
        return "this chart varies κ for quadratics alone; choose one under Start from."
    return "no method can run here; the table says why."


def sensitivity_sentence(
    experiment: Experiment,
    swept: str,
    results: Mapping[str, Swept],
    cost: Cost,
    now: Mapping[str, float],
    stopped: bool = False,
) -> str:
    """What is seen; `now` is what is needed with the value that the parameter has.

    A study is complete, was cut off or was stopped, and only a complete one knows the best value.
    """
    known, whole = counted(results, cost)
    if not stopped and not all(result.finished for result in results.values()):
        return f"{known} of {whole} runs are known so far; the quickest values come first."
    opening = ""
    if known < whole:
        over = "Stopped" if stopped else "The time for this chart is used up"
        opening = f"{over} with {known or 'none'} of {whole} runs known. "
    if swept == "condition_number":
        return opening + _growth(experiment, results, cost)
    return opening + _best_and_worst(experiment, swept, results, cost, now)


def _best_and_worst(
    experiment: Experiment, swept: str, results: Mapping[str, Swept], cost: Cost, now: Mapping[str, float]
) -> str:
    method, result = next(iter(results.items()))
    y = cost.swept(result)
    parts = [_extremes(experiment, swept, result, y, cost)]
    levels = cost.levels(experiment)
    if np.isfinite(y).any() and np.isfinite(now.get(method, np.nan)):
        here = _value(experiment, swept, float(getattr(experiment.settings, swept)))
        fewer = ", fewer than any of these values" if now[method] < np.nanmin(y) else ""
        parts.append(f"Now {here} takes {count_text(round(now[method]))}{fewer}.")
    leads = [m for m in ESTIMATING if m in levels and m != method]
    if leads:
        choice = "nothing to tune" if leads[0] != "adapt_apg" else "no γ to tune"
        needs = count_text(round(levels[leads[0]]))
        parts.append(f"{label(leads[0], experiment.settings)}, with {choice}, takes {needs}.")
    return " ".join(filter(None, parts))


def _extremes(experiment: Experiment, swept: str, result: Swept, y: Array, cost: Cost) -> str:
    """The best value and the worst, and how many are not there; of an incomplete study, those tried."""
    name, subject = NAMES[swept], {"gamma": "the restarted method", "mu0": "AdaptAPG"}[swept]
    complete, there = result.complete(cost.tolerance), int(np.isfinite(y).sum())
    if not result.known(cost.tolerance).any():
        return ""
    if not there:
        none = f"for no {name} in this range" if complete else f"for none of the {name} that were tried"
        return f"{subject[0].upper()}{subject[1:]} reaches {cost.goal} {none}."
    if there == y.size and np.nanmin(y) == np.nanmax(y):
        return f"Whatever {name} is, {subject} takes {cost.text(np.nanmin(y))} to {cost.goal}."
    return _best(experiment, swept, result, y, cost)


def _best(experiment: Experiment, swept: str, result: Swept, y: Array, cost: Cost) -> str:
    """The best value and the worst; of an incomplete study, those among the values tried."""
    subject = {"gamma": "the restarted method", "mu0": "AdaptAPG"}[swept]
    there, least = int(np.isfinite(y).sum()), cost.text(np.nanmin(y))
    best, worst = np.flatnonzero(y == np.nanmin(y)), int(np.nanargmax(y))
    near = _values(experiment, swept, result.values, best)
    far = _value(experiment, swept, result.values[worst])
    more = change_text(y[worst] / np.nanmin(y)) if np.nanmin(y) else count_text(round(y[worst]))
    if not result.complete(cost.tolerance):
        if there == 1:
            return f"Only {near} has come to {cost.goal}: {least}."
        slow = f"; {far} takes {more}" if y[worst] > np.nanmin(y) else ""
        return f"Best of those tried: {near}, with {least} to {cost.goal}{slow}."
    verb, missing = "is" if best.size == 1 else "are", y.size - there
    many = f"{missing} of them {'does' if missing == 1 else 'do'} not get there in"
    slow = f"{many} {count_text(round(cost.most(result)))}" if missing else f"{far} takes {more}"
    return f"Of {y.size} values {near} {verb} the quickest for {subject}: {least} to {cost.goal}; {slow}."


def _values(experiment: Experiment, swept: str, values: Array, best: npt.NDArray[np.intp]) -> str:
    """Values that are equally good: neighbours from the first to the last, else the first and a number."""
    low, high = (float(values[i]) for i in (best[0], best[-1]))
    first, last = _value(experiment, swept, low), _value(experiment, swept, high)
    if first == last:
        return first
    if best[-1] - best[0] == best.size - 1:
        return f"{first} to {last if _is_mu(experiment, swept, high) else _number(swept, high)}"
    return f"{first} and {best.size - 1} more"


def _value(experiment: Experiment, swept: str, value: float) -> str:
    """A value of the parameter as it is spoken of."""
    if _is_mu(experiment, swept, value):
        return "μ₀ near μ"
    return f"{'γ' if swept == 'gamma' else 'μ₀'} = {_number(swept, value)}"


def _number(swept: str, value: float) -> str:
    return number_text(value, 3) if swept == "gamma" else multiple_text(value, "L")


def _is_mu(experiment: Experiment, swept: str, value: float) -> bool:
    """Whether a mu_0 is about the true mu."""
    mu = None if swept == "gamma" else true_mu(experiment.problem)
    return mu is not None and abs(value * experiment.problem.L / mu - 1) < 0.2


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


def sensitivity_summary(experiment: Experiment, swept: str, results: Mapping[str, Swept], cost: Cost) -> str:
    """The chart as text: a few of its points for each method."""
    parts = []
    for method, result in results.items():
        y = cost.swept(result)
        some = np.unique(np.linspace(0, y.size - 1, 8).round().astype(int))
        parts.append(
            f"{label(method, experiment.settings, without=swept)}: "
            + ", ".join(_point(swept, result, y, i) for i in some)
        )
    return f"{cost.unit.capitalize()} to {cost.goal}. " + "; ".join(parts) + "."


def _point(swept: str, result: Swept, y: Array, i: int) -> str:
    where = f"{NAMES[swept]} = {number_text(result.values[i], 3)}"
    if np.isfinite(y[i]):
        return f"{where}: {count_text(round(y[i]))}"
    return f"{where}: {'not reached' if result.ended[i] else 'not known'}"
