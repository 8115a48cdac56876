"""x* and f* of the logistic loss: Newton's method, refined and certified in extended precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy

from polyak_core.arrays import EPS, EXTENDED, EXTENDED_EPS, PRECISION, Array, Extended
from polyak_core.factors import Factorisation, Factors, NormalFactors
from polyak_core.reference import Reference
from polyak_core.sparse import Centred, Matrix, dense_blocks
from polyak_core.watch import step as watched_step

NEWTON_STEPS = 1000
"""A separable sample needs about log(1/lam) of them, others about ten."""
REFINEMENTS = 8
BALL = 0.1
"""Radius, times the longest row, of the ball in which curvature falls to e^-BALL of that in its centre."""
BLOCK_ROWS = 1024
CG_STEPS, CG_ACCURACY = 20_000, 1e-6
SEPARABLE = (
    "lam = 0 and a plane through the origin separates the classes, so f comes ever closer to its infimum "
    "but has no minimiser; give lam > 0."
)
Solve: TypeAlias = Callable[[Array], Array]
"""The inverse Hessian times a vector, or close to it."""


@dataclass(frozen=True)
class Sample:
    """h(x) = sum log(1 + exp(-y_i a_i'x)) + lam ||x||^2.

    Attributes:
        A: shape (m, n); dense, sparse or centred.
        labels: y, entries +-1.
        lam: >= 0.
        factors: those of A; None where it is too large.
    """

    A: Matrix
    labels: Array
    lam: float
    factors: Factors | None = None

    def margins(self, x: Array) -> Array:
        """y_i a_i'x."""
        return np.asarray(self.labels * (self.A @ x))

    def value(self, x: Array) -> float:
        """h(x)."""
        return float(np.logaddexp(0.0, -self.margins(x)).sum() + self.lam * (x @ x))

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return np.asarray(2 * self.lam * x - (self.labels * scipy.special.expit(-self.margins(x))) @ self.A)

    def curvatures(self, x: Array) -> Array:
        """phi'' = p (1 - p) of each margin."""
        margins = self.margins(x)
        return np.asarray(scipy.special.expit(margins) * scipy.special.expit(-margins))


@dataclass(frozen=True)
class Slope:
    """h and its gradient at a point in extended precision, with a bound on the gradient's rounding error."""

    value: float
    gradient: Array
    rounding: Array


def slope_at(sample: Sample, wide: Matrix, x: Extended) -> Slope:
    """Value and gradient, every product bounded with its own rounding error; `wide` is A, extended.

    A margin that is off by e puts p = 1/(1 + e^m) off by at most p (e^e - 1), and by at most 1.
    """
    rows, columns = wide.shape
    size = abs(wide)
    margins = sample.labels * (wide @ x)
    off = EXTENDED_EPS * (columns + 4) * (size @ np.abs(x))
    e = np.exp(-np.abs(margins))
    p = np.where(margins > 0, e, 1.0) / (1 + e)
    value = (np.log1p(e) + np.maximum(-margins, 0)).sum() + sample.lam * (x @ x)
    gradient = 2 * sample.lam * x - (sample.labels * p) @ wide
    p_off = np.where(off < 1, p * np.expm1(np.minimum(off, 1)), 1) + p * (EXTENDED_EPS * (rows + 12))
    rounding = p_off @ size + 4 * EXTENDED_EPS * 2 * sample.lam * np.abs(x) + EPS * np.abs(gradient)
    return Slope(float(value), np.asarray(gradient, np.float64), np.asarray(rounding, np.float64))


def logistic_reference(sample: Sample, x0: Array) -> Reference:
    """The minimiser, unique if lam > 0 or the columns are independent, else the one reached from x0.

    Guarantee: f(x_star) - min f <= ||grad f(x_star)||^2 / (2 mu), the gradient with its rounding error and
    mu = 2 lam, or the same with a proven lower bound on the curvature around x_star if that is better.

    Raises:
        ValueError: lam = 0 and a plane through the origin separates the classes: no minimiser.
    """
    start = np.zeros_like(x0)
    if sample.lam == 0:
        start = x0 if sample.factors is None else sample.factors.outside(x0)
    wide = sample.A.astype(EXTENDED)
    x_star = _refined(sample, wide, _newton(sample, start))
    slope = slope_at(sample, wide, x_star.astype(EXTENDED))
    error, words = _excess_bound(sample, x_star, slope)
    source = f"Newton's method, refined in {PRECISION} precision; {words}"
    return Reference(x_star, slope.value, error, source)


def _newton(sample: Sample, x: Array) -> Array:
    """Damped Newton until rounding leaves nothing to gain.

    Reference: Boyd and Vandenberghe, Convex Optimization, 2004, algorithm 9.5.
    """
    value = sample.value(x)  # x lies in the range of A', but for what steps never change
    for k in range(NEWTON_STEPS if sample.lam > 0 else NEWTON_STEPS // 10):
        watched_step("Newton", k)
        g = sample.grad(x)
        step = _solver(sample, x, within=True)(g)
        decrement = float(g @ step)
        length = 1.0
        while (trial := sample.value(x - length * step)) > value - length * decrement / 4:
            length /= 2
            if length * decrement <= EPS * value:
                return np.asarray(x - step if sample.value(x - step) <= value * (1 + 1e-12) else x)
        x, value = x - length * step, trial
        if decrement <= 1e-15 * value:
            break
    return x


def _refined(sample: Sample, wide: Matrix, x_start: Array) -> Array:
    """Newton steps with gradients in extended precision and one Hessian, while they halve the gradient."""
    solve = _solver(sample, x_start, within=False)
    x: Extended = x_start.astype(EXTENDED)
    best, smallest = x, np.inf
    for _ in range(REFINEMENTS):
        g = slope_at(sample, wide, x).gradient
        size = float(np.linalg.norm(g))
        if size < smallest:
            best = x
        if not size < smallest / 2:
            break
        smallest = size
        x = x - solve(g)
    return np.asarray(best, dtype=np.float64)


def _solver(sample: Sample, x: Array, within: bool) -> Solve:
    """The inverse Hessian at x; `within` the range of A' only, if that is known."""
    if isinstance(sample.factors, Factorisation):
        return _direct_solver(sample, sample.factors, sample.curvatures(x), within)
    return _iterative_solver(sample, sample.curvatures(x))


def _direct_solver(sample: Sample, factors: Factorisation, curvatures: Array, within: bool) -> Solve:
    """In the coordinates of V: Cholesky; where rounding makes that fail, QR, which squares nothing."""
    V, lam = factors.V, sample.lam
    B = factors.U * factors.sigma
    size = B.shape[1]
    try:
        factor = scipy.linalg.cho_factor((B.T * curvatures) @ B + 2 * lam * np.eye(size)) if size else None
    except scipy.linalg.LinAlgError:
        root = np.sqrt(curvatures)[:, None] * B
        ridge = max(np.sqrt(2 * lam), size * EPS * float(np.linalg.norm(root)), np.finfo(float).tiny)
        order = np.argsort(-np.abs(root).max(axis=1))  # large rows first, or QR loses the small ones
        factor = np.linalg.qr(np.concatenate([root[order], ridge * np.eye(size)]), mode="r"), False

    def solve(g: Array) -> Array:
        along = V.T @ g
        inside = V @ scipy.linalg.cho_solve(factor, along) if factor is not None else np.zeros_like(g)
        if within or lam == 0 or factors.full_column_rank:
            return np.asarray(inside)
        across = factors.outside(factors.outside(g))  # twice, or rounding would be divided by lam
        return np.asarray(inside + across / (2 * lam))

    return solve


def _iterative_solver(sample: Sample, curvatures: Array) -> Solve:
    """Conjugate gradients, products with A only.

    Reference: Hestenes and Stiefel 1952.
    """

    def times(v: Array) -> Array:
        return np.asarray((curvatures * (sample.A @ v)) @ sample.A + 2 * sample.lam * v)

    def solve(g: Array) -> Array:
        x, r = np.zeros_like(g), g.copy()
        p, squared = r, float(r @ r)
        goal = CG_ACCURACY**2 * squared
        for k in range(min(CG_STEPS, 2 * g.size + 20)):
            watched_step("conjugate gradients", k)
            image = times(p)
            curvature = float(p @ image)
            if squared <= goal or curvature <= 0:
                break
            x = x + squared / curvature * p
            r = r - squared / curvature * image
            before, squared = squared, float(r @ r)
            p = r + squared / before * p
        return x

    return solve


def _excess_bound(sample: Sample, x_star: Array, slope: Slope) -> tuple[float, str]:
    """The best bound on f(x_star) - min f, and how it is proven."""
    size = float(np.linalg.norm(slope.gradient) + np.linalg.norm(slope.rounding)) * (1 + 1e-12)
    if size == 0:
        return 0.0, "the gradient is 0"
    best, words = min(
        (size * size / (4 * sample.lam) if sample.lam > 0 else np.inf, "bound from mu = 2 lam"),
        (_local_bound(sample, x_star, slope), "bound from the curvature around x*"),
        (slope.value * (1 + 1e-12), "weak bound: only min f >= 0 is known"),
    )
    if sample.lam == 0 and not best < slope.value and _separable(sample):
        raise ValueError(SEPARABLE)
    if sample.lam == 0 and sample.factors is not None and not sample.factors.full_column_rank:
        words += f", numerical rank {sample.factors.sigma.size} of {x_star.size} taken as exact"
    return best, words


def _local_bound(sample: Sample, x: Array, slope: Slope) -> float:
    """Bound from the curvature in a ball around x that holds the minimiser; infinite if not proven.

    In coordinates u = Sigma V'v, which know nothing of the scale of columns, the Hessian at x is
    U'WU + 2 lam Sigma^-2, and |phi'''| <= phi'' makes that at x + v at least e^(-R ||u||) times as much,
    R the longest row of U. With q at most its least eigenvalue and s the slope at x, h on the sphere
    ||u|| = r is at least h(x) - s r + q (e^(-Rr) + Rr - 1)/R^2: if that is above h(x), the minimiser
    lies within, where the curvature is at least e^(-Rr) q.
    Reference: Bach 2010, Self-concordant analysis for logistic regression.
    """
    factors, curvatures = sample.factors, sample.curvatures(x)
    V = None if factors is None else _right_vectors(factors)
    if factors is None or V is None or (sample.lam > 0 and not factors.full_column_rank):
        return np.inf
    sigma, off = factors.sigma, factors.sigma_error / float(factors.sigma[-1])
    R, hessian = off, np.zeros((sigma.size, sigma.size))
    for rows, weights in _left_vectors(sample.A, factors, V, curvatures):
        R = max(R, float(np.linalg.norm(rows, axis=1).max()) + off)
        hessian += (rows.T * weights) @ rows
    rounding = 8 * sum(sample.A.shape) * EPS
    lost = 2 * off + rounding * (1 + float((abs(sample.A) @ np.abs(x)).max()))
    least = float(np.linalg.eigvalsh(hessian)[0]) - lost * float(curvatures.max())
    q = least + 2 * sample.lam / float(sigma[0]) ** 2 * (1 - 1e-9)
    along = (V.T @ slope.gradient) / sigma
    s = (np.linalg.norm(along) + np.linalg.norm(slope.rounding) / sigma[-1]) * (1 + off + 1e-9)
    proven = q * (np.exp(-BALL) + BALL - 1) / R**2 > s * BALL / R
    return float(s * s / (2 * np.exp(-BALL) * q)) if proven else np.inf


def _right_vectors(factors: Factors) -> Array | None:
    """V, where there is one."""
    if isinstance(factors, NormalFactors):
        return factors.basis if factors.tall and factors.sigma.size else None
    return factors.V if factors.sigma.size else None


def _left_vectors(A: Matrix, factors: Factors, V: Array, weights: Array) -> Iterator[tuple[Array, Array]]:
    """U a block of rows at a time, with the weights of these rows."""
    if isinstance(factors, Factorisation):
        yield factors.U, weights
        return
    first = 0
    for block in dense_blocks(A, BLOCK_ROWS):
        yield (block @ V) / factors.sigma, weights[first : first + len(block)]
        first += len(block)


def _separable(sample: Sample) -> bool:
    """Whether some w has y_i a_i'w >= 0 and not all 0: linear programming finds the most that are > 0."""
    if isinstance(sample.A, Centred):
        return False  # not known: its rows are not at hand
    rows, columns = sample.A.shape
    B = scipy.sparse.csr_array(sample.A).multiply(sample.labels[:, None]).tocsr()
    largest = max(abs(B).max(), np.finfo(float).tiny)
    found = scipy.optimize.linprog(
        np.append(np.zeros(columns), -np.ones(rows)),
        A_ub=scipy.sparse.hstack([-B / largest, scipy.sparse.eye_array(rows)]),
        b_ub=np.zeros(rows),
        bounds=[(None, None)] * columns + [(0, 1)] * rows,
    )
    return bool(found.status == 0 and found.fun < -0.5)
