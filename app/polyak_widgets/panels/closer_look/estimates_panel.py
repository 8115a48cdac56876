"""The closer look's six estimates: what six rules make of one mu along the same run, each a bound or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from polyak_core.methods.registry import method_named
from polyak_core.runs.batch import Batch
from polyak_core.runs.six_estimates import SIX, SixEstimates
from polyak_core.runs.work import Turns
from polyak_widgets.laboratory.experiment import Estimates, Experiment, method_task
from polyak_widgets.laboratory.problems import method_keywords
from polyak_widgets.look import ESTIMATE_LOOKS, TRUE_MU
from polyak_widgets.panels.charts.estimates import BELOW, GROWTH, method_along
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import Curve, decades, drawn, true_mu
from polyak_widgets.panels.texts import HEADINGS
from polyak_widgets.panels.words.estimates import (
    NAMES,
    along_words,
    least_values,
    mu_words,
    summary,
    worth,
)
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS


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
    method = method_along(experiment, along)
    return None if method is None else study_along(experiment, method, studies)


def study_along(experiment: Experiment, method: str, studies: Studies) -> EstimatesStudy:
    """The study, remembered, along a method."""
    runs = {run.method: trace for run, trace in drawn(experiment)}
    problem, settings = experiment.problem, experiment.settings
    last = max(len(runs[method]) - 1, 1) if method in runs else settings.iterations
    keywords = method_keywords(settings, method, problem)
    key = ("estimates", id(problem), method, last, *keywords.items())
    run = studies.of(key, lambda: SixEstimates(problem, method, last, **keywords), problem)
    task = method_task(problem, settings, GROWTH)
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
        text = mu_words(problem, mu)
        curves.append(Curve("true_mu", text, TRUE_MU, np.array([1.0, last]), np.full(2, mu)))
        heights.append(np.array([mu]))
    return {
        "title": HEADINGS["estimates"],
        "subtitle": along_words(label(study.method, experiment.settings), method_named(GROWTH).label),
        "sentence": least_values(problem, max(study.run.k - 1, 0), estimates),
        "summary": summary(estimates),
        "x": {"title": UNITS["iterations"].axis, "type": "log", "range": [1.0, last]},
        "y": {"title": "", "type": "log", "range": decades(heights, lowest=BELOW * (mu or 0.0))},
        "clock": True,
        "curves": curves,
        "legend": True,  # six names at the ends of lines would lie on lines that go up and down
    }


def estimates_so_far(study: EstimatesStudy) -> Estimates:
    """For each of the six k and its values, as far as they are there; NaN where it has nothing to say."""
    k = np.arange(float(study.run.k))
    estimates = {name: (k, study.run.values[name][: study.run.k]) for name in SIX}
    trace = study.restarts.trace(0)
    if trace is not None:
        estimates["growth"] = trace.k, trace.mu
    return estimates
