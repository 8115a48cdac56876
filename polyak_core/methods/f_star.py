"""The gap that a method sees: under the true f*, under one that is given, or above a dual bound.

With ``f_star="dual"`` a method uses the best lower bound D on f* so far, made of f and the gradient that are
at hand. A loss offers it by ``dual(reference) -> Dual | None`` (`polyak_core.lifted.dual_bounds`). The method
then sees gap + (f* - D). With a penalty D lies below f* by about sqrt(gap),
which shows what knowing f* is worth; for logistic regression by at most L/(2 lam) times the gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from polyak_core.arrays import EPS, Array, Scalar, choose
from polyak_core.lifted.dual_bounds import Dual
from polyak_core.lifted.form import Sizes
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import QUADRATIC_FLOOR, Problem


@dataclass(frozen=True)
class GapSeen:
    """The gap under a given f*, which may be wrong: gap + (true f* - given f*), no difference of values.

    It is a frozen value: where a method learns more of f*, it gets a new one.

    Attributes:
        kind: whose f* it is, "given" or "dual".
        delta: true f* - given f*.
        grain: rounding of the gap itself, where that is a subtraction.
        noise: a seen gap below this is only the rounding of a subtraction, or underflow.
    """

    kind: ClassVar[str] = "given"
    delta: Scalar = 0.0
    grain: float = 0.0
    noise: float = field(init=False)

    def __post_init__(self) -> None:
        """Compute the noise once, since every step compares with it."""
        object.__setattr__(self, "noise", max(1e3 * EPS * abs(self.delta), self.grain, QUADRATIC_FLOOR))

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the method sees."""
        return gap + self.delta if self.delta else gap

    def under(self, gap: Scalar) -> Scalar:
        """The gap under the given f*, for the record: a guard changes what is compared, not this."""
        return self(gap)

    def begin(self, problem: Oracle, z: Array) -> GapSeen:
        """What is known of f* at the start z."""
        return self

    def learn(self, problem: Oracle, x: Array, y: Array) -> GapSeen:
        """What is known of f* after the step y = T_L(x)."""
        return self

    @property
    def cause(self) -> str:
        """Why delta is not 0, in words."""
        return f"f* is given too low by {float(self.delta):.1e}"

    @property
    def remedy(self) -> str:
        """What to do if the seen f* is too low."""
        return "Give a larger f*."


@dataclass(frozen=True)
class GuardedGap(GapSeen):
    """A negative gap says only that the given f* is too high: it counts as infinite and reaches no level."""

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the method compares."""
        seen = self.under(gap)
        return choose(seen < 0, np.inf, seen)

    def under(self, gap: Scalar) -> Scalar:
        """The gap under the given f*."""
        return super().__call__(gap)


TRUE_GAP = GapSeen()
"""Under the true f*."""


@dataclass(frozen=True)
class DualGap(GapSeen):
    """The gap above the best dual bound so far: delta = f* - max D, with full relative precision."""

    kind: ClassVar[str] = "dual"
    delta: Scalar = np.inf
    dual: Dual | None = None

    def __post_init__(self) -> None:
        """Nothing is subtracted, so that only underflow is noise."""
        object.__setattr__(self, "noise", QUADRATIC_FLOOR)

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the method sees.

        Raises:
            ValueError: no bound is known yet, since a method of one's own never called `begin`.
        """
        if isinstance(self.delta, float) and self.delta == np.inf:
            raise ValueError(
                "f_star='dual' needs a method that learns: seen = seen.begin(problem, y) before the first "
                "step, seen = seen.learn(problem, x, y) after each, and Iterate(..., seen=seen)."
            )
        return gap + self.delta

    def begin(self, problem: Oracle, z: Array) -> DualGap:
        """The bound at the start: one gradient."""
        return self.sharpened(problem, z, problem.ask_estimate(z, "polyak"))

    def learn(self, problem: Oracle, x: Array, y: Array) -> DualGap:
        """The bound at x, where the gradient has just been made."""
        return self.sharpened(problem, x, Sizes(problem.squared_step(x, y), problem.gap(x)))

    def sharpened(self, problem: Oracle, z: Array, sizes: Sizes) -> DualGap:
        """The gap with the bound at z, if that is the best so far."""
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


def dual_gap(problem: Problem) -> DualGap:
    """The gap above the best dual bound, before any bound is known.

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
    return DualGap(dual=dual)
