"""Methods that find L on the way, up and down, with the guarantees of the same methods for a fixed L.

A step y = T_L(x) is accepted if h(y) <= h(x) + grad h(x)'(y - x) + L/2 ||y - x||^2. The test compares L with
the curvature of h from x to y, which a problem computes without subtracting values of h. This curvature is at
most the true L, so that a rejection never raises L above twice the true one. The first step is tried with
smaller and smaller L, until L is at most twice the curvature that the step meets. So every L that makes a
y_k, k >= 1, is at most twice the true one, and so is L_0, which is reported as L_1. Each trial costs a
gradient and a prox, and both are counted. A step that is only rounding says nothing about the curvature: L
becomes the largest curvature met so far, since with a smaller L the rounding itself would grow.

Reference: Beck and Teboulle 2009, section 4 (L up); Nesterov 2013, Gradient methods for minimizing
composite functions, and Scheinberg, Goldfarb and Bai 2014, Fast first-order methods for composite convex
optimization with backtracking (L up and down, t_k rescaled).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array, Scalar, inner, root
from polyak_core.methods.estimators import Estimate, Rule
from polyak_core.methods.paper import Iterate, momentum, next_t
from polyak_core.problems.oracle import Oracle

GROWTH = 1.25
"""After a rejection L becomes this many times the curvature met; after a second one it at least doubles."""
SHRINK, FIRST_SHRINK = 0.95, 0.5
"""After an accepted step L is multiplied by the first number, but not below the curvature met; by the second
number until a trial is rejected for the first time."""
DESCENT, DESCENTS = 1e-3, 8
"""The first step is tried again with an L lowered to this part of itself at least, and at most so often."""
SLACK = 1e-10
"""Rounding of a curvature, relative."""
OVERFLOW_GROWTH = 1e3
TRIALS = 120


class Step(NamedTuple):
    """An accepted step: y = T_L(x), the L to try first at the next one, the largest curvature met so far."""

    x: Array
    y: Array
    L: float
    next_L: float
    shrink: float
    steepest: float


def search(
    problem: Oracle, L: float, shrink: float, steepest: float, extrapolate: Callable[[float], Array]
) -> Step:
    """Try L, and larger ones while the step meets more curvature; x = extrapolate(L) may depend on L."""
    for trial in range(TRIALS):
        x = extrapolate(L)
        own = problem.with_L(L)
        y = own.prox_step(x)
        s = own.difference(y, x)
        curvature = float(own.curvature(x, y)) if np.isfinite(inner(s, s)) else np.inf
        if np.isnan(curvature) and np.isfinite(own.gap(y)):  # the step is rounding
            return Step(x, y, L, max(L, steepest), shrink, steepest)
        if not np.isfinite(curvature):  # L is so small that squares, or one's own h, overflow
            L, shrink = OVERFLOW_GROWTH * L, SHRINK
            continue
        steepest = max(steepest, curvature)
        if not curvature > L * (1 + SLACK):
            break
        L, shrink = max(GROWTH * curvature, 2 * L if trial else 0.0), SHRINK
    return Step(x, y, L, min(L, max(shrink * L, curvature)), shrink, steepest)


def first_search(problem: Oracle, x0: Array) -> Step:
    """The first step from x0 with an L that is at most twice the curvature met on the way.

    If all steps are rounding, x0 is a minimiser as far as can be told, and L stays.
    """
    first = step = search(problem, problem.L, FIRST_SHRINK, 0.0, partial(_stay, x0))
    for _ in range(DESCENTS):
        if step.L <= 2 * step.steepest * (1 + SLACK):
            return step
        lower = max(GROWTH * step.steepest, DESCENT * step.L)
        step = search(problem, lower, FIRST_SHRINK, step.steepest, partial(_stay, x0))
    return step if step.steepest > 0 else first


class Ahead:
    """Takes each step before the record that tells its beta, and counts its cost in the record after it."""

    def __init__(self, problem: Oracle) -> None:
        """Make an oracle with a counter of its own."""
        self._problem = problem
        self._twin = problem.apart()

    def after(self, step: Step, extrapolate: Callable[[float], Array]) -> Step:
        """The step after this one; its cost is not counted yet."""
        return search(self._twin, step.next_L, step.shrink, step.steepest, extrapolate)

    def first(self, x0: Array) -> Step:
        """As `first_search`; its cost is not counted yet."""
        return first_search(self._twin, x0)

    def bill(self) -> None:
        """Add the cost to the counter of the problem."""
        self._problem.counts.take(self._twin.counts)


def pgd_backtracking(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Proximal gradient with L_k found on the way.

    Guarantee: f(y_k) - f* <= max L_i ||x_0 - x*||^2 / (2 k); for psi = 0 also f decreases at every step.
    Reference: Nesterov 2013, Gradient methods for minimizing composite functions.
    """
    ahead = Ahead(problem)
    step = ahead.first(x0)
    x = y = x0
    for k in count():
        yield Iterate(k, x, y, beta=0.0, L=step.L)
        if k:
            step = ahead.after(step, partial(_stay, y))
        ahead.bill()
        x, y = step.x, step.y


