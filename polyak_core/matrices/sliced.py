"""Products with a matrix whose rounding is tiny and bounded, on every machine and in any order.

A matrix is cut into three slices of few leading digits and what they leave over, and so is a vector. A
product of two slices is a sum of whole multiples of one unit, below 2^53 of them, so that floating point
makes no error, in whatever order the terms are added. The rest is so small that its rounding hardly matters.

Reference: K. Ozaki, T. Ogita, S. Oishi, S. Rump, Error-free transformations of matrix multiplication by using
fast routines of matrix multiplication, Numerical Algorithms 59, 2012.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.matrices.kinds import Centred, Matrix, is_dense

SLICES = 3
BLOCK = 2**20
"""Entries that are cut at a time, so that a large matrix is never held four times."""


class Pair(NamedTuple):
    """A vector as a sum of two, the second next to the last digit of the first."""

    high: Array
    low: Array

    def plus(self, step: Array) -> Pair:
        """The sum with a vector, again as a pair."""
        high, left = two_sum(self.high, step)
        return Pair(*two_sum(high, left + self.low))

    def scaled(self, factor: Array) -> Pair:
        """Each entry times a power of two."""
        return Pair(self.high * factor, self.low * factor)


class Enclosure(NamedTuple):
    """A product and a bound on the Euclidean length of its error."""

    value: Pair
    error: float


class SlicedMatrix:
    """A matrix of any kind (`polyak_core.matrices.kinds`) in products with pairs."""

    def __init__(self, A: Matrix) -> None:
        """Cut it once if it is small, else at each product."""
        self.A = A
        self.shape: tuple[int, int] = A.shape
        self._centred = isinstance(A, Centred)
        self._X = A.X if self._centred else A
        self._digits = (53 - math.ceil(math.log2(max(*self.shape, 2)))) // 2
        entries = self._X.ravel() if is_dense(self._X) else self._X.data
        self._size = float(np.abs(entries).max(initial=0.0))
        small = entries.size <= BLOCK
        self._slices = list(self._blocks()) if small else None

    def residual(self, b: Array, x: Pair) -> Enclosure:
        """b - A x."""
        parts, error = self._cut(x)
        terms = np.concatenate([_rows(slices, parts) for _, slices in self._all_slices()])
        sums = [-terms[:, j] for j in range(terms.shape[1])]
        if self._centred:
            level = _product(self.A.mean[None, :], x)
            sums += [np.full(self.shape[0], v[0]) for v in level.value]
            error += level.error
        value, rounding = _added([b, *sums])
        return Enclosure(value, math.sqrt(self.shape[0]) * error + rounding)

    def pull(self, r: Pair) -> Enclosure:
        """A'r."""
        parts, error = self._cut(r)
        total: list[Array] = [np.zeros(self.shape[1])]
        for rows, slices in self._all_slices():
            terms = _rows([part.T for part in slices], [part[rows] for part in parts])
            total += [terms[:, j] for j in range(terms.shape[1])]
        if self._centred:
            together = _product(np.ones((1, self.shape[0])), r)
            levels = _product(-self.A.mean[:, None], together.value)
            total += levels.value
            error += levels.error + float(np.abs(self.A.mean).max()) * together.error
        value, rounding = _added(total)
        return Enclosure(value, math.sqrt(self.shape[1]) * error + rounding)

    def _all_slices(self) -> Iterator[tuple[slice, list[Matrix]]]:
        return iter(self._slices) if self._slices is not None else self._blocks()

    def _blocks(self) -> Iterator[tuple[slice, list[Matrix]]]:
        """Rows, and their slices with the rest."""
        rows = self._X.shape[0]
        entries = self._X.size if is_dense(self._X) else max(self._X.nnz, 1)
        length = max(1, int(BLOCK * rows / entries))
        for first in range(0, rows, length):
            part = slice(first, min(first + length, rows))
            block = self._X[part]
            if is_dense(block):
                yield part, list(_slices(block, self._size, self._digits))
            else:
                cut = _slices(block.data, self._size, self._digits)
                yield part, [type(block)((data, block.indices, block.indptr), block.shape) for data in cut]

    def _cut(self, v: Pair) -> tuple[list[Array], float]:
        """The slices of a pair, and a bound on the error of one entry of a product with it."""
        size = float(np.abs(v.high).max(initial=0.0))
        *first, rest = _slices(v.high, size, self._digits)
        left = rest + v.low
        tail = 2.0 ** (-SLICES * self._digits) * size + float(np.abs(left).max(initial=0.0))
        terms = v.high.size
        return [*first, left], 4 * (terms + 4) * EPS * terms * self._size * tail + 1e-300


def _product(matrix: Array, v: Pair) -> Enclosure:
    """A plain matrix times a pair."""
    return SlicedMatrix(-matrix).residual(np.zeros(matrix.shape[0]), v)


def _rows(slices: list[Matrix], parts: list[Array]) -> Array:
    """The products of all slices with all parts, largest first, one a column."""
    columns = np.stack(parts, axis=1)
    return np.concatenate([np.asarray(part @ columns) for part in slices], axis=1)


def _slices(v: Array, size: float, digits: int) -> Iterator[Array]:
    """Whole multiples of smaller and smaller units, and the rest; their sum is v exactly."""
    unit = 2.0 ** (math.frexp(size)[1] - digits) if size > 0 else 1.0
    for _ in range(SLICES):
        anchor = 1.5 * 2.0**52 * unit
        leading = (v + anchor) - anchor
        yield leading
        v = v - leading
        unit *= 2.0**-digits
    yield v


def two_sum(u: Array, v: Array) -> tuple[Array, Array]:
    """The rounded sum and what rounding left over, exactly."""
    total = u + v
    back = total - u
    return total, (u - (total - back)) + (v - back)


def _added(terms: list[Any]) -> tuple[Pair, float]:
    """The sum of vectors as a pair, and a bound on the length of its error."""
    high, low = terms[0], np.zeros_like(terms[0])
    size = np.abs(terms[0])
    for term in terms[1:]:
        high, left = two_sum(high, term)
        low = low + left
        size = size + np.abs(term)
    rounding = 2 * len(terms) ** 2 * EPS**2 * float(np.sqrt(size @ size))
    return Pair(*two_sum(high, low)), rounding


HALF_SQUARE_ERROR = 4 * EPS**2
"""Of `half_square`, relative, before it is rounded once."""


def half_square(r: Pair) -> float:
    """1/2 ||r||^2, rounded once but for `HALF_SQUARE_ERROR` of it."""
    high, low = r
    anchor = 134217729.0 * high
    head = anchor - (anchor - high)
    tail = high - head
    square = high * high
    left = ((head * head - square) + 2 * head * tail) + tail * tail
    terms = np.concatenate([square, left, 2 * high * low, low * low])
    return 0.5 * math.fsum(terms.tolist())
