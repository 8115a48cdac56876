"""The rules for mu_k: estimates of strong convexity made on the way, and what replaces them.

A rule is a frozen value. It is called with y_k and its own estimate of the step before, and returns an
`Estimate`, which carries all state from step to step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from polyak_core.arrays import Array, Scalar, choose
from polyak_core.methods.f_star import TRUE_GAP, DualGap, GapSeen
from polyak_core.problems.oracle import Oracle

ESTIMATORS = {
    "polyak": "||g_L(y)||^2 / (2 (f(y) - f*)), the paper's",
    "certified": "||g_L(y)||^2 / (2 (f(T_L(y)) - f*) + ||g_L(y)||^2 / L), always >= mu",
    "model": "the certified one with the quadratic model in place of f(T_L(y)), always >= mu",
    "known": "mu itself, given",
    "schedule": "min(mu_0, mu + C/(k+2)^2), the rate that proposition 2.8 asks for",
    "window": "the smallest of the last few polyak estimates",
}


class Estimate(NamedTuple):
    """What a rule says at y_k.

    Attributes:
        mu: mu_k, in (0, L]; forms x_{k+1}.
        mu_hat: the estimate made at y_k, None if the rule makes none.
        frozen: the estimate was refused and mu stayed.
        recent: the last accepted estimates, for a moving window only.
        seen: what is known of f*, where that changes on the way.
        gap: f(y_k) - f*, NaN if the rule does not need it.
    """

    mu: Scalar
    mu_hat: Scalar | None
    frozen: Scalar
    recent: tuple[Scalar, ...] = ()
    seen: GapSeen | None = None
    gap: Scalar = math.nan


class Rule(Protocol):
    """mu_k for an iterate; `before` is None at k = 0."""

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """The estimate at y_k."""


@dataclass(frozen=True)
class OnlineMu:
    """mu_k = min(start, mu_hat(y_0), ..., mu_hat(y_k)), capped at L; over the last `window` only, if given.

    With psi = 0 the model's value at T_L(y) is f(y) - ||g||^2/(2L), so that "model" is "polyak".
    Without a guard no estimate is refused, as in the listings: one that is made of a negative gap stays in
    the minimum, and its root is NaN.
    Reference: Barre and d'Aspremont, section 3; the certified estimate is their lemma 2.1 at x*.
    """

    start: Scalar
    estimator: str = "polyak"
    seen: GapSeen = TRUE_GAP
    window: int | None = None
    guard: bool = True

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """One gradient more, and for the certified estimate f at one point more."""
        squared, gap, after = problem.ask_estimate(y, self.estimator)
        gap_seen = self.seen(gap)
        curvature = 2 * gap_seen if after is None else 2 * self.seen(after) + squared / problem.L
        return self.take(squared, curvature, gap_seen, problem.noise(y), before, gap=gap)

    def take(
        self,
        squared: Scalar,
        curvature: Scalar,
        gap_seen: Scalar,
        noise: Scalar,
        before: Estimate | None,
        *,
        gap: Scalar = math.nan,
        seen: GapSeen | None = None,
    ) -> Estimate:
        """Fold mu_hat = squared/curvature in; a guard refuses it if it is rounding, NaN or not positive."""
        mu_hat = squared / choose(curvature == 0, math.nan, curvature)
        good = (mu_hat > 0) & (mu_hat < math.inf) & (squared > noise * noise) & (gap_seen > self.seen.noise)
        good |= not self.guard
        mu = self.start if before is None else before.mu
        if self.window is None:
            return Estimate(choose(good & (mu_hat < mu), mu_hat, mu), mu_hat, good ^ True, (), seen, gap)
        recent = before.recent if before else ()
        if good:
            recent = (*recent, mu_hat)[-self.window :]
        return Estimate(min((self.start, *recent)), mu_hat, good ^ True, recent, seen, gap)


@dataclass(frozen=True)
class DualMu(OnlineMu):
    """`OnlineMu` that learns D on the way: D at y_k first, then mu_hat(y_k) made with the best D so far."""

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """Gradients and products as for `OnlineMu`."""
        sizes = problem.ask_estimate(y, self.estimator)
        known = self.seen if before is None or before.seen is None else before.seen
        assert isinstance(known, DualGap)
        seen = known.sharpened(problem, y, sizes)
        gap = seen(sizes.gap)
        curvature = 2 * gap if sizes.after is None else 2 * seen(sizes.after) + sizes.squared / problem.L
        noise = problem.noise(y)
        return self.take(sizes.squared, curvature, gap, noise, before, gap=sizes.gap, seen=seen)


@dataclass(frozen=True)
class KnownMu:
    """mu_k = mu."""

    mu: Scalar

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """No estimate at all."""
        return Estimate(self.mu, None, False)


@dataclass(frozen=True)
class MuSchedule:
    """mu_k = min(start, mu + C/(k+2)^2).

    Reference: Barre and d'Aspremont, the hypothesis of proposition 2.8, in the index of `Trace.mu`.
    """

    start: float
    mu: float
    C: float

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """Only k matters."""
        return Estimate(min(self.start, self.mu + self.C / (k + 2) ** 2), None, False)
