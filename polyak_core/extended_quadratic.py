"""A convex quadratic function in extended precision, with the rounding of its gradient bounded beforehand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from polyak_core.arrays import EPS, EXTENDED, Array, Extended
from polyak_core.columns import Columns, Mask
from polyak_core.extended_matrix import UNIT, ExtendedMatrix
from polyak_core.once import once

SMALL_SIDE = 3000
"""Up to here the smaller side of B is small enough for dense matrices of that size."""
Solve = Callable[[Array], Array]


class Spectrum(NamedTuple):
    """Eigenvalues and eigenvectors of a block of H scaled to a unit diagonal.

    Attributes:
        scale: root of the diagonal of the block.
        values: of scale^-1 H_FF scale^-1, ascending.
        vectors: orthonormal, a column each.
        cut: eigenvalues below it are rounding.
        low: proven lower bound on the smallest, at least 0.
    """

    scale: Array
    values: Array
    vectors: Array
    cut: float
    low: float


class ExtendedQuadratic(ABC):
    """h(x) = 1/2 x'Hx + c'x + constant, H = scale M + ridge I, M positive semidefinite up to rounding.

    Attributes:
        lowest: proven lower bound on the smallest eigenvalue of H; negative if rounding of M allows it.
        largest: upper bound on the largest.
        ridge, wide_ridge: in float64, and in extended precision, right to one rounding.
        diagonal: that of H.
        affordable: whether a system with all of H can be solved within seconds.
    """

    size: int
    affordable: bool = True
    lowest: float
    largest: float
    diagonal: Array
    scale: float
    ridge: float
    wide_ridge: np.longdouble

    def _set(self, scale: float, ridge: np.longdouble, smallest: float, largest: float) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale M."""
        self.scale, self.ridge, self.wide_ridge = scale, float(ridge), ridge
        self.lowest, self.largest = (
            smallest + self.ridge * (1 - 4 * EPS),
            largest + self.ridge * (1 + 4 * EPS),
        )

    @abstractmethod
    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """Gradient of h, and a bound on the rounding error of each entry."""

    @abstractmethod
    def value(self, x: Extended) -> tuple[np.longdouble, float]:
        """h(x), and a bound on its rounding error."""

    @abstractmethod
    def slope(self, x: Array) -> Array:
        """Gradient of h in float64."""

    @abstractmethod
    def block(self, free: Mask) -> Array:
        """H_FF."""

    @abstractmethod
    def spectrum(self, free: Mask) -> Spectrum:
        """Eigenvalues of the scaled H_FF."""

    def shifted(self, weights: Array) -> Solve:
        """Solver of (H + diag(weights)) x = r, weights > 0; LinAlgError where that fails."""
        matrix = self._dense.copy()
        matrix[np.diag_indices(self.size)] += weights
        factor = scipy.linalg.cho_factor(matrix, overwrite_a=True, check_finite=False)
        return lambda r: np.asarray(scipy.linalg.cho_solve(factor, r, check_finite=False))

    @once
    def _dense(self) -> Array:
        return self.block(np.ones(self.size, dtype=bool))


