"""Starts for active sets: an interior point method; where H is too large for it, accelerated gradients.

Problem: min 1/2 x'Hx + c'x + psi(x), psi a box or lam ||x||_1.
Algorithm: Mehrotra's predictor-corrector. With g = Hx + c, a box asks x - low >= 0, high - x >= 0 and
g = z_0 - z_1; an l1 norm asks g + lam >= 0, lam - g >= 0 and x = z_0 - z_1: the same with x and g
exchanged. Either way a step solves one system with H + a diagonal matrix.
Guarantee: none; what is made of the point is certified afterwards.
Reference: S. Mehrotra, On the implementation of a primal-dual interior point method, 1992.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic
from polyak_core.certificates.momentum import Momentum
from polyak_core.matrices.columns import Mask, Solve
from polyak_core.progress.budget import START
from polyak_core.progress.watch import step as watched_step

STEPS = 60
ENOUGH = 1e-10
"""Mean complementarity at which the active set is clear, in units in which x and the gradient are near 1."""
INTERIOR = 0.995
PATIENCE = 5
"""Steps without progress after which only rounding is left."""
FIRST_ORDER_STEPS = 50, 3000
"""As many as `polyak_core.progress.budget.START` allows, within these limits."""
STILL = 1e-13


class Range(NamedTuple):
    """Bounds on x (a box) or on the gradient (an l1 norm).

    Attributes:
        low, high: finite, low < high.
        on_gradient: whether they bound the gradient.
        unit: a natural size of x.
    """

    low: float
    high: float
    on_gradient: bool
    unit: float


class _Barrier:
    """State of the method, in units in which x and the gradient are of order 1."""

    def __init__(self, h: ExtendedQuadratic, bounds: Range) -> None:
        self._h, self._on_gradient = h, bounds.on_gradient
        self._unit = bounds.unit
        pull = float(np.abs(h.slope(np.zeros(h.size))).max())
        self._force = max(h.largest * bounds.unit, pull)
        size = min(bounds.high, pull) if bounds.on_gradient else pull
        self.natural = size / self._force  # of what x is complementary to, at the end
        per = self._force if bounds.on_gradient else bounds.unit
        self._low, self._high = bounds.low / per, bounds.high / per
        middle = 0.0 if bounds.on_gradient else (self._low + min(self._high, self._low + 2)) / 2
        self.x = np.full(h.size, middle)
        self._refresh()
        inside = self._pairs()
        self.p = np.maximum(inside, 0.1 * (self._high - self._low))
        self.z = np.ones((2, h.size))

    def _refresh(self) -> None:
        self.g = self._h.slope(self.x * self._unit) / self._force

    def _pairs(self) -> Array:
        carrier = self.g if self._on_gradient else self.x
        return np.stack([carrier - self._low, self._high - carrier])

    @property
    def complementarity(self) -> float:
        return float(np.mean(self.p * self.z))

    @property
    def unsolved(self) -> float:
        """Complementarity plus the error of p, the pairs that it stands for: rounding makes it grow."""
        return self.complementarity + float(np.abs(self.p - self._pairs()).max())

    def _curved(self, dx: Array) -> Array:
        """Change of the gradient."""
        return (self._h.slope(dx * self._unit) - self._h.slope(np.zeros(self._h.size))) / self._force

    def _carried(self, dx: Array, right: Array) -> Array:
        """Change of the gradient: the product, or, where it is far below rounding, from its equation."""
        weights = self._weights()
        return np.where(weights > 1, (right - dx) / weights, self._curved(dx))

    def _weights(self) -> Array:
        return np.asarray((self.z / self.p).sum(axis=0))

    def factored(self) -> Solve:
        weights = self._weights()
        ratio = self._force / self._unit
        shift = 1 / weights if self._on_gradient else weights
        solve = self._h.shifted(shift * ratio)
        if self._on_gradient:
            return lambda t: solve(t / weights * ratio)
        return lambda t: solve(t * ratio)

    def direction(self, solve: Solve, product: Array) -> tuple[Array, Array, Array]:
        """Newton's (dx, dp, dz) towards p z = p z + product."""
        other = self.x if self._on_gradient else self.g
        off = self.p - self._pairs()
        pull = (product + self.z * off) / self.p
        right = -(other - self.z[0] + self.z[1]) + pull[0] - pull[1]
        dx = solve(right)
        carrier = self._carried(dx, right) if self._on_gradient else dx
        dp = np.stack([carrier, -carrier]) - off
        return dx, dp, (product - self.z * dp) / self.p

    def step(self) -> None:
        """One predictor and corrector."""
        solve = self.factored()
        product = self.p * self.z
        _, dp, dz = self.direction(solve, -product)
        before = self.complementarity
        reach, push = _longest(self.p, dp), _longest(self.z, dz)
        after = float(np.mean((self.p + reach * dp) * (self.z + push * dz)))
        centre = (max(after, 0.0) / before) ** 3 * before
        dx, dp, dz = self.direction(solve, centre - product - dp * dz)
        length = INTERIOR * min(_longest(self.p, dp), _longest(self.z, dz))
        if not (np.isfinite(dx).all() and np.isfinite(dz).all()):
            raise np.linalg.LinAlgError("not finite")
        self.x, self.p, self.z = self.x + length * dx, self.p + length * dp, self.z + length * dz
        self._refresh()

    def guess(self) -> tuple[Array, Mask]:
        """x, and where it lies between the bounds: each pair p z ~ 0 has one clear zero at the end."""
        if self._on_gradient:
            return self.x * self._unit, np.asarray((self.p < self.z * self.natural).any(axis=0))
        return self.x * self._unit, np.asarray((self.p * self.natural > self.z).all(axis=0))


