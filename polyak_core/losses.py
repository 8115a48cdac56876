"""The smooth part h of a problem: value, gradient, L, mu, and how points are carried."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from polyak_core.arrays import Array
from polyak_core.forms import Form
from polyak_core.quadratic_forms import Eigenbasis, matrix_form
from polyak_core.reference import Factorisation, Reference, least_squares_reference

LARGEST_DIAGONAL = 10_000


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


class Quadratic:
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
        if self.size > LARGEST_DIAGONAL:
            raise ValueError(
                f"representation {name!r} would need a matrix of {self.size} x {self.size} numbers; it is "
                f"for n <= {LARGEST_DIAGONAL}. Leave it out: the eigenbasis needs {self.size} numbers."
            )
        return matrix_form(str(name), np.diag(np.sqrt(self.eigenvalues)), reference.x_star)


class LeastSquares:
    """h(x) = 1/2 ||Ax - b||^2, A of shape (m, n), b of shape (m,)."""

    def __init__(self, A: Array, b: Array) -> None:
        """Keep the arrays; nobody else may change them."""
        self.A, self.b = A, b
        self.size = A.shape[1]
        self.formula = "f(x) = 1/2 ||Ax - b||^2"

    @cached_property
    def factors(self) -> Factorisation:
        """Singular value decomposition, made once."""
        return Factorisation.of(self.A)

    @property
    def L(self) -> float:
        """Largest eigenvalue of A'A: sigma_max^2."""
        return _square(self.factors.sigma[0]) if self.factors.sigma.size else 0.0

    @property
    def mu(self) -> float:
        """Smallest eigenvalue of A'A: sigma_min^2, 0 if the columns are dependent."""
        return _square(self.factors.sigma[-1]) if self.factors.full_column_rank else 0.0

    @property
    def mu_restricted(self) -> float:
        """Smallest eigenvalue of A'A above 0, NaN if A = 0."""
        return _square(self.factors.sigma[-1]) if self.factors.sigma.size else float("nan")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about A, in words."""
        constant = int(np.count_nonzero(np.ptp(self.A, axis=0) == 0))
        zero = int(np.count_nonzero(~self.A.any(axis=0)))
        found = []
        if not self.factors.full_column_rank:
            found.append(f"A has numerical rank {self.factors.sigma.size} < {self.size} columns, so mu = 0")
        if zero:
            found.append(f"{zero} zero columns")
        if constant > zero:
            found.append(f"{constant - zero} constant columns")
        return tuple(found)

    def value(self, x: Array) -> float:
        """h(x), by subtraction: see the gap of a problem for accuracy."""
        r = self.A @ x - self.b
        return 0.5 * float(r @ r)

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return np.asarray(self.A.T @ (self.A @ x - self.b))

    def reference(self, x0: Array) -> Reference:
        """The minimiser closest to x0."""
        return least_squares_reference(self.A, self.b, self.factors, x0)

    def form(self, name: str | None, reference: Reference) -> Form:
        """Eigenbasis unless another one is asked for."""
        if name in (None, "eigenbasis"):
            return Eigenbasis(self.factors.sigma**2, reference.x_star, self.factors.V)
        return matrix_form(str(name), self.A, reference.x_star)


def _square(sigma: float) -> float:
    """sigma^2, infinite or 0 where it cannot be held: the problem says so in words."""
    return float(sigma) * float(sigma)


def smallest_positive(eigenvalues: Array) -> float:
    """The smallest eigenvalue above zero, NaN if there is none."""
    positive = eigenvalues[eigenvalues > 0]
    return float(positive.min()) if positive.size else float("nan")
