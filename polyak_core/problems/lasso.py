"""LASSO: least squares with an l1 norm, its minimiser certified."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EXTENDED, Array
from polyak_core.certificates.active_set.bound import certified
from polyak_core.certificates.active_set.pieces import L1Pieces
from polyak_core.certificates.active_set.quadratic import FactorQuadratic
from polyak_core.certificates.reference import Reference
from polyak_core.checks import Given, checked_target, checked_weight, one_of
from polyak_core.lazy import lazy_property
from polyak_core.lifted.dual_bounds import LassoDual
from polyak_core.lifted.form import REPRESENTATIONS, Form
from polyak_core.lifted.quadratic import check_gram, matrix_form
from polyak_core.lifted.screened import gram_form
from polyak_core.matrices.columns import DenseColumns, SparseColumns
from polyak_core.matrices.counted import CountedMatrix, Counts
from polyak_core.matrices.exact import Whole, affordable, exact_times
from polyak_core.matrices.factors import gram
from polyak_core.matrices.kinds import Matrix, checked_matrix, is_dense
from polyak_core.penalties import L1
from polyak_core.problems.least_squares import ACCURATE_GRAM, LeastSquares
from polyak_core.problems.problem import Problem


class LassoLoss(LeastSquares):
    """h(x) = 1/2 ||Ax - b||^2 beside lam ||x||_1."""

    def __init__(self, A: Matrix, b: Array, lam: float) -> None:
        """Keep the arrays; nobody else may change them."""
        super().__init__(A, b)
        self.lam = lam
        self.formula = f"f(x) = 1/2 ||Ax - b||^2 + {lam:g} ||x||_1"

    @property
    def mu_restricted(self) -> float:
        """Unknown: it depends on the support."""
        return float("nan")

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of least squares, and lam = 0."""
        if self.lam == 0:
            return (*super().notes, "lam = 0: this is least squares")
        largest = float(np.abs(self.A.T @ self.b).max())
        if self.lam >= largest:
            return (*super().notes, f"lam >= max |A'b| = {largest:g}, so x* = 0")
        return super().notes

    @lazy_property
    def extended(self) -> FactorQuadratic:
        """h in extended precision."""
        columns = DenseColumns(self.A) if is_dense(self.A) else SparseColumns(self.A)
        return FactorQuadratic(
            columns,
            self.b,
            np.zeros(self.size),
            scale=1.0,
            ridge=EXTENDED(0),
            smallest=self.mu_low,
            largest=self.L * (1 + 1e-6),
        )

    def reference(self, x0: Array) -> Reference:
        """By the active set method; for lam = 0 the least squares solution closest to x0."""
        if self.lam == 0:
            return super().reference(x0)
        pull = max(float(np.abs(self.A.T @ self.b).max()), self.lam)  # A'b may cancel to 0 in float64
        unit = pull / self.L if self.L > 0 else 1.0
        return certified(self.extended, L1(self.lam), L1Pieces(self.lam, unit), self.exact_value)

    def exact_value(self, x: Array) -> Fraction | None:
        """f(x) with no rounding at all; None where that takes long."""
        if not affordable(self.A):
            return None
        point = Whole.of(x)
        r = exact_times(self.A, point) - Whole.of(self.b)
        return r.dot(r) / 2 + Fraction(self.lam) * abs(point).sum()

    def dual(self, reference: Reference) -> LassoDual | None:
        """Bounds for ``f_star="dual"``."""
        if self.lam == 0 or reference.gradient is None:
            return None
        residual = 2 * self.value(reference.x_star)
        return LassoDual(self.lam, reference.x_star, reference.gradient, residual)

    def form(self, name: str | None, reference: Reference) -> Form:
        """A'A where a product with it is cheaper and accurate, else A."""
        if self.lam == 0:
            return super().form(name, reference)
        if name is None:
            accurate = self.L <= ACCURATE_GRAM * self.mu
            name = self.cheapest if accurate else "A"
        if name == "G":
            check_gram("G", self.size, "'A' needs no more than the data")
            return gram_form(CountedMatrix(gram(self.A), Counts()), reference.x_star)
        return matrix_form(name, self.A, reference.x_star)


def lasso(
    A: Given,
    b: npt.ArrayLike,
    lam: float,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """LASSO: f(x) = 1/2 ||Ax - b||^2 + lam ||x||_1 (a sum, no mean, no intercept).

    Args:
        A: shape (m, n), as `least_squares` takes it, with the same L and mu.
        b: shape (m,).
        lam: >= 0; 0 is least squares.
        x0: start, shape (n,); zeros by default.
        L: overrides sigma_max^2 (a wrong L on purpose).
        representation: "G" (1 product a step) or "A" (2); by default the cheaper one that is accurate.

    Returns:
        The problem. x* and f* are found on first use: see `polyak_core.certificates.active_set.method`
        for the algorithm and its guarantee.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, lam < 0, L <= 0.

    >>> problem = lasso([[1.0, 0.0], [0.0, 2.0]], [3.0, 1.0], lam=1.0)
    >>> problem.x_star, problem.f_star
    (array([2.  , 0.25]), 2.875)

    Reference: R. Tibshirani, Regression shrinkage and selection via the lasso, 1996.
    """
    matrix = checked_matrix(A, "A")
    target = checked_target(b, matrix.shape[0])
    weight = checked_weight(lam, ", and f would not be convex")
    refuse_eigenbasis(representation)
    return Problem(
        LassoLoss(matrix, target, weight),
        L1(weight) if weight > 0 else None,
        x0=x0,
        L=L,
        representation=representation,
        name="LASSO",
    )


def refuse_eigenbasis(representation: str | None) -> None:
    """A prox by coordinates needs the coordinates of x."""
    if (
        representation is not None
        and one_of(representation, "representation", REPRESENTATIONS) == "eigenbasis"
    ):
        raise ValueError(
            "representation 'eigenbasis' is for problems without penalty: psi acts on the coordinates of x "
            "itself; choose 'A' or 'G', or leave it out."
        )
