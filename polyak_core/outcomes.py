"""How a run ended, in one word and one sentence: iteration, cause, remedy."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import Array, inner
from polyak_core.estimators import Shift
from polyak_core.problem import Problem
from polyak_core.trace import Outcome

DIVERGENCE = 1e6
"""A gap so many times f(x_0) - f* + L/2 ||x_0 - x*||^2 is no ripple: FISTA's bound on it is 4 times that."""
STALL = 0.99
"""A run whose best gap of the last half is above this part of the best before has stalled."""
STALL_RECORDS = 20


def ending(problem: Problem, gap: Array, mu: Array, seen: Shift, x: Array, y: Array, tail: str) -> tuple[Outcome, str]:
    """Name the end of a run that used up its budget; `tail` says which one. x, y: the last ones, lifted."""
    k = len(gap) - 1
    best = float(np.min(gap))
    if best <= problem.floor:
        first = int(np.argmax(gap <= problem.floor))
        return Outcome.FLOOR, (
            f"Reached the precision floor {problem.floor:.1e} at iteration {first}: below it the gap is rounding. "
            "Stop there, or set a target."
        )
    if _stalled(gap):
        step = problem.form.displacement(y - x)
        squared = float(inner(step, step))
        curvature = 2 * float(problem.form.energy(y - x)) / squared if squared > 0 else 0.0
        if curvature > problem.L * (1 + 1e-6):
            return Outcome.BOUNCING, (
                f"Bounces at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}: the last step meets a curvature of "
                f"{curvature:.3g}, more than L = {problem.L:.3g}, so the step 1/L is too long. Give L >= {curvature:.3g}."
            )
        return Outcome.STALLED, f"Stalled at a gap of {gap[-1]:.1e} since about iteration {_since(gap)}. {_cause(seen)}"
    last_mu = float(mu[-1])
    if seen.delta > 0 and np.isfinite(last_mu) and last_mu < problem.mu * (1 - 1e-6):
        below = int(np.argmax(mu < problem.mu * (1 - 1e-6)))
        return Outcome.STALLED, (
            f"mu_k fell below the true mu = {problem.mu:.2g} at iteration {below}: f* is given too low by "
            f"{seen.delta:.1e}. The rest is slow. Give a larger f*."
        )
    return Outcome.BUDGET, f"Stopped at iteration {k} with a gap of {gap[-1]:.1e}: {tail}{_too_high(seen, gap)}"


def _stalled(gap: Array) -> bool:
    half = len(gap) // 2
    return len(gap) >= STALL_RECORDS and float(np.min(gap[half:])) > STALL * float(np.min(gap[:half]))


def _since(gap: Array) -> int:
    return int(np.argmax(gap <= np.min(gap) / STALL))


def _cause(seen: Shift) -> str:
    if seen.delta > 0:
        return f"f* is given too low by {seen.delta:.1e}: give a larger one."
    return "The steps no longer lower f: try another method, a smaller L, or more iterations."


def _too_high(seen: Shift, gap: Array) -> str:
    negative = np.flatnonzero(seen.delta + gap < 0)
    if seen.delta >= 0 or not negative.size:
        return ""
    return (
        f" f* is given too high by {-seen.delta:.1e}: from iteration {negative[0]} on the seen gap is negative and "
        "nothing more is learned from it."
    )
