"""A with columns of about length 1: which directions it has, whatever the units, and solves with them.

What columns are measured in says nothing about their dependence, and so rank is judged after each column was
multiplied by a power of two, which rounds nothing. The range of A stays what it is.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.factors import SMALL_SIDE, WORK, gram, outer_gram, row_blocks, triangle
from polyak_core.matrices.kinds import Centred, Matrix, is_dense
from polyak_core.matrices.sliced import SlicedMatrix
from polyak_core.progress.watch import step as watched_step

CHOLESKY_SIDE = 4500
"""Up to here the smaller side of A is small enough for Cholesky decompositions."""
TRIANGLE_WORK = 2e11
"""Multiplications that may be spent where A'A cannot tell what the rank is."""


@dataclass(frozen=True)
class Equilibrated:
    """The smaller of the Gram matrices of Â = A diag(scale): Â'Â = R'R if A is tall, ÂÂ' = R'R if it is wide.

    Attributes:
        A: the matrix.
        scale: powers of two, shape (n,).
        R: upper triangular; rows of the identity stand for columns (or rows, if A is wide) that are zero.
        zero: which columns (or rows) are zero.
        low: a proven lower bound on the smallest singular value of Â that is kept, zero columns apart.
        words: where R comes from.
        basis, sigma: right singular vectors and singular values of R that are kept, where some are left out.
        spread: bound on the relative error of ||R x|| that comes from Â'Â as it was rounded, for any x.
    """

    A: Matrix
    scale: Array
    R: Array
    _: KW_ONLY
    zero: npt.NDArray[np.bool_]
    low: float
    words: str
    basis: Array | None = None
    sigma: Array | None = None
    spread: float = 0.0

    @property
    def tall(self) -> bool:
        """Whether R'R is Â'Â."""
        return bool(self.A.shape[0] >= self.A.shape[1])

    @property
    def complete(self) -> bool:
        """Whether it is proven that no direction was left out."""
        return self.basis is None

    @property
    def rank(self) -> int:
        """The rank of A, as far as rounding lets it be known."""
        directions = self.R.shape[0] if self.basis is None else self.basis.shape[1]
        return int(directions - np.count_nonzero(self.zero))

    @property
    def full_column_rank(self) -> bool:
        """Whether it is proven that the minimiser of a least squares problem is unique."""
        return self.complete and self.tall and not self.zero.any()

    def sliced(self) -> SlicedMatrix:
        """Â in products whose rounding is known; made anew at each call, as it takes the memory of A."""
        return SlicedMatrix(scale_columns(self.A, self.scale))

    def invert(self, v: Array) -> Array:
        """(R'R)^+ v."""
        if self.basis is None or self.sigma is None:
            half = scipy.linalg.solve_triangular(self.R, v, trans="T", check_finite=False)
            return np.asarray(scipy.linalg.solve_triangular(self.R, half, check_finite=False))
        return np.asarray(self.basis @ ((self.basis.T @ v) / self.sigma / self.sigma))

    def smallest_singular_value(self) -> tuple[float, float]:
        """That of A itself, of full column rank, or less; and a bound on how far it may be above.

        It is 1 / ||diag(scale) R^-1||, where no entry is small beside a rounding error of another. Of large
        matrices the Frobenius norm is taken, so that it may be less.
        """
        inverse = self.scale[:, None] * _inverse(self.R)
        with np.errstate(over="ignore"):
            length = float(np.linalg.norm(inverse, 2 if self.R.shape[0] <= SMALL_SIDE // 2 else None))
        if length == 0:  # out of scale, as the problem says
            return 0.0, 0.0
        size = float(np.linalg.norm(self.R))
        error = 4 * (max(self.A.shape) + 10) * EPS * size / self.low
        return 1 / length, (error + self.spread) / length


def equilibrated(A: Matrix) -> Equilibrated | None:
    """The factors, or None where A is too large for any."""
    small, large = sorted(A.shape)
    work = float(small) * small * large
    if work > WORK and small > CHOLESKY_SIDE:
        return None
    scale = column_scale(A)
    scaled = scale_columns(A, scale)
    zero = _zero(scaled)
    factors = None if work <= WORK else _from_gram(scaled, scale, zero)
    if factors is None and work <= TRIANGLE_WORK:
        factors = _from_triangle(scaled, scale, zero)
    factors = factors or _from_eigenvalues(scaled, scale, zero)
    return None if factors is None else replace(factors, A=A)


def scale_columns(A: Matrix, scale: Array) -> Matrix:
    """A diag(scale)."""
    if isinstance(A, Centred):
        return Centred(scale_columns(A.X, scale), A.mean * scale)
    if is_dense(A):
        return np.asarray(A * scale)
    return type(A)((A.data * scale[A.indices], A.indices, A.indptr), shape=A.shape)


def column_scale(A: Matrix) -> Array:
    """Powers of two that bring the lengths of columns between 1/2 and 1; 1 where a column is zero."""
    first = _powers(_largest(A))
    moved = scale_columns(A, first)
    return first * _powers(_lengths(moved))


def _powers(size: Array) -> Array:
    return np.ldexp(1.0, np.where(size > 0, -np.frexp(size)[1], 0))


def _largest(A: Matrix) -> Array:
    """The largest absolute value of each column, or for centred data something not below it."""
    if isinstance(A, Centred):
        return np.asarray(_largest(A.X) + np.abs(A.mean))
    largest = abs(A).max(axis=0)
    return np.asarray(largest if is_dense(A) else largest.toarray().ravel())


def _lengths(A: Matrix) -> Array:
    """Lengths of columns; those of centred data to a few digits."""
    if is_dense(A):
        return np.asarray(np.sqrt(np.einsum("ij,ij->j", A, A)))
    if not isinstance(A, Centred):
        return np.asarray(np.sqrt((A.multiply(A)).sum(axis=0))).ravel()
    rows = A.shape[0]
    squares = np.asarray(A.X.multiply(A.X).sum(axis=0)).ravel()
    sums = np.asarray(A.X.sum(axis=0)).ravel()
    left = squares - 2 * A.mean * sums + rows * A.mean**2
    alike = left <= 64 * EPS * (squares + rows * A.mean**2)
    for j in np.flatnonzero(alike):  # entries that hardly differ
        column = A.X[:, [j]].toarray() - A.mean[j]
        left[j] = float(np.sum(column * column))
    return np.asarray(np.sqrt(left))


def _zero(A: Matrix) -> npt.NDArray[np.bool_]:
    """Which columns, or rows if A is wide, are zero."""
    if A.shape[0] >= A.shape[1]:
        return np.asarray(_largest(A) == 0)
    if isinstance(A, Centred):
        return np.zeros(A.shape[0], dtype=bool)
    largest = abs(A).max(axis=1)
    return np.asarray((largest if is_dense(A) else largest.toarray().ravel()) == 0)


def _from_triangle(A: Matrix, scale: Array, zero: npt.NDArray[np.bool_]) -> Equilibrated:
    """By orthogonal triangularisation, a block of rows (or columns) at a time."""
    R = triangle(np.eye(min(A.shape))[zero], row_blocks(A))
    words = "QR decomposition in blocks"
    size = float(np.linalg.norm(R))
    error = (max(A.shape) + 10) * EPS * size
    least = _smallest(R) - error
    if least > 0:
        return Equilibrated(A, scale, R, zero=zero, low=least, words=words)
    return _deficient(A, scale, R, zero, error, words)


def _deficient(
    A: Matrix, scale: Array, R: Array, zero: npt.NDArray[np.bool_], error: float, words: str
) -> Equilibrated:
    """Leave out directions whose singular value may be 0."""
    _, sigma, Vt = np.linalg.svd(R)
    rank = int(np.count_nonzero(sigma > 2 * error))
    if rank == sigma.size:
        return Equilibrated(A, scale, R, zero=zero, low=float(sigma[-1] - error), words=words)
    low = float(sigma[rank - 1] - error) if rank else np.inf
    basis = np.ascontiguousarray(Vt[:rank].T)
    return Equilibrated(A, scale, R, zero=zero, low=low, words=words, basis=basis, sigma=sigma[:rank])


def _gram(A: Matrix, zero: npt.NDArray[np.bool_]) -> tuple[Array, float, str]:
    """Â'Â or ÂÂ', a bound on its error and that of its Cholesky factor, and its name."""
    tall = A.shape[0] >= A.shape[1]
    G = gram(A) if tall else outer_gram(A)
    G[zero, zero] = 1.0
    size = float(np.trace(abs(G))) if not isinstance(A, Centred) else _uncentred(A)
    return G, 2 * (sum(A.shape) + 10) * EPS * size, "A'A" if tall else "AA'"


def _uncentred(A: Centred) -> float:
    """The size to which the rounding of the Gram matrix of centred data is relative."""
    return float((np.sqrt(A.X.data @ A.X.data) + np.sqrt(A.shape[0] * (A.mean @ A.mean))) ** 2)


def _from_gram(A: Matrix, scale: Array, zero: npt.NDArray[np.bool_]) -> Equilibrated | None:
    """By a Cholesky decomposition of the Gram matrix; None if it cannot tell that the rank is full."""
    G, error, name = _gram(A, zero)
    watched_step("Cholesky decomposition", 0)
    try:
        R = np.asarray(scipy.linalg.cholesky(G, check_finite=False))
    except scipy.linalg.LinAlgError:
        return None
    least = _smallest(R) ** 2 - error
    if not least > 0:
        return None
    words = f"Cholesky decomposition of {name}"
    low, spread = float(np.sqrt(least)), error / (2 * least)
    return Equilibrated(A, scale, R, zero=zero, low=low, words=words, spread=spread)


def _from_eigenvalues(A: Matrix, scale: Array, zero: npt.NDArray[np.bool_]) -> Equilibrated | None:
    """By the eigenvalues of the Gram matrix that are surely above 0."""
    if min(A.shape) > SMALL_SIDE:
        return None
    G, error, name = _gram(A, zero)
    values, vectors = np.linalg.eigh(G)
    rank = int(np.count_nonzero(values > 2 * error))
    sigma = np.sqrt(values[::-1][:rank])
    basis = np.ascontiguousarray(vectors[:, ::-1][:, :rank])
    low = float(np.sqrt(sigma[-1] ** 2 - error)) if rank else np.inf
    words = f"eigenvalues of {name}"
    return Equilibrated(A, scale, G, zero=zero, low=low, words=words, basis=basis, sigma=sigma)


def _inverse(R: Array) -> Array:
    return np.asarray(scipy.linalg.solve_triangular(R, np.eye(R.shape[0]), check_finite=False))


def _smallest(R: Array) -> float:
    """A proven lower bound on the smallest singular value of R: 1/||R^-1||, R^-1 with its rounding; or 0."""
    diagonal = np.abs(np.diagonal(R))
    if diagonal.min() <= EPS * diagonal.max() / 1024:
        return 0.0
    length = float(np.linalg.norm(_inverse(R)))
    lost = (R.shape[0] + 4) * EPS * length * float(np.linalg.norm(R))
    return (1 - lost) / length if lost < 0.5 else 0.0
