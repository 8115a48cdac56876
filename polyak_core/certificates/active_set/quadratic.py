"""A convex quadratic function in extended precision, with the rounding of its gradient bounded beforehand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import EPS, EXTENDED, Array, Extended
from polyak_core.lazy import lazy_property
from polyak_core.matrices.columns import HessianFactor, Mask, Solve
from polyak_core.matrices.extended import UNIT
from polyak_core.matrices.factors import SMALL_SIDE
from polyak_core.progress.budget import FACTORED, SEARCH, VECTOR

USUAL_STEPS = 30
"""Steps that an interior point method usually takes."""


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
        affordable: whether an interior point method, a system with all of H a step, costs little enough.
        product, extended_product: prices of a gradient (`polyak_core.progress.budget`).
    """

    size: int
    affordable: bool
    product: float
    extended_product: float
    lowest: float
    largest: float
    diagonal: Array
    scale: float
    ridge: float
    wide_ridge: np.longdouble

    def _set(self, *, scale: float, ridge: np.longdouble, smallest: float, largest: float) -> None:
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
    def block_price(self, count: int) -> float:
        """Of `block` for so many free coordinates, and of its Cholesky factors."""

    @abstractmethod
    def normal(self, free: Mask) -> tuple[Solve, float]:
        """The function v -> H_FF v, in float64, and its price."""

    @abstractmethod
    def spectrum(self, free: Mask) -> Spectrum:
        """Eigenvalues of the scaled H_FF."""

    @abstractmethod
    def smallest(self, free: Mask) -> tuple[Array, float]:
        """`scale` and `low` of its spectrum alone."""

    def shifted(self, weights: Array) -> Solve:
        """Solver of (H + diag(weights)) x = r, weights > 0; LinAlgError where that fails."""
        matrix = self._dense.copy()
        matrix[np.diag_indices(self.size)] += weights
        factor = scipy.linalg.cho_factor(matrix, overwrite_a=True, check_finite=False)
        return lambda r: np.asarray(scipy.linalg.cho_solve(factor, r, check_finite=False))

    @lazy_property
    def _dense(self) -> Array:
        return self.block(np.ones(self.size, dtype=bool))


class FactorQuadratic(ExtendedQuadratic):
    """h(x) = 1/2 (||scale^(1/2) Bx - b||^2 + ridge ||x||^2) + c'x; b = 0 unless scale = 1."""

    def __init__(
        self,
        B: HessianFactor,
        b: Array,
        c: Array,
        *,
        scale: float,
        ridge: np.longdouble,
        smallest: float,
        largest: float,
    ) -> None:
        """`smallest`, `largest` bound the eigenvalues of scale B'B; the ridge is known to `UNIT`."""
        self.size = B.shape[1]
        self.product = 2 * B.product + VECTOR * self.size
        self.extended_product = 2 * B.extended_product + VECTOR * self.size
        self.affordable = self._affordable(B)
        self._set(scale=scale, ridge=ridge, smallest=smallest, largest=largest)
        self.diagonal = scale * B.squares + self.ridge
        self._B, self._b, self._c = B, b, c

    @staticmethod
    def _affordable(B: HessianFactor) -> bool:
        """Whether the smaller side has dense matrices, and those of each step cost little enough."""
        small, large = sorted(B.shape)
        each = FACTORED * small**3 / 3 + (
            0.0 if B.shape[1] == small else B.gram_price(B.shape[1]) * small / large
        )
        return bool(small <= SMALL_SIDE and each * USUAL_STEPS <= SEARCH)

    def gradient(self, x: Extended) -> tuple[Extended, Array]:
        """Two products; the rounding of the first goes through the second."""
        image, first = self._B.extended_times(x)
        r: Extended = np.asarray(EXTENDED(self.scale) * image - self._b, dtype=EXTENDED)
        pull, second = self._B.extended_transpose_times(r)
        g: Extended = np.asarray(pull + self.wide_ridge * x + self._c, dtype=EXTENDED)
        size, residual = sizes(x), sizes(r)
        image_error = (first + 2 * UNIT) * self.scale * self._B.magnitude_times(size) + UNIT * residual
        error = self._B.magnitude_transpose_times(image_error + second * residual)
        error = error + 4 * UNIT * (self.ridge * size + np.abs(self._c) + sizes(pull) + sizes(g))
        return g, 1.01 * error

    def value(self, x: Extended) -> tuple[np.longdouble, float]:
        """Sum of squares and a linear part."""
        image, first = self._B.extended_times(x)
        r = image - self._b
        squares = EXTENDED(self.scale) * (r @ r) + self.wide_ridge * (x @ x)
        size, residual = sizes(x), sizes(r)
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

    def block_price(self, count: int) -> float:
        """The product B_F'B_F and its factors."""
        return self._B.gram_price(count) + FACTORED * count**3 / 3

    def normal(self, free: Mask) -> tuple[Solve, float]:
        """Two products with the free columns."""
        times, share = self._B.normal(free), np.count_nonzero(free) / self.size
        return lambda v: np.asarray(self.scale * times(v) + self.ridge * v), float(share * self.product)

    def spectrum(self, free: Mask) -> Spectrum:
        """From the singular values of a root of H_FF, so that small ones keep digits."""
        scale, root = self._scaled_root(free)
        _, sigma, Vt = np.linalg.svd(root, full_matrices=False)
        cut = self._cut(root, sigma)
        low = max(0.0, float(sigma[-1]) - cut) ** 2
        return Spectrum(scale, sigma[::-1] ** 2, np.ascontiguousarray(Vt[::-1].T), cut**2, low)

    def smallest(self, free: Mask) -> tuple[Array, float]:
        """From the singular values of the same root."""
        scale, root = self._scaled_root(free)
        sigma = np.linalg.svd(root, compute_uv=False)
        return scale, max(0.0, float(sigma[-1]) - self._cut(root, sigma)) ** 2

    def _scaled_root(self, free: Mask) -> tuple[Array, Array]:
        """The scale, and R with R'R = scale^-1 H_FF scale^-1, with no fewer rows than columns."""
        scale = unit_scale(self.diagonal[free])
        root = np.sqrt(self.scale) * self._B.root(free) / scale
        missing = root.shape[1] - root.shape[0]
        if self.ridge > 0:
            root = np.vstack([root, np.diag(np.sqrt(self.ridge) / scale)])
        elif missing > 0:
            root = np.vstack([root, np.zeros((missing, root.shape[1]))])
        return scale, root

    def _cut(self, root: Array, sigma: npt.NDArray[Any]) -> float:
        """Singular values of the root below it are rounding."""
        return float(2 * max(*root.shape, self._B.shape[0]) * EPS * sigma[0])

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


def sizes(x: Extended) -> Array:
    """Absolute values, in float64."""
    return np.abs(np.asarray(x, dtype=np.float64))


def unit_scale(diagonal: Array) -> Array:
    """Roots of the diagonal, 1 where it is 0."""
    return np.asarray(np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))
