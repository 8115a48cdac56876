"""A quadratic function in extended precision whose Hessian is a given matrix times a scale, plus a ridge."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, Array, Extended
from polyak_core.columns import Mask, Solve
from polyak_core.extended_matrix import UNIT, ExtendedMatrix
from polyak_core.extended_quadratic import USUAL_STEPS, ExtendedQuadratic, Spectrum, sizes, unit_scale
from polyak_core.once import once
from polyak_core.work import DENSE, EXTENDED_DENSE, FACTORED, LARGEST_FACTORED, SEARCH


class KernelQuadratic(ExtendedQuadratic):
    """h(x) = scale/2 x'Kx + ridge/2 ||x||^2 + c'x, K symmetric, taken as the float64 matrix that it is."""

    def __init__(
        self, K: Array, c: Array, scale: float, ridge: float, smallest: float, largest: float
    ) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale K."""
        self.size = K.shape[0]
        self.scale, self.ridge = scale, ridge
        self.lowest, self.largest = smallest + ridge * (1 - 4 * EPS), largest + ridge * (1 + 4 * EPS)
        self.diagonal = scale * np.diag(K) + ridge
        self.product, self.extended_product = DENSE * K.size, EXTENDED_DENSE * K.size
        self.affordable = FACTORED * self.size**3 / 3 * USUAL_STEPS <= SEARCH
        self._K, self._c = K, c

    @once
    def _wide(self) -> ExtendedMatrix:
        return ExtendedMatrix(self._K)

    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """One product, with the rows where x is not 0 if these are few."""
        met = np.flatnonzero(x)
        size = sizes(x)
        if 0 < 2 * met.size < self.size and self.size > LARGEST_FACTORED:
            part = ExtendedMatrix(self._K[met])
            image, first = part.transpose_times(x[met])
            magnitude = part.magnitude_transpose_times(size[met])
        else:
            image, first = self._wide.times(x)
            magnitude = self._wide.magnitude_times(size)
        scaled = EXTENDED(self.scale) * image + EXTENDED(self.ridge) * x
        g: Extended = np.asarray(scaled + self._c, dtype=EXTENDED)
        error = (first + 4 * UNIT) * self.scale * magnitude
        error += 4 * UNIT * (self.ridge * size + np.abs(self._c) + sizes(g))
        return g, 1.01 * error

    def value(self, x: Extended) -> np.longdouble:
        """A quadratic form and a linear part."""
        squares = EXTENDED(self.scale) * (x @ self._wide.times(x)[0]) + EXTENDED(self.ridge) * (x @ x)
        return EXTENDED(squares / 2 + self._c @ x)

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
