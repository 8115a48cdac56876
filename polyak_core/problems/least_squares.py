"""Least squares: h(x) = 1/2 ||Ax - b||^2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array
from polyak_core.certificates.least_squares import iterative_reference
from polyak_core.certificates.reference import Reference, least_squares_reference, takes_long
from polyak_core.checks import Given, checked_target
from polyak_core.display import Formula
from polyak_core.lazy import lazy_property
from polyak_core.lifted.form import Form
from polyak_core.lifted.quadratic import Eigenbasis, check_gram, matrix_form
from polyak_core.matrices.cholesky_factors import cholesky_factors
from polyak_core.matrices.equilibrated import CHOLESKY_SIDE, Equilibrated, equilibrated
from polyak_core.matrices.factors import SMALL_SIDE, Factorisation, Factors, NormalFactors, factorise
from polyak_core.matrices.kinds import Centred, Matrix, about_columns, checked_matrix, stored_entries
from polyak_core.matrices.norm_bounds import squared_frobenius, squared_norm_bound
from polyak_core.problems.problem import Problem

ACCURATE = 1e-9
"""Relative error up to which sigma_min is taken from the spectrum of A as it is."""
RESOLVED = 1e-3
"""Relative error up to which the spectrum of A tells the curvature of every direction."""
ACCURATE_GRAM = 1e8
"""Up to this condition number a product with the rounded A'A replaces products with A and A'."""


class LeastSquares(Formula):
    """h(x) = 1/2 ||Ax - b||^2, A of shape (m, n), b of shape (m,)."""

    def __init__(self, A: Matrix, b: Array) -> None:
        """Keep the arrays; nobody else may change them."""
        self.A, self.b = A, b
        self.size = A.shape[1]
        self.formula = "f(x) = 1/2 ||Ax - b||^2"

    @lazy_property
    def cancellation(self) -> float:
        """Size of the terms of A'A relative to their sum; 1 except for centred data."""
        if not isinstance(self.A, Centred) or not self.L > 0:
            return 1.0
        return max(1.0, squared_frobenius(self.A) / self.L)

    @lazy_property
    def factors(self) -> Factors | None:
        """The singular values, made once; None where A is too large."""
        factors = factorise(self.A)
        if factors is None and min(self.A.shape) <= CHOLESKY_SIDE:
            factors = cholesky_factors(self.A)
        return factors

    @lazy_property
    def equilibrated(self) -> Equilibrated | None:
        """What tells the rank, and solves with A'A, made once; None where A is too large."""
        return equilibrated(self.A)

    @lazy_property
    def _bound(self) -> tuple[float, str]:
        return squared_norm_bound(self.A)

    @property
    def L(self) -> float:
        """Largest eigenvalue of A'A, sigma_max^2; a bound from above where A is too large."""
        if self.factors is None:
            return self._bound[0]
        return _square(self.factors.sigma[0]) if self.factors.sigma.size else 0.0

    @lazy_property
    def _smallest(self) -> tuple[float, float]:
        """sigma_min and a bound on its error, or zeros where full column rank is not proven."""
        exact = self.equilibrated
        if exact is None or not exact.full_column_rank:
            return 0.0, 0.0
        factors = self.factors
        if factors is not None and factors.full_column_rank:
            sigma = float(factors.sigma[-1])
            if factors.sigma_error <= ACCURATE * sigma:
                return sigma, factors.sigma_error
        return exact.smallest_singular_value()

    @property
    def mu(self) -> float:
        """Smallest eigenvalue of A'A: sigma_min^2, 0 if the columns may be dependent or A is too large."""
        return _square(self._smallest[0])

    @property
    def mu_error(self) -> float:
        """Bound on how far mu may be above the smallest eigenvalue of A'A, rounding included."""
        sigma, error = self._smallest
        return error * (2 * sigma + error) * (1 + 8 * EPS) + 4 * EPS * self.mu

    @property
    def mu_low(self) -> float:
        """A proven lower bound on the smallest eigenvalue of A'A."""
        return max(0.0, self.mu - self.mu_error) * (1 - 4 * EPS)

    @property
    def mu_restricted(self) -> float:
        """Smallest eigenvalue of A'A above 0, NaN if A = 0 or too large."""
        if self.mu > 0:
            return self.mu
        known = self.factors is not None and self.factors.sigma.size > 0
        return _square(self.factors.sigma[-1]) if self.factors is not None and known else float("nan")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about A, in words."""
        if self.factors is not None:
            notes = _spectrum_notes(self.factors)
        else:
            notes = [
                f"A is too large to factorise: L is a proven upper bound ({self._bound[1]}), not exact; "
                "mu is unknown, 0 is used"
            ]
        exact = self.equilibrated
        if exact is not None and not exact.full_column_rank:
            notes.append(f"A has numerical rank {exact.rank} < {self.size} columns, so mu = 0")
        return (*notes, *about_columns(self.A))

    @property
    def long_search(self) -> bool:
        """Whether L and x* are sought in a thread of their own."""
        return takes_long(self.A)

    def value(self, x: Array) -> float:
        """h(x), by subtraction: see the gap of a problem for accuracy."""
        r = self.A @ x - self.b
        return 0.5 * float(r @ r)

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return np.asarray(self.A.T @ (self.A @ x - self.b))

    def reference(self, x0: Array) -> Reference:
        """The minimiser closest to x0."""
        exact = self.equilibrated
        if exact is None:
            return iterative_reference(self.A, self.b, x0)
        start, closest = x0, None
        if self.factors is not None and not exact.full_column_rank:
            start, closest = self.factors.outside(x0), self.factors.solve
        reference = least_squares_reference(self.b, exact, start, closest)
        level = 0.0 if self._resolved else self._rounded_gap(x0, reference)
        return replace(reference, level=max(reference.level or 0.0, level))

    @property
    def _resolved(self) -> bool:
        """Whether the spectrum of A shows every direction, with a curvature that is right to a few digits."""
        exact, factors = self.equilibrated, self.factors
        if exact is None or factors is None or (factors.exact and factors.sigma.size != exact.rank):
            return False
        size = squared_frobenius(self.A)
        if isinstance(self.A, Centred) and size > 1e4 * min(self.A.shape) * self.L:
            return False  # the means are far larger than the centred data
        rounding = EPS * max(self.A.shape) * float(np.sqrt(size))
        return bool(factors.sigma.size and rounding <= RESOLVED * factors.sigma[-1])

    def _rounded_gap(self, x0: Array, reference: Reference) -> float:
        """A gap far above that which the rounding of A (x0 - x*) makes."""
        size = abs(self.A) @ np.abs(x0 - reference.x_star)
        return 1e5 * EPS**2 * float(size @ size)

    def form(self, name: str | None, reference: Reference) -> Form:
        """Eigenbasis where there is one and no other is asked for, else what costs least."""
        if name is None:
            if isinstance(self.factors, Factorisation) and self._resolved:
                name = "eigenbasis"
            else:
                size = squared_frobenius(self.A) if isinstance(self.A, Centred) else self.L
                accurate = self._resolved and size <= ACCURATE_GRAM * self.mu_restricted
                name = self.cheapest if accurate else "A"
        if name == "eigenbasis":
            return self._eigenbasis(reference)
        if name == "G":
            check_gram(name, self.size, "'A' needs no more than A itself")
        return matrix_form(name, self.A, reference.x_star, reference.rest)

    def _eigenbasis(self, reference: Reference) -> Eigenbasis:
        factors = self.factors
        if isinstance(factors, Factorisation):
            basis = factors.V
        elif isinstance(factors, NormalFactors) and factors.tall and factors.exact:
            basis = factors.basis
        else:
            raise ValueError(
                f"representation 'eigenbasis' needs a matrix of few columns: at most {SMALL_SIDE} and no "
                f"more than rows; A has shape {self.A.shape}. Leave it out, or give 'A'."
            )
        eigenvalues = factors.sigma**2
        if self.mu > 0 and eigenvalues.size == self.size:
            eigenvalues[-1] = self.mu
        return Eigenbasis(eigenvalues, reference.x_star, basis, reference.rest)

    @property
    def cheapest(self) -> str:
        """G where a product with A'A costs less than two with A, else A."""
        return "G" if self.size <= SMALL_SIDE and self.size**2 <= 2 * stored_entries(self.A) else "A"


