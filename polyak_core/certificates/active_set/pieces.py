"""Penalties made of straight pieces, one coordinate at a time, as an active set method sees them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from polyak_core.arrays import EXTENDED, Array, Extended
from polyak_core.certificates.active_set.starts import Range
from polyak_core.matrices.columns import Mask


class Pieces(Protocol):
    """psi as the active set method sees it."""

    bounds: Range

    def resting(self, x: Array, free: Mask) -> Array:
        """x with coordinates that are not free moved to the end of a piece."""

    def region(self, x: Extended, g: Extended) -> tuple[Array, Array, Array]:
        """Slope and ends of the piece that each coordinate, if free, is on or goes to."""

    def slack(self, x: Extended, g: Extended) -> Extended:
        """How far -g is inside of the subdifferential at coordinates that rest; negative where outside."""

    def value(self, x: Extended) -> np.longdouble:
        """psi(x)."""

    def reach(self, x: Array, value: float) -> Array:
        """Bounds on |x'_i - x_i| over minimisers x', given f(x) = value."""

    def price(self, short: Array, x: Array, value: float) -> float:
        """Bound on sum short_i |x'_i - x_i| over minimisers x', given f(x) = value; short >= 0."""


class L1Pieces:
    """lam ||x||_1, lam > 0, with h >= 0."""

    def __init__(self, lam: float, unit: float) -> None:
        """`unit` is a natural size of x."""
        self._lam = lam
        self.bounds = Range(-lam, lam, True, unit)

    def resting(self, x: Array, free: Mask) -> Array:
        """At 0."""
        return np.where(free, x, 0.0)

    def region(self, x: Extended, g: Extended) -> tuple[Array, Array, Array]:
        """Either side of 0; from 0 to the side that lowers f."""
        sign = np.asarray(np.where(x != 0, np.sign(x), -np.sign(g)), dtype=np.float64)
        return self._lam * sign, np.where(sign > 0, 0.0, -np.inf), np.where(sign > 0, np.inf, 0.0)

    def slack(self, x: Extended, g: Extended) -> Extended:
        """lam - |g|."""
        return np.asarray(self._lam - np.abs(g))

    def value(self, x: Extended) -> np.longdouble:
        """lam ||x||_1."""
        return EXTENDED(self._lam * np.abs(x).sum())

    def reach(self, x: Array, value: float) -> Array:
        """lam ||x'||_1 <= f(x)."""
        return value / self._lam + np.abs(x)

    def price(self, short: Array, x: Array, value: float) -> float:
        """The same for the sum."""
        worst = float(short.max())
        return worst * (value / self._lam + float(np.abs(x).sum())) if worst > 0 else 0.0


class BoxPieces:
    """0 on low <= x_i <= high."""

    def __init__(self, low: float, high: float, reach: float) -> None:
        """`high` may be infinite; minimisers are below `reach` <= high."""
        self._low, self._high, self._reach = low, high, reach
        self.bounds = Range(low, reach, False, reach - low)

    def resting(self, x: Array, free: Mask) -> Array:
        """At the nearest bound."""
        end = np.where(x > (self._low + self._reach) / 2, self._high, self._low)
        end = np.where(np.isfinite(end), end, self._low)
        return np.where(free, np.clip(x, self._low, self._high), end)

    def region(self, x: Extended, g: Extended) -> tuple[Array, Array, Array]:
        """The box."""
        return np.zeros(x.size), np.full(x.size, self._low), np.full(x.size, self._high)

    def slack(self, x: Extended, g: Extended) -> Extended:
        """g at the lower bound, -g at the upper one."""
        return np.where(x <= self._low, g, -g)

    def value(self, x: Extended) -> np.longdouble:
        """0: the method stays in the box."""
        return EXTENDED(0)

    def reach(self, x: Array, value: float) -> Array:
        """The distance of each coordinate to the farther bound."""
        return np.maximum(x - self._low, self._reach - x)

    def price(self, short: Array, x: Array, value: float) -> float:
        """The bound of each coordinate by itself."""
        return float(short @ self.reach(x, value))
