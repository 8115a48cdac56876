"""x* and f* of the logistic loss: Newton's method, refined and certified in extended precision."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import scipy

from polyak_core.arrays import EPS, EXTENDED, PRECISION, Array, Extended
from polyak_core.certificates.curvature_bound import curvature_bound
from polyak_core.certificates.logistic_sample import Sample, Slope, entry_scale, scaled, slope_at, value_at
from polyak_core.certificates.reference import Reference
from polyak_core.certificates.separation import exact_rank, parts_clearly, plane_exists
from polyak_core.matrices.columns import Solve, SparseColumns
from polyak_core.matrices.factors import Factorisation, Factors, NormalFactors
from polyak_core.matrices.kinds import is_dense, stored_entries
from polyak_core.progress.watch import step as watched_step

NEWTON_STEPS = 1000
"""A separable sample needs about log(1/lam) of them, others about ten."""
REFINEMENTS = 8
CG_STEPS, CG_ACCURACY = 20_000, 1e-6
SMALL_HESSIAN = 1000
"""Up to so many columns the Hessian of sparse data is factorised."""
HESSIAN_WORK = 3e10
"""Up to so many multiplications that of dense data is: about a second."""
BLOCK = 4096
"""Rows that are weighted at a time, so that no copy of all is made."""
WORK = 5e9
"""Multiplications in products with a matrix that is too large to factorise: about ten seconds."""
UNDERFLOW = 1e-300
"""More than what is lost where squares are too small for float64."""
WEAK = "weak bound: only min f >= 0 is known"
SEPARABLE = (
    "lam = 0 and a plane through the origin separates the classes, so f comes ever closer to its infimum "
    "but has no minimiser; give lam > 0."
)


@dataclass
class Allowance:
    """How many steps of conjugate gradients are left for one search."""

    left: int

    @classmethod
    def for_sample(cls, sample: Sample) -> Allowance:
        """As many as `WORK` allows; each takes two products."""
        return cls(1 + int(WORK / (2 * stored_entries(sample.A) + 1)))


def logistic_reference(sample: Sample, x0: Array) -> Reference:
    """The minimiser, unique if lam > 0 or the columns are independent, else the one reached from x0.

    Guarantee: f(x_star) - min f <= ||grad f(x_star)||^2 / (2 mu), the gradient with its rounding error and
    mu = 2 lam, or what `polyak_core.certificates.curvature_bound` proves if that is less, or f(x_star), since
    f >= 0. With lam = 0 and columns that are dependent up to rounding, only the other
    directions are looked at, and what that says is called an estimate.

    Raises:
        ValueError: lam = 0 and a plane through the origin separates the classes: no minimiser.
    """
    allowance = Allowance.for_sample(sample)
    if sample.lam > 0:
        x = _newton(sample, np.zeros_like(x0), allowance)
        return _certified(sample, _refined(sample, x, allowance))
    scale = entry_scale(sample.A)
    like = scaled(sample, scale)
    start = x0 if sample.factors is None else sample.factors.outside(x0)
    x = scale * _refined(like, _newton(like, start / scale, allowance), allowance)
    if sample.factors is not None and like.dependent:
        x = x - sample.factors.outside(x) + start  # what no step from x0 changes
    return replace(_certified(like, x / scale), x_star=x)


def _newton(sample: Sample, x: Array, allowance: Allowance) -> Array:
    """Damped Newton until rounding leaves nothing to gain.

    Reference: Boyd and Vandenberghe, Convex Optimization, 2004, algorithm 9.5.
    """
    value = sample.value(x)  # x lies in the range of A', but for what steps never change
    for k in range(NEWTON_STEPS if sample.lam > 0 else NEWTON_STEPS // 10):
        watched_step("Newton", k)
        if sample.lam == 0 and parts_clearly(sample.A, sample.labels, x):
            raise ValueError(SEPARABLE)
        g = sample.grad(x)
        step = _solver(sample, x, True, allowance)(g)
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


def _refined(sample: Sample, x_start: Array, allowance: Allowance) -> Array:
    """Newton steps with gradients in extended precision, while the decrement falls.

    The Hessian is made again only where the old one no longer helps.
    """
    wide = sample.A.astype(EXTENDED)
    solve, fresh = _solver(sample, x_start, False, allowance), True
    x: Extended = x_start.astype(EXTENDED)
    best, least, before = x, np.inf, np.inf
    for k in range(REFINEMENTS):
        watched_step("refinement", k)
        g = slope_at(sample, wide, x).gradient
        step = solve(g)
        decrement = float(g @ step)
        if decrement < least:
            best, least = x, decrement
        if not decrement < before / 4:
            if fresh:
                break
            x, before, fresh = best, np.inf, True
            solve = _solver(sample, np.asarray(x, dtype=np.float64), False, allowance)
            continue
        x, before, fresh = x - step, decrement, False
    return np.asarray(best, dtype=np.float64)


def _solver(sample: Sample, x: Array, within: bool, allowance: Allowance) -> Solve:
    """The inverse Hessian at x; `within` the range of A' only, if that is known."""
    curvatures = sample.curvatures(x)
    if isinstance(sample.factors, Factorisation):
        return _direct_solver(sample, sample.factors, curvatures, within)
    hessian = _hessian(sample, curvatures)
    if hessian is not None:
        with suppress(scipy.linalg.LinAlgError):
            factor = scipy.linalg.cho_factor(hessian + 2 * sample.lam * np.eye(x.size))
            return lambda g: np.asarray(scipy.linalg.cho_solve(factor, g))
    return _iterative_solver(sample, curvatures, allowance)


