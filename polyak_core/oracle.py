"""Counting: oracle calls as a method asks for them, matrix products as they are done."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyak_core.arrays import Array
from polyak_core.sparse import Matrix


@dataclass
class Counts:
    """Running totals of one run."""

    gradients: int = 0
    proxes: int = 0
    products: int = 0


class CountedMatrix:
    """A matrix, dense or not (see `polyak_core.sparse`), whose products with vectors are counted.

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
        return np.asarray(self._matrix @ vector if vector.ndim == 1 else vector @ self._matrix.T)

    def transpose_times(self, vector: Array) -> Array:
        """``matrix.T @ vector`` for a vector of shape ``(..., rows)``."""
        self._counts.products += 1
        return np.asarray(vector @ self._matrix)

    def counted_by(self, counts: Counts) -> CountedMatrix:
        """The same matrix under another counter."""
        return CountedMatrix(self._matrix, counts)
