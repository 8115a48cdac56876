"""A quadratic function in extended precision whose Hessian is a given matrix times a scale, plus a ridge."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, Array, Extended
from polyak_core.certificates.active_set.quadratic import (
    USUAL_STEPS,
    ExtendedQuadratic,
    Spectrum,
    sizes,
    unit_scale,
)
from polyak_core.lazy import lazy_property
from polyak_core.matrices.columns import Mask, Solve
from polyak_core.matrices.extended import UNIT, ExtendedMatrix
from polyak_core.progress.budget import DENSE, EXTENDED_DENSE, FACTORED, LARGEST_FACTORED, SEARCH


class KernelQuadratic(ExtendedQuadratic):
    """h(x) = scale/2 x'Kx + ridge/2 ||x||^2 + c'x, K symmetric, taken as the float64 matrix that it is."""

    def __init__(
        self, K: Array, c: Array, *, scale: float, ridge: np.longdouble, smallest: float, largest: float
    ) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale K; the ridge is known to `UNIT`."""
        self.size = K.shape[0]
        self._set(scale=scale, ridge=ridge, smallest=smallest, largest=largest)
        self.diagonal = scale * np.diag(K) + self.ridge
        self.product, self.extended_product = DENSE * K.size, EXTENDED_DENSE * K.size
        self.affordable = FACTORED * self.size**3 / 3 * USUAL_STEPS <= SEARCH
        self._K, self._c = K, c

    @lazy_property
    def _wide(self) -> ExtendedMatrix:
        return ExtendedMatrix(self._K)

    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """One product."""
        image, first, magnitude = self._times(x)
        scaled = EXTENDED(self.scale) * image + self.wide_ridge * x
        g: Extended = np.asarray(scaled + self._c, dtype=EXTENDED)
        error = (first + 4 * UNIT) * self.scale * magnitude
        error += 4 * UNIT * (self.ridge * sizes(x) + np.abs(self._c) + sizes(g))
        return g, 1.01 * error

    def _times(self, x: Extended) -> tuple[Extended, float, Array]:
        """K x, its relative error and |K||x|; with the rows where x is not 0 if these are few."""
        nonzero, size = np.flatnonzero(x), sizes(x)
        if 0 < 2 * nonzero.size < self.size and self.size > LARGEST_FACTORED:
            part = ExtendedMatrix(self._K[nonzero])
            return *part.transpose_times(x[nonzero]), part.magnitude_transpose_times(size[nonzero])
        return *self._wide.times(x), self._wide.magnitude_times(size)

    def value(self, x: Extended) -> tuple[np.longdouble, float]:
        """A quadratic form and a linear part."""
        image, first, magnitude = self._times(x)
        size = sizes(x)
        squares = EXTENDED(self.scale) * (x @ image) + self.wide_ridge * (x @ x)
        terms = self.scale * float(size @ magnitude) + self.ridge * float(size @ size)
        sums = UNIT * (self.size + 8) * (terms + float(np.abs(self._c) @ size))
        return EXTENDED(squares / 2 + self._c @ x), 1.01 * (first * terms + sums)

    def slope(self, x: Array) -> Array:
        """One product."""
        return np.asarray(self.scale * (self._K @ x) + self.ridge * x + self._c)

    def block(self, free: Mask) -> Array:
        """scale K_FF + ridge I."""
        return np.asarray(
            self.scale * self._K[np.ix_(free, free)] + self.ridge * np.eye(int(np.count_nonzero(free)))
        )

    def block_price(self, count: int) -> float:
        """The factors."""
        return count**2 + FACTORED * count**3 / 3

    def normal(self, free: Mask) -> tuple[Solve, float]:
        """One product with all of K, or with a copy of the block where that is small."""
        count = int(np.count_nonzero(free))
        if count <= LARGEST_FACTORED:
            block = self.block(free)
            return lambda v: np.asarray(block @ v), DENSE * count**2
        where = np.flatnonzero(free)

        def times(v: Array) -> Array:
            x = np.zeros(self.size)
            x[where] = v
            return np.asarray(self.scale * (self._K @ x)[where] + self.ridge * v)

        return times, self.product

    def spectrum(self, free: Mask) -> Spectrum:
        """By a symmetric eigenvalue decomposition."""
        scale = unit_scale(self.diagonal[free])
        values, vectors = np.linalg.eigh(self.block(free) / np.outer(scale, scale))
        cut = 2 * values.size * EPS * float(values[-1])
        return Spectrum(scale, values, vectors, cut, max(0.0, float(values[0]) - cut))

    def smallest(self, free: Mask) -> tuple[Array, float]:
        """By the eigenvalues alone."""
        scale = unit_scale(self.diagonal[free])
        values = np.linalg.eigvalsh(self.block(free) / np.outer(scale, scale))
        return scale, max(0.0, float(values[0]) - 2 * values.size * EPS * float(values[-1]))