def _hessian(sample: Sample, curvatures: Array) -> Array | None:
    """That of the losses, without lam; None where it would take too long."""
    rows, columns = sample.A.shape
    if columns > SMALL_HESSIAN:
        return None
    if not is_dense(sample.A):
        return SparseColumns(sample.A, sample.labels).weighted(curvatures)
    if float(rows) * columns**2 > HESSIAN_WORK:
        return None
    hessian = np.zeros((columns, columns))
    for start in range(0, rows, BLOCK):
        block = slice(start, start + BLOCK)
        part = np.asarray(sample.A[block])
        hessian += (part.T * curvatures[block]) @ part
    return hessian


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
        across = factors.outside(factors.outside(g))  # projected twice, or rounding would be divided by lam
        return np.asarray(inside + across / (2 * lam))

    return solve


def _iterative_solver(sample: Sample, curvatures: Array, allowance: Allowance) -> Solve:
    """Conjugate gradients, products with A only; no step at all once the allowance is used up.

    Reference: Hestenes and Stiefel 1952.
    """

    def times(v: Array) -> Array:
        return np.asarray((curvatures * (sample.A @ v)) @ sample.A + 2 * sample.lam * v)

    def solve(g: Array) -> Array:
        x, r = np.zeros_like(g), g.copy()
        p, squared = r, float(r @ r)
        goal = CG_ACCURACY**2 * squared
        for k in range(min(CG_STEPS, 2 * g.size + 20, allowance.left)):
            watched_step("conjugate gradients", k)
            allowance.left -= 1
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


def _certified(sample: Sample, x_star: Array) -> Reference:
    """What is known of f(x_star) - min f, and f(x_star)."""
    slope = slope_at(sample, sample.A.astype(EXTENDED), x_star.astype(EXTENDED))
    f_star, rounding = value_at(sample, x_star, slope)
    error, how, guess = _excess_bound(sample, x_star, slope)
    error += UNDERFLOW if error > 0 or slope.rounding.any() else 0.0
    source = f"Newton's method, refined in {PRECISION} precision; {how}"
    level = error if rounding > error else None  # the rounding of f* alone ends no curve earlier
    if guess is not None:
        level = guess
    return Reference(x_star, f_star, error + rounding, source, level=level, proven=guess is None)


def _excess_bound(sample: Sample, x_star: Array, slope: Slope) -> tuple[float, str, float | None]:
    """The best bound on f(x_star) - min f, how it is proven, and where that says little an estimate."""
    size = float(np.linalg.norm(slope.gradient) + np.linalg.norm(slope.rounding)) * (1 + 1e-12)
    if not (slope.gradient.any() or slope.rounding.any()):
        return 0.0, "the gradient is 0", None
    weak = (slope.value + slope.value_off) * (1 + 4 * EPS)
    V = _right_vectors(sample.factors) if sample.dependent else None
    local = curvature_bound(
        sample.A,
        V,
        slope.curvatures,
        inexact=slope.inexact,
        ridge=2 * sample.lam,
        gradient=slope.gradient,
        off=slope.rounding,
    )
    if sample.lam > 0:
        best, how = min(
            (size * size / (4 * sample.lam), "bound from mu = 2 lam"),
            (local, "bound from the curvature around x*"),
            (weak, WEAK),
        )
        return best, how, None
    rank = 0 if sample.factors is None else int(sample.factors.sigma.size)
    true_rank = exact_rank(sample.A) if sample.dependent else rank
    if local < slope.value and true_rank == rank:
        return local, "bound from the curvature around x*", None
    parted = plane_exists(sample.A, sample.labels)
    if parted:
        raise ValueError(SEPARABLE)
    words = "" if parted is not None else "; whether a plane separates the classes is not known"
    if local < slope.value and true_rank is None:
        guess = f"numerical rank {rank} of {x_star.size} taken as exact: an estimate, by which "
        return weak, f"{guess}f(x*) - min f = {local:.1g}; {WEAK}{words}", local
    return weak, WEAK + words, None


def _right_vectors(factors: Factors | None) -> Array | None:
    """V, where there is one."""
    if isinstance(factors, NormalFactors):
        return factors.basis if factors.tall and factors.sigma.size else None
    return None if factors is None or not factors.sigma.size else factors.V
