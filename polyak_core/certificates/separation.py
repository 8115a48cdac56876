"""Whether a plane through the origin separates the classes of a logistic problem: found, then proven.

Some w with y_i a_i'w >= 0 for all i and not all 0 exists exactly where the logistic loss alone has no
minimiser. A problem is called separable only after such a w has been verified.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.columns import Mask
from polyak_core.matrices.exact import Whole, affordable, exact_times
from polyak_core.matrices.kinds import Centred, Matrix, is_dense, stored_entries
from polyak_core.progress.watch import step as watched_step

LARGEST_PROGRAM = 1e8
"""Stored entries times the smaller side: some seconds of linear programming."""
LONG_PROGRAM = 1e7
"""The same for a time after which people may want to cancel."""
LARGEST_ELIMINATION = 200_000
"""Entries times columns of the rows that are to be met exactly."""
BALANCING = 20
"""Rounds in which rows and columns are scaled; after so many the scales hardly change."""
Rows = list[list[Fraction]]


def parts_clearly(A: Matrix, labels: Array, w: Array) -> bool:
    """Whether y_i a_i'w > 0 for all rows but zeros, rounding counted: one product."""
    margins = labels * (A @ w)
    if margins.min() < 0 or not margins.max() > 0:
        return False
    with np.errstate(over="ignore"):
        size = np.asarray(abs(A) @ np.abs(w))
    rounding = (A.shape[1] + 4) * (EPS * size + np.finfo(float).tiny)
    return bool(((margins > rounding) | (size == 0)).all() and (size > 0).any())


def parts(A: Matrix, labels: Array, w: Array) -> bool:
    """Whether all y_i a_i'w >= 0 and one is > 0, exactly."""
    margins = Whole.of(labels) * exact_times(A, Whole.of(w))
    return bool((margins.numbers >= 0).all() and (margins.numbers > 0).any())


def takes_long_to_tell(A: Matrix) -> bool:
    """Whether linear programming may take more than a moment."""
    return bool(stored_entries(A) * min(A.shape) > LONG_PROGRAM)


def plane_exists(A: Matrix, labels: Array) -> bool | None:
    """True where a plane is found and proven, False where none is found, None where it cannot be told.

    Algorithm: linear programming finds the w with the most margins above 0, rows and columns scaled; margins
    that are 0 up to rounding are made 0 exactly by elimination in rational numbers.
    """
    if not affordable(A) or stored_entries(A) * min(A.shape) > LARGEST_PROGRAM:
        return None
    watched_step("linear program", 0)
    dense = A.toarray() if isinstance(A, Centred) else A
    B = scipy.sparse.csr_array(dense).multiply(labels[:, None]).tocsr()
    B, scale = _balanced(B)
    rows, columns = B.shape
    program = scipy.optimize.linprog(
        np.append(np.zeros(columns), -np.ones(rows)),
        A_ub=scipy.sparse.hstack([-B, scipy.sparse.eye_array(rows)]),
        b_ub=np.zeros(rows),
        bounds=[(None, None)] * columns + [(0, 1)] * rows,
    )
    watched_step("linear program", 1)
    if program.status != 0:
        return None
    if program.fun > -0.5:
        return False
    w = program.x[:columns]
    if np.isfinite(scale * w).all() and parts(A, labels, scale * w):
        return True
    return True if _repaired(A, labels, B, scale, w, program.x[columns:] < 0.5) else None


def _balanced(B: Any) -> tuple[Any, Array]:
    """diag(r) B diag(c) with r and c powers of 2, entries near 1 in each row and column on average; and c.

    Means of logarithms, and not largest entries: a row with a single entry says nothing of its column's unit.
    Reference: Curtis and Reid 1972, On the automatic scaling of matrices for Gaussian elimination.
    """
    B = B.tocoo()
    nonzero = B.data != 0
    data, i, j = B.data[nonzero], B.row[nonzero], B.col[nonzero]
    logs = np.log2(np.abs(data))
    r, c = (np.zeros(size) for size in B.shape)
    for _ in range(BALANCING):
        c = -_means(logs + r[i], j, c.size)
        r = -_means(logs + c[j], i, r.size)
    r, c = np.round(r), np.round(c)
    balanced = scipy.sparse.csr_array((np.ldexp(data, (r[i] + c[j]).astype(int)), (i, j)), shape=B.shape)
    return balanced, np.exp2(c)


def _means(values: Array, groups: Array, size: int) -> Array:
    """The mean of each group, 0 where it is empty."""
    counts = np.bincount(groups, minlength=size)
    return np.asarray(np.bincount(groups, values, size) / np.maximum(counts, 1))


def _repaired(A: Matrix, labels: Array, B: Any, scale: Array, w: Array, zero: Mask) -> bool:
    """Whether some w' close to w has margins of exactly 0 in a mask, and parts the rest; B as balanced."""
    few = A.shape[0] * A.shape[1] + int(zero.sum()) * A.shape[1] ** 2 <= LARGEST_ELIMINATION
    if isinstance(A, Centred) or not few:
        return False
    exact = [Fraction(float(v)) for v in w]
    _make_orthogonal(_fractions(B[zero].toarray()), exact)
    exact = [u * Fraction(float(v)) for u, v in zip(exact, scale, strict=True)]
    margins = [
        int(label) * sum((a * b for a, b in zip(row, exact, strict=True)), Fraction(0))
        for label, row in zip(labels, _fractions(A if is_dense(A) else A.toarray()), strict=True)
    ]
    return min(margins) >= 0 and max(margins) > 0


def _fractions(rows: Array) -> Rows:
    return [[Fraction(float(v)) for v in row] for row in rows]


def exact_rank(A: Matrix) -> int | None:
    """The rank in rational numbers; None where that takes long."""
    if isinstance(A, Centred) or A.shape[0] * A.shape[1] ** 2 > LARGEST_ELIMINATION:
        return None
    return len(_eliminated(_fractions(A if is_dense(A) else A.toarray())))


def _make_orthogonal(rows: Rows, w: list[Fraction]) -> None:
    """Change entries of w such that all rows are orthogonal to it."""
    pivots = _eliminated(rows)
    free = [j for j in range(len(w)) if j not in pivots]
    for j, row in pivots.items():
        w[j] = -sum((row[i] * w[i] for i in free), Fraction(0))


def _eliminated(rows: Rows) -> dict[int, list[Fraction]]:
    """Rows that span the same, each 1 in a column of its own where all others are 0: Gauss and Jordan."""
    pivots: dict[int, list[Fraction]] = {}
    for row in rows:
        left = row
        for j, pivot in pivots.items():
            left = [a - left[j] * b for a, b in zip(left, pivot, strict=True)] if left[j] else left
        j = max(range(len(left)), key=lambda j: abs(left[j]))
        if left[j] == 0:
            continue
        new = [a / left[j] for a in left]
        pivots = {
            i: [a - p[j] * b for a, b in zip(p, new, strict=True)] if p[j] else p for i, p in pivots.items()
        }
        pivots[j] = new
    return pivots
