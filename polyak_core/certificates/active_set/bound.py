"""How far a point is above the minimum of a quadratic function with a box or an l1 norm: proven bounds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, PRECISION, Array
from polyak_core.certificates.active_set.method import ActiveSet, find_active_set
from polyak_core.certificates.active_set.pieces import Pieces
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic
from polyak_core.certificates.reference import Reference
from polyak_core.matrices.columns import Mask
from polyak_core.matrices.extended import UNIT
from polyak_core.penalties import L1, Box
from polyak_core.progress.budget import LARGEST_FACTORED

ENOUGH, LARGE = 1e-14, 1000
"""A relative bound below this is not worth more work where so many coordinates are free."""
MOST_MOMENTUM = 1e3
"""Root of the largest condition number whose momentum is taken into account in the rounding of runs."""
WEAK = 1e-11
"""A relative bound above this is called weak."""
UNDERFLOW = 1e-300
"""More than what is lost where squares are too small for float64."""
SAFETY = 1 + 1e-9
"""Covers the rounding of the float64 arithmetic that makes the bounds."""


def excess_bound(point: ActiveSet, x_star: Array) -> tuple[float, str]:
    """Bound on f(x_star) - min f, and how it is proven.

    Args:
        point: a point with its face.
        x_star: the point rounded to float64.

    Guarantee: with e the residual on the free coordinates F and s_j the slack of the others, rounding
    included, convexity bounds f(x) - min f by the price of e and of the negative part of s (duality gap);
    by ||(e, s-)||^2 / (2 mu) (strong convexity); and, with q = e' H_FF^-1 e, by q/2 plus the price of
    (s_j - sqrt(H_jj q))-, since the dual point can be corrected by that much so that it fits on F. To the
    smallest of the three the rounding of x is added, itself of second order.
    """
    h, pieces, free = point.h, point.pieces, point.free
    error = np.zeros(h.size)
    error[free] = np.abs(point.residual) + point.rounding[free]
    slack = np.asarray(pieces.slack(point.x, point.g), dtype=np.float64) - point.rounding
    x = np.asarray(point.x, dtype=np.float64)
    smooth, off = h.value(point.x)
    value = (float(smooth + pieces.value(point.x)) + off) * SAFETY

    short = np.where(free, error, np.maximum(0.0, -slack))
    bounds = {"duality gap": pieces.price(short, x, value)}
    if h.lowest > 0:
        bounds["strong convexity"] = float(short @ short) / (2 * h.lowest)
    count = np.count_nonzero(free)
    enough = min(bounds.values()) <= ENOUGH * max(1.0, abs(value)) and count > LARGE
    squared = np.inf if enough or count > LARGEST_FACTORED else _corrected(h, free, error)
    if np.isfinite(squared):
        reach = np.sqrt(np.maximum(h.diagonal, 0.0) * squared) * SAFETY
        rest = np.where(free, 0.0, np.maximum(0.0, reach - slack))
        bounds["dual point corrected on the free coordinates"] = 0.5 * squared + pieces.price(rest, x, value)
    how = min(bounds, key=bounds.__getitem__)
    far = 0.0 if h.lowest >= 0 else -0.5 * h.lowest * _squared_reach(pieces, x, value)
    d = np.asarray(np.abs(x_star.astype(EXTENDED) - point.x), dtype=np.float64)
    rounded = float(error @ d) + 0.5 * h.largest * float(d @ d)
    exact = not (short.any() or d.any())
    return (bounds[how] + far + rounded) * SAFETY + (0.0 if exact else UNDERFLOW), how


def _squared_reach(pieces: Pieces, x: Array, value: float) -> float:
    """Bound on ||x' - x||^2 over minimisers x'."""
    return float(np.square(pieces.reach(x, value)).sum())


def _corrected(h: ExtendedQuadratic, free: Mask, error: Array) -> float:
    """Bound on e' H_FF^-1 e, infinite if H_FF may be singular."""
    if not free.any():
        return 0.0
    scale, low = h.smallest(free)
    scaled = error[free] / scale
    return float(scaled @ scaled) / low * SAFETY if low > 0 else np.inf


def certified(
    h: ExtendedQuadratic, penalty: L1 | Box, pieces: Pieces, exact: Callable[[Array], Fraction | None]
) -> Reference:
    """x*, f*, their bound and the gradient, tidied, of h + penalty; `exact` gives values of it."""
    point = find_active_set(h, pieces)
    x_star = np.asarray(point.x, dtype=np.float64)
    error, how = excess_bound(point, x_star)
    f_star, rounding = _value(h, pieces, x_star, exact(x_star))
    gradient = -penalty.tidy(x_star, -np.asarray(point.g, dtype=np.float64))
    level = max(error, _rounding_level(point, x_star, gradient))
    words = _words(point, how, error, f_star)
    return Reference(x_star, f_star, error + rounding, words, gradient=gradient, level=level)


def _value(
    h: ExtendedQuadratic, pieces: Pieces, x_star: Array, exact: Fraction | None
) -> tuple[float, float]:
    """f(x_star) rounded once, and a bound on what rounding before that did."""
    if exact is not None:
        return float(exact), 0.0
    x = x_star.astype(EXTENDED)
    smooth, off = h.value(x)
    psi = pieces.value(x)
    return float(smooth + psi), off + UNIT * (x.size + 4) * float(abs(psi) + abs(smooth))


def _rounding_level(point: ActiveSet, x_star: Array, gradient: Array) -> float:
    """Estimate of the gap that runs in float64 end with: steps round x, momentum piles that up."""
    h = point.h
    if h.largest == 0:
        return 0.0
    moved = np.abs(x_star)
    if point.pieces.bounds.on_gradient:  # x - g/L is rounded before it is cut; a box cuts exactly
        moved = moved + np.abs(gradient) / h.largest
    condition = min(h.largest / max(h.lowest, EPS * h.largest), MOST_MOMENTUM**2)
    return float(h.largest * EPS**2 * (moved @ moved) * (32 + 4 * condition**0.5))


def _words(point: ActiveSet, how: str, error: float, f_star: float) -> str:
    """How x* was found, and what is weak about it."""
    count = int(np.count_nonzero(point.free))
    start = "an interior point" if point.h.affordable else "a first-order"
    way = (
        f"by {start} start and {point.steps} active set steps"
        if not point.at_zero
        else "as zeros are optimal"
    )
    words = [
        f"{count} of {point.h.size} coordinates free, found {way}, solved on in {PRECISION} precision; "
        f"bound by {how}"
    ]
    slack = np.asarray(point.pieces.slack(point.x, point.g), dtype=np.float64)
    if bool((slack[~point.free] <= 1e3 * point.rounding[~point.free]).any()):
        words.append("no strict complementarity, so the minimiser may not be unique")
    if point.h.lowest < 0:
        words.append("the kernel matrix is singular up to rounding, which the bound includes")
    if not point.settled:
        words.append("optimality conditions do not all hold")
    if point.work < 0:
        words.append(
            f"a weaker bound, {error / max(abs(f_star), UNDERFLOW):.1g} of f*, as the work allowed is used up"
        )
    elif error > WEAK * max(1.0, abs(f_star)):
        words.append("a weak bound: the free columns are close to dependent")
    return "; ".join(words)
