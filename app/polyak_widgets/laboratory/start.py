"""The direction in which a problem is flattest, and a start that does not have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array

MOST_NUMBERS = 4_000_000
"""A matrix up to this size is decomposed within a second or two."""
EQUAL = 1e-12
"""Curvatures closer than this part are one: then a whole plane is the slowest, and all of it goes."""


def without_slowest(problem: pc.Problem, curvatures: Array | None, X: Any) -> Array:
    """x_0 less its part, seen from x*, along the smallest curvature above 0.

    With V the eigenvectors of that curvature: x_0 - V V'(x_0 - x*).

    Args:
        problem: a quadratic in its eigenbasis, or least squares.
        curvatures: along the axes, shape (n,), for a quadratic; else None.
        X: the matrix of least squares.

    Raises:
        ValueError: the matrix is too large.
    """
    if curvatures is not None:
        return np.where(_slowest(curvatures), problem.x_star, problem.x0)
    rows, columns = X.shape
    if rows * columns > MOST_NUMBERS:
        raise ValueError(
            f"The slowest direction of {rows} × {columns} numbers takes too long to find on a page: take the "
            "usual start, or fewer rows."
        )
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    _, sigma, Vt = np.linalg.svd(dense, full_matrices=False)
    cut = max(rows, columns) * np.finfo(float).eps * sigma[0]
    V = Vt[_slowest(np.where(sigma > cut, sigma, 0.0))].T
    start: Array = problem.x0 - V @ (V.T @ (problem.x0 - problem.x_star))
    return start


def _slowest(curvatures: Array) -> npt.NDArray[np.bool_]:
    positive = curvatures > 0
    if not positive.any():
        return positive
    return np.asarray(positive & (curvatures <= curvatures[positive].min() * (1 + EQUAL)))
