"""A run that begins before x* is there: the problem around x0, and how to come from there to x*."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from polyak_core.arrays import EPS, Array, norm
from polyak_core.matrices.counted import Counts
from polyak_core.methods.estimators import KnownMu, MuSchedule
from polyak_core.methods.keywords import Parameters
from polyak_core.problems.problem import Problem
from polyak_core.problems.provisional import Provisional

WITHOUT_F_STAR = ("pgd", "apg", "fista", "fista_printed", "restart_gradient", "nag_free")
"""Methods that ask for nothing but steps; `restart_function` compares gaps."""
WITH_A_RULE = ("adapt_apg", "adapt_apg_v2")
"""These do so too, if mu_k is given and not found on the way."""
STEEPEST = 1e6
"""Condition number up to which the rounding of runs without strong convexity grows."""


class Awaited:
    """x*, sought in the background for a run that has begun without it.

    Attributes:
        problem: the problem to run on meanwhile, with a counter of its own.
    """

    def __init__(self, problem: Problem, form: Provisional) -> None:
        """Begin to seek."""
        self._source, self._form = problem, form
        self._ticket = problem.solution.begin()
        self.leave = self._ticket.leave
        self.problem = copy.copy(problem)
        self.problem.counts = Counts()
        vars(self.problem).pop("_step", None)
        vars(self.problem)["form"] = form.counted_by(self.problem.counts)

    def over(self, seconds: float) -> bool:
        """Whether the search has ended, after waiting so long for it at most.

        Raises:
            Cancelled: whoever watches wants no more of it.
        """
        return self._ticket.wait(seconds)

    def arrived(self) -> tuple[Problem, Callable[[Array], Array]]:
        """The problem around x*, with a counter of its own, and what takes points carried around x0 there.

        With a penalty points come from a prox, and entries that are 0 there are 0 here. What went wrong with
        the search is raised here.
        """
        self._ticket.result()
        exact = self._source.counted()
        x0 = exact.x0.ravel()
        start, here = exact.lift(exact.x0), self._form.lift(x0)  # no product of the run
        exact.rounding = self._level(exact, x0)
        shift, x_star = start[: here.size] - here, exact.reference.x_star

        def moved(z: Array) -> Array:
            there = z + shift
            if exact.penalty is not None:
                there[..., : x0.size] = (x0 + z[..., : x0.size]) - x_star
            return there

        return exact, moved

    def _level(self, exact: Problem, x0: Array) -> float:
        """Estimate of the gap that a run around x0 ends with.

        Gradients are rounded relative to those at x0, and to their terms there; points relative to x0 and x*.
        """
        known = exact.mu if exact.mu > 0 else exact.mu_restricted
        condition = exact.L / known if known > 0 else STEEPEST
        distance = float(np.linalg.norm(x0 - exact.reference.x_star))
        slope = float(norm(exact.loss.grad(x0))) / exact.L
        terms = 2 * abs(exact.loss.value(x0)) / exact.L
        points = 0.0 if exact.penalty is None else float(x0 @ x0) + float(np.sum(exact.x_star**2))
        moved = distance**2 + slope**2
        gradients = (moved + terms) * min(condition, 1 / EPS)
        return float(EPS**2 * exact.L * (gradients + 32 * (moved + points) + 4 * condition**0.5 * points))


def awaited(problem: Problem, method: str, chosen: Parameters) -> Awaited | None:
    """x* in the background, if it takes long to find and the method can begin without it; else None."""
    if not problem.solution.long or problem.solution.known or chosen.varied:
        return None
    rule = chosen.arguments.get("rule")
    given = method in WITH_A_RULE and isinstance(rule, KnownMu | MuSchedule)
    if not (given or method in WITHOUT_F_STAR):
        return None
    form = problem.solution.around(problem.x0.ravel())
    return None if form is None else Awaited(problem, form)
