"""x* and f* of least squares where both sides of A are too long for a factorisation: products with A only."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import EPS, Array
from polyak_core.certificates.reference import SAFETY, Reference
from polyak_core.matrices.equilibrated import column_scale, scale_columns
from polyak_core.matrices.kinds import Matrix, stored_entries
from polyak_core.matrices.sliced import Pair, SlicedMatrix, half_square
from polyak_core.progress.watch import step as watched_step

WORK = 2e9
"""Multiplications that one search takes at most: some ten seconds."""
PRODUCTS = 10_000
PASSES = 6
FIRST, CONDITION = 1e-12, 1e10
"""Where LSMR ends: going on to EPS would blow up the part that dependent columns leave open."""
GAIN = 1e-8
"""The factor by which one pass of refinement is to reduce the gradient."""


def iterative_reference(A: Matrix, b: Array, x0: Array) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2 close to x0, by LSMR, then refined.

    If A is tall, its columns are scaled to length 1 first. Each refinement solves A'A dx = A'(b - A x) by
    conjugate gradients, the right side without rounding.

    Guarantee: only 0 <= f(x_star) - min f <= f(x_star), for no lower bound on the smallest singular value
    above 0 is known; the `level` is an estimate, made of the value 1/2 ||A dx||^2 of one more refinement.

    Reference: D. Fong and M. Saunders, LSMR, SIAM J. Sci. Comput. 33, 2011.
    """
    tall = A.shape[0] >= A.shape[1]
    scale = column_scale(A) if tall else np.ones(A.shape[1])  # other lengths have another closest minimiser
    matrix = scale_columns(A, scale)
    sliced, products = SlicedMatrix(matrix), Products(matrix)
    x = Pair(x0 / scale, np.zeros(x0.size))
    x = x.plus(products.first(sliced.residual(b, x).value.high))
    for _ in range(PASSES):
        dx = products.refinement(sliced, sliced.residual(b, x).value)
        x = x.plus(dx)
        if np.linalg.norm(dx) <= EPS * float(np.linalg.norm(x.high)) / 1024:
            break
    r = sliced.residual(b, x)
    image = matrix @ products.refinement(sliced, r.value)
    left = matrix @ x.low
    centre = float(image @ image) + (EPS * float(np.linalg.norm(r.value.high))) ** 2 + r.error**2
    level = max(100 * centre, float(left @ left))  # g* is carried along, so that only f(x*) - min f is wrong
    f_star = half_square(r.value)
    x_star, rest = (part * scale for part in x)
    return Reference(
        x_star,
        f_star,
        0.5 * float((np.linalg.norm(r.value.high) + r.error + np.linalg.norm(left)) * SAFETY) ** 2,
        f"LSMR and refinement{', columns of length 1' if tall else ''}; proven is only f* >= 0, "
        f"an estimate is f(x*) - min f = {centre + float(left @ left):.1g}",
        gradient=-sliced.pull(r.value).value.high / scale,
        level=level,
        rest=rest,
        proven=False,
    )


class Products:
    """Products with a matrix, counted: each reports the progress, and so many are allowed."""

    def __init__(self, matrix: Matrix) -> None:
        """The budget is shared by LSMR and all refinements."""
        self._matrix = matrix
        self._budget = int(np.clip(WORK / max(stored_entries(matrix), 1), 100, PRODUCTS))
        self._step = count()

    def _times(self, v: npt.NDArray[Any]) -> Array:
        watched_step("LSMR and refinement", next(self._step))
        return np.asarray(self._matrix @ v.ravel())

    def _pull(self, r: npt.NDArray[Any]) -> Array:
        return np.asarray(self._matrix.T @ r.ravel())

    def first(self, residual: Array) -> Array:
        """What LSMR takes for the solution of least squares."""
        forward = scipy.sparse.linalg.LinearOperator(
            self._matrix.shape, matvec=self._times, rmatvec=self._pull, dtype=float
        )
        return np.asarray(
            scipy.sparse.linalg.lsmr(
                forward, residual, atol=FIRST, btol=FIRST, conlim=CONDITION, maxiter=self._budget // 2
            )[0]
        )

    def refinement(self, sliced: SlicedMatrix, residual: Pair) -> Array:
        """The solution of A'A dx = A'r by conjugate gradients, as far as a budget of products allows.

        Products with A carry errors of EPS, and so columns that are dependent (those of wide centred data,
        say) are dependent but for singular values of that size: following them would lead far away.
        """
        gradient = sliced.pull(residual).value.high
        size = float(np.linalg.norm(gradient))
        noise = EPS * float(np.linalg.norm(abs(self._matrix).T @ np.abs(residual.high)))
        if size <= noise:
            return np.zeros(self._matrix.shape[1])
        normal = scipy.sparse.linalg.LinearOperator(
            (self._matrix.shape[1],) * 2, matvec=lambda v: self._pull(self._times(v)), dtype=np.float64
        )
        solution, _ = scipy.sparse.linalg.cg(
            normal, gradient / size, rtol=max(GAIN, noise / size), maxiter=self._budget // (2 * PASSES)
        )
        return np.asarray(solution * size)
