"""How far a point is above the minimum of a logistic loss, from the curvature around it: a proven bound.

|phi'''| <= phi'' makes the Hessian at x + v at least e^-max|a_i'v| times that at x. In the norm of the
Hessian H at x, ||v||_H^2 = v'Hv, |a_i'v| <= R ||v||_H with R the largest ||a_i||_(H^-1); nothing here knows
of the scale of columns. With s the length of the gradient in the norm of H^-1, h on the sphere ||v||_H = r
is at least h(x) - s r + (e^(-R r) + R r - 1)/R^2: if that is above h(x), the minimiser lies within, and
h(x) - min h <= s^2 / (2 e^(-R r)).

Reference: F. Bach, Self-concordant analysis for logistic regression, 2010.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.factors import SMALL_SIDE, WORK, triangle
from polyak_core.matrices.kinds import Matrix, dense_blocks

BALL = 0.1
"""The R r of the ball in which the minimiser is sought."""
BLOCK_ROWS = 4096
TINY = 1e-290
"""Smaller curvatures have lost digits; they are taken as 0, which makes the Hessian smaller, and is safe."""


def curvature_bound(
    A: Matrix,
    basis: Array | None,
    curvatures: Array,
    *,
    inexact: float,
    ridge: float,
    gradient: Array,
    off: Array,
) -> float:
    """Bound on h(x) - min h, infinite where the Hessian may be singular or the minimiser far.

    Args:
        A: shape (m, n), columns of lengths that are not too different.
        basis: shape (n, r) or None; the minimum is over x + basis u only.
        curvatures: phi'' of each margin, shape (m,).
        inexact: a bound on their relative error.
        ridge: what is added to the diagonal of the Hessian.
        gradient: at x.
        off: a bound on its error.
    """
    rows, columns = A.shape[0], A.shape[1] if basis is None else basis.shape[1]
    if basis is not None:
        gradient, off = basis.T @ gradient, np.abs(basis).T @ off
    most = SMALL_SIDE if ridge > 0 else min(SMALL_SIDE, rows)
    if columns > most or float(max(rows, columns)) * columns**2 > 2.5 * WORK:
        return np.inf
    root = _triangle(A, basis, np.where(curvatures > TINY, curvatures, 0.0), ridge)
    lengths = np.linalg.norm(root, axis=0)
    if not (np.isfinite(lengths).all() and lengths.min() > 0):
        return np.inf
    _, sigma, Vt = np.linalg.svd(root / lengths)
    lost = 4 * (max(rows, 256) + columns) * EPS * float(sigma[0])
    share = (1 - lost / float(sigma[-1])) * (1 - inexact) if sigma[-1] > lost else 0.0
    if share < 0.5:
        return np.inf
    turn = Vt.T / sigma  # H^-1 = turn turn' in units of `lengths`
    blur = (columns + 4) * EPS / float(sigma[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # then there is no bound
        R = max(_longest(block / lengths, turn, blur) for block in _rows(A, basis)) / share
    scaled, wrong = gradient / lengths, off / lengths
    s = float(np.linalg.norm(scaled @ turn) + np.linalg.norm(wrong) / sigma[-1])
    s = (s + blur * float(np.linalg.norm(scaled))) / share * (1 + 1e-9)
    if not s * R < (np.exp(-BALL) + BALL - 1) / BALL:
        return np.inf
    return float(s * s / (2 * np.exp(-BALL)))


def _longest(rows: Array, turn: Array, blur: float) -> float:
    along = np.linalg.norm(rows @ turn, axis=1) + blur * np.linalg.norm(rows, axis=1)
    return float(along.max()) * (1 + 1e-9)


def _triangle(A: Matrix, basis: Array | None, curvatures: Array, ridge: float) -> Array:
    """A root of the Hessian with as many rows as columns: QR decompositions, a block of rows at a time."""
    columns = A.shape[1] if basis is None else basis.shape[1]
    return triangle(np.sqrt(ridge) * np.eye(columns), _weighted(A, basis, np.sqrt(curvatures)))


def _weighted(A: Matrix, basis: Array | None, roots: Array) -> Iterator[Array]:
    """`_rows`, each times its root."""
    first = 0
    for block in _rows(A, basis):
        yield roots[first : first + len(block), None] * block
        first += len(block)


def _rows(A: Matrix, basis: Array | None) -> Iterator[Array]:
    """A, or A times the basis, dense, some rows at a time."""
    if A.shape[0] >= A.shape[1]:
        blocks = dense_blocks(A, max(BLOCK_ROWS, A.shape[1]))
    else:
        blocks = iter([np.concatenate([block.T for block in dense_blocks(A, BLOCK_ROWS)], axis=1)])
    return (block if basis is None else block @ basis for block in blocks)
