"""A start for active sets where no system with all of H can be solved: an accelerated gradient method."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import Array
from polyak_core.certificates.active_set.interior_point import Range
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic
from polyak_core.matrices.columns import Mask
from polyak_core.progress.budget import START
from polyak_core.progress.watch import step as watched_step

STEPS = 50, 3000
"""As many as `polyak_core.progress.budget.START` allows, within these limits."""
STILL = 1e-13


def first_order_start(h: ExtendedQuadratic, bounds: Range) -> tuple[Array, Mask]:
    """A point close to the minimiser, and where it lies strictly between bounds.

    Algorithm: FISTA in float64, restarted where a step goes against the momentum (O'Donoghue and Candes),
    until it stands still or its work is used up.

    Args:
        h: the quadratic function, of size n.
        bounds: on x or on the gradient (an l1 norm).
    """
    L, steps = h.largest, int(np.clip(START / h.product, *STEPS))
    x = y = np.zeros(h.size)
    t = 1.0
    for k in range(steps):
        watched_step("first-order start", k)
        new = _step(x, h.slope(x), L, bounds)
        if float((x - new) @ (new - y)) > 0:
            t = 1.0
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        move = new - y
        x, y, t = new + (t - 1) / after * move, new, after
        if np.abs(move).max() <= STILL * np.abs(y).max():
            break
    if bounds.on_gradient:
        return y, y != 0
    return y, (y > bounds.low) & (y < bounds.high)


def _step(x: Array, g: Array, L: float, bounds: Range) -> Array:
    """A gradient step, then the prox: soft threshold, or the nearest point of the box."""
    v = x - g / L
    if bounds.on_gradient:
        return np.asarray(v - np.clip(v, bounds.low / L, bounds.high / L))
    return np.clip(v, bounds.low, bounds.high)