class FactorQuadratic(ExtendedQuadratic):
    """h(x) = 1/2 (||scale^(1/2) Bx - b||^2 + ridge ||x||^2) + c'x; b = 0 unless scale = 1."""

    def __init__(
        self,
        B: Columns,
        b: Array,
        c: Array,
        scale: float,
        ridge: np.longdouble,
        smallest: float,
        largest: float,
    ) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale B'B; the ridge is known to `UNIT`."""
        self.size = B.shape[1]
        self.affordable = min(B.shape) <= SMALL_SIDE
        self._set(scale, ridge, smallest, largest)
        self.diagonal = scale * B.squares + self.ridge
        self._B, self._b, self._c = B, b, c

    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """Two products; the rounding of the first goes through the second."""
        image, first = self._B.extended_times(x)
        r: Extended = np.asarray(EXTENDED(self.scale) * image - self._b, dtype=EXTENDED)
        pull, second = self._B.extended_transpose_times(r)
        g: Extended = np.asarray(pull + self.wide_ridge * x + self._c, dtype=EXTENDED)
        size, residual = _size(x), _size(r)
        image_error = (first + 2 * UNIT) * self.scale * self._B.magnitude_times(size) + UNIT * residual
        error = self._B.magnitude_transpose_times(image_error + second * residual)
        error = error + 4 * UNIT * (self.ridge * size + np.abs(self._c) + _size(pull) + _size(g))
        return g, 1.01 * error

    def value(self, x: Extended) -> tuple[np.longdouble, float]:
        """Sum of squares and a linear part."""
        image, first = self._B.extended_times(x)
        r = image - self._b
        squares = EXTENDED(self.scale) * (r @ r) + self.wide_ridge * (x @ x)
        size, residual = _size(x), _size(r)
        off = first * self._B.magnitude_times(size) + UNIT * residual
        moved = self.scale * float(off @ (residual + off))
        sums = UNIT * (self.size + r.size + 8) * (float(squares) + float(np.abs(self._c) @ size))
        return EXTENDED(squares / 2 + self._c @ x), 1.01 * (moved + sums)

    def slope(self, x: Array) -> Array:
        """Two products."""
        r = self.scale * self._B.times(x) - self._b
        return self._B.transpose_times(r) + self.ridge * x + self._c

    def block(self, free: Mask) -> Array:
        """scale B_F'B_F + ridge I."""
        gram = self._B.gram(free)
        return np.asarray(self.scale * gram + self.ridge * np.eye(gram.shape[1]))

    def spectrum(self, free: Mask) -> Spectrum:
        """From the singular values of a root of H_FF, so that small ones keep digits."""
        scale = unit_scale(self.diagonal[free])
        root = np.sqrt(self.scale) * self._B.root(free) / scale
        missing = root.shape[1] - root.shape[0]
        if self.ridge > 0:
            root = np.vstack([root, np.diag(np.sqrt(self.ridge) / scale)])
        elif missing > 0:
            root = np.vstack([root, np.zeros((missing, root.shape[1]))])
        _, sigma, Vt = np.linalg.svd(root, full_matrices=False)
        cut = 2 * max(*root.shape, self._B.shape[0]) * EPS * float(sigma[0])
        low = max(0.0, float(sigma[-1]) - cut) ** 2
        return Spectrum(scale, sigma[::-1] ** 2, np.ascontiguousarray(Vt[::-1].T), cut**2, low)

    def shifted(self, weights: Array) -> Solve:
        """With few rows through a matrix of that size (Woodbury), refined once."""
        B, (rows, columns) = self._B, self._B.shape
        if columns <= 1.5 * rows:
            return super().shifted(weights)
        inverse = 1 / (weights + self.ridge)
        small = self.scale * B.weighted(inverse)
        small[np.diag_indices(rows)] += 1
        factor = scipy.linalg.cho_factor(small, overwrite_a=True, check_finite=False)

        def once(r: Array) -> Array:
            image = self.scale * B.times(inverse * r)
            pulled = scipy.linalg.cho_solve(factor, image, check_finite=False)
            return np.asarray(inverse * (r - B.transpose_times(pulled)))

        def solve(r: Array) -> Array:
            x = once(r)
            off = r - self.scale * B.transpose_times(B.times(x)) - (weights + self.ridge) * x
            return x + once(off)

        return solve


class KernelQuadratic(ExtendedQuadratic):
    """h(x) = scale/2 x'Kx + ridge/2 ||x||^2 + c'x, K symmetric, taken as the float64 matrix that it is."""

    def __init__(
        self, K: Array, c: Array, scale: float, ridge: np.longdouble, smallest: float, largest: float
    ) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale K; the ridge is known to `UNIT`."""
        self.size = K.shape[0]
        self._set(scale, ridge, smallest, largest)
        self.diagonal = scale * np.diag(K) + self.ridge
        self._K, self._c = K, c

    @once
    def _wide(self) -> ExtendedMatrix:
        return ExtendedMatrix(self._K)

    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """One product."""
        image, first = self._wide.times(x)
        scaled = EXTENDED(self.scale) * image + self.wide_ridge * x
        g: Extended = np.asarray(scaled + self._c, dtype=EXTENDED)
        size = _size(x)
        error = (first + 4 * UNIT) * self.scale * (np.abs(self._K) @ size)
        error += 4 * UNIT * (self.ridge * size + np.abs(self._c) + _size(g))
        return g, 1.01 * error

    def value(self, x: Extended) -> tuple[np.longdouble, float]:
        """A quadratic form and a linear part."""
        image, first = self._wide.times(x)
        size = _size(x)
        squares = EXTENDED(self.scale) * (x @ image) + self.wide_ridge * (x @ x)
        terms = self.scale * float(size @ (np.abs(self._K) @ size)) + self.ridge * float(size @ size)
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

    def spectrum(self, free: Mask) -> Spectrum:
        """By a symmetric eigenvalue decomposition."""
        scale = unit_scale(self.diagonal[free])
        values, vectors = np.linalg.eigh(self.block(free) / np.outer(scale, scale))
        cut = 2 * values.size * EPS * float(values[-1])
        return Spectrum(scale, values, vectors, cut, max(0.0, float(values[0]) - cut))


def _size(x: Extended) -> Array:
    return np.abs(np.asarray(x, dtype=np.float64))


def unit_scale(diagonal: Array) -> Array:
    """Roots of the diagonal, 1 where it is 0."""
    return np.asarray(np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))
