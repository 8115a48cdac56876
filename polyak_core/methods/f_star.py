"""f* not given at all: the best dual lower bound D so far, from f and the gradient at hand.

A loss offers it by ``dual(reference) -> Dual | None``. A method sees gap + (f* - D), and f* - D is no
subtraction: with d = x - x*, w = G d and g = grad h(x*) each of them is a sum of terms that are not
negative, as the gap is. (Only the logistic one subtracts, f - D less f - f*, and adds the same gap again.)
D is of the order of sqrt(gap) below f*: a lesson in what f* is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, inner, nonnegative, total
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.form import Sizes
from polyak_core.methods.estimators import Estimate, OnlineMu, Shift
from polyak_core.problems.problem import QUADRATIC_FLOOR, Problem


class Dual(Protocol):
    """Dual bounds of one problem."""

    def shortfall(self, problem: Problem, z: Array, sizes: Sizes) -> Scalar:
        """f* - D >= 0 for the bound D that f and the gradient at z give; no product."""


@dataclass(frozen=True)
class DualShift(Shift):
    """The gap above the best dual bound so far: delta = f* - max D, exact to rounding of itself."""

    delta: Scalar = np.inf
    dual: Dual | None = None

    def __post_init__(self) -> None:
        """Nothing is subtracted, so that only underflow is noise."""
        object.__setattr__(self, "noise", QUADRATIC_FLOOR)

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the method sees.

        Raises:
            ValueError: nothing is learned yet: a method of one's own that is not made for this.
        """
        if isinstance(self.delta, float) and self.delta == np.inf:
            raise ValueError(
                "f_star='dual' needs a method that learns: seen = seen.begin(problem, y) before the first "
                "step, seen = seen.learn(problem, x, y) after each, and Iterate(..., seen=seen)."
            )
        return gap + self.delta

    def begin(self, problem: Problem, z: Array) -> DualShift:
        """The bound at the start: one gradient."""
        return self.sharpened(problem, z, problem.ask_estimate(z, "polyak"))

    def learn(self, problem: Problem, x: Array, y: Array) -> DualShift:
        """The bound at x, where the gradient has just been made."""
        return self.sharpened(problem, x, Sizes(problem.squared_step(x, y), problem.gap_at(x)))

    def sharpened(self, problem: Problem, z: Array, sizes: Sizes) -> DualShift:
        """With the bound at z, if that is the best so far."""
        assert self.dual is not None
        below = self.dual.shortfall(problem, z, sizes)
        return replace(self, delta=choose(below < self.delta, below, self.delta))

    @property
    def cause(self) -> str:
        """Why delta is not 0, in words."""
        return f"the best dual bound lies {float(np.max(self.delta)):.1e} below f*"

    @property
    def remedy(self) -> str:
        """What to do."""
        return "Give f* if you know it."


@dataclass(frozen=True)
class DualMu(OnlineMu):
    """`OnlineMu` that learns D on the way: D at y_k first, then mu_hat(y_k) made with the best D so far."""

    def __call__(self, problem: Problem, k: int, y: Array, before: Estimate | None) -> Estimate:
        """Gradients and products as for `OnlineMu`."""
        sizes = problem.ask_estimate(y, self.estimator)
        known = self.seen if before is None or before.seen is None else before.seen
        assert isinstance(known, DualShift)
        seen = known.sharpened(problem, y, sizes)
        gap = seen(sizes.gap)
        curvature = 2 * gap if sizes.after is None else 2 * seen(sizes.after) + sizes.squared / problem.L
        return self.take(sizes.squared, curvature, gap, problem.noise(y), before)._replace(seen=seen)


def dual_shift(problem: Problem) -> DualShift:
    """Nothing known yet.

    Raises:
        ValueError: no dual bound is known for this problem.
    """
    offer = getattr(problem.loss, "dual", None)
    dual = None if offer is None else offer(problem.reference)
    if dual is None:
        raise ValueError(
            "f_star='dual' is not available for this problem; it is for LASSO and logistic (lam > 0) and for "
            "SVM problems; give a number, or leave f_star out."
        )
    return DualShift(dual=dual)


def _parts(problem: Problem, z: Array) -> tuple[Array, Array, Scalar]:
    form = problem.form
    assert isinstance(form, Composite)
    return form.parts(z)


