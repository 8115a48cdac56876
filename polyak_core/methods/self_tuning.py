"""Three rivals that find mu, or L, on the way, without f*."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

from polyak_core.arrays import Array, inner, norm, root
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle

RESTART_C = 6.38
"""C of `auto_restart`: its first two runs have floor(2 C) = 12 steps."""
FIRST_STEP = 1e-5
"""The first step of `adgd_accel`, and the step from which `ac_fgm` guesses L, have this length."""
FGM_ALPHA, FGM_BETA = 0.1, 1 - 6**0.5 / 3
GUESS, GUESS_GROWTH, GUESSES = 0.25, 1.5, 200
"""`ac_fgm` tries L_1 from this part of its guess, so much larger each time, and at most so often."""


def auto_restart(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """FISTA in runs whose length doubles while it is small beside sqrt(L/mu_j), mu_j made of the runs so far.

    mu_j is an upper bound on the growth of f, made of differences of f alone; the record's mu is mu_j.
    Guarantee: f(y_k) - f* decreases as exp(-sqrt(mu/L) k / 12), up to a constant.
    Reference: Aujol, Dossal, Labarriere and Rondepierre 2021, FISTA restart using an automatic estimation of
    the growth parameter; Aujol, Calatroni, Dossal, Labarriere and Rondepierre 2023, arXiv 2307.14323.
    """
    x = y = y_before = x0
    mu, i, n, fired = problem.L, 0, math.floor(2 * RESTART_C), False
    lengths: list[int] = []
    gaps = [problem.gap(x0)]
    for k in count():
        beta = i / (i + 3)
        yield Iterate(k, x, y, mu, beta, restarted=fired)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        i, fired = i + 1, i + 1 == n
        if fired:
            lengths, gaps = [*lengths, n], [*gaps, problem.gap(y)]
            y_before, i = y, 0
            mu = min(growth_bound(problem.L, lengths, gaps, problem.floor), problem.L)
            n *= 2 if len(lengths) > 1 and n <= RESTART_C * root(problem.L / mu) else 1


def growth_bound(L: float, lengths: list[int], gaps: list[float], floor: float) -> float:
    """mu_j of `auto_restart`; infinite before the second run, and where falls of f are rounding."""
    last = gaps[-1]
    pairs = zip(lengths, gaps, gaps[1:-1], strict=False)
    bounds = (
        4 * L / (n + 1) ** 2 * (before - last) / (after - last)
        for n, before, after in pairs
        if after - last > floor
    )
    return min(bounds, default=math.inf)


def adgd_accel(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Gradient steps and momentum made of the curvature just met; needs neither L nor mu; psi = 0.

    lambda_k and mu_k grow from step to step by at most a factor that depends on how they grew before. mu_k is
    no bound on mu; the record has the one that made x_k,
    L before there is one. Steps that are rounding change neither.
    Guarantee: none.
    Reference: Malitsky and Mishchenko 2020, Adaptive gradient descent without descent, algorithm 2.
    """
    yield Iterate(0, x0, x0, problem.L, 0.0)
    g_before, x_before = problem.slope(x0), x0
    size = norm(g_before)
    step = FIRST_STEP / size if size > 0 else 0.0
    mu, growth, mu_growth, beta, shown = size / FIRST_STEP, math.inf, math.inf, 0.0, problem.L
    x = y = problem.moved(x0, -step * g_before)
    for k in count(1):
        yield Iterate(k, x, x, shown, beta)
        g = problem.slope(x)
        rise, run = norm(g - g_before), norm(problem.difference(x, x_before))
        if rise > problem.noise(x) and run > 0:
            step_before, mu_before, curvature = step, mu, rise / run
            step = min(root(1 + growth / 2) * step, 1 / (2 * curvature))
            mu = shown = min(root(1 + mu_growth / 2) * mu, curvature / 2)
            growth, mu_growth = step / step_before, mu / mu_before
            beta = (1 - root(step * mu)) / (1 + root(step * mu))
        x_before, g_before, y_before = x, g, y
        y = problem.moved(x, -step * g)
        x = y + beta * (y - y_before)


def ac_fgm(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Auto-conditioned fast gradient method: L_k is the curvature just met; needs no L, and no line search.

    Only the first step is tried until L_1 holds for it. L_k is made of the distance of h from its tangent,
    which is not a difference of values.
    Guarantee: f(y_k) - f* decreases as max L_i ||x_0 - x*||^2 / k^2, up to a constant.
    Reference: Li and Lan 2023, A simple uniformly optimal method without line search for convex optimization,
    arXiv 2310.10082.
    """
    yield Iterate(0, x0, x0)
    g_before = problem.gradient(x0)
    L, x, g = first_curvature(problem, x0, g_before)
    eta, tau_before, tau, y, x_before = 1 / (2.5 * L), 0.0, 1.0, x0, x0
    for k in count(1):
        yield Iterate(k, x, x)
        if k > 1:
            g_before, g = g, problem.gradient(x)
            L = met_curvature(problem, (x, x_before), norm(problem.difference(g, g_before)), L)
            eta = min(4 / 3 * eta, (tau_before + 1) / tau * eta, tau / (4 * L))
            tau_before, tau = tau, tau + FGM_ALPHA / 2 + 2 * (1 - FGM_ALPHA) * eta * L / tau
        else:
            eta = min((1 - FGM_BETA) * eta, 1 / (4 * L))
        z = problem.moved(problem.prox(y - eta * g, eta), 0.0)
        y = (1 - FGM_BETA) * y + FGM_BETA * z
        x_before, x = x, (z + tau * x) / (1 + tau)


def first_curvature(problem: Oracle, x0: Array, g0: Array) -> tuple[float, Array, Array]:
    """L_1 of `ac_fgm` with x_1 and the gradient there; each trial costs a gradient and a prox."""
    size = norm(problem.difference(g0, 0 * g0))
    probe = x0 - FIRST_STEP / (size or 1.0) * g0
    rise = norm(problem.difference(problem.gradient(probe), g0))
    L = GUESS * (rise / FIRST_STEP or 1.0)
    for _ in range(GUESSES):
        x = problem.moved(problem.prox(x0 - g0 / (2.5 * L), 1 / (2.5 * L)), 0.0)
        g = problem.gradient(x)
        if norm(problem.difference(g, g0)) <= L * norm(problem.difference(x, x0)):
            break
        L *= GUESS_GROWTH
    return L, x, g


def met_curvature(problem: Oracle, points: tuple[Array, Array], rise: float, L: float) -> float:
    """||g_k - g_{k-1}||^2 over twice h(x_{k-1}) less its tangent at x_k; L where that is rounding."""
    x, x_before = points
    s = problem.difference(x, x_before)
    above = problem.curvature(x, x_before) * inner(s, s)
    return rise**2 / above if above > 0 and rise > problem.noise(x) else L
