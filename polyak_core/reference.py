"""x* and f* to the last bit that float64 can hold, with a proven bound on what is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, EXTENDED_EPS, PRECISION, Array, Extended
from polyak_core.factors import Factors
from polyak_core.sparse import Matrix, stored_entries

MANY_ENTRIES, LONG_SIDE = 3_000_000, 1000
"""Where x* takes about a second to find: matrices of so many entries, or with both sides so long."""

SETTLED = EPS / 1024
"""Corrections this small, relative to x, change nothing in float64."""


@dataclass(frozen=True)
class Reference:
    """A certified solution.

    Attributes:
        x_star: the stored float64 minimiser.
        f_star: the minimum, rounded to float64.
        error: bound on f(x_star) - min f for the stored x_star, rounding included; an estimate of it where
            `proven` is False.
        source: how it was found, in words.
        gradient: grad h(x*), such that its negative is a subgradient of psi at x*; None where psi = 0.
        level: an estimate of the gap below which rounding rules, where `error` does not tell: an estimate of
            f(x_star) - min f far below the proven bound, or where runs in float64 end above it.
        proven: whether `error` is a bound, rounding counted, and no estimate.
    """

    x_star: Array
    f_star: float
    error: float
    source: str
    gradient: Array | None = None
    level: float | None = None
    proven: bool = True


def takes_long(A: Matrix) -> bool:
    """Whether finding x* of a problem with this matrix may take more than about a second."""
    return stored_entries(A) > MANY_ENTRIES or min(A.shape) > LONG_SIDE


def least_squares_reference(A: Matrix, b: Array, factors: Factors, x0: Array) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2 closest to x0, refined in extended precision.

    Guarantee: with r = b - A x_star, f(x_star) - min f = 1/2 ||P r||^2, P the projection onto the
    range of A. For any dx, ||P r|| <= ||A dx|| + ||A'(r - A dx)|| / sigma_min; dx is one more
    refinement, and every product is bounded with its own rounding error.
    """
    wide, b_wide = A.astype(EXTENDED), b.astype(EXTENDED)
    start = factors.outside(x0)
    x: Extended = (start + factors.solve(b - A @ start)).astype(EXTENDED)
    r: Extended = b_wide - wide @ x
    done, before, now = 0, np.inf, np.inf
    while done < factors.refinements and not (now <= SETTLED * np.abs(x).max() or now > before / 2):
        dx, dr = factors.correction(b_wide - r - wide @ x, -(wide.T @ r))
        x, r, done = x + dx, r + dr, done + 1
        before, now = now, float(np.abs(dx).max())
    x_star = np.asarray(x, dtype=np.float64)
    residual = b_wide - wide @ x_star.astype(EXTENDED)
    error = _excess_bound(wide, b_wide, x_star, residual, factors)
    words = [f"{factors.words} and {done} refinements in {PRECISION} precision"]
    if not factors.complete:
        words.append(
            f"numerical rank {factors.sigma.size} of {factors.columns} taken as exact "
            f"(singular values below {factors.cut:.2g} taken as 0)"
        )
    return Reference(x_star, float(0.5 * (residual @ residual)), error, "; ".join(words))


def _excess_bound(A: Matrix, b: Extended, x_star: Array, residual: Extended, factors: Factors) -> float:
    """Bound on 1/2 ||P r||^2."""
    if factors.sigma.size == 0:
        return 0.0
    rows, columns = A.shape
    size = abs(A)
    dx = factors.solve(residual).astype(EXTENDED)
    step = A @ dx
    rest = residual - step
    u = EXTENDED_EPS * (max(rows, columns) + 4)
    rest_error = u * (size @ (np.abs(x_star) + np.abs(dx)) + np.abs(b) + np.abs(residual))
    gradient = A.T @ rest
    gradient_error = u * (size.T @ np.abs(rest)) + size.T @ rest_error
    sigma_low = float(factors.sigma[-1]) - factors.sigma_error  # positive: smaller ones were left out
    slope = np.linalg.norm(np.asarray(np.abs(gradient) + gradient_error, dtype=np.float64))
    move = np.linalg.norm(np.asarray(np.abs(step) + u * (size @ np.abs(dx)), dtype=np.float64))
    return 0.5 * float(move * (1 + 1e-12) + slope / sigma_low * (1 + 1e-12)) ** 2