class StrongConvexityDual:
    """D = f(x) - ||grad f(x)||^2 / (2 mu), for psi = 0 (logistic: mu = 2 lam)."""

    def __init__(self, mu: float) -> None:
        """mu > 0."""
        self._mu = mu

    def shortfall(self, problem: Problem, z: Array, sizes: Sizes) -> Scalar:
        """||grad||^2/(2 mu) less the gap."""
        return nonnegative(sizes.squared / (2 * self._mu) - sizes.gap)


class LassoDual:
    """D = s b'r - s^2 ||r||^2/2, r = b - Ax, s = clip(b'r/||r||^2, +-lam/||A'r||_inf).

    f* - D = 1/2 ||s r - r*||^2 + sum |x*_i| (lam - s sign(x*_i) (A'r)_i), r* = b - Ax*, A'r* = -g and
    A'r = -(g + w). Where x*_i != 0, |g_i| = lam, so that |(A'r)_i| - lam = sign(g_i) w_i without subtraction.
    """

    def __init__(self, lam: float, x_star: Array, g: Array, residual: float) -> None:
        """`g` = grad h(x*), exactly -lam sign(x*_i) where x*_i != 0; `residual` = ||r*||^2."""
        self._lam, self._x_star, self._g, self._residual = lam, x_star, g, residual

    def shortfall(self, problem: Problem, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        d, w, energy = _parts(problem, z)
        lam, x_star, g = self._lam, self._x_star, self._g
        v, gd, xw = g + w, inner(d, g), inner(w, x_star)
        squared = nonnegative(self._residual + 2 * gd + 2 * energy)  # ||r||^2
        free = choose(squared > 0, squared, np.inf)
        rest = (gd + 2 * energy + float(x_star @ g) + xw) / free  # 1 - b'r/||r||^2
        over = np.where(v * g > 0, np.sign(g) * w + (np.abs(g) - lam), np.abs(v) - lam)
        excess = over.max(axis=-1, keepdims=v.ndim > 1)  # ||A'r||_inf - lam
        largest = choose(lam + excess > 0, lam + excess, np.finfo(float).tiny)
        high = excess / largest  # 1 - s at s = lam/||A'r||_inf; at minus that s it is 2 - high
        missing = choose(rest < high, high, choose(rest > 2 - high, 2 - high, rest))
        missing = choose(squared > 0, missing, 1.0)
        s = 1 - missing
        apart = missing * missing * self._residual - 2 * s * missing * gd + 2 * s * s * energy
        slack = total(np.maximum(lam * missing * np.abs(x_star) + s * x_star * w, 0.0))
        return nonnegative(0.5 * apart) + slack


class HingeDual:
    """D = -[sum max(0, -grad_i) + a'(grad + 1)/2], minus the primal value at w(a).

    f* - D = 1/2 d'Hd + sum a*_i max(grad_i, 0) + (1 - a*_i) max(-grad_i, 0), grad = g + w.
    """

    def __init__(self, x_star: Array, g: Array) -> None:
        """`g` = grad h(a*), exactly 0 on free coordinates."""
        self._x_star, self._g = x_star, g

    def shortfall(self, problem: Problem, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        _, w, energy = _parts(problem, z)
        grad = self._g + w
        up, down = np.maximum(grad, 0.0), np.maximum(-grad, 0.0)
        return energy + total(self._x_star * up + (1 - self._x_star) * down)


class SquaredHingeDual:
    """D = -[a'm/2 + (C/4) sum max(0, 1 - m_i)^2], m = Qa = grad + 1 - (2/C) a.

    f* - D = 1/2 d'Qd + sum (C/4) (max(0, 1 - m_i) - (2/C) a*_i)^2 + a*_i max(0, m_i - 1), and
    1 - m_i - (2/C) a*_i = (2/C) d_i - grad_i, grad = g + w.
    """

    def __init__(self, x_star: Array, g: Array, C: float) -> None:
        """`g` = grad h(a*), exactly 0 where a*_i > 0."""
        self._x_star, self._g, self._C = x_star, g, C

    def shortfall(self, problem: Problem, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        d, w, energy = _parts(problem, z)
        grad, ridge = self._g + w, 2 / self._C
        kernel_energy = nonnegative(energy - 0.5 * ridge * inner(d, d))  # 1/2 d'Qd
        off = np.maximum(ridge * d - grad, -ridge * self._x_star)
        above = np.maximum(grad - ridge * (self._x_star + d), 0.0)
        return kernel_energy + total(0.25 * self._C * off * off + self._x_star * above)
