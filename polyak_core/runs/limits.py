"""What ends a run (the target, a budget, numbers that are not finite), and whether it made progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Scalar
from polyak_core.checks import Given, real_number, shown, whole_number
from polyak_core.methods.f_star import GapSeen
from polyak_core.methods.registry import METHODS
from polyak_core.problems.custom import OwnLoss
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.runs.endings import Cause, Ending, Note, Outcome

MAX_ITERATIONS = 10_000_000
OVERFLOWED = "Is L too small? The curve before is kept."
DIVERGENCE = 1e6
"""A run diverges at this many times f(x_0) - f* + L/2 ||x_0 - x*||^2; FISTA stays below 4 times that."""
STALL = 0.99
"""A run makes no progress if its last third peaks above this part of the peak of the third before."""
STALL_RECORDS = 20
LOST = 0.5
"""A mu_k below this part of mu slows a method down visibly."""
WEAK = 1e-6
"""A floor above this part of f* and of the initial gap says little about the minimum."""
VISIBLE = 40
"""An f* that is too low by delta slows methods down once the gap is about this many delta."""


@dataclass(kw_only=True)
class Limits:
    """The limits of one run; of stacked runs too, with arrays for `divergence` and `goal`.

    Attributes:
        iterations: the last k.
        target: the run ends at the first gap <= target * gap_0; None for no target.
        seconds: time in the method, infinite for no limit.
        divergence: a run with a gap above this diverges.
        sharp: whether a gap of 0 is exact, and not rounding.
        referenced: whether the gap is known and judged; else ||g_L||^2 is judged, with its own `divergence`.
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
        """Set the goal, which is a part of gap_0."""
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
        """The ending of a run that used up a budget at record k: which one, and what to do."""
        numbers = {"gap": float(gap)}
        if k >= self.iterations:
            cause, remedy = Cause.ITERATIONS, "give more, or a faster method."
        else:
            cause, remedy = Cause.SECONDS, "give more."
            numbers["seconds"] = float(self.seconds)
        return Ending(outcome=Outcome.BUDGET, k=k, cause=cause, remedy=remedy, numbers=numbers)


def _too_long(problem: Problem, k: int, cause: Cause, **numbers: float) -> Ending:
    """The ending of a run that diverges because its steps are too long."""
    true_L = f", {problem.true_L:.3g}" if problem.L < problem.true_L else ""
    remedy = f"give an L that is not below the true one{true_L}."
    numbers["L"] = float(problem.L)
    return Ending(outcome=Outcome.DIVERGED, k=k, cause=cause, remedy=remedy, numbers=numbers)


@dataclass(frozen=True)
class Row:
    """One of the runs.

    Attributes:
        problem: what is minimised, as a run on its own has it.
        seen: the gap that the method sees.
        settings: what a trace should remember.
        limits: what ends it.
        backtracking: whether L is found on the way.
    """

    problem: Problem
    seen: GapSeen
    settings: dict[str, Any]
    limits: Limits
    backtracking: bool = False


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
    """The gap above which a run from x_0 diverges: `DIVERGENCE` times f(x_0) - f* + L/2 ||x_0 - x*||^2.

    Raises:
        ValueError: this, or a product with L, overflows.
    """
    with np.errstate(over="ignore"):
        energy = float(oracle.gap(start) + problem.L / 2 * oracle.distance(start) ** 2)
        largest = DIVERGENCE * energy * max(1.0, problem.L)
    if not np.isfinite(largest):
        raise ValueError(
            f"x0 is so far from x* that f(x0) - f* + L/2 ||x0 - x*||^2 = {energy:.1e} overflows "
            "in what is computed from it; give an x0 that is closer, or scale the data."
        )
    return DIVERGENCE * max(energy, problem.floor)


def largest_step(problem: Problem, oracle: Oracle, start: Array) -> float:
    """The ||g_L||^2 above which a run diverges, where the gap is not known; infinite where L is large enough.

    ||g_L|| may grow to `DIVERGENCE` times the first one, so that its square may to the square of that.
    """
    if above_true_L(problem, problem.L):
        return np.inf
    own = oracle.apart()
    squared = float(own.squared_step(start, own.prox_step(start)))
    return DIVERGENCE**2 * squared if squared > 0 else np.inf


def judged(
    problem: Problem,
    oracle: Oracle,
    columns: Mapping[str, Array],
    seen: GapSeen,
    *,
    x: Array,
    y: Array,
    spent: Ending,
    method: str,
) -> Ending:
    """Name the ending of a run that used up its budget; if it made no progress before, the ending says so.

    Args:
        problem: what was minimised.
        oracle: what made the last step.
        columns: gap and mu of all records.
        seen: the f* that the method was given.
        x: the last x_k, lifted.
        y: the last y_k, lifted.
        spent: the ending that names the budget.
        method: its name; of one that `METHODS` does not have, peaks of the gap tell.
    """
    gap, mu = columns["gap"], columns["mu"]
    curvature = float(oracle.curvature(x, y))  # NaN where the step is rounding
    steepest = curvature if curvature > oracle.L * (1 + 1e-6) else 0.0
    moved = bool(np.any(oracle.difference(x, y)))
    rounded = (steepest > 0 or (moved and np.isnan(curvature))) and above_true_L(problem, oracle.L)
    steepest = 0.0 if rounded else steepest
    known = METHODS.get(method)
    idle = _stands_still(gap, by=np.min if known is not None and known.rises else np.max)
    return (
        _at_floor(problem, gap)
        or (_rounding(gap) if rounded and idle else None)
        or (_bouncing(oracle.L, gap, steepest) if steepest and idle else None)
        or _stalled(problem, oracle.L, gap, mu, seen, idle=idle)
        or spent.noting(*_curvature_note(oracle.L, steepest), *_too_high(seen, gap), *_too_low(seen, gap))
    )