def _spectrum_notes(factors: Factors) -> list[str]:
    """Where the spectrum comes from."""
    notes = []
    if isinstance(factors, NormalFactors):
        accuracy = (
            "exact but for rounding"
            if factors.exact
            else "proven bounds from above and from below, not exact"
        )
        notes.append(f"L and mu are {accuracy}: {factors.words}")
    return notes


def _square(sigma: float) -> float:
    """sigma^2, infinite or 0 where it cannot be held: the problem says so in words."""
    return float(sigma) * float(sigma)


def least_squares(
    A: Given,
    b: npt.ArrayLike,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Least squares: f(x) = 1/2 ||Ax - b||^2 (a sum, no mean, no intercept).

    Args:
        A: shape (m, n), dense or sparse (SciPy's arrays and matrices of any format, or the X of a `Dataset`),
            never densified; L = sigma_max^2, mu = sigma_min^2, or 0 if the column rank may be below n
            (`Problem.mu_error` says how far it may be too high). Where both sides are above 3000, L is a
            proven upper bound and mu at most the true one.
        b: shape (m,).
        x0: start, shape (n,); zeros by default.
        L: overrides sigma_max^2 (a wrong L on purpose).
        representation: "eigenbasis" (default for dense A: 0 products a step), "G" (1) or "A" (2).

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, L <= 0.

    >>> import polyak_core as pc
    >>> problem = pc.least_squares([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [2.0, 1.0, 1.0])
    >>> problem.L, problem.mu, problem.f_star
    (4.0, 1.0, 0.5)
    """
    matrix = checked_matrix(A, "A")
    target = checked_target(b, matrix.shape[0])
    return Problem(
        LeastSquares(matrix, target), x0=x0, L=L, representation=representation, name="least squares"
    )
