"""The factor B of a quadratic function with the Hessian B'B, dense or sparse: products, blocks, roots.

Coordinates are columns of B: the columns of A for LASSO, the rows of X, times their labels, for the SVM.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EXTENDED, Array, Extended
from polyak_core.lazy import lazy_property
from polyak_core.matrices.extended import UNIT, ExtendedMatrix
from polyak_core.matrices.factors import gram, outer_gram
from polyak_core.matrices.kinds import Centred, Matrix, dense_blocks, squared_norms, stored_entries
from polyak_core.progress.budget import DENSE, EXTENDED_DENSE, EXTENDED_SPARSE, FACTORED, SPARSE

Mask = npt.NDArray[np.bool_]
Solve = Callable[[Array], Array]


class HessianFactor(Protocol):
    """What is asked of B, of shape (rows, columns).

    Attributes:
        squares: squared norms of the columns.
        product, extended_product: prices of B x and B'r (`polyak_core.progress.budget`).
    """

    shape: tuple[int, int]
    squares: Array
    product: float
    extended_product: float

    def gram_price(self, count: int) -> float:
        """Of `gram` for so many columns."""

    def normal(self, free: Mask) -> Solve:
        """The function v -> B_F'B_F v, for the columns in a mask."""

    def times(self, x: Array) -> Array:
        """B x."""

    def transpose_times(self, r: Array) -> Array:
        """B'r."""

    def magnitude_times(self, x: Array) -> Array:
        """|B| x for x >= 0."""

    def magnitude_transpose_times(self, r: Array) -> Array:
        """|B|'r for r >= 0."""

    def extended_times(self, x: Extended) -> tuple[Extended, float]:
        """B x, and its rounding error relative to |B||x|."""

    def extended_transpose_times(self, r: Extended) -> tuple[Extended, float]:
        """B'r, and its relative rounding error."""

    def gram(self, free: Mask) -> Array:
        """B_F'B_F of the columns in a mask."""

    def root(self, free: Mask) -> Array:
        """R of no more rows than B with R'R = B_F'B_F, but for rounding as in a QR decomposition."""

    def weighted(self, weights: Array) -> Array:
        """B diag(weights) B', weights > 0."""


class DenseColumns:
    """B as an array."""

    def __init__(self, B: Array) -> None:
        """Keep B; nobody else may change it."""
        self._B = B
        self.shape: tuple[int, int] = (B.shape[0], B.shape[1])
        self.squares = np.einsum("ij,ij->j", B, B)
        self.product, self.extended_product = DENSE * B.size, EXTENDED_DENSE * B.size

    def gram_price(self, count: int) -> float:
        return FACTORED * self.shape[0] * count**2

    def normal(self, free: Mask) -> Solve:
        part = self._B[:, free]
        return lambda v: np.asarray((part @ v) @ part)

    @lazy_property
    def _wide(self) -> ExtendedMatrix:
        return ExtendedMatrix(self._B)

    def times(self, x: Array) -> Array:
        return np.asarray(self._B @ x)

    def transpose_times(self, r: Array) -> Array:
        return np.asarray(self._B.T @ r)

    def magnitude_times(self, x: Array) -> Array:
        return np.asarray(self._wide.magnitude_times(x))

    def magnitude_transpose_times(self, r: Array) -> Array:
        return self._wide.magnitude_transpose_times(r)

    def extended_times(self, x: Extended) -> tuple[Extended, float]:
        return self._wide.times(x)

    def extended_transpose_times(self, r: Extended) -> tuple[Extended, float]:
        return self._wide.transpose_times(r)

    def gram(self, free: Mask) -> Array:
        part = self._B[:, free]
        return np.asarray(part.T @ part)

    def root(self, free: Mask) -> Array:
        return self._B[:, free]

    def weighted(self, weights: Array) -> Array:
        return np.asarray((self._B * weights) @ self._B.T)


