"""Which studies the sensitivity of the third panel needs: of gamma, of mu_0, or of the condition number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .curves import drawn
from .experiment import Experiment
from .problems import build_problem, method_keywords, problem_key
from .sensitivity import SINGLE_VALUES, VALUES, Sensitivity, even_ratios, stackable
from .settings import Settings
from .spec import FIELDS
from .studies import Studies

FURTHER, FURTHEST = 4, 100_000
"""A study goes on to so many times the iterations of the picture, so that slow values have a number too."""
METHOD_OF = {"gamma": "restart", "mu0": "adapt_apg"}


def sensitivity_studies(experiment: Experiment, swept: str, studies: Studies) -> dict[str, Sensitivity]:
    """One study for each method that is swept; none where the parameter means nothing."""
    iterations = min(FURTHER * experiment.settings.iterations, FURTHEST)
    if swept == "condition_number":
        return _over_kappa(experiment, studies, iterations)
    method = METHOD_OF[swept]
    keywords = method_keywords(experiment.settings, method, experiment.problem)
    keywords.pop(swept, None)
    key = ("sensitivity", swept, id(experiment.problem), iterations, *keywords.items())
    return {method: studies.of(key, _over_keyword(experiment, swept, method, iterations, keywords))}


def _over_keyword(
    experiment: Experiment, swept: str, method: str, iterations: int, keywords: dict[str, Any]
) -> Callable[[], Sensitivity]:
    def make() -> Sensitivity:
        problem = experiment.problem
        count = VALUES if stackable([(problem, keywords)], method) else SINGLE_VALUES
        values = even_ratios(*slider_range(swept), count)
        scale = problem.L if swept == "mu0" else 1.0
        listed = {swept: [scale * value for value in values]}
        return Sensitivity(problem, method, iterations, values, **listed, **keywords)

    return make


def _over_kappa(experiment: Experiment, studies: Studies, iterations: int) -> dict[str, Sensitivity]:
    settings = experiment.settings
    if settings.problem != "quadratic" or settings.spectrum == "own":
        return {}
    plain = settings.f_star == "exact"  # else each of them is told something else, and they go one by one
    values = even_ratios(*slider_range("condition_number"), VALUES if plain else SINGLE_VALUES)
    family = [replace(settings, condition_number=value) for value in values]
    told = ("mu0", "gamma", "estimator", "f_star", "f_star_delta", "mu_factor")
    base = (problem_key(family[0]), iterations, *(getattr(settings, name) for name in told))

    def make(method: str) -> Callable[[], Sensitivity]:
        return lambda: _family(family, method, values, iterations)

    methods = [run.method for run, _ in drawn(experiment)]
    return {method: studies.of(("kappa", method, base), make(method)) for method in methods}


def _family(family: list[Settings], method: str, values: list[float], iterations: int) -> Sensitivity:
    """One quadratic for each condition number, and what the method is told on it."""
    problems = [build_problem(each) for each in family]
    told = [method_keywords(each, method, problem) for each, problem in zip(family, problems, strict=True)]
    listed = {name: [each[name] for each in told] for name in told[0]}
    shared = {name: many[0] if many.count(many[0]) == len(many) else many for name, many in listed.items()}
    return Sensitivity(problems, method, iterations, values, **shared)


def slider_range(name: str) -> tuple[float, float]:
    """What the slider of a setting spans."""
    bounds = FIELDS[name].metadata["bounds"]
    return bounds.slider_low, bounds.slider_high
