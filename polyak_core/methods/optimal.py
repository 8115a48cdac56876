"""The two optimal methods for smooth strongly convex functions, given L and mu; psi = 0."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from polyak_core.arrays import Array, root
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle

LARGEST_A = 1e100
"""A_k grows without end; from here on its ratios, which are all that counts, no longer change."""
LARGEST_Q = 1 - 1e-8
"""The listing divides by 1 - mu/L."""


def item_growth(A: float, q: float) -> float:
    """A_{k+1} of `item`, with q = mu/L."""
    return float(((1 + q) * A + 2 * (1 + root((1 + A) * (1 + q * A)))) / (1 - q) ** 2)


def item(problem: Oracle, x0: Array, mu: float) -> Iterator[Iterate]:
    """Information-theoretic exact method: the smallest ||z_k - x*|| that any first-order method can promise.

    The paper's y_k and x_{k+1} = T_L(y_k) are x_{k+1} and y_{k+1} here; the record's distance is that of z_k.
    Guarantee: ||z_k - x*||^2 <= ||x_0 - x*||^2 / (1 + A_k mu/L), and no method has a smaller bound.
    Reference: Taylor and Drori 2021, An optimal gradient method for smooth strongly convex minimization,
    arXiv 2101.09741.
    """
    q = min(mu / problem.L, LARGEST_Q)
    A, x, y, z = 0.0, x0, x0, x0
    for k in count():
        yield Iterate(k, x, y, mu, z=z)
        A, A_before = item_growth(A, q), A
        beta = A_before / ((1 - q) * A)
        d = ((1 - q) ** 2 * A - (1 + q) * A_before) / (2 * (1 + q + q * A_before))
        x = (1 - beta) * z + beta * y
        y = problem.prox_step(x)
        z = (1 - q * d) * z + q * d * x - d * (x - y)
        A = min(A, LARGEST_A)


def tmm(problem: Oracle, x0: Array, mu: float) -> Iterator[Iterate]:
    """Triple momentum: three combinations of two points, fixed numbers made of mu.

    Guarantee: f(y_k) - f* <= rho^(2k) L^2/(2 mu) ||x_0 - x*||^2 with rho = 1 - sqrt(mu/L).
    Reference: Van Scoy, Freeman and Lynch 2018, The fastest known globally convergent first-order method for
    minimizing strongly convex functions.
    """
    rho = 1 - root(mu / problem.L)
    beta = rho**2 / (2 - rho)
    gamma, delta = beta / (1 + rho), rho**2 / (1 - rho**2)
    xi = xi_before = x0
    for k in count():
        point = (1 + delta) * xi - delta * xi_before
        yield Iterate(k, point, point, mu, beta)
        x = (1 + gamma) * xi - gamma * xi_before
        step = (1 + rho) * (problem.prox_step(x) - x)
        xi_before, xi = xi, (1 + beta) * xi - beta * xi_before + step
