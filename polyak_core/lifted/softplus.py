"""phi(m) = log(1 + e^-m) around given margins: how a move changes its slope, and lifts it above the tangent.

`slope_change` and `bregman` are exact for every single margin. `Softplus` is several times as quick, and
right for what is made of many margins, a product or a sum: while moves are large it takes plain differences,
whose rounding is lost in the sum; later a few terms of the Taylor series, which are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy

from polyak_core.arrays import EPS, Array, Scalar, choose, inner, norm, total

NEAR, CLOSE = 0.125, 1e-3
"""Up to a move of `NEAR` four Gauss points are exact to rounding, up to `CLOSE` two; beyond `NEAR` the
closed form is right to 16 eps."""
SERIES, LONG_SERIES, RADIUS = 2.0**-4, 2.0**-2, 3.0
"""Up to these moves the Taylor series is preferred, or allowed; its terms shrink by move / RADIUS each."""
PLAIN = 2.0**-12
"""Slopes are subtracted where the mean square of the moves is this or more."""
ROUGH = 2.0**-5
"""Closed forms are rounded by about 2 EPS times a size; above ROUGH of that size they are right to 1e-14."""
DEPTH = math.log(EPS / 4)
EXACT, SUBTRACTED = 0, -1
"""Ways to compute a number besides a series; a series is named by its number of terms."""
Way = Any
"""One of these, or one for each run."""


@cache
def _rule(points: int) -> tuple[tuple[float, float], ...]:
    """Gauss-Jacobi nodes and weights: the integral of (1 - t) f(t) over [0, 1] is about sum w_j f(t_j)."""
    roots, weights = scipy.special.roots_jacobi(points, 1, 0)
    return tuple(zip((1 + roots) / 2, weights / 4, strict=True))


STEEP = -30.0


def slope_change(m: Array, d: Array) -> Array:
    """phi'(m + d) - phi'(m), each entry to full relative precision.

    With p(m) = 1/(1 + e^m) = -phi'(m), p(m) - p(m + d) = (1 - e^-d) p(m) p(-m - d); a negative d is
    the same with all signs changed. Shapes broadcast.
    """
    sign = np.copysign(1.0, d)
    expit = scipy.special.expit
    return np.asarray(-np.expm1(-np.abs(d)) * sign * expit(-sign * m) * expit(sign * (m + d)))


def bregman(m: Array, d: Array) -> Array:
    """phi(m + d) - phi(m) - phi'(m) d >= 0, each entry to about 1e-14 relative; shapes broadcast."""
    m, d = np.broadcast_arrays(m, d)
    size = np.abs(d)
    distance = np.zeros(d.shape)
    for node, weight in _rule(2 if size.max(initial=0.0) <= CLOSE else 4):
        e = np.exp(-np.abs(m + node * d))
        distance += weight * (e / np.square(1 + e))
    distance *= np.square(d)
    far = size > NEAR
    if far.any():
        distance[far] = _far_bregman(m[far], d[far])
    return distance


def _far_bregman(m: Array, d: Array) -> Array:
    """The closed form; phi(-m) = phi(m) + m, so that m may be taken as >= 0, where nothing cancels."""
    d = np.where(m < 0, -d, d)
    m = np.abs(m)
    p = scipy.special.expit(-m)
    distance = np.log1p(p * np.expm1(-np.maximum(d, STEEP))) + p * d
    steep = d < STEEP
    if steep.any():
        m, d, p = m[steep], d[steep], p[steep]
        distance[steep] = np.logaddexp(0.0, -(m + d)) - np.logaddexp(0.0, -m) + p * d
    return np.asarray(np.maximum(distance, 0.0))


