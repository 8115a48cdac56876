"""Regularised logistic regression: the loss and its ready problem."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.certificates.logistic import logistic_reference
from polyak_core.certificates.logistic_sample import Sample
from polyak_core.certificates.reference import Reference, takes_long
from polyak_core.certificates.separation import takes_long_to_tell
from polyak_core.checks import Given, checked_weight, one_of, signs
from polyak_core.display import Formula
from polyak_core.lazy import lazy_property
from polyak_core.lifted.dual_bounds import StrongConvexityDual
from polyak_core.lifted.form import Form
from polyak_core.lifted.logistic import MarginForm
from polyak_core.matrices.counted import CountedMatrix, Counts
from polyak_core.matrices.factors import Factors, factorise
from polyak_core.matrices.kinds import Matrix, about_columns, checked_matrix
from polyak_core.matrices.norm_bounds import squared_norm_bound
from polyak_core.problems.problem import Problem


class Logistic(Formula):
    """h(x) = sum_i log(1 + exp(-y_i a_i'x)) + lam ||x||^2, labels y = +-1 of shape (m,).

    A has shape (m, n) and may be of any kind (`polyak_core.matrices.kinds`).
    """

    mu_restricted = float("nan")

    def __init__(self, A: Matrix, labels: Array, lam: float) -> None:
        """Keep the arrays; nobody else may change them."""
        self.A, self.labels, self.lam = A, labels, lam
        self.size = A.shape[1]
        self.mu = 2 * lam
        self.formula = f"f(x) = sum log(1 + exp(-y_i a_i'x)) + {lam:g} ||x||^2"

    @lazy_property
    def factors(self) -> Factors | None:
        """The singular values, made once; None where A is too large."""
        return factorise(self.A)

    @lazy_property
    def _bound(self) -> tuple[float, str]:
        return squared_norm_bound(self.A)

    @property
    def L(self) -> float:
        """sigma_max^2/4 + 2 lam: the second derivative of log(1 + e^-m) is at most 1/4.

        A bound from above where A is too large.
        """
        if self.factors is None:
            squared = self._bound[0]
        else:
            sigma = float(self.factors.sigma[0]) if self.factors.sigma.size else 0.0
            squared = sigma * sigma
        return squared / 4 + 2 * self.lam

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the data, in words."""
        notes = []
        if self.factors is None:
            notes.append(
                f"A is too large to factorise: L is a proven upper bound ({self._bound[1]}), not exact"
            )
        notes += about_columns(self.A)
        if np.ptp(self.labels) == 0:
            notes.append(f"all labels are {self.labels[0]:+g}")
        if self.lam == 0:
            notes.append("lam = 0, so mu = 0, and no minimiser exists if a plane separates the classes")
        return tuple(notes)

    @property
    def long_search(self) -> bool:
        """Whether L and x* are sought in a thread of their own."""
        return takes_long(self.A) or (self.lam == 0 and takes_long_to_tell(self.A))

    @lazy_property
    def _sample(self) -> Sample:
        return Sample(self.A, self.labels, self.lam, self.factors)

    def value(self, x: Array) -> float:
        """h(x); see the gap of a problem for accuracy near the minimum."""
        return self._sample.value(x)

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return self._sample.grad(x)

    def reference(self, x0: Array) -> Reference:
        """The minimiser; the one reached from x0 if lam = 0 and the columns are dependent."""
        return logistic_reference(self._sample, x0)

    def dual(self, reference: Reference) -> StrongConvexityDual | None:
        """Bounds for ``f_star="dual"``; none for lam = 0."""
        return StrongConvexityDual(self.mu) if self.mu > 0 else None

    def form(self, name: str | None, reference: Reference) -> Form:
        """The only one there is, by name "A"."""
        return MarginForm(CountedMatrix(self.A, Counts()), self.labels, self.lam, reference.x_star)


def logistic(
    A: Given,
    y: npt.ArrayLike,
    lam: float,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Regularised logistic regression: f(x) = sum_i log(1 + exp(-y_i a_i'x)) + lam ||x||^2.

    A sum, no mean; no 1/2 before lam; no intercept. L = sigma_max^2/4 + 2 lam, mu = 2 lam. x* and f* by
    Newton's method in extended precision, on first use.

    Args:
        A: shape (m, n), a row a sample; dense or sparse (SciPy's arrays and matrices of any format, or the X
            of a `Dataset`), never densified. Where it is too large to factorise, L is a proven upper bound.
        y: labels, shape (m,), each +1 or -1.
        lam: >= 0; with 0 there is no minimiser if a plane through the origin separates the classes, and a
            ValueError says so when x* is asked for.
        x0: start, shape (n,); zeros by default.
        L: overrides the Lipschitz constant (a wrong L on purpose).
        representation: "A" is the only one (2 products a step, 1 more for an estimate).

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, labels not +-1, lam < 0, L <= 0.

    >>> import polyak_core as pc
    >>> problem = pc.logistic([[1.0, 2.0], [-2.0, 1.0], [1.0, -1.0]], [1, -1, -1], lam=0.05)
    >>> round(problem.L, 4), problem.mu
    (1.85, 0.1)
    """
    if representation is not None:
        one_of(representation, "representation of a logistic problem", ("A",))
    matrix = checked_matrix(A, "A")
    labels = signs(y, matrix.shape[0], "A")
    weight = checked_weight(lam, ", so f would have no minimum")
    return Problem(
        Logistic(matrix, labels, weight), x0=x0, L=L, representation=representation, name="logistic"
    )
