"""Carrying points of the logistic loss: the displacement and what it does to the margins.

The loss of a sample with margin m = y_i a_i'x is phi(m) = log(1 + e^-m). Everything here is a
difference to the minimiser, made without subtraction of nearly equal numbers, so that curves go down
as far as the stored minimiser is known, and below as far as float64 has digits.
"""

from __future__ import annotations

import copy

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, inner, total
from polyak_core.lifted.form import Sizes, SmoothForm
from polyak_core.lifted.softplus import Softplus, bregman
from polyak_core.matrices.counted import CountedMatrix, Counts


class MarginForm(SmoothForm):
    """z = (d, e): d = x - x* and e_i = y_i a_i'd, the moves of the margins.

    h(x) - h(x*) = `Softplus.rise` of the margins + lam ||d||^2, since grad h(x*) = 0. A gradient costs one
    product, a lift one; no image of the gradient can be carried, since it is not linear.
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
        self._loss = Softplus(self._margins)
        self._slope: Array | float = 0.0

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
        """grad h(x* + d), one product; grad h(x*) = 0 but where the form is tilted."""
        slopes = self._loss.slope_change(self._moves(z))
        pull = self._matrix.transpose_times(self._labels * slopes) + self._slope
        return np.asarray(pull + 2 * self._lam * self.displacement(z))

    def gap(self, z: Array) -> Scalar:
        """h above its tangent at x*."""
        d = self.displacement(z)
        return self._loss.rise(self._moves(z)) + self._lam * inner(d, d)

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One product, one more for the certified estimate; the model's is polyak's when psi = 0."""
        g = self.gradient(z)
        after = self.gap(self.relift(self.displacement(z) - g / L)) if kind == "certified" else None
        return Sizes(inner(g, g), self.gap(z), after)

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """L^2 ||x - y||^2."""
        s = self.displacement(x) - self.displacement(y)
        return L * L * inner(s, s)

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """h(x*) above its tangent at x, and the model at y above h there: grad h(x)'d - gap - ||g_L||^2/(2L).

        The first of the two alone is a good part of grad h(x)'d, which is a sum of terms that are not
        negative; so the subtraction costs few digits, and no distance from x has to be made.
        """
        d, moves = self.displacement(x), self._moves(x)
        slope = inner(self._loss.slope_change(moves), moves) + 2 * self._lam * inner(d, d)
        return slope - gap - self.squared_step(x, y, L) / (2 * L)

    def curvature(self, x: Array, y: Array) -> Scalar:
        """From the distance of h between the two."""
        step = y - x
        s = self.displacement(step)
        squared = inner(s, s)
        above = total(bregman(self._margins + self._moves(x), self._moves(step))) + self._lam * squared
        return 2 * above / choose(squared > self.noise(x, 1.0) ** 2, squared, np.nan)

    def tilted(self, gradient: Array) -> MarginForm:
        """The form around a point that is no minimiser, where h has this gradient."""
        twin = copy.copy(self)
        twin._slope = gradient
        return twin

    def counted_by(self, counts: Counts) -> MarginForm:
        """The same form under another counter."""
        twin = copy.copy(self)
        twin._matrix = self._matrix.counted_by(counts)
        return twin