class Softplus:
    """phi around fixed margins m of shape (rows,); moves d have shape (..., rows), leading axes are runs."""

    def __init__(self, m: Array) -> None:
        """Two logistic functions a margin; the terms of the series are made when they are needed."""
        expit = scipy.special.expit
        self.m = m
        self._p, q = expit(-m), expit(m)
        self._w = self._p * q
        self._sign = np.copysign(1.0, m)
        self._smaller = np.minimum(self._p, q)
        self._size = float(norm(self._smaller))
        self._rates = [np.ones_like(m)]
        self._skew = self._p - q

    def _series(self, count: int) -> list[Array]:
        """a_1..a_count of (phi'(m + d) - phi'(m)) / w = a(d) = sum a_k d^k, w = phi''(m).

        a solves a' = 1 + skew a - w a^2 with a(0) = 0, skew = phi'''(m)/w.
        """
        a = self._rates
        if len(a) < count:
            a = list(a)  # runs in other threads may be at the same place
            for k in range(len(a), count):
                squared = sum((a[i] * a[k - 2 - i] for i in range(k - 1)), np.zeros_like(self.m))
                a.append((self._skew * a[-1] - self._w * squared) / (k + 1))
            self._rates = a
        return a[:count]

    def slope_change(self, d: Array) -> Array:
        """phi'(m + d) - phi'(m): large moves to EPS, all others to full relative precision."""
        return np.asarray(_run_by_run(d, self._way_to_slopes, self._slopes))

    def _way_to_slopes(self, d: Array) -> Way:
        """A number of terms, `SUBTRACTED` or `EXACT`."""
        far = inner(d, d) >= PLAIN * self.m.size
        return SUBTRACTED if _all(far) else choose(far, SUBTRACTED, _terms(_largest(d), SERIES))

    def _slopes(self, way: Way, d: Array) -> Array:
        if way == SUBTRACTED:
            return np.asarray(self._p - scipy.special.expit(-self.m - d))
        if way == EXACT:
            return slope_change(self.m, d)
        *others, last = self._series(int(way))
        change = last * d
        for a in reversed(others):
            change += a
            change *= d
        change *= self._w
        return np.asarray(change)

    def rise(self, d: Array) -> Scalar:
        """sum of phi(m + d) - phi(m) - phi'(m) d >= 0, to about 1e-14 relative."""
        return _run_by_run(d, lambda d: _terms(_largest(d), SERIES), self._rise)

    def _rise(self, way: Way, d: Array) -> Scalar:
        if way != EXACT:
            return self._rise_by_series(d, int(way))
        rise, rounding = self._rise_in_closed_form(d)
        good = (rise > ROUGH * rounding) & (rise < np.inf)
        if _all(good):
            return rise
        if d.ndim == 1:
            return self._rise_of_rough(_terms(_largest(d), LONG_SERIES), d)
        bad = ~good[..., 0]
        rise[bad] = _run_by_run(d[bad], lambda d: _terms(_largest(d), LONG_SERIES), self._rise_of_rough)
        return rise

    def _rise_of_rough(self, way: Way, d: Array) -> Scalar:
        """Where a closed form would be rounded too much."""
        if way != EXACT:
            return self._rise_by_series(d, int(way))
        if d.ndim == 1:
            return total(bregman(self.m, d))
        return np.array([[total(bregman(self.m, one))] for one in d])

    def _rise_by_series(self, d: Array, terms: int) -> Scalar:
        """The integral of the series of slopes, term by term: sum a_k d^(k+1) / (k+1)."""
        *others, last = self._series(terms)
        mean = last * d
        mean *= terms / (terms + 1)
        for k in range(terms - 1, 0, -1):
            mean += others[k - 1]
            mean *= d
            mean *= k / (k + 1)
        return inner(mean, self._w * d)

    def _rise_in_closed_form(self, d: Array) -> tuple[Scalar, Scalar]:
        """sum of log(1 + p (e^-d - 1)) + p d, with signs such that p <= 1/2; and the size of its rounding.

        While moves are large, e^-d - 1 is a subtraction, rounded by p EPS, which is quicker than expm1.
        """
        moves = self._sign * d
        weighted = self._smaller * moves
        size = norm(weighted)
        large = size >= self._size / 4
        with np.errstate(over="ignore", invalid="ignore"):
            if _all(large):
                change = np.exp(-moves) - 1
            else:
                change = np.expm1(-moves)
                if np.any(large):
                    change[large[..., 0]] = np.exp(-moves[large[..., 0]]) - 1
            change *= self._smaller
            change = np.log1p(change)
        change += weighted
        return total(change), size + choose(large, self._size, 0.0)


def _run_by_run(d: Array, way_of: Callable[[Array], Way], compute: Callable[[Way, Array], Any]) -> Any:
    """Compute each run in its own way, so that its numbers do not depend on the runs beside it."""
    ways = way_of(d)
    if d.ndim == 1:
        return compute(ways, d)
    different = np.unique(ways)
    if different.size == 1:
        return compute(different[0], d)
    result = np.empty(0)
    for way in different:
        mine = ways[..., 0] == way
        part = compute(way, d[mine])
        if not result.size:
            result = np.empty(d.shape[:-1] + part.shape[-1:])
        result[mine] = part
    return result


def _largest(d: Array) -> Scalar:
    """The largest move of each run, NaN if one is."""
    if d.ndim == 1:
        return float(np.abs(d).max(initial=0.0))
    return np.abs(d).max(axis=-1, keepdims=True, initial=0.0)


def _terms(largest: Scalar, limit: float) -> Way:
    """How many terms of the series such moves need; `EXACT` where they are above the limit, or NaN."""
    if isinstance(largest, float):
        return math.ceil(DEPTH / math.log(max(largest, EPS) / RADIUS)) if largest <= limit else EXACT
    near = largest <= limit
    terms = np.ceil(DEPTH / np.log(np.maximum(np.where(near, largest, limit), EPS) / RADIUS))
    return np.where(near, terms, EXACT)


def _all(condition: Scalar) -> bool:
    return bool(condition.all() if isinstance(condition, np.ndarray) else condition)