def _at_floor(problem: Problem, gap: Array) -> Ending | None:
    floor = float(problem.floor_of(gap))
    below = np.flatnonzero(gap <= floor)
    if not below.size:
        return None
    k = int(below[0])
    if floor > WEAK * max(abs(problem.f_star), gap[0]):
        numbers: dict[str, float | str] = {"floor": floor, "source": problem.f_star_source}
        return Ending(outcome=Outcome.FLOOR, k=k, cause=Cause.WEAK, numbers=numbers)
    remedy = "Stop there, or set a target."
    return Ending(outcome=Outcome.FLOOR, k=k, cause=Cause.FLOOR, remedy=remedy, numbers={"floor": floor})


def above_true_L(problem: Problem, L: float) -> bool:
    """Whether L is known to be no smaller than any curvature of h, so that a larger curvature is rounding."""
    return not isinstance(problem.loss, OwnLoss) and bool(L >= problem.true_L * (1 - 1e-6))


def _rounding(gap: Array) -> Ending:
    """The ending of a run whose steps are rounding: float64 cannot hold the scales of the data together."""
    remedy = "scale the columns, for instance with pc.dataset(X, y, scaling='standardize')."
    return _level(Outcome.STALLED, gap, Cause.ROUNDING, remedy)


def _bouncing(L: float, gap: Array, steepest: float) -> Ending:
    """The ending of a run whose steps meet more curvature than L and make no progress."""
    remedy = f"Give L >= {steepest:.3g}."
    return _level(Outcome.BOUNCING, gap, Cause.CURVATURE, remedy, curvature=steepest, L=L)


def _stalled(
    problem: Problem, L: float, gap: Array, mu: Array, seen: GapSeen, *, idle: bool
) -> Ending | None:
    lost = np.flatnonzero(mu < problem.mu * LOST)
    if seen.delta > 0 and lost.size:
        return Ending(
            outcome=Outcome.STALLED,
            k=int(lost[0]),
            cause=Cause.LOST_MU,
            remedy=seen.remedy,
            numbers={"mu": float(problem.mu), **_of_f_star(seen)},
        )
    if not (idle and len(gap) >= _patience(problem, L)):
        return None
    if L < problem.true_L * (1 - 1e-6):  # where curvature varies, the last step may meet little
        remedy, true_L = "Give that L.", problem.true_L
        return _level(Outcome.BOUNCING, gap, Cause.SMALL_L, remedy, L=L, true_L=true_L)
    remedy = "Try another method, or an L that is not above the true one."
    return _level(Outcome.STALLED, gap, Cause.IDLE, remedy)


def _level(outcome: Outcome, gap: Array, cause: Cause, remedy: str, **numbers: float) -> Ending:
    """The ending of a run that stays at one level, with the gap there and where it was first reached."""
    since = int(np.argmax(gap <= np.min(gap) / STALL))
    plain = {name: float(value) for name, value in {"gap": gap[-1], **numbers}.items()}
    return Ending(outcome=outcome, k=since, cause=cause, remedy=remedy, numbers=plain)


def _stands_still(gap: Array, by: Callable[[Array], float]) -> bool:
    """Whether the peaks of the gap stand still, or its lows: of most methods they may be chance."""
    third = len(gap) // 3
    return len(gap) >= STALL_RECORDS and bool(by(gap[-third:]) > STALL * by(gap[third:-third]))


def _patience(problem: Problem, L: float) -> float:
    """Records after which gradient descent has made progress, and a ripple is shorter than half the run."""
    curvature = problem.mu if problem.mu > 0 else problem.mu_restricted
    condition = L / curvature if curvature > 0 else np.inf
    return float(max(10 * np.sqrt(condition), condition / 10))


def _curvature_note(L: float, steepest: float) -> list[Note]:
    """The curvature that the last step met, where it is more than L."""
    return [Note(cause=Cause.LAST_STEP, numbers={"curvature": steepest, "L": float(L)})] if steepest else []


def without_root(ending: Ending, seen: GapSeen, mu: Array) -> Ending:
    """The same ending, unless a negative mu_k is what made numbers NaN: no guard, and an f* too high."""
    negative = np.flatnonzero(mu < 0)
    if ending.outcome is not Outcome.NON_FINITE or not negative.size:
        return ending
    return Ending(
        outcome=Outcome.NON_FINITE,
        k=int(negative[0]),
        cause=Cause.NO_ROOT,
        remedy="Leave guard=False out, or give a smaller f*.",
        numbers={"excess": -float(seen.delta), "mu": float(mu[negative[0]])},
    )


def _too_high(seen: GapSeen, gap: Array) -> list[Note]:
    negative = np.flatnonzero(seen.delta + gap < 0)
    if seen.delta >= 0 or not negative.size:
        return []
    excess = {"excess": -float(seen.delta)}
    return [Note(k=int(negative[0]), cause=Cause.F_STAR_HIGH, numbers=excess)]


def _too_low(seen: GapSeen, gap: Array) -> list[Note]:
    near = np.flatnonzero(gap < VISIBLE * seen.delta)
    if not near.size:
        return []
    return [Note(k=int(near[0]), cause=Cause.F_STAR_LOW, remedy=seen.remedy, numbers=_of_f_star(seen))]


def _of_f_star(seen: GapSeen) -> dict[str, str]:
    """What is wrong with the f* that a method sees: in words, and whose it is."""
    return {"why": seen.cause, "f_star": seen.kind}
