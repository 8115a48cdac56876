"""The smooth part h of a problem: value, gradient, L, mu, and how points are carried."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.cholesky_factors import cholesky_factors
from polyak_core.display import Formula
from polyak_core.factors import SMALL_SIDE, Factorisation, Factors, NormalFactors, factorise
from polyak_core.forms import Form
from polyak_core.large_reference import iterative_reference
from polyak_core.norm_bounds import squared_norm_bound
from polyak_core.once import once
from polyak_core.quadratic_forms import Eigenbasis, matrix_form
from polyak_core.reference import Reference, least_squares_reference, takes_long
from polyak_core.sparse import Matrix, column_kinds, stored_entries

LARGEST_GRAM = 10_000
CHOLESKY_SIDE = 6000
"""Up to here the smaller side of A is small enough for Cholesky decompositions."""


class Loss(Protocol):
    """What a `Problem` asks of h."""

    size: int
    formula: str

    @property
    def L(self) -> float:
        """Lipschitz constant of the gradient."""

    @property
    def mu(self) -> float:
        """Strong convexity, 0 if there is none."""

    @property
    def mu_restricted(self) -> float:
        """Smallest curvature above 0, NaN if unknown."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the data, in words."""

    def value(self, x: Array) -> float:
        """h(x) for a plain point of shape (n,)."""

    def grad(self, x: Array) -> Array:
        """Gradient of h, shape (n,)."""

    def reference(self, x0: Array) -> Reference:
        """The minimiser of h reached from x0."""

    def form(self, name: str | None, reference: Reference) -> Form:
        """How points are carried; `name` None lets the loss choose."""


class Quadratic(Formula):
    """h(x) = f* + 1/2 sum lambda_i (x_i - x*_i)^2, eigenvalues of shape (n,), not negative."""

    def __init__(self, eigenvalues: Array, x_star: Array, f_star: float) -> None:
        """Keep the arrays; nobody else may change them."""
        self.eigenvalues = eigenvalues
        self._x_star = x_star
        self._f_star = f_star
        self.size = eigenvalues.size
        self.L = float(eigenvalues.max())
        self.mu = float(eigenvalues.min())
        self.mu_restricted = smallest_positive(eigenvalues)
        self.formula = "f(x) = f* + 1/2 sum lambda_i (x_i - x*_i)^2"
        self.notes: tuple[str, ...] = ()

    def value(self, x: Array) -> float:
        """h(x), by subtraction: see the gap of a problem for accuracy."""
        d = x - self._x_star
        return self._f_star + 0.5 * float(self.eigenvalues @ (d * d))

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return np.asarray(self.eigenvalues * (x - self._x_star))

    def reference(self, x0: Array) -> Reference:
        """What was given."""
        return Reference(self._x_star, self._f_star, 0.0, "given, exact")

    def form(self, name: str | None, reference: Reference) -> Form:
        """Eigenbasis unless another one is asked for."""
        if name in (None, "eigenbasis"):
            return Eigenbasis(self.eigenvalues, reference.x_star)
        _check_gram(str(name), self.size, f"the eigenbasis needs {self.size} numbers")
        return matrix_form(str(name), np.diag(np.sqrt(self.eigenvalues)), reference.x_star)


