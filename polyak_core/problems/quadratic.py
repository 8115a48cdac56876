"""Quadratics that are given by their eigenvalues, and spectra to make them of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.certificates.reference import Reference
from polyak_core.checks import finite_array, one_of, real_number, whole_number
from polyak_core.display import Formula
from polyak_core.lifted.form import Form
from polyak_core.lifted.quadratic import Eigenbasis, check_gram, matrix_form
from polyak_core.matrices.factors import smallest_positive
from polyak_core.problems.problem import Problem

SPECTRA = {
    "log": "evenly spaced logarithms from 1/kappa to 1",
    "linear": "evenly spaced from 1/kappa to 1",
    "clusters": "two clusters: half within a factor 2 above 1/kappa, half within a factor 2 below 1",
    "outlier": "one eigenvalue 1/kappa alone, the others log-spaced from 1/sqrt(kappa) to 1",
}
MAX_SIZE = 10_000_000


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
        check_gram(str(name), self.size, f"the eigenbasis needs {self.size} numbers")
        return matrix_form(str(name), np.diag(np.sqrt(self.eigenvalues)), reference.x_star)


def spectrum(kind: str, n: int = 100, condition_number: float = 1e4) -> Array:
    """Eigenvalues in descending order, largest 1, smallest 1/condition_number.

    Args:
        kind: "log", "linear", "clusters" or "outlier" (see `SPECTRA`).
        n: how many, >= 1; n = 1 gives [1.], whatever the condition number.
        condition_number: kappa = largest / smallest, finite and >= 1.

    Returns:
        Array of shape (n,).

    Raises:
        ValueError: unknown kind, n < 1, condition number below 1 or not finite.

    >>> import polyak_core as pc
    >>> pc.spectrum("log", n=3, condition_number=100).tolist()
    [1.0, 0.1, 0.01]
    """
    one_of(kind, "spectrum", tuple(SPECTRA))
    n = whole_number(n, "n", 1, MAX_SIZE)
    kappa = real_number(condition_number, "condition_number", "a number >= 1")
    if kappa < 1:
        raise ValueError(
            f"condition_number = {condition_number!r} is below 1: L/mu is at least 1; give a number >= 1."
        )
    mu = 1.0 / kappa
    if n == 1:
        return np.ones(1)
    if kind == "log":
        values = np.geomspace(1.0, mu, n)
    elif kind == "linear":
        values = np.linspace(1.0, mu, n)
    elif kind == "clusters":
        width = min(2.0, np.sqrt(kappa))
        values = np.concatenate(
            [np.geomspace(1.0, 1 / width, n - n // 2), np.geomspace(mu * width, mu, n // 2)]
        )
    else:
        values = np.append(np.geomspace(1.0, np.sqrt(mu), n - 1), mu)
    values[0], values[-1] = 1.0, mu
    return np.asarray(np.minimum.accumulate(values))


def quadratic(
    eigenvalues: npt.ArrayLike,
    x0: npt.ArrayLike | None = None,
    *,
    x_star: npt.ArrayLike | None = None,
    f_star: float = 0.0,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Quadratic in its eigenbasis: f(x) = f* + 1/2 sum lambda_i (x_i - x*_i)^2.

    Args:
        eigenvalues: shape (n,), none negative.
        x0: start, shape (n,); ones by default.
        x_star: minimiser, shape (n,); zeros by default.
        f_star: minimum.
        L: overrides the largest eigenvalue (a wrong L on purpose).
        representation: "eigenbasis" (default, O(n) a step), "G" or "A".

    Raises:
        ValueError: no eigenvalues, a negative or non-finite one, wrong shapes, L <= 0.

    >>> import polyak_core as pc
    >>> problem = pc.quadratic([1.0, 0.25], x_star=[1.0, 2.0], f_star=3.0, x0=[0.0, 0.0])
    >>> problem.f([0.0, 0.0]), problem.gap([0.0, 0.0]), problem.condition_number
    (4.0, 1.0, 4.0)
    """
    values = finite_array(eigenvalues, "eigenvalues", ndim=1).copy()
    if values.min() < 0:
        raise ValueError(
            f"eigenvalues has a negative entry ({values.min():g}): f would have no minimum; "
            "give numbers >= 0."
        )
    n = values.size
    centre = np.zeros(n) if x_star is None else finite_array(x_star, "x_star", ndim=1).copy()
    if centre.size != n:
        raise ValueError(f"x_star has {centre.size} entries but there are {n} eigenvalues; give one each.")
    minimum = real_number(f_star, "f_star", "a finite number")
    start = np.ones(n) if x0 is None else x0
    return Problem(
        Quadratic(values, centre, minimum), x0=start, L=L, representation=representation, name="quadratic"
    )
