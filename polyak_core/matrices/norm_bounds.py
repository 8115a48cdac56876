"""Upper bounds on sigma_max^2 that are proven, for matrices too large to factorise.

A power method on A'A approaches sigma_max^2 from below, and a Lipschitz constant that is too small makes
methods diverge. These bounds are safe: see `squared_norm_bound`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, Array
from polyak_core.matrices.kinds import Centred, Matrix, is_dense
from polyak_core.progress.watch import step as watched_step

SWEEPS = 20
SMALLEST = 1e-200


def squared_frobenius(A: Matrix) -> float:
    """||A||_F^2 of a dense or sparse matrix; of a `Centred` one (||X||_F + ||1 mean'||_F)^2, not less."""
    if isinstance(A, Centred):
        return float((_root(squared_frobenius(A.X)) + _root(A.shape[0] * float(A.mean @ A.mean))) ** 2)
    entries = A.ravel() if is_dense(A) else A.data
    with np.errstate(over="ignore"):
        return float(entries @ entries)


def squared_norm_bound(A: Matrix) -> tuple[float, str]:
    """A bound on sigma_max(A)^2 from above, and what it is, in words.

    The smaller of two. First ||A||_F^2. Second, with B = |A|'|A| and any positive v, max_i (B v)_i / v_i
    bounds the largest eigenvalue of B (Collatz and Wielandt), and that of A'A is not larger; v = 1 gives at
    most ||A||_1 ||A||_inf, and each further v = B v does not raise it. Rounding is added.

    A centred matrix is the projection of X that takes the means off, but for the rounding of the means:
    ||X - 1 mean'|| <= ||X|| + sqrt(m) ||mean - true mean||.

    Reference: R. Horn and C. Johnson, Matrix Analysis, section 8.1.
    """
    rows, columns = A.shape
    if isinstance(A, Centred):
        bound, words = squared_norm_bound(A.X)
        true = A.X.astype(EXTENDED).sum(axis=0) / rows
        away = np.abs(np.asarray(true - A.mean, dtype=np.float64)) + rows * EPS * np.asarray(
            abs(A.X).sum(axis=0) / rows
        )
        root = _root(bound) + _root(rows * float(away @ away))
        return root * root * (1 + 8 * EPS), f"{words} of the data before centring"
    padding = 1 + 4 * (rows + columns + 8) * EPS
    least = np.finfo(np.float64).tiny if _has_entries(A) else 0.0
    frobenius, ratio = max(squared_frobenius(A), least), max(_largest_ratio(abs(A)), least)
    if frobenius <= ratio:
        return frobenius * padding, "||A||_F^2"
    return ratio * padding, "a bound from |A|'|A| by Collatz and Wielandt"


def _largest_ratio(size: Matrix) -> float:
    """The least of max_i (B v)_i / v_i over some vectors v, B = size'size, size not negative."""
    v: Array = np.asarray(size.sum(axis=0) > 0, dtype=np.float64)
    positive = v > 0
    best = np.inf if positive.any() else 0.0
    for _ in range(SWEEPS if positive.any() else 0):
        with np.errstate(over="ignore"):
            image = size.T @ (size @ v)
        best = min(best, float((image[positive] / v[positive]).max()))
        top = float(image.max())
        if not (np.isfinite(top) and top > 0):
            return np.inf
        v = image / top
        if v[positive].min() < SMALLEST:
            break
    return best


def perron_bound(times: Callable[[Array], Array], size: int) -> float:
    """A bound from above on the largest eigenvalue of a symmetric matrix without negative entries.

    The least of max_i (K v)_i / v_i over some positive v (Collatz and Wielandt); with v = K v it falls
    towards the eigenvalue itself. Rounding is added.
    """
    v, best = np.ones(size), np.inf
    for k in range(SWEEPS):
        watched_step("largest eigenvalue", k)
        image = times(v)
        best = min(best, float((image / v).max()))
        v = image / float(image.max())
        if v.min() < SMALLEST:
            break
    return best * (1 + 4 * (size + 8) * EPS)


def _has_entries(A: Matrix) -> bool:
    return bool(A.any()) if is_dense(A) else A.nnz > 0


def _root(value: float) -> float:
    return float(np.sqrt(value))