def _stay(y: Array, new_L: float) -> Array:
    return y


def fista_backtracking(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """FISTA with L_k found on the way; t_{k+1} = (1 + sqrt(1 + 4 t_k^2 L_{k+1}/L_k))/2, L_0 = L_1.

    x_{k+1} is made again for each trial L_{k+1}, since beta_k = (t_k - 1)/t_{k+1} depends on it.
    Guarantee: f(y_k) - f* <= L_k/t_k^2 (gap_0/L_1 + ||x_0 - x*||^2/2), and t_k^2/L_k >= k^2/(4 max L_i).
    Reference: Scheinberg, Goldfarb and Bai 2014.
    """
    ahead = Ahead(problem)
    step = ahead.first(x0)
    x = y = y_before = x0
    t: Scalar = 1.0
    used = step.L

    def grown(new_L: float) -> Scalar:
        return next_t(t * root(new_L / used) if k else t)

    def extrapolate(new_L: float) -> Array:
        return np.asarray(y + (t - 1) / grown(new_L) * (y - y_before))

    for k in count():
        if k:
            step = ahead.after(step, extrapolate)
        t_next = grown(step.L)
        yield Iterate(k, x, y, beta=(t - 1) / t_next, t=t, L=used)
        ahead.bill()
        x, y_before, y, t = step.x, y, step.y, t_next
        used = step.L


def v2_backtracking(problem: Oracle, x0: Array, rule: Rule) -> Iterator[Iterate]:
    """`adapt_apg_v2` with L_k found on the way: mu_hat(y_k) is made with L_k, beta_k with mu_k and L_{k+1}.

    mu_k is the smallest estimate so far, at most L_{k+1}. "polyak" for psi = 0 and "model" hold for every
    L_k; "certified" where the step from y_k with L_k would be accepted.
    Guarantee: none proven, as for a fixed L.
    Reference: this project; Barre and d'Aspremont, algorithm 4.
    """
    ahead = Ahead(problem)
    step = ahead.first(x0)
    x = y = y_before = x0
    used = step.L
    estimate: Estimate | None = None

    def beta(new_L: float) -> Scalar:
        mu = new_L if estimate is None else min(estimate.mu, new_L)
        return momentum(mu, new_L)

    def extrapolate(new_L: float) -> Array:
        return np.asarray(y + beta(new_L) * (y - y_before))

    for k in count():
        estimate = rule(problem.with_L(used), k, y, estimate)
        if k:
            step = ahead.after(step, extrapolate)
        yield Iterate(
            k, x, y, min(estimate.mu, step.L), beta(step.L),
            mu_hat=estimate.mu_hat, frozen=estimate.frozen, seen=estimate.seen, L=used, gap=estimate.gap,
        )  # fmt: skip
        ahead.bill()
        x, y_before, y = step.x, y, step.y
        used = step.L


def unbounded(rule: Rule) -> Rule:
    """The same rule with no first upper bound on mu: the given L may be below the true mu."""
    return replace(rule, start=np.inf) if hasattr(rule, "start") else rule  # type: ignore[type-var]
