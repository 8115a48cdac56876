"""Two rivals that are made for quadratics: conjugate gradients, and the heavy ball that follows the gap.

Both end, but for rounding, after as many steps as G has distinct eigenvalues. Their y_k is x_k itself, and no
step T_L of another point.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from polyak_core.arrays import Array, inner, norm
from polyak_core.methods.f_star import GapSeen
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle

MOST_RESIDUALS = 2048
"""Residuals that are kept, so that new ones can be made orthogonal to them."""


def cg(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Conjugate gradients: x_k has the smallest gap of all x_0 + span{g(x_0), ..., g(x_{k-1})}.

    So no method comes lower that combines k gradients. Residuals are made orthogonal to those before, or
    rounding would delay the end; where little is left of one, it was rounding, and the method begins anew.
    Guarantee: gap_k <= (2 rho^k / (1 + rho^(2k)))^2 gap_0, rho = (sqrt(L/mu) - 1)/(sqrt(L/mu) + 1), for
    quadratics; it ends after as many steps as G has distinct eigenvalues.
    Reference: Hestenes and Stiefel 1952, Methods of conjugate gradients for solving linear systems.
    """
    x, p, squared = x0, 0 * problem.difference(x0, x0), np.inf
    units: list[Array] = []
    for k in count():
        yield Iterate(k, x, x)
        g = problem.slope(x)
        basis = np.array(units).reshape(-1, g.size)
        r = np.asarray(g - (basis @ g) @ basis)
        if not norm(r) > norm(g) / 2:
            p, r, squared, units = np.zeros_like(g), g, np.inf, []
        squared_before, squared = squared, inner(r, r)
        p = r + squared / squared_before * p
        bend = problem.bend(p)
        if bend > 0:  # else the gradient is 0, or its square is
            x = problem.moved(x, -squared / bend * p)
            units = [*units[-MOST_RESIDUALS:], r / norm(r)]


def heavy_ball_polyak(problem: Oracle, x0: Array, seen: GapSeen) -> Iterator[Iterate]:
    """Heavy ball with steps 2 (f(x_k) - f*)/||g_k||^2 = 1/mu_hat(x_k), and the momentum that goes with them.

    Guarantee: for quadratics x_k is the projection of x* on x_0 + span{g_0, ..., g_{k-1}}, so that
    ||x_k - x*|| never rises, and the method ends like `cg`; beyond quadratics none.
    Reference: Goujaud, Taylor and Dieuleveut 2022, Quadratic minimization: from conjugate gradient to an
    adaptive heavy-ball method with Polyak step-sizes, arXiv 2210.06367.
    """
    x = x_before = x0
    g_before, gap_before, m = 0 * problem.difference(x0, x0), 1.0, 0.0
    for k in count():
        yield Iterate(k, x, x, beta=m, seen=seen)
        g, gap = problem.slope(x), seen(problem.gap(x))
        squared, turn = inner(g, g), gap * inner(g, g_before)
        below = gap_before * squared + turn
        if not (squared > problem.noise(x) ** 2 and gap > seen.noise and below != 0):
            continue  # nothing is learned from rounding
        m = -turn / below
        step = m * problem.difference(x, x_before) - (1 + m) * 2 * gap / squared * g
        x_before, x = x, problem.moved(x, step)
        g_before, gap_before = g, gap
