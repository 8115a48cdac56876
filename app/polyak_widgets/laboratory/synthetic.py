"""Made-up data with a spectrum that is known, and how far rows of any data lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

import polyak_core as pc
from polyak_core.arrays import Array

NOISE = 0.5
"""Deviation of what is added to A w before its sign is taken, as a part of that of A w."""


def synthetic_data(eigenvalues: Array, rows: int, seed: int, scaling: str) -> pc.Dataset:
    """Features whose covariance has given eigenvalues, and labels from a plane, some of them wrong.

    A = sqrt(rows) U diag(sqrt(eigenvalues)) V' with random orthonormal U, V and columns of mean 0, so that
    centring changes nothing; y = sign(A w + noise). With fewer than n + 1 rows the smallest eigenvalues find
    no place, since centred data of so many rows have rank rows - 1 at most.

    Args:
        eigenvalues: shape (n,), none negative.
        rows: how many observations, >= 2.
        seed: of all random numbers.
        scaling: as for `polyak_core.dataset`.
    """
    rng = np.random.default_rng(seed)
    largest = np.sort(eigenvalues)[::-1]
    rank = min(largest.size, rows - 1)
    left = rng.standard_normal((rows, rank))
    U = np.linalg.qr(left - left.mean(axis=0))[0]
    V = np.linalg.qr(rng.standard_normal((largest.size, rank)))[0]
    A = (U * np.sqrt(rows * largest[:rank])) @ V.T
    A -= A.mean(axis=0)
    heights = A @ rng.standard_normal(largest.size)
    noisy = heights + NOISE * heights.std() * rng.standard_normal(rows)
    y = np.where(noisy > np.median(noisy), 1.0, -1.0)
    return pc.dataset(A, y, name="synthetic", scaling=scaling)


def typical_distance(X: Any) -> float:
    """The root of the mean of ||x_i - x_j||^2 over all pairs of rows; 1 where all rows are equal."""
    if isinstance(X, np.ndarray):
        squares = 2 * float(X.var(axis=0).sum())
    else:
        base = X.X if hasattr(X, "mean") and hasattr(X, "X") else scipy.sparse.csr_array(X)
        mean = np.asarray(base.mean(axis=0)).ravel()
        squares = 2 * (float((base.data**2).sum()) / base.shape[0] - float(mean @ mean))
    return float(np.sqrt(squares)) if squares > 0 else 1.0
