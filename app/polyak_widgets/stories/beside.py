"""Pictures that stay beside the answer of a story: other settings, or the same runs measured otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.laboratory.problems import method_keywords
from polyak_widgets.settings.settings import Settings


def as_it_is(experiment: Experiment) -> Experiment:
    """The runs themselves."""
    return experiment


class Beside(NamedTuple):
    """A picture beside the answer.

    Attributes:
        name: what its curves are called.
        settings: what is run.
        redrawn: what is drawn of these runs.
    """

    name: str
    settings: Settings
    redrawn: Callable[[Experiment], Experiment] = as_it_is


def subtracted(experiment: Experiment) -> Experiment:
    """The same runs with |f(y_k) - f*| as a difference of two stored numbers in place of the exact gap.

    Two equal numbers say only that it is below the last digit of f*: then that is drawn.
    """
    return replace(experiment, runs=tuple(_subtracted(experiment, run) for run in experiment.runs))


def _subtracted(experiment: Experiment, run: MethodRun) -> MethodRun:
    if run.trace is None:
        return run
    problem = experiment.problem
    steps = pc.iterates(problem, run.method, **method_keywords(experiment.settings, run.method, problem))
    values = np.array([problem.f(it.y) for it in islice(steps, len(run.trace))])
    gap = np.maximum(np.abs(values - problem.f_star), np.spacing(problem.f_star))
    return replace(run, trace=replace(run.trace, gap=gap))
