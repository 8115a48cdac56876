"""Six estimates of one mu along one run, each with its word on whether it bounds mu from above.

>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=20, condition_number=100))
>>> estimates = six_estimates(problem, "fista", 100)
>>> sorted(estimates) == sorted(SIX), bool((estimates["certified"] >= problem.mu).all())
(True, True)
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array, norm
from polyak_core.checks import Given, whole_number
from polyak_core.lifted.form import Sizes
from polyak_core.methods.keywords import parameters
from polyak_core.methods.self_tuning import growth_bound
from polyak_core.problems.problem import Problem
from polyak_core.runs.limits import MAX_ITERATIONS


class Worth(NamedTuple):
    """What an estimate is made of, and whether it bounds mu from above.

    Attributes:
        formula: in words.
        with_penalty: whether it is >= mu also where psi is not 0; where psi = 0 all bounds hold.
        bound: whether it is >= mu where psi = 0.
    """

    formula: str
    bound: bool
    with_penalty: bool


SIX = {
    "polyak": Worth("||g_L(y)||^2 / (2 (f(y) - f*)), the paper's", True, False),
    "certified": Worth("||g_L(y)||^2 / (2 (f(T_L(y)) - f*) + ||g_L(y)||^2 / L)", True, True),
    "decrease": Worth("L (f(y) - m_L(y)) / (f(y) - f*), m_L the least of the prox model at y", True, True),
    "curvature": Worth("||g_L(y_k) - g_L(y_{k-1})|| / ||y_k - y_{k-1}||, the smallest so far", True, False),
    "growth": Worth("falls of f between ends of runs, as `auto_restart` compares them", True, True),
    "local": Worth("half of the curvature just met, which `adgd_accel` takes", False, False),
}
"""In this order; "decrease" is of the same authors, Barre, Taylor and d'Aspremont 2020."""


def six_estimates(
    problem: Problem, method: str, iterations: int = 500, **keywords: Given
) -> dict[str, Array]:
    """All six at y_0, ..., y_k of a run, shape (iterations + 1,); NaN where one has nothing to say yet.

    The first three are made at one point each; "curvature" and "local" between two that follow each other;
    "growth" needs `auto_restart`, whose mu_j it is, and is NaN along other methods.

    Args:
        problem: what the method runs on; x* is sought first.
        method: a name in `METHODS`.
        iterations: the last k.
        keywords: as in `solve`.

    Raises:
        ValueError: as in `solve`.
    """
    count = whole_number(iterations, "iterations", 1, MAX_ITERATIONS) + 1
    plan, oracle = parameters(problem, method, **keywords), problem.oracle()
    steps = islice(plan.generator(oracle, oracle.lift(problem.x0), **plan.arguments), count)
    values = {name: np.full(count, np.nan) for name in SIX}
    aside, y_before, g_before, smallest = problem.oracle(), None, None, np.inf
    lengths: list[int] = []
    gaps, since = [float(oracle.gap(oracle.lift(problem.x0)))], 0
    growth = np.nan
    for step in steps:
        k, y = step.k, step.y
        T = aside.prox_step(y)
        g = aside.reduced_gradient(y, T)
        plain = aside.ask_estimate(y, "polyak")
        gap, squared, after = plain.gap, plain.squared, aside.gap(T)
        model = aside.ask_estimate(y, "model").after
        if gap > problem.floor and squared > aside.noise(y) ** 2:
            values["polyak"][k] = squared / (2 * gap)
            values["certified"][k] = squared / (2 * after + squared / problem.L)
            values["decrease"][k] = decrease(Sizes(squared, gap, model), problem.L)
        if y_before is not None and g_before is not None:
            run, rise = norm(aside.difference(y, y_before)), norm(g - g_before)
            if run > 0 and rise > aside.noise(y):
                smallest = min(smallest, rise / run)
                values["local"][k] = rise / run / 2
        values["curvature"][k] = smallest if smallest < np.inf else np.nan
        if step.restarted and method == "auto_restart":
            lengths, gaps, since = [*lengths, k - since], [*gaps, float(gap)], k
            least = growth_bound(problem.L, lengths, gaps, problem.floor)
            growth = least if least < np.inf else growth
        values["growth"][k] = growth
        y_before, g_before = y, g
    return values


def decrease(sizes: Sizes, L: float) -> float:
    """L (f(y) - m_L(y)) / (f(y) - f*); where psi = 0 it is the paper's quotient."""
    below = sizes.squared / (2 * L) if sizes.after is None else sizes.gap - sizes.after
    return float(L * below / sizes.gap)
