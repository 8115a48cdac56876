"""The rules for mu_k: estimates of strong convexity made on the way, and what replaces them.

A rule is a value. It is called with the iterate y_k and what it said before, and answers with an
`Estimate`; the state travels in the answer, never in the rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from polyak_core.arrays import EPS, Array, Scalar, choose
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import QUADRATIC_FLOOR

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
        gap: f(y_k) - f*, NaN if the rule does not ask for it.
    """

    mu: Scalar
    mu_hat: Scalar | None
    frozen: Scalar
    recent: tuple[Scalar, ...] = ()
    seen: Shift | None = None
    gap: Scalar = math.nan


@dataclass(frozen=True)
class Shift:
    """The gap under an f* that is off: gap + (true f* - given f*), never a fresh subtraction.

    A value: what is learned on the way (`polyak_core.methods.f_star`) is a new one.

    Attributes:
        delta: true f* - given f*.
        grain: rounding of the gap itself, where that is a subtraction.
        noise: a seen gap below this is what is left of a subtraction, or of underflow.
    """

    delta: Scalar = 0.0
    grain: float = 0.0
    noise: float = field(init=False)

    def __post_init__(self) -> None:
        """Work out the noise once: it is compared with at every step."""
        object.__setattr__(self, "noise", max(1e3 * EPS * abs(self.delta), self.grain, QUADRATIC_FLOOR))

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the method sees."""
        return gap + self.delta if self.delta else gap

    def begin(self, problem: Oracle, z: Array) -> Shift:
        """What is known of f* at the start z."""
        return self

    def learn(self, problem: Oracle, x: Array, y: Array) -> Shift:
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


class Rule(Protocol):
    """mu_k for an iterate; `before` is None at k = 0."""

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """The estimate at y_k."""


@dataclass(frozen=True)
class OnlineMu:
    """mu_k = min(start, mu_hat(y_0), ..., mu_hat(y_k)), capped at L; over the last `window` only, if given.

    With psi = 0 the model's value at T_L(y) is f(y) - ||g||^2/(2L), so that "model" is "polyak".
    Reference: Barre and d'Aspremont, section 3; the certified estimate is their lemma 2.1 at x*.
    """

    start: Scalar
    estimator: str = "polyak"
    seen: Shift = Shift()
    window: int | None = None

    def __call__(self, problem: Oracle, k: int, y: Array, before: Estimate | None) -> Estimate:
        """One gradient more, and for the certified estimate f at one point more."""
        squared, gap, after = problem.ask_estimate(y, self.estimator)
        gap_seen = self.seen(gap)
        curvature = 2 * gap_seen if after is None else 2 * self.seen(after) + squared / problem.L
        return self.take(squared, curvature, gap_seen, problem.noise(y), before, gap)

    def take(
        self,
        squared: Scalar,
        curvature: Scalar,
        gap_seen: Scalar,
        noise: Scalar,
        before: Estimate | None,
        gap: Scalar = math.nan,
        seen: Shift | None = None,
    ) -> Estimate:
        """Fold mu_hat = squared/curvature in, unless it is rounding, NaN, infinite or not positive."""
        mu_hat = squared / choose(curvature == 0, math.nan, curvature)
        good = (mu_hat > 0) & (mu_hat < math.inf) & (squared > noise * noise) & (gap_seen > self.seen.noise)
        mu = self.start if before is None else before.mu
        if self.window is None:
            return Estimate(choose(good & (mu_hat < mu), mu_hat, mu), mu_hat, good ^ True, (), seen, gap)
        recent = before.recent if before else ()
        if good:
            recent = (*recent, mu_hat)[-self.window :]
        return Estimate(min((self.start, *recent)), mu_hat, good ^ True, recent, seen, gap)


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
