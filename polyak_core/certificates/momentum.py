"""FISTA's momentum for starts and long runs, which begins anew where it points uphill."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import Array


class Momentum:
    """Where the next step of a first-order method is taken from.

    Reference: O'Donoghue and Candes 2015, the gradient test.
    """

    def __init__(self, y: Array) -> None:
        """At rest in y."""
        self._y, self._t = y, 1.0

    def ahead(self, x: Array, y: Array) -> Array:
        """The point beyond y after a step from x to y; y itself where that step goes against the momentum."""
        move = y - self._y
        t = 1.0 if np.vdot(x - y, move) > 0 else self._t
        self._y, self._t = y, (1 + np.sqrt(1 + 4 * t * t)) / 2
        return np.asarray(y + (t - 1) / self._t * move)
