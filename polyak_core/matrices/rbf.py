"""The matrix of an RBF kernel, and bounds on its eigenvalues where it is too large for a decomposition."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.norm_bounds import perron_bound
from polyak_core.progress.watch import step as watched_step

STRIP = 2**18
"""Entries that are made at a time."""


def rbf_kernel(X: Array, width: float) -> Array:
    """exp(-||x_i - x_j||^2 / (2 width^2)), from differences, so that equal rows give exactly 1.

    Some rows at a time, so that the work can be left and stays in the cache.
    """
    kernel = np.empty((X.shape[0], X.shape[0]))
    several = max(1, STRIP // X.shape[0])
    with np.errstate(over="ignore", under="ignore"):
        for k, first in enumerate(range(0, X.shape[0], several)):
            watched_step("kernel matrix", k)
            rows = X[first : first + several]
            squared = np.zeros((rows.shape[0], X.shape[0]))
            for mine, column in zip(rows.T, X.T, strict=True):
                squared += np.square((mine[:, None] - column) / width)
            kernel[first : first + several] = np.exp(-0.5 * squared)
    return kernel


def rbf_bounds(Q: Array, y: Array, features: int) -> tuple[float, float]:
    """Bounds on the eigenvalues of Q = yy'K for an RBF kernel K: the largest, and how far others are below 0.

    The first is `perron_bound` of K, whose entries are not negative. The kernel without rounding has no
    negative eigenvalue; with e^-t an entry and t a sum of as many squares as there are features, rounding
    adds at most ((features + 6) t + 4) e^-t EPS to it, and t e^-t <= 1/e.
    """
    largest = perron_bound(lambda v: y * (Q @ (y * v)), y.size)
    return largest, y.size * ((features + 6) / np.e + 4) * EPS
