"""Counting: oracle calls as a method asks for them, matrix products as they are done."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.matrices.kinds import Matrix, is_dense


@dataclass
class Counts:
    """Running totals of one run.

    Attributes:
        row_by_row: products of stacked runs are made row by row: slower, but the bits of single runs.
    """

    gradients: int = 0
    proxes: int = 0
    products: int = 0
    row_by_row: bool = False

    def take(self, other: Counts) -> None:
        """Add the counts of another, which begins anew."""
        for name in ("gradients", "proxes", "products"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
            setattr(other, name, 0)


class CountedMatrix:
    """A matrix, dense or not (see `polyak_core.matrices.kinds`), whose products with vectors are counted.

    Vectors lie along the last axis; leading axes are independent runs, all served by one product.
    """

    def __init__(self, matrix: Matrix, counts: Counts) -> None:
        """Count the products with `matrix` on `counts`."""
        self._matrix = matrix
        self._counts = counts

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self._matrix.shape
        return rows, columns

    def times(self, vector: Array) -> Array:
        """``matrix @ vector`` for a vector of shape ``(..., columns)``."""
        self._counts.products += 1
        if vector.ndim > 1 and self._counts.row_by_row:
            return np.asarray(np.matmul(self._matrix, vector[..., None])[..., 0])
        return np.asarray(self._matrix @ vector if vector.ndim == 1 else vector @ self._matrix.T)

    def transpose_times(self, vector: Array) -> Array:
        """``matrix.T @ vector`` for a vector of shape ``(..., rows)``."""
        self._counts.products += 1
        if vector.ndim > 1 and self._counts.row_by_row:
            return np.asarray(np.matmul(vector[..., None, :], self._matrix)[..., 0, :])
        return np.asarray(vector @ self._matrix)

    def some_rows(self, rows: npt.NDArray[np.intp]) -> CountedMatrix:
        """Some rows of a plain matrix, under the same counter."""
        return CountedMatrix(self._matrix[rows], self._counts)

    @property
    def dense(self) -> bool:
        """Whether products can be made row by row."""
        return is_dense(self._matrix)

    def counted_by(self, counts: Counts) -> CountedMatrix:
        """The same matrix under another counter."""
        return CountedMatrix(self._matrix, counts)


class SignedRows(CountedMatrix):
    """(diag(weights) X)' for an X of any kind, never formed."""

    def __init__(self, X: Matrix, weights: Array, counts: Counts) -> None:
        """X of shape (m, d), weights of shape (m,)."""
        super().__init__(X, counts)
        self._weights = weights

    @property
    def shape(self) -> tuple[int, int]:
        """Features and rows."""
        rows, features = self._matrix.shape
        return features, rows

    def times(self, vector: Array) -> Array:
        """For a vector of shape ``(..., m)``."""
        return super().transpose_times(vector * self._weights)

    def transpose_times(self, vector: Array) -> Array:
        """For a vector of shape ``(..., d)``."""
        return super().times(vector) * self._weights

    def counted_by(self, counts: Counts) -> SignedRows:
        """The same under another counter."""
        return SignedRows(self._matrix, self._weights, counts)


class ScaledGram(CountedMatrix):
    """scale Q + ridge I for a symmetric Q that is too large for a copy."""

    def __init__(self, Q: Array, counts: Counts, scale: float, ridge: float) -> None:
        """Q of shape (m, m)."""
        super().__init__(Q, counts)
        self._scale, self._ridge = scale, ridge

    def times(self, vector: Array) -> Array:
        """For a vector of shape ``(..., m)``."""
        return np.asarray(self._scale * super().times(vector) + self._ridge * vector)

    def counted_by(self, counts: Counts) -> ScaledGram:
        """The same under another counter."""
        return ScaledGram(self._matrix, counts, self._scale, self._ridge)
