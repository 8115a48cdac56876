"""Carrying points of an SVM dual: a factor with a ridge, and rows of sparse data times labels."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import Array, Scalar, inner
from polyak_core.lifted.quadratic import Factor
from polyak_core.matrices.counted import CountedMatrix, Counts
from polyak_core.matrices.kinds import Matrix


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


class RidgeFactor(Factor):
    """`Factor` for G = A'A + ridge I: two products a step as well."""

    def __init__(self, matrix: CountedMatrix, x_star: Array, ridge: float) -> None:
        """A, x* and the ridge."""
        super().__init__(matrix, x_star)
        self._ridge = ridge

    def energy(self, z: Array) -> Scalar:
        """1/2 ||A d||^2 + ridge/2 ||d||^2."""
        d = self.displacement(z)
        return super().energy(z) + 0.5 * self._ridge * inner(d, d)

    def relift(self, d: Array) -> Array:
        """Two products."""
        image = self._matrix.times(d)
        pull = self._matrix.transpose_times(image) + self._ridge * d
        return np.concatenate([d, image, pull], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return super().energy_at(d) + 0.5 * self._ridge * inner(d, d)

    def counted_by(self, counts: Counts) -> RidgeFactor:
        """The same matrix under another counter."""
        return RidgeFactor(self._matrix.counted_by(counts), self._x_star, self._ridge)
