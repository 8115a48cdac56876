"""Scaling of features: none, centred, standardised; implicit where data is sparse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import Array
from polyak_core.checks import Given, real_array, shown
from polyak_core.matrices.kinds import Centred, Matrix, constant_columns, first_row

SCALINGS = ("none", "center", "standardize")


def check_scaling(scaling: Given) -> None:
    """Raise ValueError, in words, for an unknown scaling."""
    if not isinstance(scaling, str) or scaling not in SCALINGS:
        allowed = ", ".join(map(repr, SCALINGS))
        raise ValueError(f"scaling is {shown(scaling)}, but can be {allowed}: give one of these")


def scale_features(X: Given, scaling: str) -> Matrix:
    """Return a scaled copy of a feature matrix; the argument stays as it is.

    "none" copies; "center" takes the mean off each column; "standardize" also divides each column by its
    standard deviation (the root of the mean square, no m - 1). A constant column becomes exactly zero under
    both, and is never divided by anything but 1.

    Args:
        X: shape (m, n), finite; dense, or sparse in any of SciPy's formats.
        scaling: "none", "center" or "standardize".

    Returns:
        Shape (m, n), float64: C-contiguous for dense X; for sparse X a `csr_array` ("none") or a
        `polyak_core.matrices.kinds.Centred` operator, in which nothing is filled in.

    Raises:
        ValueError: the scaling is unknown, X is not a matrix with a row at least, or an entry is not finite.

    >>> scale_features([[1, 7], [3, 7]], "standardize")
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    check_scaling(scaling)
    X = _finite_matrix(X)
    if scaling == "none":
        return X
    # The mean of equal numbers is not always that number, so a constant column is told by its entries.
    constant = constant_columns(X)
    mean = np.where(constant, first_row(X), np.asarray(X.mean(axis=0)))
    if scipy.sparse.issparse(X):
        return _scaled_sparse(X, mean, constant, scaling)
    X -= mean
    if scaling == "standardize":
        X /= _divisor((X * X).mean(axis=0))
    return X


def _scaled_sparse(X: Matrix, mean: Array, constant: npt.NDArray[np.bool_], scaling: str) -> Centred:
    """Each stored entry divided by the deviation of its column; the means wait for the products."""
    factor = np.where(constant, 0.0, 1.0)
    if scaling == "standardize":
        rows = X.shape[0]
        moved = X.copy()
        moved.data -= mean[moved.indices]
        stored = np.bincount(moved.indices, minlength=mean.size)
        squares = np.bincount(moved.indices, weights=moved.data**2, minlength=mean.size)
        variance = (squares + (rows - stored) * mean**2) / rows
        factor = factor / _divisor(variance)
    X.data *= factor[X.indices]
    X.eliminate_zeros()
    return Centred(X, mean * factor)


def _divisor(variance: Array) -> Array:
    """The deviation, or 1 where it is 0 (constant columns, or squares too small to hold)."""
    return np.where(variance > 0, np.sqrt(variance), 1.0)


def _finite_matrix(X: Given) -> Matrix:
    """A float64 copy, checked."""
    if scipy.sparse.issparse(X):
        if X.dtype.kind not in "buif":
            raise ValueError(f"X must be a matrix of real numbers, and its entries are {X.dtype}")
        copied = scipy.sparse.csr_array(X, dtype=np.float64, copy=True) if X.ndim == 2 else X
        entries = copied.data
        if X.ndim == 2:
            copied.sum_duplicates()
            copied.eliminate_zeros()
    else:
        copied = entries = np.array(real_array(X, "X"), dtype=np.float64, order="C")
    if copied.ndim != 2 or copied.shape[0] == 0:
        raise ValueError(
            f"X has shape {copied.shape}, but must be (m, n), m >= 1: give one row per observation"
        )
    if not np.isfinite(entries).all():
        raise ValueError(
            f"X holds NaN or infinity, the first in {first_bad(copied)}, but all entries must be finite: "
            "drop or fill these rows"
        )
    return copied


def first_bad(X: Matrix) -> str:
    """Where the first entry is that is not finite, counted from 1."""
    if scipy.sparse.issparse(X):
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    else:
        row, column = (int(index) for index in np.argwhere(~np.isfinite(X))[0])
    return f"row {row + 1}, column {column + 1} (counted from 1)"
