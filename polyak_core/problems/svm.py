"""Dual of the support vector machine: a quadratic function on a box, its minimiser certified."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, EXTENDED, Array
from polyak_core.certificates.active_set.bound import certified
from polyak_core.certificates.active_set.kernel_quadratic import KernelQuadratic
from polyak_core.certificates.active_set.pieces import BoxPieces
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic, FactorQuadratic
from polyak_core.certificates.reference import LONG_SIDE, Reference, takes_long
from polyak_core.checks import Given, one_of, real_number, shown, signs
from polyak_core.display import Formula
from polyak_core.lazy import lazy_property
from polyak_core.lifted.dual_bounds import Dual, HingeDual, SquaredHingeDual
from polyak_core.lifted.form import Form
from polyak_core.lifted.quadratic import Factor, Gram, check_gram
from polyak_core.lifted.screened import gram_form
from polyak_core.matrices.columns import DenseColumns, SparseColumns
from polyak_core.matrices.counted import CountedMatrix, Counts, ScaledGram, SignedRows
from polyak_core.matrices.exact import Whole, affordable, exact_times, exact_transpose_times
from polyak_core.matrices.factors import SMALL_SIDE, factorise
from polyak_core.matrices.kinds import Matrix, checked_matrix, is_dense, stored_entries
from polyak_core.matrices.norm_bounds import squared_norm_bound
from polyak_core.matrices.rbf import rbf_bounds, rbf_kernel
from polyak_core.penalties import Box
from polyak_core.problems.lasso import refuse_eigenbasis
from polyak_core.problems.least_squares import ACCURATE_GRAM
from polyak_core.problems.problem import Problem
from polyak_core.progress.budget import LARGEST_FACTORED

SVM_LOSSES = ("hinge", "squared_hinge")
KERNELS = ("linear", "rbf")
LARGEST_KERNEL = 10_000
FORMULAS = {
    "hinge": "f(a) = C/4 a'Qa - 1'a on 0 <= a <= 1",
    "squared_hinge": "f(a) = 1/2 a'Qa + 1/C ||a||^2 - 1'a on a >= 0",
}


class SvmDual(Formula):
    """h(a) = scale/2 a'Qa + ridge/2 ||a||^2 - 1'a, Q_ij = y_i y_j K(x_i, x_j).

    Hinge: scale = C/2, no ridge, a in [0, 1]; squared hinge: scale = 1, ridge = 2/C, a >= 0.
    """

    def __init__(self, X: Matrix, y: Array, C: float, loss: str, width: float | None) -> None:
        """Keep the arrays; nobody else may change them. No width means the linear kernel."""
        self.size = y.size
        self.mu_restricted = float("nan")
        hinge = loss == "hinge"
        self._C = C
        self.scale, self.ridge = (C / 2, 0.0) if hinge else (1.0, 2 / C)  # C/2 is exact, 2/C is rounded
        with np.errstate(over="ignore"):  # the problem says that L is out of scale then
            self._wide_ridge = EXTENDED(0) if hinge else EXTENDED(2) / EXTENDED(C)
        self.penalty = Box(0.0, 1.0 if hinge else np.inf)
        kernel = "linear kernel" if width is None else f"RBF kernel of width {width:g}"
        self.formula = f"{FORMULAS[loss]}, Q = yy'K, C = {C:g}, {kernel}"
        self._X, self._y, self._width = X, y, width

    @lazy_property
    def _kernel(self) -> Array | None:
        """Q of the RBF kernel, made when it is asked for, since that may take long."""
        if self._width is None:
            return None
        kernel = rbf_kernel(self._X, self._width)
        kernel *= self._y[:, None]
        kernel *= self._y
        return kernel

    @lazy_property
    def _columns(self) -> DenseColumns | SparseColumns:
        """B with Q = B'B, for the linear kernel."""
        if is_dense(self._X):
            return DenseColumns(np.ascontiguousarray((self._y[:, None] * self._X).T))
        return SparseColumns(self._X, self._y)

    @lazy_property
    def _extremes(self) -> tuple[float, float, float]:
        """Smallest and largest eigenvalue of Q, and a bound on their error."""
        if self._kernel is not None and self.size > LARGEST_FACTORED:
            return 0.0, *rbf_bounds(self._kernel, self._y, self._X.shape[1])
        if self._kernel is not None:
            values = np.linalg.eigvalsh(self._kernel)
            return float(values[0]), float(values[-1]), 2 * self.size * EPS * float(values[-1])
        factors = factorise(self._X)
        if factors is None:
            return 0.0, squared_norm_bound(self._X)[0], 0.0
        if factors.sigma.size == 0:
            return 0.0, 0.0, 0.0
        low = float(factors.sigma[-1]) if factors.sigma.size == self.size else 0.0
        high = float(factors.sigma[0])
        return low * low, high * high, 2 * factors.sigma_error * high

    @property
    def L(self) -> float:
        """scale lmax(Q) + ridge."""
        return self.scale * self._extremes[1] + self.ridge

    @property
    def mu(self) -> float:
        """scale lmin(Q) + ridge; lmin(Q) = 0 for a linear kernel with more rows than features."""
        low, _, error = self._extremes
        return self.scale * (low if low > error or self._kernel is None else 0.0) + self.ridge

    @property
    def mu_error(self) -> float:
        """Bound on how far mu may be above scale lmin(Q) + ridge, rounding included."""
        return 4 * EPS * self.mu + (self.scale * self._extremes[2] if self.mu > self.ridge else 0.0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the data, in words."""
        notes = []
        if (self._y == self._y[0]).all():
            notes.append("all labels are equal")
        if self._kernel is not None:
            if self.size > LARGEST_FACTORED:
                words = "L is a proven upper bound by Collatz and Wielandt, not exact; mu of Q is taken as 0"
                return (*notes, f"the kernel matrix is too large for its eigenvalues: {words}")
            singular = self.mu == self.ridge
            return (*notes, *(["the kernel matrix is singular up to rounding"] if singular else []))
        zero = int(np.count_nonzero(self._columns.squares == 0))
        if zero:
            notes.append(f"{zero} zero rows")
        if min(self._X.shape) > SMALL_SIDE:
            words = squared_norm_bound(self._X)[1]
            notes.append(f"X is too large to factorise: L is a proven upper bound ({words}), not exact")
        return tuple(notes)

    @property
    def long_search(self) -> bool:
        """Whether L and x* are sought in a thread of their own."""
        return takes_long(self._X) if self._width is None else self.size > LONG_SIDE

    def _q(self, a: Array) -> Array:
        if self._kernel is not None:
            return np.asarray(self._kernel @ a)
        return self._columns.transpose_times(self._columns.times(a))

    def value(self, x: Array) -> float:
        """h(a)."""
        return float(0.5 * self.scale * (x @ self._q(x)) + 0.5 * self.ridge * (x @ x) - x.sum())

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return self.scale * self._q(x) + self.ridge * x - 1

    @lazy_property
    def extended(self) -> ExtendedQuadratic:
        """h in extended precision."""
        low, high, error = self._extremes
        scale, ridge, c = self.scale, self._wide_ridge, -np.ones(self.size)
        smallest, largest = scale * (low - error), scale * (high + error) * (1 + 1e-6)
        if self._kernel is not None:
            return KernelQuadratic(
                self._kernel, c, scale=scale, ridge=ridge, smallest=smallest, largest=largest
            )
        nothing, smallest = np.zeros(self._columns.shape[0]), max(0.0, smallest)
        return FactorQuadratic(
            self._columns, nothing, c, scale=scale, ridge=ridge, smallest=smallest, largest=largest
        )

    def reference(self, x0: Array) -> Reference:
        """By the active set method."""
        reach = self.penalty.high
        if not np.isfinite(
            reach
        ):  # a_i = C/2 (1 - margin_i)+, and the primal at w = 0 bounds the sum of squares
            reach = 1.01 * self._C / 2 * float(np.sqrt(self.size))
        pieces = BoxPieces(0.0, self.penalty.high, reach)
        reference = certified(self.extended, self.penalty, pieces, self.exact_value)
        if self._kernel is None:
            return reference
        return replace(reference, source=f"{reference.source}; of the kernel matrix as it is in float64")

    def exact_value(self, x: Array) -> Fraction | None:
        """h(a) with no rounding at all, of the constants neither; None where that takes long."""
        data = self._X if self._kernel is None else self._kernel
        if not affordable(data):
            return None
        a, C = Whole.of(x), Fraction(self._C)
        w = exact_transpose_times(data, Whole.of(self._y) * a) if self._kernel is None else None
        square = a.dot(exact_times(data, a)) if w is None else w.dot(w)
        return (C / 4 * square if self.ridge == 0 else square / 2 + a.dot(a) / C) - a.sum()

    def dual(self, reference: Reference) -> Dual | None:
        """Bounds for ``f_star="dual"``: minus the primal value."""
        if reference.gradient is None:
            return None
        if self.ridge == 0:
            return HingeDual(reference.x_star, reference.gradient)
        return SquaredHingeDual(reference.x_star, reference.gradient, self._C)

    def form(self, name: str | None, reference: Reference) -> Form:
        """G where a product with it is cheaper and accurate, else the factor; a kernel has G only."""
        if name is None:
            cheap = self.size**2 <= 2 * stored_entries(self._X) and self.L <= ACCURATE_GRAM * self.mu
            name = "G" if cheap or self._kernel is not None else "A"
        if name == "G":
            check_gram("G", self.size, "'A' needs no more than the data")
            everything = np.ones(self.size, dtype=bool)
            Q = self._columns.gram(everything) if self._kernel is None else self._kernel
            if self.size > LARGEST_FACTORED:
                return Gram(ScaledGram(Q, Counts(), self.scale, self.ridge), reference.x_star)
            gram = self.scale * Q + self.ridge * np.eye(self.size)
            return gram_form(CountedMatrix(gram, Counts()), reference.x_star)
        rows = SignedRows(self._X, np.sqrt(self.scale) * self._y, Counts())
        return Factor(rows, reference.x_star, ridge=self.ridge)


def svm_dual(
    X: Given,
    y: npt.ArrayLike,
    C: float,
    loss: str = "hinge",
    kernel: str = "linear",
    width: float | None = None,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Dual of a support vector machine without intercept, as a minimisation; f* = -(primal optimum).

    Hinge: f(a) = C/4 a'Qa - 1'a on 0 <= a <= 1, the dual of sum hinge + 1/C ||w||^2, w = C/2 sum a_i y_i x_i.
    Squared hinge: f(a) = 1/2 a'Qa + 1/C ||a||^2 - 1'a on a >= 0, the dual of
    1/2 ||w||^2 + C/4 sum max(0, 1 - margin)^2, w = sum a_i y_i x_i. Q_ij = y_i y_j K(x_i, x_j).

    Args:
        X: shape (m, d), a row per observation; dense, or with the linear kernel also sparse (SciPy's arrays
            and matrices of any format, or the X of a `Dataset`), never densified. Where both sides are above
            3000, L is a proven upper bound.
        y: labels +-1, shape (m,).
        C: > 0.
        loss: "hinge" or "squared_hinge".
        kernel: "linear" or "rbf".
        width: of the RBF kernel exp(-||x - x'||^2 / (2 width^2)), > 0; only with kernel="rbf".
        x0: feasible start, shape (m,); zeros by default.
        L: overrides the largest eigenvalue of the Hessian (a wrong L on purpose).
        representation: "G" (1 product of size m x m a step) or, linear kernel only, "A" (2 of size d x m);
            by default the cheaper one that is accurate.

    Returns:
        The problem; x is a, n = m. x* and f* are found on first use: see
        `polyak_core.certificates.active_set.method`.

    Raises:
        ValueError: labels that are not +-1, C <= 0, a width without kernel="rbf" or the reverse, x0
            outside of the box, shapes that do not fit, entries that are not finite, sparse X with RBF kernel.

    >>> problem = svm_dual([[2.0], [-1.0]], [1, -1], C=2.0)
    >>> problem.x_star, problem.f_star
    (array([0., 1.]), -0.5)

    Reference: C. Cortes and V. Vapnik, Support-vector networks, 1995.
    """
    one_of(loss, "loss", SVM_LOSSES)
    one_of(kernel, "kernel", KERNELS)
    points = checked_matrix(X, "X")
    labels = signs(y, points.shape[0], "X")
    weight = _positive(C, "C")
    spread = _width(width, kernel)
    refuse_eigenbasis(representation)
    if kernel == "rbf" and representation == "A":
        raise ValueError("representation 'A' needs a linear kernel; choose 'G', or leave it out.")
    if kernel == "rbf" and not is_dense(points):
        raise ValueError(
            "X is sparse, and an RBF kernel needs it dense: pass X.toarray(), or kernel='linear'."
        )
    if kernel == "rbf" and labels.size > LARGEST_KERNEL:
        raise ValueError(
            f"an RBF kernel of {labels.size} x {labels.size} numbers is too large; it is for up to "
            f"{LARGEST_KERNEL} rows. Take fewer rows, or a linear kernel."
        )
    h = SvmDual(points, labels, weight, loss, spread)
    name = f"SVM dual, {loss.replace('_', ' ')}, {kernel} kernel"
    return Problem(h, h.penalty, x0=x0, L=L, representation=representation, name=name)


def _positive(value: object, name: str) -> float:
    number = real_number(value, name, "a number > 0")
    if number <= 0:
        raise ValueError(f"{name} = {shown(value)} is not allowed: give a number > 0.")
    return number


def _width(width: float | None, kernel: str) -> float | None:
    if kernel == "rbf":
        if width is None:
            raise ValueError("kernel 'rbf' needs width=, a number > 0.")
        return _positive(width, "width")
    if width is not None:
        raise ValueError(f"width = {shown(width)} is for kernel='rbf' only; leave it out.")
    return None
