"""Dual of the support vector machine: a quadratic function on a box, its minimiser certified."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array, Scalar, finite_array, inner, one_of, real_number
from polyak_core.dual import Dual, HingeDual, SquaredHingeDual
from polyak_core.extended_quadratic import ExtendedQuadratic, FactorQuadratic, KernelQuadratic
from polyak_core.forms import Form
from polyak_core.lasso import ACCURATE_GRAM, dense_matrix, refuse_eigenbasis
from polyak_core.optimality import certified
from polyak_core.oracle import CountedMatrix, Counts
from polyak_core.penalties import Box
from polyak_core.pieces import BoxPieces
from polyak_core.problem import Problem
from polyak_core.quadratic_forms import Factor, Gram, matrix_form
from polyak_core.reference import Reference

SVM_LOSSES = ("hinge", "squared_hinge")
KERNELS = ("linear", "rbf")
LARGEST_KERNEL = 10_000
FORMULAS = {
    "hinge": "f(a) = C/4 a'Qa - 1'a on 0 <= a <= 1",
    "squared_hinge": "f(a) = 1/2 a'Qa + 1/C ||a||^2 - 1'a on a >= 0",
}


class RidgeFactor(Factor):
    """`Factor` for G = A'A + ridge I: two products a step as well."""

    def __init__(self, matrix: CountedMatrix, x_star: Array, ridge: float) -> None:
        """A, x* and the ridge."""
        super().__init__(matrix, x_star)
        self._ridge = ridge

    def energy(self, z: Array) -> Scalar:
        """1/2 ||A d||^2 + ridge/2 ||d||^2."""
        d = self.displacement(z)
        return super().energy(z) + 0.5 * self._ridge * inner(d, d)

    def relift(self, d: Array) -> Array:
        """Two products."""
        image = self._matrix.times(d)
        pull = self._matrix.transpose_times(image) + self._ridge * d
        return np.concatenate([d, image, pull], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return super().energy_at(d) + 0.5 * self._ridge * inner(d, d)

    def counted_by(self, counts: Counts) -> RidgeFactor:
        """The same matrix under another counter."""
        return RidgeFactor(self._matrix.counted_by(counts), self._x_star, self._ridge)


class SvmDual:
    """h(a) = scale/2 a'Qa + ridge/2 ||a||^2 - 1'a, Q_ij = y_i y_j K(x_i, x_j).

    Hinge: scale = C/2, no ridge, a in [0, 1]; squared hinge: scale = 1, ridge = 2/C, a >= 0.
    """

    def __init__(self, X: Array, y: Array, C: float, loss: str, width: float | None) -> None:
        """Keep the arrays; nobody else may change them. No width means the linear kernel."""
        self.size = y.size
        self.mu_restricted = float("nan")
        hinge = loss == "hinge"
        self._C = C
        self.scale, self.ridge = (C / 2, 0.0) if hinge else (1.0, 2 / C)
        self.penalty = Box(0.0, 1.0 if hinge else np.inf)
        kernel = "linear kernel" if width is None else f"RBF kernel of width {width:g}"
        self.formula = f"{FORMULAS[loss]}, Q = yy'K, C = {C:g}, {kernel}"
        self._rows = np.ascontiguousarray((y[:, None] * X).T)  # B with Q = B'B
        self._kernel = None if width is None else y[:, None] * rbf_kernel(X, width) * y
        self._one_label = bool((y == y[0]).all())

    @cached_property
    def _extremes(self) -> tuple[float, float, float]:
        """Smallest (0 if it is rounding) and largest eigenvalue of Q, and a bound on their error."""
        if self._kernel is not None:
            values = np.linalg.eigvalsh(self._kernel)
            error = 2 * self.size * EPS * float(values[-1])
            return (float(values[0]) if values[0] > error else 0.0), float(values[-1]), error
        sigma = np.linalg.svd(self._rows, compute_uv=False)
        cut = max(self._rows.shape) * EPS * sigma[0]
        full = sigma.size == self.size and sigma[-1] > cut
        return (float(sigma[-1]) ** 2 if full else 0.0), float(sigma[0]) ** 2, float(2 * cut * sigma[0])

    @property
    def L(self) -> float:
        """scale lmax(Q) + ridge."""
        return self.scale * self._extremes[1] + self.ridge

    @property
    def mu(self) -> float:
        """scale lmin(Q) + ridge; lmin(Q) = 0 for a linear kernel with more rows than features."""
        return self.scale * self._extremes[0] + self.ridge

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the data, in words."""
        found = []
        if self._one_label:
            found.append("all labels are equal")
        zero = int(np.count_nonzero(~self._rows.any(axis=0)))
        if zero and self._kernel is None:
            found.append(f"{zero} zero rows")
        if self.mu == 0 and self._kernel is not None:
            found.append("the kernel matrix is singular up to rounding, so mu = 0")
        return tuple(found)

    def _q(self, a: Array) -> Array:
        if self._kernel is not None:
            return np.asarray(self._kernel @ a)
        return np.asarray(self._rows.T @ (self._rows @ a))

    def value(self, x: Array) -> float:
        """h(a)."""
        return float(0.5 * self.scale * (x @ self._q(x)) + 0.5 * self.ridge * (x @ x) - x.sum())

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return self.scale * self._q(x) + self.ridge * x - 1

    @cached_property
    def extended(self) -> ExtendedQuadratic:
        """h in extended precision."""
        low, high, error = self._extremes
        largest = self.scale * (high + error) * (1 + 1e-6)
        c = -np.ones(self.size)
        if self._kernel is None:
            smallest = self.scale * max(0.0, low - error)
            nothing = np.zeros(self._rows.shape[0])
            return FactorQuadratic(self._rows, nothing, c, self.scale, self.ridge, smallest, largest)
        smallest = self.scale * (low - error)
        return KernelQuadratic(self._kernel, c, self.scale, self.ridge, smallest, largest)

    def reference(self, x0: Array) -> Reference:
        """By the active set method."""
        reach = self.penalty.high
        if not np.isfinite(
            reach
        ):  # a_i = C/2 (1 - margin_i)+, and the primal at w = 0 bounds the sum of squares
            reach = 1.01 * self._C / 2 * float(np.sqrt(self.size))
        return certified(self.extended, self.penalty, BoxPieces(0.0, self.penalty.high, reach))

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
            features = self._rows.shape[0]
            cheap = self.size <= 2 * features and self.L <= ACCURATE_GRAM * self.mu
            name = "G" if cheap or self._kernel is not None else "A"
        if name == "G":
            Q = self._rows.T @ self._rows if self._kernel is None else self._kernel
            gram = self.scale * Q + self.ridge * np.eye(self.size)
            return Gram(CountedMatrix(gram, Counts()), reference.x_star)
        root = np.sqrt(self.scale) * self._rows
        if self.ridge == 0:
            return matrix_form("A", root, reference.x_star)
        return RidgeFactor(CountedMatrix(root, Counts()), reference.x_star, self.ridge)


def rbf_kernel(X: Array, width: float) -> Array:
    """exp(-||x_i - x_j||^2 / (2 width^2)), from differences, so that equal rows give exactly 1."""
    squared = np.zeros((X.shape[0], X.shape[0]))
    with np.errstate(over="ignore", under="ignore"):
        for column in X.T:
            squared += np.square((column[:, None] - column) / width)
        return np.exp(-0.5 * squared)


def svm_dual(
    X: npt.ArrayLike,
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
        X: dense, shape (m, d), a row per observation.
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
        The problem; x is a, n = m. x* and f* are found on first use: see `polyak_core.active_set`.

    Raises:
        ValueError: labels that are not +-1, C <= 0, a width without kernel="rbf" or the reverse, x0
            outside of the box, shapes that do not fit, entries that are not finite, sparse X.

    >>> problem = svm_dual([[2.0], [-1.0]], [1, -1], C=2.0)
    >>> problem.x_star, problem.f_star
    (array([0., 1.]), -0.5)

    Reference: C. Cortes and V. Vapnik, Support-vector networks, 1995.
    """
    one_of(loss, "loss", SVM_LOSSES)
    one_of(kernel, "kernel", KERNELS)
    points, labels = dense_matrix(X, "X"), signs(y, "y")
    if labels.size != points.shape[0]:
        raise ValueError(
            f"y has {labels.size} entries but X has {points.shape[0]} rows; give one label a row."
        )
    weight = _positive(C, "C")
    spread = _width(width, kernel)
    refuse_eigenbasis(representation)
    if kernel == "rbf" and representation == "A":
        raise ValueError("representation 'A' needs a linear kernel; choose 'G', or leave it out.")
    if kernel == "rbf" and labels.size > LARGEST_KERNEL:
        raise ValueError(
            f"an RBF kernel of {labels.size} x {labels.size} numbers is too large; it is for up to "
            f"{LARGEST_KERNEL} rows. Take fewer rows, or a linear kernel."
        )
    h = SvmDual(points, labels, weight, loss, spread)
    name = f"SVM dual, {loss.replace('_', ' ')}, {kernel} kernel"
    return Problem(h, h.penalty, x0=x0, L=L, representation=representation, name=name)


def signs(y: npt.ArrayLike, name: str) -> Array:
    """Labels +-1, a copy, or a ValueError in words."""
    labels = finite_array(y, name, ndim=1).copy()
    wrong = labels[np.abs(labels) != 1]
    if wrong.size:
        raise ValueError(
            f"{name} has {wrong.size} labels that are not +-1 (one is {wrong[0]:g}); use -1 and +1."
        )
    return labels


def _positive(value: object, name: str) -> float:
    number = real_number(value, name, "a number > 0")
    if number <= 0:
        raise ValueError(f"{name} = {value!r} is not allowed: give a number > 0.")
    return number


def _width(width: float | None, kernel: str) -> float | None:
    if kernel == "rbf":
        if width is None:
            raise ValueError("kernel 'rbf' needs width=, a number > 0.")
        return _positive(width, "width")
    if width is not None:
        raise ValueError(f"width = {width!r} is for kernel='rbf' only; leave it out.")
    return None
