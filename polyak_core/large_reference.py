"""x* and f* of least squares where both sides of A are too long for a factorisation: products with A only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import EPS, EXTENDED, EXTENDED_EPS, Array, Extended
from polyak_core.reference import Reference
from polyak_core.sparse import Matrix
from polyak_core.watch import step as watched_step

PRODUCTS = 10_000
PASSES = 6
FIRST, CONDITION = 1e-12, 1e10
"""Where LSMR ends: going on to EPS would blow up the part that dependent columns leave open."""
GAIN = 1e-8
"""What one pass of refinement is asked to take off the gradient."""


def iterative_reference(A: Matrix, b: Array, x0: Array) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2 close to x0, by LSMR, then refined.

    Each refinement solves A'A dx = A'(b - A x) by conjugate gradients, the right side in extended precision.

    Guarantee: only 0 <= f(x_star) - min f <= f(x_star), for no lower bound on the smallest singular value
    above 0 is known; the `level` is an estimate, the value 1/2 ||A dx||^2 of one more refinement.

    Reference: D. Fong and M. Saunders, LSMR, SIAM J. Sci. Comput. 33, 2011.
    """
    wide, b_wide = A.astype(EXTENDED), b.astype(EXTENDED)
    forward = scipy.sparse.linalg.LinearOperator(
        A.shape, matvec=lambda v: A @ v.ravel(), rmatvec=lambda r: A.T @ r.ravel(), dtype=float
    )
    first = scipy.sparse.linalg.lsmr(
        forward, b - A @ x0, atol=FIRST, btol=FIRST, conlim=CONDITION, maxiter=PRODUCTS
    )[0]
    x: Extended = x0.astype(EXTENDED) + first
    for k in range(PASSES):
        watched_step("LSMR and refinement", k)
        dx = _refinement(A, wide, b_wide - wide @ x)
        x = x + dx
        if np.linalg.norm(dx) <= EPS * float(np.sqrt(x @ x)) / 4:
            break
    x_star = np.asarray(x, dtype=np.float64)
    residual = b_wide - wide @ x_star.astype(EXTENDED)
    image = A @ _refinement(A, wide, residual)
    f_star = 0.5 * float(residual @ residual)
    level = 0.5 * float(image @ image)
    return Reference(
        x_star,
        f_star,
        f_star * (1 + 1e-12) + _rounding(wide, b_wide, x_star),
        f"LSMR and refinement; proven is only f* >= 0, estimated is f(x*) - min f = {level:.1g}",
        level=level,
    )


def _refinement(A: Matrix, wide: Matrix, residual: Extended) -> Array:
    """The solution of A'A dx = A'r by conjugate gradients, as far as the entries of A let it be known.

    They carry errors of EPS, so that dependent columns (those of wide centred data, say) are dependent but
    for singular values of that size: following them would lead far away.
    """
    gradient = wide.T @ residual
    size = float(np.sqrt(gradient @ gradient))
    noise = EPS * float(np.linalg.norm(np.asarray(abs(A).T @ np.abs(residual), dtype=np.float64)))
    if noise >= size:
        return np.zeros(A.shape[1])

    def product(v: npt.NDArray[Any]) -> Array:
        return np.asarray(A.T @ (A @ v.ravel()))

    normal = scipy.sparse.linalg.LinearOperator((A.shape[1],) * 2, matvec=product, dtype=np.float64)
    target = np.asarray(gradient / size, dtype=np.float64)
    solution, _ = scipy.sparse.linalg.cg(normal, target, rtol=max(GAIN, noise / size), maxiter=PRODUCTS)
    return np.asarray(solution * size)


def _rounding(A: Matrix, b: Extended, x: Array) -> float:
    """Bound on the rounding of 1/2 ||b - A x||^2."""
    u = EXTENDED_EPS * (max(A.shape) + 4)
    size = np.asarray(abs(A) @ np.abs(x) + np.abs(b), dtype=np.float64)
    return float(2 * u * (size @ size))
