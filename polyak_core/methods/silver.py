"""Gradient descent in silver steps: no momentum, and faster than steps of one length; psi = 0."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from polyak_core.arrays import Array, root
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle

SILVER = 1 + 2**0.5
"""The silver ratio."""


def silver(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Gradient descent with steps (1 + SILVER^(nu - 1))/L, 2^nu the largest power of 2 that divides k.

    Guarantee: f(y_k) - f* <= L ||x_0 - x*||^2 / (1 + sqrt(4 SILVER^(2 m) - 3)) for k = 2^m - 1.
    Reference: Altschuler and Parrilo 2023, Acceleration by stepsize hedging II: silver stepsize schedule for
    smooth convex optimization, arXiv 2309.16530.
    """
    y = x0
    for k in count():
        yield Iterate(k, y, y)
        h = 1 + SILVER ** (twos(k + 1) - 1)
        y = problem.with_L(problem.L / h).prox_step(y)


def silver_mu(problem: Oracle, x0: Array, mu: float) -> Iterator[Iterate]:
    """Gradient descent in the silver steps for strongly convex functions.

    A schedule of 2^m steps ends in a step of its own; that of twice as many has a longer one there. From the
    gradient at y_{k-1} both are made for k = 2^m: the record has the first, and the method goes on from the
    second.
    Guarantee: ||y_k - x*|| <= (1 - z)/(1 + z) ||x_0 - x*|| for k = 2^m, z = `silver_rate`; no smaller number
    holds for all problems.
    Reference: Altschuler and Parrilo 2023, Acceleration by stepsize hedging I: multi-step descent and the
    silver stepsize schedule, arXiv 2309.07879.
    """
    q = mu / problem.L
    y = end = x0
    for k in count():
        yield Iterate(k, end, end, mu)
        last, longer = silver_pair(twos(k + 1), q)
        x, y = y, problem.with_L(problem.L / longer).prox_step(y)
        is_power = k & (k + 1) == 0
        end = x + last / longer * (y - x) if is_power else y


def silver_rate(m: int, q: float) -> float:
    """The z of a schedule of 2^m steps, with q = mu/L; it rises from q towards 1."""
    for _ in range(m):
        q *= silver_growth(q)
    return q


def silver_growth(z: float) -> float:
    """How z of the schedule of twice as many steps compares with this z."""
    return float(1 - z + root(1 + (1 - z) ** 2))


def silver_pair(m: int, q: float) -> tuple[float, float]:
    """Step 2^m times L: where it is the last of a schedule, and where the schedule goes on."""
    z = silver_rate(m, q)
    ends = (z, z / silver_growth(z))
    last, longer = ((1 + t / q) / (1 + t) for t in ends)
    return last, longer


def twos(k: int) -> int:
    """How often 2 divides k >= 1."""
    return (k & -k).bit_length() - 1