class SparseColumns:
    """B = A, or B = (diag(signs) A)' if signs are given, for a sparse or centred A, never filled in."""

    def __init__(self, A: Matrix, signs: Array | None = None) -> None:
        """Keep A; nobody else may change it."""
        self._A, self._turned = A, signs is not None
        rows, columns = A.shape
        self._signs = np.ones(columns) if signs is None else signs
        self.shape: tuple[int, int] = (columns, rows) if self._turned else (rows, columns)
        self._magnitude = abs(A)
        self._entries = stored_entries(A)
        self.product, self.extended_product = SPARSE * self._entries, EXTENDED_SPARSE * self._entries
        self.squares = squared_norms(A, 1 if self._turned else 0)
        self._terms = self.shape if isinstance(A, Centred) else self._longest()

    def _longest(self) -> tuple[int, int]:
        """Terms of the longest sum in a product with B' and with B."""
        row = int(np.diff(self._A.indptr).max())
        column = int(np.bincount(self._A.indices).max(initial=0))
        return (row, column) if self._turned else (column, row)

    def gram_price(self, count: int) -> float:
        share = count / self.shape[1]
        return 2 * SPARSE * share * self._entries * (1 + share * self._entries / self.shape[0]) + count**2

    def normal(self, free: Mask) -> Solve:
        part = self._part(free)
        if not self._turned:
            return lambda v: np.asarray((part @ v) @ part)
        signs = self._signs[free]
        return lambda v: np.asarray(signs * (part @ ((signs * v) @ part)))

    @lazy_property
    def _wide(self) -> Matrix:
        return self._A.astype(EXTENDED)

    def times(self, x: Array) -> Array:
        return np.asarray((self._signs * x) @ self._A if self._turned else self._A @ x)

    def transpose_times(self, r: Array) -> Array:
        return np.asarray(self._signs * (self._A @ r) if self._turned else r @ self._A)

    def magnitude_times(self, x: Array) -> Array:
        return np.asarray(x @ self._magnitude if self._turned else self._magnitude @ x)

    def magnitude_transpose_times(self, r: Array) -> Array:
        return np.asarray(self._magnitude @ r if self._turned else r @ self._magnitude)

    def extended_times(self, x: Extended) -> tuple[Extended, float]:
        y = (self._signs * x) @ self._wide if self._turned else self._wide @ x
        return np.asarray(y, dtype=EXTENDED), UNIT * (self._terms[1] + 6)

    def extended_transpose_times(self, r: Extended) -> tuple[Extended, float]:
        y = self._signs * (self._wide @ r) if self._turned else r @ self._wide
        return np.asarray(y, dtype=EXTENDED), UNIT * (self._terms[0] + 6)

    def _part(self, free: Mask) -> Matrix:
        A = self._A
        if isinstance(A, Centred):
            return Centred(A.X[free], A.mean) if self._turned else Centred(A.X[:, free], A.mean[free])
        return A[free] if self._turned else A[:, free]

    def gram(self, free: Mask) -> Array:
        part = self._part(free)
        if not self._turned:
            return gram(part)
        signs = self._signs[free]
        return outer_gram(part) * np.outer(signs, signs)

    def root(self, free: Mask) -> Array:
        part = self._part(free)
        count = part.shape[0] if self._turned else part.shape[1]
        if self.shape[0] <= count:  # no larger than the block of H itself
            dense = np.asarray(part.toarray())
            return np.asarray(dense.T * self._signs[free]) if self._turned else dense
        triangle = np.zeros((0, count))
        for block in dense_blocks(part, max(count, 256)):
            triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, block]), mode="r"))
        return triangle * self._signs[free] if self._turned else triangle

    def weighted(self, weights: Array) -> Array:
        A, centred = (self._A.X, True) if isinstance(self._A, Centred) else (self._A, False)
        heavy = A.multiply(weights[:, None] if self._turned else weights[None, :]).tocsr()
        whole = np.asarray((A.T @ heavy if self._turned else heavy @ A.T).toarray())
        if not centred:
            return whole
        mean = self._A.mean
        if self._turned:
            cross = np.outer(heavy.sum(axis=0), mean)
            return np.asarray(whole - cross - cross.T + weights.sum() * np.outer(mean, mean))
        image = np.asarray(heavy @ mean)
        return np.asarray(whole - image - image[:, None] + float(weights @ (mean * mean)))
