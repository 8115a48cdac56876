"""What ends a run: the target, the budgets, and numbers that went wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Scalar
from polyak_core.checks import Given, real_number, shown, whole_number
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.runs.endings import Cause, Ending, Outcome, above_true_L

MAX_ITERATIONS = 10_000_000
OVERFLOWED = "Is L too small? The curve before is kept."
DIVERGENCE = 1e6
"""A gap so many times f(x_0) - f* + L/2 ||x_0 - x*||^2 is no ripple: FISTA's bound on it is 4 times that."""


@dataclass
class Limits:
    """The limits of one run; of stacked runs too, with arrays for `divergence` and `goal`.

    Attributes:
        iterations: the last k.
        target: ends at the first gap <= target * gap_0, None for no target.
        seconds: time in the method, infinite for no limit.
        divergence: a gap above this is no ripple.
        sharp: a gap of 0 is no rounding.
        referenced: whether the gap is judged; else ||g_L||^2 is, with `divergence` as its own bound.
        goal: target * gap_0, NaN before gap_0 is known and where there is no target.
    """

    iterations: int
    target: float | None
    seconds: float
    divergence: Scalar
    sharp: bool
    referenced: bool = True
    goal: Scalar = np.nan

    def begin(self, gap: Scalar) -> None:
        """Learn gap_0."""
        self.goal = np.nan if self.target is None else self.target * gap

    def over(self, k: Array, gap: Array, squared: Array, seconds: Array) -> npt.NDArray[np.bool_]:
        """Which records end the run; arrays of one shape, or shapes that broadcast."""
        size = gap if self.referenced else squared
        ends = ~np.isfinite(size) | (size > self.divergence) | (gap <= self.goal)
        ends |= (gap == 0) & (squared == 0) & self.sharp
        ends |= (seconds >= self.seconds) | (k >= self.iterations)
        return np.asarray(ends)

    def verdict(self, problem: Problem, k: int, gap: float, squared: float) -> Ending | None:
        """Name what ended the run at record k; None if a budget did."""
        if not self.referenced:
            return self._verdict_on_step(problem, k, squared)
        if not np.isfinite(gap):
            return Ending(outcome=Outcome.NON_FINITE, k=k, cause=Cause.OVERFLOW, remedy=OVERFLOWED)
        if gap > self.divergence:
            return _too_long(problem, k, Cause.LONG_STEPS, gap=float(gap))
        if gap == 0 and squared == 0 and self.sharp:
            return Ending(outcome=Outcome.EXACT, k=k, cause=Cause.EXACT)
        if gap <= self.goal:
            assert self.target is not None
            return Ending(
                outcome=Outcome.TARGET, k=k, cause=Cause.TARGET, numbers={"target": float(self.target)}
            )
        return None

    def _verdict_on_step(self, problem: Problem, k: int, squared: float) -> Ending | None:
        """`verdict` where the gap is not known."""
        if not np.isfinite(squared):
            return Ending(outcome=Outcome.NON_FINITE, k=k, cause=Cause.STEP_OVERFLOW, remedy=OVERFLOWED)
        if squared > self.divergence:
            return _too_long(problem, k, Cause.LONGER_STEPS, step=float(squared) ** 0.5 / problem.L)
        return None

    def spent(self, k: int, gap: float) -> Ending:
        """The end of a run that used up a budget at record k: which, and what to do."""
        numbers = {"gap": float(gap)}
        if k >= self.iterations:
            cause, remedy = Cause.ITERATIONS, "give more, or a faster method."
        else:
            cause, remedy = Cause.SECONDS, "give more."
            numbers["seconds"] = float(self.seconds)
        return Ending(outcome=Outcome.BUDGET, k=k, cause=cause, remedy=remedy, numbers=numbers)


def _too_long(problem: Problem, k: int, cause: Cause, **numbers: float) -> Ending:
    """The end of a run whose steps diverge."""
    known = f", {problem.true_L:.3g}" if problem.L < problem.true_L else ""
    remedy = f"give an L that is not below the true one{known}."
    numbers["L"] = float(problem.L)
    return Ending(outcome=Outcome.DIVERGED, k=k, cause=cause, remedy=remedy, numbers=numbers)


def checked_limits(iterations: Given, target: Given, seconds: Given) -> tuple[int, float | None, float]:
    """Iterations, target and seconds as `Limits` takes them.

    Raises:
        ValueError: one of them is not allowed.
    """
    steps = whole_number(iterations, "iterations", 1, MAX_ITERATIONS)
    goal = None if target is None else _positive(target, "target", "a number in (0, 1]", 1.0)
    return steps, goal, np.inf if seconds is None else _positive(seconds, "seconds", "a number > 0", np.inf)


def _positive(value: Given, name: str, allowed: str, high: float) -> float:
    number = real_number(value, name, allowed)
    if not 0 < number <= high:
        raise ValueError(f"{name} = {shown(value)} is not allowed: give {allowed}, or leave it out.")
    return number


def largest_gap(problem: Problem, oracle: Oracle, start: Array) -> float:
    """A gap from x_0 on above this is divergence; a ValueError if float64 cannot hold what is made of it.

    The measure is f(x_0) - f* + L/2 ||x_0 - x*||^2.
    """
    with np.errstate(over="ignore"):
        energy = float(oracle.gap(start) + problem.L / 2 * oracle.distance(start) ** 2)
        largest = DIVERGENCE * energy * max(1.0, problem.L)
    if not np.isfinite(largest):
        raise ValueError(
            f"x0 is so far from x* that f(x0) - f* + L/2 ||x0 - x*||^2 = {energy:.1e} overflows "
            "in what is made of it; give an x0 that is closer, or scale the data."
        )
    return DIVERGENCE * max(energy, problem.floor)


def largest_step(problem: Problem, oracle: Oracle, start: Array) -> float:
    """||g_L||^2 above this is divergence, where the gap is not known; infinite where L is large enough.

    A gap may be `DIVERGENCE` times the first; a gradient, whose square is measured, too.
    """
    if above_true_L(problem, problem.L):
        return np.inf
    own = oracle.apart()
    squared = float(own.squared_step(start, own.prox_step(start)))
    return DIVERGENCE**2 * squared if squared > 0 else np.inf
