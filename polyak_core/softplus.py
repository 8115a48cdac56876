"""phi(m) = log(1 + e^-m) around given margins: how a move changes its slope, and lifts it above the tangent.

Moves become small as a run goes on, and then a few terms of the Taylor series are as exact as a closed form,
and several times as quick. With w = phi''(m) and r = phi'''(m)/w all derivatives of phi are w or w r times a
polynomial in w.
"""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
import scipy

from polyak_core.arrays import Array

NEAR, CLOSE = 0.125, 1e-3
"""Up to such a move four Gauss points, or two, are exact to rounding; beyond `NEAR` the closed form is, but
for 16 eps at most."""
TINY, SMALL, MODERATE = 1e-3, 2.0**-6, 1.0
"""Up to such a move: four Taylor terms or six are exact to rounding; nothing cancels in a slope."""


@cache
def _rule(points: int) -> tuple[tuple[float, float], ...]:
    """Gauss-Jacobi nodes and weights: the integral of (1 - t) f(t) over [0, 1] is about sum w_j f(t_j)."""
    roots, weights = scipy.special.roots_jacobi(points, 1, 0)
    return tuple(zip((1 + roots) / 2, weights / 4, strict=True))


STEEP = -30.0


def slope_change(m: Array, d: Array) -> Array:
    """phi'(m + d) - phi'(m), each entry to full relative precision.

    With p(m) = 1/(1 + e^m) = -phi'(m), p(m) - p(m + d) = (1 - e^-d) p(m) p(-m - d); a negative d is
    the same with all signs changed. Shapes broadcast.
    """
    sign = np.copysign(1.0, d)
    expit = scipy.special.expit
    return np.asarray(-np.expm1(-np.abs(d)) * sign * expit(-sign * m) * expit(sign * (m + d)))


def bregman(m: Array, d: Array) -> Array:
    """phi(m + d) - phi(m) - phi'(m) d >= 0, each entry to about 1e-14 relative; shapes broadcast."""
    m, d = np.broadcast_arrays(m, d)
    size = np.abs(d)
    distance = np.zeros(d.shape)
    for node, weight in _rule(2 if size.max(initial=0.0) <= CLOSE else 4):
        e = np.exp(-np.abs(m + node * d))
        distance += weight * (e / np.square(1 + e))
    distance *= np.square(d)
    far = size > NEAR
    if far.any():
        distance[far] = _far_bregman(m[far], d[far])
    return distance


def _far_bregman(m: Array, d: Array) -> Array:
    """The closed form; phi(-m) = phi(m) + m, so that m may be taken as >= 0, where nothing cancels."""
    d = np.where(m < 0, -d, d)
    m = np.abs(m)
    p = scipy.special.expit(-m)
    distance = np.log1p(p * np.expm1(-np.maximum(d, STEEP))) + p * d
    steep = d < STEEP
    if steep.any():
        m, d, p = m[steep], d[steep], p[steep]
        distance[steep] = np.logaddexp(0.0, -(m + d)) - np.logaddexp(0.0, -m) + p * d
    return np.asarray(np.maximum(distance, 0.0))


class Softplus:
    """phi around margins m of any shape; moves d broadcast with it."""

    def __init__(self, m: Array) -> None:
        """One exponential a margin."""
        self.m = m
        e = np.exp(-np.abs(m))
        scale = 1 / (1 + e)
        self._w = e * scale * scale
        self._r = np.copysign((1 - e) * scale, -m)

    @cached_property
    def _p(self) -> Array:
        """-phi'(m), to absolute precision."""
        return np.asarray(0.5 + 0.5 * self._r)

    @cached_property
    def _even(self) -> tuple[Array, Array]:
        """phi^(4)/(4! w) and phi^(6)/(6! w)."""
        w = self._w
        return (1 - 6 * w) / 24, (1 + w * (120 * w - 30)) / 720

    @cached_property
    def _odd(self) -> tuple[Array, Array]:
        """phi^(3)/(3! w) and phi^(5)/(5! w)."""
        return self._r / 6, self._r * (1 - 12 * self._w) / 120

    @cached_property
    def _last(self) -> tuple[Array, Array]:
        """phi^(7)/(7! w) and phi^(8)/(8! w)."""
        w = self._w
        return (
            self._r * (1 + w * (360 * w - 60)) / 5040,
            (1 + w * (w * (1680 - 5040 * w) - 126)) / 40320,
        )

    def slope_change(self, d: Array) -> Array:
        """phi'(m + d) - phi'(m), each entry to full relative precision."""
        if not _size(d) <= MODERATE:
            return slope_change(self.m, d)
        change = np.expm1(-d)
        return np.asarray(-change * self._w / (1 + self._p * change))

    def above_tangent(self, d: Array) -> Array:
        """phi(m + d) - phi(m) - phi'(m) d >= 0, each entry to about 1e-14 relative."""
        size = _size(d)
        if not size <= SMALL:
            return bregman(self.m, d)
        (third, fifth), (fourth, sixth) = self._odd, self._even
        square = d * d
        if size <= TINY:
            even, odd = sixth * square, fifth * square
        else:
            seventh, eighth = self._last
            even, odd = (eighth * square + sixth) * square, (seventh * square + fifth) * square
        even += fourth
        even *= square
        odd += third
        odd *= d
        even += odd
        even += 0.5
        even *= square
        even *= self._w
        return np.asarray(even)


def _size(d: Array) -> float:
    """The largest move, NaN if one is."""
    return float(np.abs(d).max(initial=0.0))
