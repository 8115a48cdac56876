"""Which studies the sensitivity of the closer look needs: of gamma, of mu_0, or of the condition number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import build_problem, method_keywords, problem_key
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import (
    SINGLE_VALUES,
    VALUES,
    Sensitivity,
    accepted,
    even_ratios,
    stackable,
)
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import drawn
from polyak_widgets.settings.settings import FIELDS, Settings

FURTHER, FURTHEST, FURTHEST_FAMILY = 4, 100_000, 20_000
"""A study goes on to so many times the iterations of the picture, so that slow values have a number too."""
METHOD_OF = {"gamma": "restart", "mu0": "adapt_apg"}


@dataclass(frozen=True)
class Sweeps:
    """Studies by method: many values of the parameter, and the value that it has now."""

    many: dict[str, Sensitivity]
    now: dict[str, Sensitivity]

    @property
    def all(self) -> tuple[Sensitivity, ...]:
        """The quick ones first."""
        return (*self.now.values(), *self.many.values())


def sensitivity_studies(experiment: Experiment, swept: str, studies: Studies) -> Sweeps:
    """The studies of one parameter; none where it means nothing."""
    iterations = min(FURTHER * experiment.settings.iterations, FURTHEST)
    if swept == "condition_number":
        return Sweeps(_over_kappa(experiment, studies, min(iterations, FURTHEST_FAMILY)), {})
    method = METHOD_OF[swept]
    keywords = method_keywords(experiment.settings, method, experiment.problem)
    now = keywords.pop(swept)
    key = ("sensitivity", swept, id(experiment.problem), iterations, *keywords.items())
    problem, value = experiment.problem, float(getattr(experiment.settings, swept))

    def study(values: list[float], arguments: list[float]) -> Sensitivity:
        shared = {**keywords, "method": method, "iterations": iterations}
        return Sensitivity(
            [(problem, {**shared, swept: each}) for each in arguments], values, studies.seconds
        )

    def sweep() -> Sensitivity:
        one_array = stackable(problem, method, {swept: now, **keywords})
        values = even_ratios(*slider_range(swept), VALUES if one_array else SINGLE_VALUES)
        scale = problem.L if swept == "mu0" else 1.0
        return study(values, [scale * each for each in values])

    single = studies.of((*key, value), lambda: study([value], [now]), problem)
    return Sweeps({method: studies.of(key, sweep, problem)}, {method: single})


def _over_kappa(experiment: Experiment, studies: Studies, iterations: int) -> dict[str, Sensitivity]:
    settings = experiment.settings
    if settings.problem != "quadratic" or settings.spectrum == "own":
        return {}
    plain = settings.f_star == "exact"  # else each of them is given something else, and they go one by one
    values = even_ratios(*slider_range("condition_number"), VALUES if plain else SINGLE_VALUES)
    family = [replace(settings, condition_number=value) for value in values]
    names = ("mu0", "gamma", "estimator", "f_star", "f_star_delta", "guard", "mu_factor")
    base = (problem_key(family[0]), iterations, *(getattr(settings, name) for name in names))

    def make(method: str) -> Callable[[], Sensitivity]:
        return lambda: _family(family, method, values, iterations, studies.seconds)

    methods = [run.method for run, _ in drawn(experiment)]
    return {method: studies.of(("kappa", method, base), make(method)) for method in methods}


def _family(
    family: list[Settings], method: str, values: list[float], iterations: int, seconds: float
) -> Sensitivity:
    """One quadratic for each condition number, and what the method is given on it; without refused ones."""
    tasks = []
    for settings in family:
        problem = build_problem(settings)
        tasks.append((problem, method_keywords(settings, method, problem)))
    places = [i for i, (problem, keywords) in enumerate(tasks) if accepted(problem, method, keywords)]
    places = places or [len(tasks) - 1]  # refused too, and then it says why
    ends = {"method": method, "iterations": iterations}
    allowed = [(tasks[i][0], tasks[i][1] | ends) for i in places]
    return Sensitivity(allowed, [values[i] for i in places], seconds)


def slider_range(name: str) -> tuple[float, float]:
    """What the slider of a setting spans."""
    bounds = FIELDS[name].metadata["bounds"]
    return bounds.slider_low, bounds.slider_high
