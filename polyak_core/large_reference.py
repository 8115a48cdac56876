"""x* and f* of least squares where both sides of A are too long for a factorisation: products with A only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator, cg, lsmr

from polyak_core.arrays import EPS, Array, Extended
from polyak_core.reference import EXTENDED_EPS, Reference
from polyak_core.sparse import Matrix

PRODUCTS = 10_000
PASSES = 6
GAIN = 1e-8
"""What one pass of refinement is asked to take off the gradient."""


def iterative_reference(A: Matrix, b: Array, x0: Array) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2 close to x0, by LSMR, then refined.

    Each refinement solves A'A dx = A'(b - A x) by conjugate gradients, the right side in extended precision.

    Guarantee: only 0 <= f(x_star) - min f <= f(x_star), for no lower bound on the smallest singular value
    above 0 is known; the `level` is an estimate, the value 1/2 ||A dx||^2 of one more refinement.

    Reference: D. Fong and M. Saunders, LSMR, SIAM J. Sci. Comput. 33, 2011.
    """
    wide, b_wide = A.astype(np.longdouble), b.astype(np.longdouble)
    forward = LinearOperator(
        A.shape, matvec=lambda v: A @ v.ravel(), rmatvec=lambda r: A.T @ r.ravel(), dtype=float
    )
    first = lsmr(forward, b - A @ x0, atol=EPS, btol=EPS, conlim=0, maxiter=PRODUCTS)[0]
    x: Extended = x0.astype(np.longdouble) + first
    for _ in range(PASSES):
        gradient = wide.T @ (b_wide - wide @ x)
        dx = _normal_solve(A, gradient)
        x = x + dx
        if np.linalg.norm(dx) <= EPS * float(np.sqrt(x @ x)) / 4:
            break
    x_star = np.asarray(x, dtype=np.float64)
    residual = b_wide - wide @ x_star.astype(np.longdouble)
    last = _normal_solve(A, wide.T @ residual)
    image = A @ last
    f_star = 0.5 * float(residual @ residual)
    level = 0.5 * float(image @ image)
    return Reference(
        x_star,
        f_star,
        f_star * (1 + 1e-12) + _rounding(wide, b_wide, x_star),
        f"LSMR and refinement; proven is only f* >= 0, estimated is f(x*) - min f = {level:.1g}",
        level=level,
    )


def _normal_solve(A: Matrix, gradient: Extended) -> Array:
    """A'A dx = gradient, by conjugate gradients, to a relative accuracy of `GAIN`."""

    def product(v: npt.NDArray[Any]) -> Array:
        return np.asarray(A.T @ (A @ v.ravel()))

    size = A.shape[1]
    scale = float(np.sqrt(gradient @ gradient))
    if scale == 0:
        return np.zeros(size)
    target = np.asarray(gradient / scale, dtype=np.float64)
    solution, _ = cg(
        LinearOperator((size, size), matvec=product, dtype=float), target, rtol=GAIN, maxiter=PRODUCTS
    )
    return np.asarray(solution * scale)


def _rounding(A: Matrix, b: Extended, x: Array) -> float:
    """Bound on the rounding of 1/2 ||b - A x||^2."""
    u = EXTENDED_EPS * (max(A.shape) + 4)
    size = np.asarray(abs(A) @ np.abs(x) + np.abs(b), dtype=np.float64)
    return float(2 * u * (size @ size))
