"""The spectrum of A'A, and solves with it, for sparse matrices and for dense ones too large for an SVD.

The matrix is used in products only; what is factorised has the size of its smaller side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.kinds import Centred, Matrix, dense_blocks, is_dense
from polyak_core.matrices.norm_bounds import squared_frobenius
from polyak_core.progress.watch import step as watched_step

SMALL_SIDE = 3000
"""The largest smaller side of a matrix for which dense matrices of that size are made."""
WORK = 8e9
"""Multiplications that take a few seconds."""
LEAST_SQUARE = 1e-150
"""Matrices smaller or larger than this (squared) are out of scale, and A'A would overflow or vanish."""


@dataclass(frozen=True)
class Factorisation:
    """A = U diag(sigma) V', singular values below `cut` left out.

    Attributes:
        U, sigma, V: the kept factors, shapes (m, r), (r,), (n, r).
        columns: n, so that r < n says that the columns are dependent.
        sigma_error: a generous bound on the rounding error of each singular value; smaller ones are cut.
        words: what was factorised, and how.
    """

    U: Array
    sigma: Array
    V: Array
    columns: int
    sigma_error: float
    words: str = "singular value decomposition"
    exact: ClassVar[bool] = True

    @classmethod
    def of(cls, A: Array) -> Factorisation:
        """Singular value decomposition with the usual numerical rank."""
        U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
        cut = max(A.shape) * EPS * sigma[0]
        rank = int(np.count_nonzero(sigma > cut))
        return cls(U[:, :rank], sigma[:rank], np.ascontiguousarray(Vt[:rank].T), A.shape[1], float(cut))

    @property
    def full_column_rank(self) -> bool:
        """Whether the minimiser of a least squares problem is unique."""
        return bool(self.sigma.size == self.columns)

    def solve(self, r: npt.NDArray[Any]) -> Array:
        """The shortest x that brings A x closest to r."""
        return np.asarray(self.V @ ((self.U.T @ np.asarray(r, dtype=np.float64)) / self.sigma))

    def outside(self, x: Array) -> Array:
        """The part of x orthogonal to all rows of A, which no step ever changes."""
        return np.asarray(x - self.V @ (self.V.T @ x))


@dataclass(frozen=True)
class NormalFactors:
    """A'A = V diag(sigma^2) V' where A is tall; AA' = U diag(sigma^2) U' where it is wide.

    Attributes:
        A: the matrix, shape (m, n).
        basis: V of shape (n, r) or U of shape (m, r).
        sigma: singular values that can be told from 0, descending, shape (r,).
        sigma_error: bound on the error of the smallest of them.
        words: where they come from.
    """

    A: Matrix
    basis: Array
    sigma: Array
    sigma_error: float
    words: str
    exact: ClassVar[bool] = True
    """Whether `sigma` is known but for rounding."""

    @property
    def columns(self) -> int:
        """How many A has."""
        return int(self.A.shape[1])

    @property
    def tall(self) -> bool:
        """Whether `basis` is V."""
        return bool(self.A.shape[0] >= self.A.shape[1])

    @property
    def full_column_rank(self) -> bool:
        """Whether the minimiser of a least squares problem is unique."""
        return bool(self.sigma.size == self.columns)

    def _invert(self, v: npt.NDArray[Any]) -> Array:
        """The inverse of the small matrix times a vector."""
        short = np.asarray(v, dtype=np.float64)
        return np.asarray(self.basis @ ((self.basis.T @ short) / self.sigma / self.sigma))

    def solve(self, r: npt.NDArray[Any]) -> Array:
        """The shortest x that brings A x closest to r."""
        if self.tall:
            return self._invert(self.A.T @ r)
        return np.asarray(self.A.T @ self._invert(r))

    def outside(self, x: Array) -> Array:
        """The part of x orthogonal to all rows of A, which no step ever changes."""
        if self.tall:
            return np.asarray(x - self.basis @ (self.basis.T @ x))
        return np.asarray(x - self.A.T @ self._invert(self.A @ x))


Factors: TypeAlias = Factorisation | NormalFactors


def factorise(A: Matrix) -> Factors | None:
    """The best factorisation that takes seconds, or None where both sides are too long for one."""
    small, large = sorted(A.shape)
    work = float(small) * small * large
    if is_dense(A) and work <= WORK:
        return Factorisation.of(A)
    if small > SMALL_SIDE:
        return None
    if work <= WORK:
        return _from_triangle(A)
    return _from_gram(A) if LEAST_SQUARE < squared_frobenius(A) < 1 / LEAST_SQUARE else None


def triangle(R: Array, blocks: Iterable[Array]) -> Array:
    """The triangle of R and all blocks one below the other, by orthogonal triangularisation, block by block.

    Reference: A. Bjorck, Numerical Methods for Least Squares Problems, section 6.2 (sequential QR).
    """
    for k, block in enumerate(blocks):
        watched_step("QR decomposition", k)
        R = np.asarray(np.linalg.qr(np.concatenate([R, block]), mode="r"))
    return R


def row_blocks(A: Matrix) -> Iterator[Array]:
    """A, or A' if A is wide, in blocks of rows that suit `triangle`."""
    return dense_blocks(A, max(min(A.shape), 256))


def _from_triangle(A: Matrix) -> NormalFactors:
    """From the triangle of A, or A': sigma to about EPS sigma_max."""
    _, sigma, basis = np.linalg.svd(triangle(np.zeros((0, min(A.shape))), row_blocks(A)))
    cut = float(max(A.shape) * EPS * sigma[0])
    rank = int(np.count_nonzero(sigma > cut))
    right = np.ascontiguousarray(basis[:rank].T)
    return NormalFactors(A, right, sigma[:rank], cut, "QR decomposition in blocks")


def _from_gram(A: Matrix) -> NormalFactors:
    """From the eigenvalues of A'A or AA', whose error is about EPS sigma_max^2, absolute."""
    tall = A.shape[0] >= A.shape[1]
    values, vectors = np.linalg.eigh(gram(A) if tall else outer_gram(A))
    error = (sum(A.shape) + 10) * EPS * squared_frobenius(A)
    rank = int(np.count_nonzero(values > 2 * error))
    sigma = np.sqrt(values[::-1][:rank])
    right = np.ascontiguousarray(vectors[:, ::-1][:, :rank])
    slack = float(sigma[-1] - np.sqrt(sigma[-1] ** 2 - error)) if rank else 0.0
    words = f"eigenvalues of {'A' + chr(39) + 'A' if tall else 'AA' + chr(39)}"
    return NormalFactors(A, right, sigma, slack, words)


def gram(A: Matrix) -> Array:
    """A'A, filled in."""
    if is_dense(A):
        return np.asarray(A.T @ A)
    if not isinstance(A, Centred):
        return np.asarray((A.T @ A).toarray())
    sums = np.asarray(A.X.sum(axis=0))
    cross = np.outer(sums, A.mean)
    return np.asarray(gram(A.X) - cross - cross.T + A.shape[0] * np.outer(A.mean, A.mean))


def outer_gram(A: Matrix) -> Array:
    """AA', filled in."""
    if is_dense(A):
        return np.asarray(A @ A.T)
    if not isinstance(A, Centred):
        return np.asarray((A @ A.T).toarray())
    image = np.asarray(A.X @ A.mean)
    return np.asarray(outer_gram(A.X) - image - image[:, None] + float(A.mean @ A.mean))


def smallest_positive(eigenvalues: Array) -> float:
    """The smallest eigenvalue above zero, NaN if there is none."""
    positive = eigenvalues[eigenvalues > 0]
    return float(positive.min()) if positive.size else float("nan")
