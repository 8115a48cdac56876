"""x* and f* to the last bit that float64 can hold, with a proven bound on their error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.columns import Solve
from polyak_core.matrices.equilibrated import Equilibrated
from polyak_core.matrices.exact import Whole, affordable, exact_times
from polyak_core.matrices.kinds import Matrix, stored_entries
from polyak_core.matrices.sliced import HALF_SQUARE_ERROR, Enclosure, Pair, SlicedMatrix, half_square
from polyak_core.progress.watch import step as watched_step

MANY_ENTRIES, LONG_SIDE = 3_000_000, 1000
"""Matrices of so many entries, or with both sides so long, take about a second to find x*."""

REFINEMENTS = 12
SAFETY = 1 + 1e-9
"""Covers the rounding of the float64 arithmetic that makes the bounds."""
ONE_PERCENT = 4e4
"""A gap of so many times f(c) - min f, made around c in place of the minimiser, is right to 1 percent."""


@dataclass(frozen=True)
class Reference:
    """A certified solution.

    Attributes:
        x_star: the stored float64 minimiser.
        f_star: the minimum, rounded to float64.
        error: bound on f(x_star) - min f for the stored x_star, rounding included; for one's own h it may be
            an estimate.
        source: how it was found, in words.
        gradient: grad h(x*), such that its negative is a subgradient of psi at x*; None where it is 0.
        level: the gap below which rounding errors dominate, where `error` does not tell: gaps above it are
            right to 1 percent, or runs in float64 end above it.
        rest: what float64 leaves out of the minimiser; x_star + rest is the centre of lifted points.
        proven: whether `error`, and that gaps above `level` are right, is proven, rounding counted; where it
            is an estimate, `source` says what is guessed.
    """

    x_star: Array
    f_star: float
    error: float
    source: str
    _: KW_ONLY
    gradient: Array | None = None
    level: float | None = None
    rest: Array | float = 0.0
    proven: bool = True


def takes_long(A: Matrix) -> bool:
    """Whether finding x* of a problem with this matrix may take more than about a second."""
    return stored_entries(A) > MANY_ENTRIES or min(A.shape) > LONG_SIDE


def least_squares_reference(
    b: Array, factors: Equilibrated, start: Array, closest: Solve | None = None
) -> Reference:
    """Minimiser of 1/2 ||Ax - b||^2, refined with residuals that are almost free of rounding.

    Args:
        b: shape (m,).
        factors: of A.
        start: where to begin.
        closest: nearly the shortest x that brings A x closest to a vector; where minimisers are many, steps
            with it come first, so that the one closest to the start is found.

    Guarantee: with r = b - A x, f(x) - min f = 1/2 ||P r||^2, P the projection onto the range of A, and
    ||P r|| <= ||A'r|| / sigma_min, columns of length about 1. Where directions were left out that A may have,
    only 0 <= min f is proven, and what would hold without them is an estimate.
    """
    matrix = factors.sliced()
    x, done = Pair(start / factors.scale, np.zeros(start.size)), 0
    if closest is not None:
        x, done = _refined(matrix, b, x, lambda r: closest(r.high) / factors.scale)
    x, more = _refined(matrix, b, x, lambda r: _step(factors, matrix, r))
    return _certified(b, factors, matrix, x, matrix.residual(b, x), done + more)


def _refined(matrix: SlicedMatrix, b: Array, x: Pair, step: Callable[[Pair], Array]) -> tuple[Pair, int]:
    """x after steps that get shorter and shorter, and how many."""
    size = np.inf
    for done in range(REFINEMENTS):
        watched_step("refinement", done)
        dx = step(matrix.residual(b, x).value)
        moved = _length(matrix.A @ dx)
        if moved > size / 2:
            return x, done
        x, size = x.plus(dx), moved
        if size <= EPS**2 * _length(b):
            return x, done + 1
    return x, REFINEMENTS


def _step(factors: Equilibrated, matrix: SlicedMatrix, r: Pair) -> Array:
    """A solution of Â'Â dx = Â'r, nearly; in the range of Â' where A is wide."""
    if factors.tall:
        return factors.invert(matrix.pull(r).value.high)
    return np.asarray(matrix.A.T @ factors.invert(r.high))


def _certified(
    b: Array, factors: Equilibrated, matrix: SlicedMatrix, x: Pair, r: Enclosure, done: int
) -> Reference:
    """The reference made of the point, with the bound that is proven for it."""
    g = matrix.pull(r.value)
    left = _length(matrix.A @ x.low) * SAFETY  # the part of the minimiser that float64 leaves out
    if factors.tall or not factors.complete:
        off = (_length(g.value.high) + g.error) / factors.low + r.error
    else:
        off = _length(np.where(factors.zero, 0.0, r.value.high)) + r.error
    centre, error = 0.5 * (off * SAFETY) ** 2, 0.5 * ((off + left) * SAFETY) ** 2
    level = max(error, ONE_PERCENT * centre)
    length = _length(r.value.high) + r.error
    fits = factors.complete and not factors.tall  # but for rows of zeros
    if fits:
        f_star = half_square(r.value.scaled(factors.zero.astype(np.float64)))
        rounding = HALF_SQUARE_ERROR * f_star
    else:
        f_star, rounding = _minimum(matrix, b, x, r, length)
    error += rounding
    x_star, rest = (part * factors.scale for part in x)
    words = f"{factors.words}, columns of length 1, and {done} refinements without rounding"
    if factors.complete:
        return Reference(x_star, f_star, error, words, level=level, rest=rest)
    words += (
        f"; numerical rank {factors.rank} of {x.high.size} taken as exact: an estimate, by which "
        f"f(x*) - min f = {error:.1g}; proven is only f* >= 0"
    )
    gradient = -np.asarray(g.value.high / factors.scale)
    value = 0.5 * ((length + left) * SAFETY) ** 2  # not below f(x_star)
    return Reference(x_star, f_star, value, words, gradient=gradient, level=level, rest=rest, proven=False)


def _minimum(matrix: SlicedMatrix, b: Array, x: Pair, r: Enclosure, length: float) -> tuple[float, float]:
    """1/2 ||b - A x||^2 rounded once, and a bound on any other error: 0 where exact sums are cheap."""
    if affordable(matrix.A):
        point = Whole.of(x.high) - Whole.of(-x.low)
        residual = Whole.of(b) - exact_times(matrix.A, point)
        return float(residual.dot(residual) / 2), 0.0
    value = half_square(r.value)
    return value, length * r.error + HALF_SQUARE_ERROR * value


def _length(v: Array) -> float:
    return float(np.linalg.norm(v))
