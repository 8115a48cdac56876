"""Matrices that need not be dense: what the core asks of one, and sparse data centred without filling it.

Every matrix of the core is one of three: a NumPy array, a SciPy `csr_array`, or a `Centred` one. All know
``@`` with vectors from both sides, ``.T``, ``abs()``, ``shape`` and ``astype`` (for products in extended
precision), so that a loss, a count of products or a certificate is written once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import Array
from polyak_core.checks import finite_array

Matrix: TypeAlias = Any
"""A NumPy array, a SciPy `csr_array` or a `Centred` matrix, float64 and checked."""


class Centred:
    """X - 1 mean' for a sparse X of shape (m, n) and a mean of shape (n,), as an operator.

    Products cost those with X and O(m + n) more; nothing is ever filled in. `T` is the transpose.
    """

    __array_ufunc__ = None  # NumPy leaves ``array @ self`` to __rmatmul__
    ndim = 2

    def __init__(self, X: Any, mean: npt.NDArray[Any]) -> None:
        """Keep both; nobody else may change them."""
        self.X, self.mean = X, mean

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.X.shape
        return rows, columns

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the products with vectors of the same type."""
        dtype: np.dtype[Any] = self.X.dtype
        return dtype

    @property
    def T(self) -> _Transposed:  # noqa: N802 - as arrays have it
        """The transpose, another operator."""
        return _Transposed(self)

    def __matmul__(self, vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """X v - (mean'v) 1 for v of shape (n,) or (n, runs)."""
        return np.asarray(self.X @ vector - self.mean @ vector)

    def __rmatmul__(self, vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """``vector @ self`` for a vector of shape (m,) or (runs, m)."""
        return np.asarray(vector @ self.X - vector.sum(axis=-1)[..., None] * self.mean)

    def __abs__(self) -> Centred:
        """|X| + 1 |mean|': not less than the absolute values, and what rounding of products scales with."""
        return Centred(abs(self.X), -np.abs(self.mean))

    def astype(self, dtype: npt.DTypeLike) -> Centred:
        """The same numbers in another precision."""
        return Centred(self.X.astype(dtype), self.mean.astype(dtype))

    def toarray(self) -> npt.NDArray[Any]:
        """Filled in: for small matrices and tests."""
        return np.asarray(self.X.toarray() - self.mean)


class _Transposed:
    """(X - 1 mean')'."""

    __array_ufunc__ = None
    ndim = 2

    def __init__(self, matrix: Centred) -> None:
        """The matrix itself is kept as `T`."""
        self.T = matrix

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.T.shape
        return columns, rows

    def __matmul__(self, vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """For a vector of shape (m,) or (m, runs)."""
        return np.asarray((vector.T @ self.T).T)

    def __rmatmul__(self, vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """For a vector of shape (n,) or (runs, n)."""
        return np.asarray((self.T @ vector.T).T)


def is_dense(A: Matrix) -> bool:
    """Whether a matrix is a plain NumPy array."""
    return isinstance(A, np.ndarray)


def checked_matrix(A: Any, name: str) -> Matrix:
    """A copy of what people hand in as one of the three kinds of matrices.

    Dense input becomes a C-ordered float64 array; SciPy's sparse arrays and matrices, of any format, become
    a `csr_array` with sorted indices, no entry stored twice and no stored zero.

    Raises:
        ValueError: not numeric, not two axes, empty, or not finite.
    """
    if isinstance(A, Centred):
        return A
    if not scipy.sparse.issparse(A):
        return np.array(finite_array(A, name, ndim=2), order="C")
    if A.dtype.kind not in "buif":
        raise ValueError(f"{name} must be a matrix of real numbers; its type is {A.dtype}.")
    if A.ndim != 2:
        raise ValueError(f"{name} must have 2 axes; got shape {A.shape}. Reshape it first.")
    if 0 in A.shape:
        raise ValueError(f"{name} is empty (shape {A.shape}); give at least one entry.")
    matrix = scipy.sparse.csr_array(A, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        bad = int(np.count_nonzero(~np.isfinite(matrix.data)))
        raise ValueError(f"{name} has {bad} entries that are NaN or infinite; remove or replace them.")
    return matrix


def stored_entries(A: Matrix) -> int:
    """How many multiplications a product takes."""
    if is_dense(A):
        return int(A.size)
    return int(A.X.nnz) + sum(A.shape) if isinstance(A, Centred) else int(A.nnz)


def dense_blocks(A: Matrix, length: int) -> Iterator[Array]:
    """A (or A' if A is wide) a block of rows at a time, each dense: never all of it at once."""
    tall = A.shape[0] >= A.shape[1]
    shift = A.mean if isinstance(A, Centred) else np.zeros(A.shape[1])
    base = A.X if isinstance(A, Centred) else A
    if not tall and not is_dense(base):
        base = base.tocsc()
    for first in range(0, max(A.shape), length):
        part = slice(first, first + length)
        block = base[part] if tall else base[:, part]
        dense = block if is_dense(block) else block.toarray()
        moved = dense - (shift if tall else shift[part])
        yield np.asarray(moved if tall else moved.T)


def squared_norms(A: Matrix, axis: int) -> Array:
    """Of the columns (axis 0) or rows (axis 1) of a sparse or centred matrix, as sums of squares."""
    X = A.X if isinstance(A, Centred) else A
    stored = X.tocoo()
    lines = stored.coords[1 - axis]
    shift = A.mean if isinstance(A, Centred) else np.zeros(X.shape[1])
    here = shift[stored.coords[1]]
    moved, empty = (
        np.bincount(lines, weights=weights, minlength=X.shape[1 - axis])
        for weights in (np.square(stored.data - here), here * here)
    )
    if axis == 0:
        count = np.bincount(lines, minlength=X.shape[1])
        return np.asarray(moved + (X.shape[0] - count) * shift * shift)
    return np.asarray(moved + np.maximum(float(shift @ shift) - empty, 0.0))


def column_kinds(A: Matrix) -> tuple[int, int]:
    """How many columns are zero, and how many are constant but not zero."""
    if isinstance(A, Centred):
        constant, first = constant_columns(A.X), first_row(A.X) - A.mean
        return int((constant & (first == 0)).sum()), int((constant & (first != 0)).sum())
    constant, first = constant_columns(A), first_row(A)
    return int((constant & (first == 0)).sum()), int((constant & (first != 0)).sum())


def about_columns(A: Matrix, zero_kind: str = "zero {}") -> list[str]:
    """How many columns are zero and how many constant, in words; nothing where there are none.

    >>> about_columns(np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 3.0]]))
    ['1 zero column', '1 constant column']
    """
    kinds = zip(column_kinds(A), (zero_kind, "constant {}"), strict=True)
    return [f"{n} {kind.format('column' if n == 1 else 'columns')}" for n, kind in kinds if n]


def first_row(A: Matrix) -> Array:
    """Row 0, dense."""
    first: Array = A[0] if is_dense(A) else A[:1].toarray()[0]
    return first


def constant_columns(A: Matrix) -> npt.NDArray[np.bool_]:
    """Which columns hold one value only."""
    if is_dense(A):
        return np.asarray((A == A[0]).all(axis=0))
    low, high = A.min(axis=0), A.max(axis=0)
    return np.asarray(low.toarray().ravel() == high.toarray().ravel())
