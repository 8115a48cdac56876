"""Six estimates of one mu along one run, each with its word on whether it bounds mu from above.

>>> import polyak_core as pc
>>> problem = pc.quadratic(pc.spectrum("log", n=20, condition_number=100))
>>> estimates = six_estimates(problem, "fista", 100)
>>> sorted(estimates) == sorted(SIX), bool((estimates["certified"] >= problem.mu).all())
(True, True)
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array, norm
from polyak_core.checks import Given, whole_number
from polyak_core.lifted.form import Sizes
from polyak_core.methods.keywords import parameters
from polyak_core.methods.paper import Iterate
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
    run = SixEstimates(problem, method, iterations, **keywords)
    run.advance()
    return run.values


class SixEstimates:
    """The same in slices; arguments and errors as there.

    Attributes:
        values: by the names of `SIX`, NaN from `k` on.
        k: how many points are done.
    """

    def __init__(self, problem: Problem, method: str, iterations: int = 500, **keywords: Given) -> None:
        """Check the arguments; the first point comes with `advance`."""
        count = whole_number(iterations, "iterations", 1, MAX_ITERATIONS) + 1
        plan, oracle = parameters(problem, method, **keywords), problem.oracle()
        start = oracle.lift(problem.x0)
        self._steps = plan.generator(oracle, start, **plan.arguments)
        self._problem, self._aside = problem, problem.oracle()
        self._growth = _Growth(problem, float(oracle.gap(start))) if method == "auto_restart" else None
        self._before: tuple[Array, Array] | None = None
        self._smallest = np.nan
        self.values = {name: np.full(count, np.nan) for name in SIX}
        self.k, self._count = 0, count

    @property
    def finished(self) -> bool:
        """Whether the last point is done."""
        return self.k >= self._count

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on for about so long; True at the end."""
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while not self.finished:
                self._note(next(self._steps))
                if perf_counter() >= stop:
                    break
        return self.finished

    def _note(self, step: Iterate) -> None:
        k, y, aside, problem = self.k, step.y, self._aside, self._problem
        T = aside.prox_step(y)
        g, noise = aside.reduced_gradient(y, T), aside.noise(y)
        plain = aside.ask_estimate(y, "polyak")
        gap, squared = plain.gap, plain.squared
        if gap > problem.floor and squared > noise**2:
            model = aside.ask_estimate(y, "model").after
            self.values["polyak"][k] = squared / (2 * gap)
            self.values["certified"][k] = squared / (2 * aside.gap(T) + squared / problem.L)
            self.values["decrease"][k] = decrease(Sizes(squared, gap, model), problem.L)
        if self._before is not None:
            run, rise = norm(aside.difference(y, self._before[0])), norm(g - self._before[1])
            if run > 0 and rise > noise:
                self._smallest = float(np.fmin(self._smallest, rise / run))
                self.values["local"][k] = rise / run / 2
        self.values["curvature"][k] = self._smallest
        if self._growth is not None:
            self.values["growth"][k] = self._growth.after(step, float(gap))
        self._before, self.k = (y, g), k + 1


class _Growth:
    """What falls of f between the ends of runs say of mu."""

    def __init__(self, problem: Problem, gap: float) -> None:
        self._problem, self._gaps, self._lengths = problem, [gap], list[int]()
        self._since, self._least = 0, np.nan

    def after(self, step: Iterate, gap: float) -> float:
        """The bound after a step to this gap; NaN before there is one."""
        if step.restarted:
            self._lengths.append(step.k - self._since)
            self._gaps.append(gap)
            self._since = step.k
            least = growth_bound(self._problem.L, self._lengths, self._gaps, self._problem.floor)
            self._least = least if least < np.inf else self._least
        return self._least


def decrease(sizes: Sizes, L: float) -> float:
    """L (f(y) - m_L(y)) / (f(y) - f*); where psi = 0 it is the paper's quotient."""
    below = sizes.squared / (2 * L) if sizes.after is None else sizes.gap - sizes.after
    return float(L * below / sizes.gap)
