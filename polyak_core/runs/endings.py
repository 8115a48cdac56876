"""How a run ended, in one word and one sentence: iteration, cause, remedy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polyak_core.arrays import Array
from polyak_core.methods.estimators import Shift
from polyak_core.problems.custom import OwnLoss
from polyak_core.problems.problem import Problem
from polyak_core.runs.trace import Outcome

DIVERGENCE = 1e6
"""A gap so many times f(x_0) - f* + L/2 ||x_0 - x*||^2 is no ripple: FISTA's bound on it is 4 times that."""
STALL = 0.99
"""A run whose last third peaks above this part of the peak of the third before does not get on."""
STALL_RECORDS = 20
LOST = 0.5
"""mu_k below this part of mu costs time that shows."""
WEAK = 1e-6
"""A floor above this part of f* and of the first gap says little about the minimum."""
VISIBLE = 40
"""An f* that is too low by delta slows methods down once the gap is about so many delta."""

Ending = tuple[Outcome, str]


def ending(
    problem: Problem, columns: Mapping[str, Array], seen: Shift, x: Array, y: Array, tail: str
) -> Ending:
    """Name the end of a run that used up its budget.

    Args:
        problem: what was minimised.
        columns: gap and mu of all records.
        seen: the f* that the method was given.
        x: the last x_k, lifted.
        y: the last y_k, lifted.
        tail: which budget it was, and what to do.
    """
    gap, mu = columns["gap"], columns["mu"]
    curvature = float(problem.curvature(x, y))  # NaN where the step is rounding
    met = curvature if curvature > problem.L * (1 + 1e-6) else 0.0
    moved = bool(np.any(problem.difference(x, y)))
    rounded = (met > 0 or (moved and np.isnan(curvature))) and _above_true_L(problem)
    met = 0.0 if rounded else met
    found = (
        _at_floor(problem, gap)
        or _rounding(gap, rounded)
        or _bouncing(problem, gap, met)
        or _stalled(problem, gap, mu, seen)
    )
    if found:
        return found
    words = f"Stopped at iteration {len(gap) - 1} with a gap of {gap[-1]:.1e}: {tail}"
    if met:
        words += f" The last step meets a curvature of {met:.3g}, more than L = {problem.L:.3g}: give that."
    return Outcome.BUDGET, words + _too_high(seen, gap) + _too_low(seen, gap)


def _at_floor(problem: Problem, gap: Array) -> Ending | None:
    floor = problem.floor_of(gap)
    below = np.flatnonzero(gap <= floor)
    if not below.size:
        return None
    if floor > WEAK * max(abs(problem.f_star), gap[0]):
        return Outcome.FLOOR, (
            f"The certificate is weak: f* is known to {floor:.1e} only, and from iteration "
            f"{below[0]} on the gap is below that, where it means nothing. How f* was found: "
            f"{problem.f_star_source}."
        )
    return Outcome.FLOOR, (
        f"Reached the precision floor {floor:.1e} at iteration {below[0]}: "
        "below it the gap is rounding. Stop there, or set a target."
    )


def _above_true_L(problem: Problem) -> bool:
    """Whether L is known to be no smaller than any curvature of h, so that a larger one is rounding."""
    return not isinstance(problem.loss, OwnLoss) and bool(problem.L >= problem.true_L * (1 - 1e-6))


def _rounding(gap: Array, rounded: bool) -> Ending | None:
    """Steps that are rounding and do not get on: scales of the data that float64 cannot hold together."""
    if not (rounded and _stands(gap)):
        return None
    return Outcome.STALLED, (
        f"Stalled at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}: steps are rounding there. "
        "The scales of the data are too far apart for float64; scale the columns, for instance with "
        "pc.dataset(X, y, scaling='standardize')."
    )


def _bouncing(problem: Problem, gap: Array, met: float) -> Ending | None:
    """Steps that meet more curvature than L and do not get on."""
    if not (met and _stands(gap)):
        return None
    return Outcome.BOUNCING, (
        f"Bounces at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}: the last step meets "
        f"a curvature of {met:.3g}, more than L = {problem.L:.3g}, so the step 1/L is too long. "
        f"Give L >= {met:.3g}."
    )


def _stalled(problem: Problem, gap: Array, mu: Array, seen: Shift) -> Ending | None:
    lost = np.flatnonzero(mu < problem.mu * LOST)
    if seen.delta > 0 and lost.size:
        return Outcome.STALLED, (
            f"mu_k fell below half of the true mu = {problem.mu:.2g} at iteration {lost[0]}: {seen.cause}. "
            f"The rest is slow. {seen.remedy}"
        )
    if not (_stands(gap) and len(gap) >= _patience(problem)):
        return None
    if problem.L < problem.true_L * (1 - 1e-6):  # where curvature varies, the last step may meet little
        return Outcome.BOUNCING, (
            f"Bounces at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}: L = {problem.L:.3g} is "
            f"below the true one, {problem.true_L:.3g}, so the step 1/L is too long. Give that L."
        )
    return Outcome.STALLED, (
        f"Stalled at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}: the steps no longer lower "
        "f. Try another method, or an L that is not above the true one."
    )


def _stands(gap: Array) -> bool:
    """Peaks are compared, since ripples have chance dips that no later ripple reaches."""
    third = len(gap) // 3
    return len(gap) >= STALL_RECORDS and float(np.max(gap[-third:])) > STALL * float(
        np.max(gap[third:-third])
    )


def _patience(problem: Problem) -> float:
    """Records after which even gradient descent has got on, and any ripple is shorter than half the run."""
    curvature = problem.mu if problem.mu > 0 else problem.mu_restricted
    condition = problem.L / curvature if curvature > 0 else np.inf
    return float(max(10 * np.sqrt(condition), condition / 10))


def _since(gap: Array) -> int:
    return int(np.argmax(gap <= np.min(gap) / STALL))


def low_start(mu: float, mu0: float | None) -> str:
    """What to say of a run whose mu_0 lies below mu, as L/2 does where L/mu < 2."""
    if mu0 is None or not mu0 < mu:
        return ""
    return (
        f" mu_0 = {mu0:.3g} lies below mu = {mu:.3g}, so mu_k does too, and propositions 2.4 and 2.8, which "
        "ask for mu_k >= mu, say nothing of this run."
    )


def _too_high(seen: Shift, gap: Array) -> str:
    negative = np.flatnonzero(seen.delta + gap < 0)
    if seen.delta >= 0 or not negative.size:
        return ""
    return (
        f" f* is given too high by {-seen.delta:.1e}: from iteration {negative[0]} on the seen gap is "
        "negative and nothing more is learned from it."
    )


def _too_low(seen: Shift, gap: Array) -> str:
    near = np.flatnonzero(gap < VISIBLE * seen.delta)
    if not near.size:
        return ""
    return (
        f" {seen.cause}: from iteration {near[0]} on the seen gap is more and "
        f"more that error alone. {seen.remedy}"
    )
