"""The words of the six estimates of mu: their names, which are bounds, and their least values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.runs.six_estimates import SIX
from polyak_widgets.laboratory.experiment import Estimates
from polyak_widgets.numbers import iterations_text, number_text
from polyak_widgets.panels.curves import true_mu
from polyak_widgets.panels.words.rates import long_steps_are_safe
from polyak_widgets.settings.view import ESTIMATES

NAMES = {name: ESTIMATES[name] for name in SIX}
NO_CURVATURE = "There is no curvature above 0, so there is no μ to estimate."
NO_VALUES = "Along these runs this estimate has no value."
ONLY_RESTARTS = "; made along the run with automatic restarts alone"
WITHOUT_STEPS = ("polyak", "decrease", "curvature")
"""Where psi = 0 these bound mu whatever L is given."""


def along_words(run: str, restarts: str) -> str:
    """Along which runs they are made."""
    return f"along {run}; growth along {restarts} · ≥ μ: a bound here"


def mu_words(problem: pc.Problem, mu: float) -> str:
    """The name of the line of mu."""
    return f"{'true μ =' if problem.mu > 0 else 'smallest curvature > 0:'} {number_text(mu, 3)}"


def is_bound(problem: pc.Problem, name: str) -> bool:
    """Whether an estimate is never below mu on this problem, under the L that methods are given."""
    smooth = problem.penalty is None
    if not (SIX[name].with_penalty or (smooth and SIX[name].bound)):
        return False
    return long_steps_are_safe(problem) or (smooth and name in WITHOUT_STEPS)


def worth(problem: pc.Problem, name: str) -> str:
    """What is said of that beside its name."""
    return " ≥ μ" if is_bound(problem, name) else ", no bound"


def least(values: Array) -> float:
    """The smallest value; NaN if there is none."""
    usable = values[np.isfinite(values) & (values > 0)]
    return float(usable.min()) if usable.size else np.nan


def least_values(problem: pc.Problem, last: int, estimates: Estimates) -> str:
    """The least value of each, in units of mu, bounds first; how often one that is no bound lies below it."""
    mu = true_mu(problem)
    if mu is None:
        return NO_CURVATURE
    lows = {name: least(values) / mu for name, (_, values) in estimates.items()}
    parts = {True: list[str](), False: list[str]()}
    for name in sorted((name for name in lows if np.isfinite(lows[name])), key=lows.__getitem__):
        text = f"{NAMES[name]} {number_text(lows[name], 3)}"
        below = int((estimates[name][1] < mu * (1 - 1e-9)).sum())
        if not is_bound(problem, name) and below:
            text += f" (below it at {iterations_text(below)})"
        parts[is_bound(problem, name)].append(text)
    what = "μ" if problem.mu > 0 else "the smallest curvature above 0"
    words = [
        f"{kind}: {', '.join(texts)}."
        for kind, texts in (("bounds", parts[True]), ("not bounds", parts[False]))
        if texts
    ]
    after = iterations_text(last)
    return f"Least values up to {after}, in units of {what}. " + " ".join(
        each[0].upper() + each[1:] for each in words
    )


def along_runs(problem: pc.Problem, name: str, values: Mapping[str, Array]) -> str:
    """The least value of one estimate along several runs, by their names, in units of mu."""
    mu = true_mu(problem)
    if mu is None:
        return NO_CURVATURE
    parts = []
    for run in sorted(values, key=lambda each: least(values[each])):
        low, below = least(values[run]), int((values[run] < mu * (1 - 1e-9)).sum())
        if np.isfinite(low):
            text = f" (below μ at {iterations_text(below)})" if below else ""
            parts.append(f"{run} {number_text(low / mu, 3)}{text}")
    what = "μ" if problem.mu > 0 else "the smallest curvature above 0"
    where = f"Least values along each run, in units of {what}: {'; '.join(parts)}."
    return where if parts else NO_VALUES


def rule_words(problem: pc.Problem, name: str) -> str:
    """What one estimate is, and whether it is a bound here."""
    bound = "never below μ here" if is_bound(problem, name) else "no bound on μ here"
    return f"{NAMES[name]}: {bound}{ONLY_RESTARTS if name == 'growth' else ''}"


def summary(estimates: Estimates) -> str:
    """The same for who does not see the curves."""
    ends = []
    for name, (_, values) in estimates.items():
        usable = values[np.isfinite(values)]
        if usable.size:
            ends.append(
                f"{NAMES[name]} from {number_text(float(usable[0]))} to {number_text(float(usable[-1]))}"
            )
    return "Six estimates of μ, from the first to the last value. " + "; ".join(ends) + "."