class LeastSquares(Formula):
    """h(x) = 1/2 ||Ax - b||^2, A of shape (m, n) and of any kind (`polyak_core.sparse`), b of shape (m,)."""

    def __init__(self, A: Matrix, b: Array) -> None:
        """Keep the arrays; nobody else may change them."""
        self.A, self.b = A, b
        self.size = A.shape[1]
        self.formula = "f(x) = 1/2 ||Ax - b||^2"

    @once
    def factors(self) -> Factors | None:
        """The singular values and solves with A'A, made once; None where A is too large."""
        found = factorise(self.A)
        if found is None and min(self.A.shape) <= CHOLESKY_SIDE:
            found = cholesky_factors(self.A)
        return found

    @once
    def _bound(self) -> tuple[float, str]:
        return squared_norm_bound(self.A)

    @property
    def L(self) -> float:
        """Largest eigenvalue of A'A, sigma_max^2; a bound from above where A is too large."""
        if self.factors is None:
            return self._bound[0]
        return _square(self.factors.sigma[0]) if self.factors.sigma.size else 0.0

    @property
    def mu(self) -> float:
        """Smallest eigenvalue of A'A: sigma_min^2, 0 if the columns are dependent or A is too large."""
        known = self.factors is not None and self.factors.full_column_rank
        return _square(self.factors.sigma[-1]) if self.factors is not None and known else 0.0

    @property
    def mu_low(self) -> float:
        """Not above mu, rounding included: what a proof may use."""
        if self.factors is None or not self.mu > 0:
            return 0.0
        return _square(max(0.0, float(self.factors.sigma[-1]) - self.factors.sigma_error)) * (1 - 4 * EPS)

    @property
    def mu_restricted(self) -> float:
        """Smallest eigenvalue of A'A above 0, NaN if A = 0 or too large."""
        known = self.factors is not None and self.factors.sigma.size > 0
        return _square(self.factors.sigma[-1]) if self.factors is not None and known else float("nan")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about A, in words."""
        zero, constant = column_kinds(self.A)
        if self.factors is not None:
            found = _rank_notes(self.A, self.factors)
        else:
            found = [
                f"A is too large to factorise: L is a proven upper bound ({self._bound[1]}), not exact; "
                "mu is unknown, 0 is used"
            ]
        if zero:
            found.append(f"{zero} zero columns")
        if constant:
            found.append(f"{constant} constant columns")
        return tuple(found)

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
        if self.factors is None:
            return iterative_reference(self.A, self.b, x0)
        return least_squares_reference(self.A, self.b, self.factors, x0)

    def form(self, name: str | None, reference: Reference) -> Form:
        """Eigenbasis where there is one and no other is asked for, else what costs least."""
        factors = self.factors
        if isinstance(factors, Factorisation) and name in (None, "eigenbasis"):
            return Eigenbasis(factors.sigma**2, reference.x_star, factors.V)
        if name == "eigenbasis":
            if not (isinstance(factors, NormalFactors) and factors.tall and factors.exact):
                raise ValueError(
                    f"representation 'eigenbasis' needs a matrix of few columns: at most {SMALL_SIDE} and no "
                    f"more than rows; A has shape {self.A.shape}. Leave it out, or give 'A'."
                )
            return Eigenbasis(factors.sigma**2, reference.x_star, factors.basis)
        if name == "G":
            _check_gram(name, self.size, "'A' needs no more than A itself")
        return matrix_form(name or self.cheapest, self.A, reference.x_star)

    @property
    def cheapest(self) -> str:
        """G where a product with A'A costs less than two with A, else A."""
        return "G" if self.size <= SMALL_SIDE and self.size**2 <= 2 * stored_entries(self.A) else "A"


def _check_gram(name: str, size: int, instead: str) -> None:
    if size > LARGEST_GRAM:
        raise ValueError(
            f"representation {name!r} would need a matrix of {size} x {size} numbers; it is for "
            f"n <= {LARGEST_GRAM}. Leave it out: {instead}."
        )


def _rank_notes(A: Matrix, factors: Factors) -> list[str]:
    """Where the spectrum comes from, and whether columns are dependent."""
    found = []
    if isinstance(factors, NormalFactors):
        known = (
            "exact but for rounding"
            if factors.exact
            else "proven bounds from above and from below, not exact"
        )
        found.append(f"L and mu are {known}: {factors.words}")
    if not factors.full_column_rank:
        found.append(f"A has numerical rank {factors.sigma.size} < {factors.columns} columns, so mu = 0")
    return found


def _square(sigma: float) -> float:
    """sigma^2, infinite or 0 where it cannot be held: the problem says so in words."""
    return float(sigma) * float(sigma)


def smallest_positive(eigenvalues: Array) -> float:
    """The smallest eigenvalue above zero, NaN if there is none."""
    positive = eigenvalues[eigenvalues > 0]
    return float(positive.min()) if positive.size else float("nan")
