"""x* and f* of the logistic loss: Newton's method, refined and certified in extended precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import linprog
from scipy.special import expit

from polyak_core.arrays import EPS, Array
from polyak_core.reference import EXTENDED_EPS, Extended, Factorisation, Reference

NEWTON_STEPS = 200
REFINEMENTS = 8
BALL = 0.1
"""Radius, times the longest row of A, of the ball in which curvature is bounded from below by e^-BALL."""


@dataclass(frozen=True)
class Sample:
    """h(x) = sum log(1 + exp(-y_i a_i'x)) + lam ||x||^2.

    Attributes:
        A: shape (m, n).
        labels: y, entries +-1.
        lam: >= 0.
        factors: those of A; its range is what a step can reach if lam = 0.
    """

    A: Array
    labels: Array
    lam: float
    factors: Factorisation


@dataclass(frozen=True)
class Slope:
    """h and its gradient at a point in extended precision, with a bound on the gradient's rounding error."""

    value: float
    gradient: Extended
    rounding: Array


def slope_at(wide: Any, labels: Array, lam: float, x: Extended) -> Slope:
    """Value and gradient, every product bounded with its own rounding error.

    A margin that is off by e puts p = 1/(1 + e^m) off by at most p (e^e - 1).
    """
    rows, columns = wide.shape
    size = abs(wide)
    margins = labels * (wide @ x)
    off = EXTENDED_EPS * (columns + 4) * (size @ np.abs(x))
    e = np.exp(-np.abs(margins))
    p = np.where(margins > 0, e, 1.0) / (1 + e)
    value = (np.log1p(e) + np.maximum(-margins, 0)).sum() + lam * (x @ x)
    gradient = 2 * lam * x - (labels * p) @ wide
    p_off = p * (np.expm1(off) + EXTENDED_EPS * (rows + 12))
    rounding = p_off @ size + 4 * EXTENDED_EPS * (2 * lam * np.abs(x) + np.abs(gradient))
    return Slope(float(value), gradient, np.asarray(rounding, dtype=np.float64))


def logistic_reference(sample: Sample, x0: Array) -> Reference:
    """The minimiser, unique if lam > 0 or the columns are independent, else the one reached from x0.

    Guarantee: f(x_star) - min f <= ||grad f(x_star)||^2 / (2 mu), mu = 2 lam or, if that is more, a
    proven lower bound on the curvature around x_star; the gradient with its rounding error.

    Raises:
        ValueError: lam = 0 and a plane through the origin separates the classes: no minimiser.
    """
    V = sample.factors.V
    fixed = x0 - V @ (V.T @ x0) if sample.lam == 0 else np.zeros_like(x0)
    B = sample.labels[:, None] * (sample.factors.U * sample.factors.sigma)
    w = _newton(B, sample.lam)
    wide = sample.A.astype(np.longdouble)
    x_star = _refined(sample, wide, B, (fixed + V @ w).astype(np.longdouble))
    slope = slope_at(wide, sample.labels, sample.lam, x_star.astype(np.longdouble))
    error, words = _excess_bound(sample, B, x_star, slope)
    precision = "extended" if EXTENDED_EPS < EPS else "double (no wider type on this machine)"
    return Reference(
        x_star, slope.value, error, f"Newton's method, refined in {precision} precision; {words}"
    )


def _weights(B: Array, w: Array) -> tuple[Array, Array]:
    """p and phi'' = p (1 - p) of the margins B w."""
    margins = B @ w
    p = expit(-margins)
    return p, p * expit(margins)


def _value(B: Array, w: Array, lam: float) -> float:
    return float(np.logaddexp(0.0, -(B @ w)).sum() + lam * (w @ w))


def _factor(B: Array, curvatures: Array, lam: float) -> Any:
    """Cholesky factor of B'WB + 2 lam I; where rounding makes that indefinite, of a little more."""
    H = (B.T * curvatures) @ B
    ridge = 2 * lam
    least = B.shape[1] * EPS * float(np.trace(H)) + np.finfo(float).tiny
    while True:
        try:
            return cho_factor(H + ridge * np.eye(len(H)))
        except LinAlgError:
            ridge = max(10 * ridge, least)


def _newton(B: Array, lam: float) -> Array:
    """Damped Newton from 0 in the coordinates of V, until rounding leaves nothing to gain.

    Reference: Boyd and Vandenberghe, Convex Optimization, 2004, algorithm 9.5.
    """
    w = np.zeros(B.shape[1])
    if w.size == 0:
        return w
    value = _value(B, w, lam)
    for _ in range(NEWTON_STEPS):
        p, curvatures = _weights(B, w)
        g = 2 * lam * w - p @ B
        step = cho_solve(_factor(B, curvatures, lam), g)
        decrement = float(g @ step)
        length = 1.0
        while (trial := _value(B, w - length * step, lam)) > value - length * decrement / 4:
            length /= 2
            if length * decrement <= EPS * value:
                return w - step if decrement <= 1e-8 * value else w
        w, value = w - length * step, trial
        if decrement <= 1e-15 * value:
            break
    return w


def _refined(sample: Sample, wide: Extended, B: Array, x: Extended) -> Array:
    """Newton steps with gradients in extended precision and one factor, while they halve the gradient."""
    V, lam = sample.factors.V, sample.lam
    if not V.size:
        return np.asarray(x, dtype=np.float64)
    factor = _factor(B, _weights(B, V.T @ np.asarray(x, dtype=np.float64))[1], lam)
    best, smallest = x, np.inf
    for _ in range(REFINEMENTS):
        g = np.asarray(slope_at(wide, sample.labels, lam, x).gradient, dtype=np.float64)
        along = V.T @ g
        across = g - V @ along if lam > 0 else np.zeros_like(g)
        size = float(np.hypot(np.linalg.norm(along), np.linalg.norm(across)))
        if not size < smallest:
            break
        done, best, smallest = size > smallest / 2, x, size
        if done:
            break
        x = x - V @ cho_solve(factor, along)
        if lam > 0:
            x = x - across / (2 * lam)
    return np.asarray(best, dtype=np.float64)


def _excess_bound(sample: Sample, B: Array, x_star: Array, slope: Slope) -> tuple[float, str]:
    """Bound on f(x_star) - min f, and how it is proven."""
    g = np.asarray(slope.gradient, dtype=np.float64)
    along = sample.factors.V.T @ g if sample.lam == 0 else g
    size = float(np.linalg.norm(along) + np.linalg.norm(slope.rounding)) * (1 + 1e-12)
    if size == 0:
        return 0.0, "the gradient is 0"
    local = _local_curvature(sample, B, x_star, size)
    mu = max(2 * sample.lam, local)
    if mu == 0 and _separable(B):
        raise ValueError(
            "lam = 0 and a plane through the origin separates the classes, so f comes ever closer to its "
            "infimum but has no minimiser; give lam > 0."
        )
    bound = size * size / (2 * mu) if mu > 0 else np.inf
    if not bound < slope.value:
        return slope.value * (1 + 1e-12), "weak certificate: only min f >= 0 is known"
    if local < mu:
        return bound, "bound from strong convexity, mu = 2 lam"
    words = "bound from the curvature around x*"
    if not sample.factors.full_column_rank and sample.lam == 0:
        words += f", numerical rank {sample.factors.sigma.size} of {x_star.size} taken as exact"
    return bound, words


def _local_curvature(sample: Sample, B: Array, x: Array, slope: float) -> float:
    """Lower bound on the curvature of h in a ball around x that holds the minimiser; 0 if not proven.

    |phi'''| <= phi'', so the Hessian at x + v is at least e^(-R ||v||) times that at x, R the longest row.
    With q <= the least eigenvalue at x, f on the sphere ||v|| = r is at least
    f(x) - slope r + q (e^(-Rr) + Rr - 1)/R^2: if that is above f(x), the minimiser lies within, where
    the curvature is at least e^(-Rr) q.
    Reference: Bach 2010, Self-concordant analysis for logistic regression.
    """
    if B.shape[1] == 0 or (sample.lam > 0 and not sample.factors.full_column_rank):
        return 0.0
    R = float(np.linalg.norm(B, axis=1).max()) * (1 + 1e-9)
    curvatures = _weights(B, sample.factors.V.T @ x)[1]
    eigenvalues = np.linalg.eigvalsh((B.T * curvatures) @ B)
    rounding = 8 * sum(sample.A.shape) * EPS
    margin_rounding = rounding * R * float(np.linalg.norm(x))
    largest = float(sample.factors.sigma[0]) ** 2 * float(curvatures.max())
    q = float(eigenvalues[0]) - (rounding + margin_rounding) * largest + 2 * sample.lam
    proven = q * (np.exp(-BALL) + BALL - 1) / R**2 > slope * BALL / R
    return float(np.exp(-BALL) * q) if proven else 0.0


def _separable(B: Array) -> bool:
    """Whether some w has B w >= 0 and not = 0: linear programming finds the most rows with B w > 0."""
    rows, columns = B.shape
    scaled = B / np.abs(B).max()
    found = linprog(
        np.append(np.zeros(columns), -np.ones(rows)),
        A_ub=np.hstack([-scaled, np.eye(rows)]),
        b_ub=np.zeros(rows),
        bounds=[(None, None)] * columns + [(0, 1)] * rows,
    )
    return bool(found.status == 0 and found.fun < -0.5)