def _longest(p: Array, dp: Array) -> float:
    """Longest step in (0, 1] that keeps p >= 0."""
    inward = dp < 0
    return float(min(1.0, (-p[inward] / dp[inward]).min())) if inward.any() else 1.0


def interior_start(h: ExtendedQuadratic, bounds: Range) -> tuple[Array, Mask]:
    """A point close to the minimiser, and a guess where it lies strictly between bounds.

    Args:
        h: the quadratic function, of size n.
        bounds: on x or on the gradient.

    Returns:
        x of shape (n,), not rounded to the bounds, and the guess, a mask of shape (n,).
    """
    barrier = _Barrier(h, bounds)
    best, since, guess = np.inf, 0, barrier.guess()
    with np.errstate(all="ignore"):
        for k in range(STEPS):
            watched_step("interior point", k)
            try:
                barrier.step()
            except (np.linalg.LinAlgError, ValueError):
                break
            since += 1
            if barrier.unsolved < best:
                best, since, guess = barrier.unsolved, 0, barrier.guess()
            if since == PATIENCE or barrier.complementarity <= ENOUGH * barrier.natural:
                break
    return guess


def first_order_start(h: ExtendedQuadratic, bounds: Range) -> tuple[Array, Mask]:
    """A point close to the minimiser, and where it lies strictly between bounds.

    Algorithm: FISTA in float64, restarted where a step goes against the momentum (O'Donoghue and Candes),
    until it stands still or its work is used up.

    Args:
        h: the quadratic function, of size n.
        bounds: on x or on the gradient (an l1 norm).
    """
    L, steps = h.largest, int(np.clip(START / h.product, *FIRST_ORDER_STEPS))
    x = y = np.zeros(h.size)
    momentum = Momentum(y)
    for k in range(steps):
        watched_step("first-order start", k)
        y_before, y = y, _first_order_step(x, h.slope(x), L, bounds)
        x = momentum.ahead(x, y)
        if np.abs(y - y_before).max() <= STILL * np.abs(y).max():
            break
    if bounds.on_gradient:
        return y, y != 0
    return y, (y > bounds.low) & (y < bounds.high)


def _first_order_step(x: Array, g: Array, L: float, bounds: Range) -> Array:
    """A gradient step, then the prox: soft threshold, or the nearest point of the box."""
    v = x - g / L
    if bounds.on_gradient:
        return np.asarray(v - np.clip(v, bounds.low / L, bounds.high / L))
    return np.clip(v, bounds.low, bounds.high)
