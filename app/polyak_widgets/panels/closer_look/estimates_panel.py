"""The closer look's six estimates: what six rules make of one mu along the same run, each a bound or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.registry import method_named
from polyak_core.runs.batch import Batch
from polyak_core.runs.six_estimates import SIX, SixEstimates
from polyak_core.runs.work import Turns
from polyak_widgets.laboratory.experiment import Experiment, method_task
from polyak_widgets.laboratory.problems import method_keywords
from polyak_widgets.look import ESTIMATE_LOOKS, ESTIMATING, TRUE_MU
from polyak_widgets.numbers import iterations_text, number_text
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import Curve, decades, drawn, true_mu
from polyak_widgets.panels.words.rates import long_steps_are_safe
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS

NAMES = {
    "polyak": "paper’s quotient",
    "certified": "certified",
    "decrease": "decrease of the model",
    "curvature": "least curvature",
    "growth": "growth between restarts",
    "local": "half the curvature just met",
}
WITHOUT_STEPS = ("polyak", "decrease", "curvature")
"""Where psi = 0 these bound mu whatever L is given."""
BELOW = 0.1
"""The axis ends at this part of mu, however far below an estimate falls that is no bound."""
GROWTH = "auto_restart"


@dataclass(frozen=True)
class EstimatesStudy:
    """The runs that six estimates are made along.

    Attributes:
        method: along which five of them are made.
        run: these five.
        restarts: the run of `auto_restart`, whose estimate is the sixth.
    """

    method: str
    run: SixEstimates
    restarts: Batch

    @property
    def work(self) -> Turns:
        """Both as one piece of work."""
        return Turns([self.run, self.restarts])


def estimates_study(experiment: Experiment, along: str, studies: Studies) -> EstimatesStudy | None:
    """The study, remembered, along the method that is meant; None where no method can run here."""
    runs = {run.method: trace for run, trace in drawn(experiment)}
    lead = next((method for method in (*ESTIMATING, *runs) if method in runs), None)
    method = lead if along == "lead" else along
    if method is None:
        return None
    problem, settings = experiment.problem, experiment.settings
    last = max(len(runs[method]) - 1, 1) if method in runs else settings.iterations
    keywords = method_keywords(settings, method, problem)
    key = ("estimates", id(problem), method, last, *keywords.items())
    run = studies.of(key, lambda: SixEstimates(problem, method, last, **keywords), problem)
    task = method_task(problem, settings, GROWTH, None)
    restarts = studies.of(("growth", id(problem), *task[1].items()), lambda: Batch([task]), problem)
    return EstimatesStudy(method, run, restarts)


def estimates_panel(experiment: Experiment, study: EstimatesStudy) -> dict[str, Any]:
    """All six against k, with mu."""
    problem = experiment.problem
    estimates = estimates_so_far(study)
    curves = [
        Curve(f"estimate:{name}", f"{NAMES[name]}{worth(problem, name)}", ESTIMATE_LOOKS[name], k, values)
        for name, (k, values) in estimates.items()
    ]
    heights = [values for _, values in estimates.values()]
    mu, last = true_mu(problem), float(max(study.run.k - 1, 2))
    if mu is not None:
        text = f"{'true μ =' if problem.mu > 0 else 'smallest curvature > 0:'} {number_text(mu, 3)}"
        curves.append(Curve("true_mu", text, TRUE_MU, np.array([1.0, last]), np.full(2, mu)))
        heights.append(np.array([mu]))
    name = label(study.method, experiment.settings)
    return {
        "title": "Six estimates of μ",
        "subtitle": f"along {name}; growth along {method_named(GROWTH).label} · ≥ μ: a bound here",
        "sentence": _sentence(experiment, study, estimates),
        "summary": _summary(estimates),
        "x": {"title": UNITS["iterations"].axis, "type": "log", "range": [1.0, last]},
        "y": {"title": "", "type": "log", "range": decades(heights, lowest=BELOW * (mu or 0.0))},
        "clock": True,
        "curves": curves,
    }


def estimates_so_far(study: EstimatesStudy) -> dict[str, tuple[Array, Array]]:
    """For each of the six k and its values, as far as they are there; NaN where it has nothing to say."""
    k = np.arange(float(study.run.k))
    estimates = {name: (k, study.run.values[name][: study.run.k]) for name in SIX}
    trace = study.restarts.trace(0)
    if trace is not None:
        estimates["growth"] = trace.k, trace.mu
    return estimates


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


def _sentence(
    experiment: Experiment, study: EstimatesStudy, estimates: dict[str, tuple[Array, Array]]
) -> str:
    """The least value of each, in units of mu, bounds first; how often one that is no bound lies below it."""
    problem, mu = experiment.problem, true_mu(experiment.problem)
    if mu is None:
        return "There is no curvature above 0, so there is no μ to estimate."
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
        for kind, texts in (("bounds", parts[True]), ("no bounds", parts[False]))
        if texts
    ]
    after = iterations_text(max(study.run.k - 1, 0))
    return f"Least values up to {after}, in units of {what}. " + " ".join(
        each[0].upper() + each[1:] for each in words
    )


def _summary(estimates: dict[str, tuple[Array, Array]]) -> str:
    ends = []
    for name, (_, values) in estimates.items():
        usable = values[np.isfinite(values)]
        if usable.size:
            ends.append(
                f"{NAMES[name]} from {number_text(float(usable[0]))} to {number_text(float(usable[-1]))}"
            )
    return "Six estimates of μ, from the first to the last value. " + "; ".join(ends) + "."
