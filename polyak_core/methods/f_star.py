"""f* not given at all: the best dual lower bound D so far, from f and the gradient at hand.

A loss offers it by ``dual(reference) -> Dual | None`` (`polyak_core.lifted.dual_bounds`). A method sees
gap + (f* - D). D is of the order of sqrt(gap) below f*: a lesson in what f* is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from polyak_core.arrays import Array, Scalar, choose
from polyak_core.lifted.dual_bounds import Dual
from polyak_core.lifted.form import Sizes
from polyak_core.methods.estimators import Estimate, OnlineMu, Shift
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import QUADRATIC_FLOOR, Problem


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

    def begin(self, problem: Oracle, z: Array) -> DualShift:
        """The bound at the start: one gradient."""
        return self.sharpened(problem, z, problem.ask_estimate(z, "polyak"))

    def learn(self, problem: Oracle, x: Array, y: Array) -> DualShift:
        """The bound at x, where the gradient has just been made."""
        return self.sharpened(problem, x, Sizes(problem.squared_step(x, y), problem.gap(x)))

    def sharpened(self, problem: Oracle, z: Array, sizes: Sizes) -> DualShift:
        """With the bound at z, if that is the best so far."""
        assert self.dual is not None
        below = self.dual.shortfall(problem.form, z, sizes)
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

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """Gradients and products as for `OnlineMu`."""
        sizes = problem.ask_estimate(y, self.estimator)
        known = self.seen if before is None or before.seen is None else before.seen
        assert isinstance(known, DualShift)
        seen = known.sharpened(problem, y, sizes)
        gap = seen(sizes.gap)
        curvature = 2 * gap if sizes.after is None else 2 * seen(sizes.after) + sizes.squared / problem.L
        return self.take(sizes.squared, curvature, gap, problem.noise(y), before, sizes.gap, seen)


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
