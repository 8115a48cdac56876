"""Carrying points of the logistic loss: the displacement and what it does to the margins.

The loss of a sample with margin m = y_i a_i'x is phi(m) = log(1 + e^-m). Everything here is a
difference to the minimiser, made without subtraction of nearly equal numbers, so that curves go down
as far as the stored minimiser is known, and below as far as float64 has digits.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
from scipy.special import expit, roots_jacobi

from polyak_core.arrays import Array, Scalar, choose, inner, norm, total
from polyak_core.forms import GRADIENT_NOISE, VANISHING, Sizes
from polyak_core.oracle import CountedMatrix, Counts

NEAR, CLOSE = 0.125, 1e-3
"""Up to such a move four Gauss points, or two, are exact to rounding; beyond `NEAR` the closed form is, but
for 16 eps at most."""


def _rule(points: int) -> tuple[tuple[float, float], ...]:
    """Gauss-Jacobi nodes and weights: the integral of (1 - t) f(t) over [0, 1] is about sum w_j f(t_j)."""
    roots, weights = roots_jacobi(points, 1, 0)
    return tuple(zip((1 + roots) / 2, weights / 4, strict=True))


FOUR_POINTS, TWO_POINTS = _rule(4), _rule(2)
STEEP = -30.0


def slope_change(m: Array, d: Array) -> Array:
    """phi'(m + d) - phi'(m), each entry to full relative precision.

    With p(m) = 1/(1 + e^m) = -phi'(m), p(m) - p(m + d) = (1 - e^-d) p(m) p(-m - d); a negative d is
    the same with all signs changed. Shapes broadcast.
    """
    sign = np.copysign(1.0, d)
    return np.asarray(-np.expm1(-np.abs(d)) * sign * expit(-sign * m) * expit(sign * (m + d)))


def bregman(m: Array, d: Array) -> Array:
    """phi(m + d) - phi(m) - phi'(m) d >= 0, each entry to about 1e-14 relative; shapes broadcast."""
    m, d = np.broadcast_arrays(m, d)
    size = np.abs(d)
    distance = np.zeros(d.shape)
    for node, weight in TWO_POINTS if size.max(initial=0.0) <= CLOSE else FOUR_POINTS:
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
    p = expit(-m)
    flat = np.log1p(p * np.expm1(-np.maximum(d, STEEP))) + p * d
    steep = np.logaddexp(0.0, -(m + d)) - np.logaddexp(0.0, -m) + p * d
    return np.asarray(np.maximum(np.where(d < STEEP, steep, flat), 0.0))


class MarginForm:
    """z = (d, e): d = x - x* and e_i = y_i a_i'd, the moves of the margins.

    h(x) - h(x*) = sum of `bregman` over the margins + lam ||d||^2, since grad h(x*) = 0. A gradient
    costs one product, a lift one; no image of the gradient can be carried, since it is not linear.
    """

    name = "A"
    free_estimate = False

    def __init__(self, matrix: CountedMatrix, labels: Array, lam: float, x_star: Array) -> None:
        """A, y, lam and x*."""
        self._matrix = matrix
        self._labels = labels
        self._lam = lam
        self._x_star = x_star
        self._n = matrix.shape[1]
        self._margins = labels * matrix.counted_by(Counts()).times(x_star)

    def lift(self, x: Array) -> Array:
        """(d, e), one product."""
        return self.relift(x - self._x_star)

    def relift(self, d: Array) -> Array:
        """Carry a displacement, its image made afresh; one product."""
        return np.concatenate([d, self._labels * self._matrix.times(d)], axis=-1)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return np.asarray(self._x_star + self.displacement(z))

    def displacement(self, z: Array) -> Array:
        """The first n entries."""
        return z[..., : self._n]

    def _moves(self, z: Array) -> Array:
        return z[..., self._n :]

    def gradient(self, z: Array) -> Array:
        """grad h(x* + d) - grad h(x*), one product."""
        slopes = slope_change(self._margins, self._moves(z))
        return self._matrix.transpose_times(self._labels * slopes) + 2 * self._lam * self.displacement(z)

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Gradient step and lift: two products."""
        return lambda z: self.relift(self.displacement(z) - self.gradient(z) / L)

    def _distance(self, margins: Array, z: Array) -> Scalar:
        """h above its tangent, from where the margins are as given and on by the lifted z."""
        d = self.displacement(z)
        return total(bregman(margins, self._moves(z))) + self._lam * inner(d, d)

    def gap(self, z: Array) -> Scalar:
        """h above its tangent at x*."""
        return self._distance(self._margins, z)

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One product, one more for the certified estimate; the model's is polyak's when psi = 0."""
        g = self.gradient(z)
        after = self.gap(self.relift(self.displacement(z) - g / L)) if kind == "certified" else None
        return Sizes(inner(g, g), self.gap(z), after)

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """L^2 ||x - y||^2."""
        s = self.displacement(x) - self.displacement(y)
        return L * L * inner(s, s)

    def excess(self, x: Array, y: Array, L: float) -> Scalar:
        """h(x*) above its tangent at x, and the model at y above h there."""
        margins, step = self._margins + self._moves(x), y - x
        s = self.displacement(step)
        return self._distance(margins, -x) + (0.5 * L * inner(s, s) - self._distance(margins, step))

    def curvature(self, x: Array, y: Array) -> Scalar:
        """From the distance of h between the two."""
        step = y - x
        s = self.displacement(step)
        squared = inner(s, s)
        above = self._distance(self._margins + self._moves(x), step)
        return 2 * above / choose(squared > 0, squared, np.nan)

    def noise(self, z: Array, L: float) -> Scalar:
        """Rounding of the products."""
        return GRADIENT_NOISE * L * norm(self.displacement(z)) + VANISHING

    def counted_by(self, counts: Counts) -> MarginForm:
        """The same form under another counter."""
        twin = copy.copy(self)
        twin._matrix = self._matrix.counted_by(counts)
        return twin
