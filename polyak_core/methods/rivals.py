"""Rivals of the paper's methods that need no f*: two restarts, and NAG-free. All infinite generators.

Restarts follow the listing of `polyak_core.methods.paper.restart`: t := 1, previous y := y, the step is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, inner, norm
from polyak_core.methods.paper import Iterate, momentum, next_t
from polyak_core.problems.oracle import Oracle


def restart_function(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """FISTA, restarted when f rises: f(y_{k+1}) > f(y_k), compared through exact gaps.

    Guarantee: none in general; linear convergence is observed where f is strongly convex.
    Reference: O'Donoghue and Candes 2015, Adaptive restart for accelerated gradient schemes, section 3.2.
    """
    x = y = y_before = x0
    t: Scalar = 1.0
    fired: Scalar = False
    for k in count():
        t_next = next_t(t)
        beta = (t - 1) / t_next
        yield Iterate(k, x, y, beta=beta, t=t, restarted=fired)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        fired = problem.gap(y) > problem.gap(y_before)
        t = choose(fired, 1.0, t_next)
        y_before = choose(fired, y, y_before)


def restart_gradient(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """FISTA, restarted when the momentum points uphill: (x_{k+1} - y_{k+1})'(y_{k+1} - y_k) > 0.

    Guarantee: none in general; linear convergence is observed where f is strongly convex.
    Reference: O'Donoghue and Candes 2015, Adaptive restart for accelerated gradient schemes, section 3.2.
    """
    x = y = y_before = x0
    t: Scalar = 1.0
    fired: Scalar = False
    for k in count():
        t_next = next_t(t)
        beta = (t - 1) / t_next
        yield Iterate(k, x, y, beta=beta, t=t, restarted=fired)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        fired = inner(problem.difference(x, y), problem.difference(y, y_before)) > 0
        t = choose(fired, 1.0, t_next)
        y_before = choose(fired, y, y_before)


def nag_free(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Algorithm 1 with mu_k, the least curvature met so far between points x; no f*, no extra gradient.

    mu_0 = mu_1 = L, then mu_k = min(mu_{k-1}, ||g_L(x_k) - g_L(x_{k-1})|| / ||x_k - x_{k-1}||); a ratio that
    is 0/0 or rounding is refused. For psi = 0 g_L is the gradient and every mu_k >= mu.
    Guarantee: local convergence at an accelerated rate for psi = 0; none with a penalty.
    Reference: Cavalcanti, Lessard and Wilson 2025, Adaptive acceleration without strong convexity priors
    or restarts, arXiv 2506.13033.
    """
    x = y = y_before = x0
    g = x0
    mu: Scalar = problem.L
    frozen: Scalar = False
    for k in count():
        beta = momentum(mu, problem.L)
        yield Iterate(k, x, y, mu=mu, beta=beta, frozen=frozen)
        x_before, x = x, y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        g_before, g = g, problem.reduced_gradient(x, y)
        if k:
            rise, run = norm(g - g_before), norm(problem.difference(x, x_before))
            good = (rise > problem.noise(x)) & (run > 0)
            ratio = rise / choose(good, run, np.nan)
            frozen = good ^ True
            mu = choose(good & (ratio < mu), ratio, mu)
