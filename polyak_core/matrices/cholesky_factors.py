"""Bounds on the spectrum of A'A that a Cholesky decomposition proves, where eigenvalues would take minutes.

Guarantee: if the decomposition of a symmetric M of size k runs to its end in floating point, the smallest
eigenvalue of M is not below -c k eps trace(M) (c = 4 is generous). With M = t I - A'A this bounds sigma_max^2
from above by t, with M = A'A - s I sigma_min^2 from below by s. Power and inverse
iterations say where to try; they prove nothing themselves.

Reference: S. Rump, Verification of positive definiteness, BIT 46, 2006; N. Higham, Accuracy and Stability of
Numerical Algorithms, theorem 10.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from polyak_core.arrays import EPS, Array, norm
from polyak_core.matrices.factors import LEAST_SQUARE, NormalFactors, gram, outer_gram
from polyak_core.matrices.kinds import Matrix
from polyak_core.matrices.norm_bounds import squared_frobenius

SWEEPS, TRIES = 40, 6
ABOVE, BELOW = 1.01, 0.9
"""How far from the estimate the first try lies."""


@dataclass(frozen=True)
class CholeskyFactors(NormalFactors):
    """A'A (or AA' where A is wide) = R'R of full rank; `sigma` holds a bound from above and one from below.

    Attributes:
        R: upper triangular; `basis` is empty.
    """

    R: Array
    exact: ClassVar[bool] = False

    def _invert(self, v: npt.NDArray[Any]) -> Array:
        return np.asarray(scipy.linalg.cho_solve((self.R, False), np.asarray(v, dtype=np.float64)))

    def outside(self, x: Array) -> Array:
        """Nothing where A is tall."""
        return np.zeros(x.size) if self.tall else np.asarray(x - self.A.T @ self._invert(self.A @ x))

    @property
    def full_column_rank(self) -> bool:
        """Proven where A is tall."""
        return self.tall


def cholesky_factors(A: Matrix) -> CholeskyFactors | None:
    """The factors, or None where full rank cannot be proven."""
    if not LEAST_SQUARE < squared_frobenius(A) < 1 / LEAST_SQUARE:
        return None
    M = gram(A) if A.shape[0] >= A.shape[1] else outer_gram(A)
    error = (sum(A.shape) + 10) * EPS * squared_frobenius(A)
    R = _decomposed(M)
    if R is None:
        return None
    top = _proven_above(M, error)
    low = _proven_below(M, R, error)
    if top is None or low is None:
        return None
    sigma = np.sqrt([top, low])
    words = "Cholesky decompositions of " + ("A'A" if A.shape[0] >= A.shape[1] else "AA'")
    return CholeskyFactors(A, np.empty((M.shape[0], 0)), sigma, 4 * EPS * float(sigma[1]), words, R)


def _decomposed(M: Array) -> Array | None:
    try:
        return np.asarray(scipy.linalg.cholesky(M, check_finite=False))
    except scipy.linalg.LinAlgError:
        return None


def _slack(M: Array) -> float:
    return float(4 * (M.shape[0] + 2) * EPS * np.abs(np.diagonal(M)).sum())


def _shifted(M: Array, sign: float, shift: float) -> Array:
    """sign M + shift I."""
    moved = sign * M
    moved[np.diag_indices_from(moved)] += shift
    return moved


def _growth(times: Callable[[Array], Any], size: int) -> float:
    """The largest eigenvalue as a power iteration estimates it."""
    v, grown = np.random.default_rng(0).standard_normal(size), 1.0
    for _ in range(SWEEPS):
        v = np.asarray(times(v / grown), dtype=np.float64)
        grown = float(norm(v))
    return grown


def _proven_above(M: Array, error: float) -> float | None:
    """An upper bound on the largest eigenvalue of a matrix that M approximates up to `error`."""
    guess = ABOVE * _growth(lambda v: M @ v, M.shape[0])
    for _ in range(TRIES):
        moved = _shifted(M, -1.0, guess)
        if _decomposed(moved) is not None:
            return float((guess + _slack(moved) + error) * (1 + 4 * EPS))
        guess *= 1.05
    return None


def _proven_below(M: Array, R: Array, error: float) -> float | None:
    """A positive lower bound on the smallest eigenvalue, if one can be proven."""
    guess = BELOW / _growth(lambda v: scipy.linalg.cho_solve((R, False), v, check_finite=False), M.shape[0])
    for _ in range(TRIES):
        moved = _shifted(M, 1.0, -guess)
        if _decomposed(moved) is not None:
            low = (guess - _slack(moved) - error) * (1 - 4 * EPS)
            return low if low > 0 else None
        guess *= 0.7
    return None
