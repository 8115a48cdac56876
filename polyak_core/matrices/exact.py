"""Values in exact arithmetic: float64 numbers are Python's whole numbers times powers of 2.

What is printed as f* is f(x*) of the stored data and the stored x*, rounded once. No rounding has to be
bounded, on no machine, whatever cancels; the price is about a tenth of a microsecond an entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Extended
from polyak_core.matrices.kinds import Centred, Matrix, is_dense, stored_entries

MOST_ENTRIES = 1_000_000
"""Most entries of a matrix for which an exact value is worth its time."""
BLOCK_ENTRIES = 2**16
DIGITS = 53


@dataclass(frozen=True)
class Whole:
    """numbers * 2^exponent, exactly.

    Attributes:
        numbers: an array of Python's whole numbers.
        exponent: one for all of them.
    """

    numbers: npt.NDArray[Any]
    exponent: int

    @classmethod
    def of(cls, values: Array) -> Whole:
        """The same numbers, none of them rounded."""
        low = _exponent(values)
        return cls(_numbers(values, low), low)

    def __sub__(self, other: Whole) -> Whole:
        """Entry by entry."""
        low = min(self.exponent, other.exponent)
        return Whole(self.at(low) - other.at(low), low)

    def __mul__(self, other: Whole) -> Whole:
        """Entry by entry."""
        return Whole(self.numbers * other.numbers, self.exponent + other.exponent)

    def __abs__(self) -> Whole:
        """Entry by entry."""
        return Whole(np.abs(self.numbers), self.exponent)

    def at(self, exponent: int) -> npt.NDArray[Any]:
        """The numbers that go with an exponent that is not larger."""
        return self.numbers * (1 << (self.exponent - exponent))

    def sum(self) -> Fraction:
        """Of all entries."""
        return Fraction(int(self.numbers.sum())) * Fraction(2) ** self.exponent

    def dot(self, other: Whole) -> Fraction:
        """The inner product."""
        return (self * other).sum()


def rounded_sum(terms: Extended) -> float:
    """The sum with one rounding, at the end."""
    high = terms.astype(np.float64)
    low = (terms - high).astype(np.float64)
    return math.fsum([*high.tolist(), *low.tolist()])


def affordable(A: Matrix) -> bool:
    """Whether exact products with A take a moment only."""
    return stored_entries(A) <= MOST_ENTRIES


def exact_times(A: Matrix, x: Whole) -> Whole:
    """A x, for a matrix of any kind."""
    if isinstance(A, Centred):
        mean = Whole.of(A.mean) * x
        return exact_times(A.X, x) - Whole(
            np.full(A.shape[0], mean.numbers.sum(), dtype=object), mean.exponent
        )
    low = _exponent(A if is_dense(A) else A.data)
    if is_dense(A):
        rows = [_numbers(block, low) @ x.numbers for block in _blocks(A)]
        return Whole(np.concatenate(rows), low + x.exponent)
    products = _numbers(A.data, low) * x.numbers[A.indices]
    rows_used = np.flatnonzero(np.diff(A.indptr))
    image = np.zeros(A.shape[0], dtype=object)
    if rows_used.size:
        image[rows_used] = np.add.reduceat(products, A.indptr[:-1][rows_used])
    return Whole(image, low + x.exponent)


def exact_transpose_times(A: Matrix, r: Whole) -> Whole:
    """A'r, for a matrix of any kind."""
    if isinstance(A, Centred):
        shift = Whole.of(A.mean) * Whole(np.full(A.shape[1], r.numbers.sum(), dtype=object), r.exponent)
        return exact_transpose_times(A.X, r) - shift
    return exact_times(A.T if is_dense(A) else A.T.tocsr(), r)


def _blocks(A: Array) -> Iterator[Array]:
    """A some rows at a time: whole numbers take several times the memory."""
    rows = max(1, BLOCK_ENTRIES // max(1, A.shape[1]))
    return (A[first : first + rows] for first in range(0, A.shape[0], rows))


def _exponent(values: Array) -> int:
    """The least power of 2 in the values."""
    used = values[values != 0]
    return int(np.frexp(used)[1].min()) - DIGITS if used.size else 0


def _numbers(values: Array, exponent: int) -> npt.NDArray[Any]:
    mantissas, powers = np.frexp(values)
    whole = np.ldexp(mantissas, DIGITS).astype(np.int64)
    shifts = np.where(whole != 0, powers - DIGITS - exponent, 0)
    return np.asarray(whole.astype(object) << shifts.astype(object))
