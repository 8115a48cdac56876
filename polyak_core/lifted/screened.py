"""Carrying points by G = A'A where most coordinates of x - x* are exactly 0, as on the way to a sparse x*.

A prox sets coordinates to 0, or to a bound, and soon they are those of x*. Then only the other columns of G
matter: a step multiplies with them alone.
"""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import Array, Scalar, inner, nonnegative
from polyak_core.lifted.quadratic import Gram
from polyak_core.matrices.counted import CountedMatrix

SMALLEST = 256
"""Below this size a product with all of G takes no longer than looking for zeros."""


class Screened(Gram):
    """`Gram` that leaves out columns; runs in a stack use all of them."""

    def __init__(self, gram: CountedMatrix, x_star: Array, rest: Array | float = 0.0) -> None:
        """G and x*."""
        super().__init__(gram, x_star, rest)
        self.exact_rows = False
        self._columns = self._nonzero = np.empty(0, dtype=np.intp)
        self._part = gram.some_rows(self._columns)

    def _times(self, d: Array) -> Array:
        """G d."""
        if d.ndim > 1:
            return self._matrix.times(d)
        count = int(np.count_nonzero(d))
        if 2 * count > d.size:
            return self._matrix.times(d)
        entries = d[self._columns]
        if self._columns.size > 2 * count or np.count_nonzero(entries) < count:
            if not self._settles(d):
                return self._matrix.times(d)
            entries = d[self._columns]
        return self._part.transpose_times(entries)

    def _settles(self, d: Array) -> bool:
        """Whether the coordinates are those of the product before; then their columns are gathered."""
        nonzero, before = np.flatnonzero(d), self._nonzero
        self._nonzero = nonzero
        if not np.array_equal(nonzero, before):
            return False
        self._columns, self._part = nonzero, self._matrix.some_rows(nonzero)
        return True

    def relift(self, d: Array) -> Array:
        """One product, or a part of one."""
        return np.concatenate([d, self._times(d)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product, or a part of one."""
        return nonnegative(0.5 * inner(d, self._times(d)))


def gram_form(gram: CountedMatrix, x_star: Array) -> Gram:
    """The way to carry points by G beside a penalty that sets coordinates."""
    return (Screened if x_star.size >= SMALLEST else Gram)(gram, x_star)
