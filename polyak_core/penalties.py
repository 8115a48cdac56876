"""The penalty psi of a problem: value, prox, and the exact distance from its tangent.

Points have shape ``(..., n)``; leading axes are independent runs and sums are kept as an axis of length 1
for them, as in `polyak_core.arrays.inner`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from polyak_core.arrays import Array, Scalar, paired, total
from polyak_core.display import Formula


class Penalty(Protocol):
    """What a `Problem` asks of psi.

    Attributes:
        formula: for people.
        cheap: whether a prox costs O(n), so that one may be spent on a number for the record.
    """

    formula: str
    cheap: bool

    def value(self, x: Array) -> float:
        """psi(x) for a plain point; infinite outside of the domain."""

    def prox(self, v: Array, step: float) -> Array:
        """The minimiser of psi(x) + ||x - v||^2 / (2 step)."""

    def tidy(self, v: Array, xi: Array) -> Array:
        """The subgradient of psi at v that xi stands for but for rounding."""

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """psi(u) - psi(v) - xi'(u - v) for a tidy xi of v, a sum of terms that are not negative."""

    def check(self, x: Array, name: str) -> None:
        """Raise ValueError, in words, for a point where psi is infinite."""


class L1(Formula):
    """psi(x) = lam ||x||_1, lam >= 0."""

    cheap = True

    def __init__(self, lam: float) -> None:
        """Keep lam."""
        self.lam = lam
        self.formula = f"{lam:g} ||x||_1"

    def value(self, x: Array) -> float:
        """Sum of absolute values."""
        return self.lam * float(np.abs(x).sum())

    def prox(self, v: Array, step: float) -> Array:
        """Soft threshold at lam step."""
        size = self.lam * step
        return np.asarray(v - np.minimum(np.maximum(v, -size), size))

    def tidy(self, v: Array, xi: Array) -> Array:
        """Exactly +-lam on the support, within [-lam, lam] off it."""
        return np.where(v != 0, self.lam * np.sign(v), np.clip(xi, -self.lam, self.lam))

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """Sum of |u_i| (lam - xi_i sign u_i): v drops out, since lam |v_i| = xi_i v_i."""
        above, below = np.maximum(u, 0.0), np.minimum(u, 0.0)
        return paired(self.lam - xi, above) - paired(self.lam + xi, below)

    def check(self, x: Array, name: str) -> None:
        """Finite everywhere."""


class Box(Formula):
    """psi(x) = 0 on low <= x_i <= high, infinite elsewhere."""

    cheap = True

    def __init__(self, low: float, high: float) -> None:
        """Keep the bounds; `high` may be infinite."""
        self.low, self.high = low, high
        self.formula = f"0 if {low:g} <= x_i <= {high:g}" if np.isfinite(high) else f"0 if x_i >= {low:g}"

    def value(self, x: Array) -> float:
        """0 or infinity."""
        return 0.0 if bool(np.all((x >= self.low) & (x <= self.high))) else np.inf

    def prox(self, v: Array, step: float) -> Array:
        """The nearest point of the box."""
        return np.clip(v, self.low, self.high)

    def tidy(self, v: Array, xi: Array) -> Array:
        """0 on free coordinates, <= 0 at the lower bound, >= 0 at the upper one."""
        at_low, at_high = v <= self.low, v >= self.high
        return np.where(at_low & (xi < 0), xi, 0.0) + np.where(at_high & (xi > 0), xi, 0.0)

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """-xi'(u - v), each term not negative for u in the box."""
        return total(xi * (v - u))

    def check(self, x: Array, name: str) -> None:
        """Each entry within the bounds."""
        outside = int(np.count_nonzero((x < self.low) | (x > self.high)))
        if outside:
            raise ValueError(
                f"{name} has {outside} entries outside of [{self.low:g}, {self.high:g}], where f is "
                "infinite; give a feasible point, for instance zeros."
            )
