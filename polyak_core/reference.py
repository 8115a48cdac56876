"""x* and f* to the last bit that float64 can hold, with a proven bound on what is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array

Extended = npt.NDArray[np.longdouble]
EXTENDED_EPS = float(np.finfo(np.longdouble).eps)
REFINEMENTS = 3


@dataclass(frozen=True)
class Reference:
    """A certified solution.

    Attributes:
        x_star: the stored float64 minimiser.
        f_star: the minimum, rounded to float64.
        error: bound on f(x_star) - min f for the stored x_star, rounding included.
        source: how it was found, in words.
        gradient: grad h(x*), such that its negative is a subgradient of psi at x*; None where psi = 0.
    """

    x_star: Array
    f_star: float
    error: float
    source: str
    gradient: Array | None = None


@dataclass(frozen=True)
class Factorisation:
    """A = U diag(sigma) V', singular values below `cut` left out.

    Attributes:
        U, sigma, V: the kept factors, shapes (m, r), (r,), (n, r).
        columns: n, so that r < n says that the columns are dependent.
        sigma_error: `cut`, a generous bound on the rounding error of each singular value.
    """

    U: Array
    sigma: Array
    V: Array
    columns: int
    sigma_error: float

    @classmethod
    def of(cls, A: Array) -> Factorisation:
        """Singular value decomposition with the usual numerical rank."""
        U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
        cut = max(A.shape) * EPS * sigma[0]
        rank = int(np.count_nonzero(sigma > cut))
        return cls(U[:, :rank], sigma[:rank], np.ascontiguousarray(Vt[:rank].T), A.shape[1], float(cut))

    @property
    def full_column_rank(self) -> bool:
        """Whether the minimiser of a least squares problem is unique."""
        return self.sigma.size == self.columns

    def solve(self, r: Array) -> Array:
        """The shortest x that brings A x closest to r."""
        return np.asarray(self.V @ ((self.U.T @ r) / self.sigma))

    def correction(self, f: Extended, g: Extended) -> tuple[Array, Extended]:
        """The (dx, dr) with dr + A dx = f and A'dr = g.

        Refining the residual together with x keeps its size, which may be large, out of the error of x.
        Reference: Bjorck 1967, Iterative refinement of linear least squares solutions.
        """
        short = np.asarray(f, dtype=np.float64)
        c = self.U.T @ short - (self.V.T @ np.asarray(g, dtype=np.float64)) / self.sigma
        return np.asarray(self.V @ (c / self.sigma)), f - self.U @ c


def least_squares_reference(A: Array, b: Array, factors: Factorisation, x0: Array) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2 closest to x0, refined in extended precision.

    Guarantee: with r = b - A x_star, f(x_star) - min f = 1/2 ||P r||^2, P the projection onto the
    range of A. For any dx, ||P r|| <= ||A dx|| + ||A'(r - A dx)|| / sigma_min; dx is one more
    refinement, and every product is bounded with its own rounding error.
    """
    wide, b_wide = A.astype(np.longdouble), b.astype(np.longdouble)
    start = x0 - factors.V @ (factors.V.T @ x0)  # the part that no step ever changes
    x: Extended = (start + factors.solve(b - A @ start)).astype(np.longdouble)
    r: Extended = b_wide - wide @ x
    for _ in range(REFINEMENTS):
        dx, dr = factors.correction(b_wide - r - wide @ x, -(wide.T @ r))
        x, r = x + dx, r + dr
    x_star = np.asarray(x, dtype=np.float64)
    residual = b_wide - wide @ x_star.astype(np.longdouble)
    error = _excess_bound(wide, b_wide, x_star, residual, factors)
    precision = "extended" if EXTENDED_EPS < EPS else "double (no wider type on this machine)"
    words = [f"singular value decomposition and {REFINEMENTS} refinements in {precision} precision"]
    if not factors.full_column_rank:
        words.append(f"numerical rank {factors.sigma.size} of {factors.columns} taken as exact")
    return Reference(x_star, float(0.5 * (residual @ residual)), error, "; ".join(words))


def _excess_bound(
    A: Extended, b: Extended, x_star: Array, residual: Extended, factors: Factorisation
) -> float:
    """Bound on 1/2 ||P r||^2."""
    if factors.sigma.size == 0:
        return 0.0
    rows, columns = A.shape
    size = np.abs(A)
    dx = factors.solve(np.asarray(residual, dtype=np.float64)).astype(np.longdouble)
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
