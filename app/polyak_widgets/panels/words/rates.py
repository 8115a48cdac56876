"""The rate at which a run comes down, per iteration: as it is, where geometric, and as a theorem has it."""

from __future__ import annotations

import numpy as np

import polyak_core as pc

DECADES = 3.0
"""The last decades of the gap are looked at: so many, one at least, and more where it falls very fast."""
FEWEST = 8
"""A rate over fewer iterations could be an accident."""
BENT = 1.5
"""If one half of the piece falls so many times as fast as the other, the gap does not fall geometrically."""
ABOVE_FLOOR = 10.0
ROUNDING = 1e-6
"""L and mu_k may lie beyond the true L and mu by this part of them; estimates promise that much."""


def observed_rate(trace: pc.Trace) -> float | None:
    """What the gap is multiplied by in an iteration, over its last decades; None where that means nothing.

    Ripples are bridged: counted is the largest gap that is still to come. None if that does not fall by a
    decade in eight iterations or more, or falls much faster in one half than in the other, as 1/k^2 does.
    """
    finite = np.isfinite(trace.gap)
    if not finite.all():
        return None
    to_come = np.maximum.accumulate(trace.gap[::-1])[::-1]
    real = np.flatnonzero(to_come > ABOVE_FLOOR * max(trace.floor, 1e-300))
    if not real.size:
        return None
    end = int(real[-1])
    begin = min(int(np.argmax(to_come <= 10.0**DECADES * to_come[end])), max(end - FEWEST, 0))
    middle = (begin + end) // 2
    if end - begin < FEWEST or to_come[begin] < 10 * to_come[end]:
        return None
    logs = np.log(to_come[[begin, middle, end]])
    speeds = -np.diff(logs) / (middle - begin, end - middle)
    if speeds.min() <= 0 or speeds.max() > BENT * speeds.min():
        return None
    return float(np.exp((logs[2] - logs[0]) / (end - begin)))


def theoretical_rate(problem: pc.Problem, method: str, trace: pc.Trace) -> float | None:
    """The rate that a theorem promises a method in the end; None where there is none."""
    if not problem.mu > 0 or not long_steps_are_safe(problem):
        return None
    if method == "pgd":
        return (1 - problem.mu / problem.L) ** 2
    if method == "apg" and is_given_no_more(problem, trace):
        return float(1 - np.sqrt(trace.mu[0] / problem.L))
    if method == "adapt_apg" and never_below(problem, trace):
        return float(1 - np.sqrt(problem.mu / problem.L))
    return None


def long_steps_are_safe(problem: pc.Problem) -> bool:
    """Whether the L that methods are given is no less than the true one."""
    return bool(problem.L >= problem.true_L * (1 - ROUNDING))


def is_given_no_more(problem: pc.Problem, trace: pc.Trace) -> bool:
    """Whether a method that is given mu got no more than the true one, as its theorem supposes."""
    return bool(trace.mu[0] <= problem.mu * (1 + ROUNDING))


def never_below(problem: pc.Problem, trace: pc.Trace) -> bool:
    """Whether no mu_k lies below mu, as proposition 2.4 supposes."""
    return bool((trace.mu >= problem.mu * (1 - ROUNDING)).all())
