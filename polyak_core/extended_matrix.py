"""Products with a matrix in extended precision, their rounding bounded beforehand."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EXTENDED, EXTENDED_EPS, Array, Extended

BLOCK = 32
UNIT = 0.5 * EXTENDED_EPS
"""Largest relative error of one operation."""


class ExtendedMatrix:
    """A matrix in extended precision whose products are summed in blocks, so that rounding stays small.

    A product of n terms is off by at most u (BLOCK + n/BLOCK + 3) times the sum of their sizes.
    """

    def __init__(self, matrix: Array) -> None:
        """Keep a copy, filled up with zeros to whole blocks."""
        self._rows, self._columns = matrix.shape
        filled = np.zeros((_whole(self._rows), _whole(self._columns)), dtype=EXTENDED)
        filled[: self._rows, : self._columns] = matrix
        self._by_columns = filled.reshape(filled.shape[0], -1, BLOCK)
        self._by_rows = filled.reshape(-1, BLOCK, filled.shape[1])

    def times(self, x: Extended) -> tuple[Extended, float]:
        """The product, and its rounding error relative to |matrix||x|."""
        parts = np.einsum("rbk,bk->rb", self._by_columns, _filled(x))
        return np.asarray(parts.sum(axis=1)[: self._rows]), _rounding(self._columns)

    def transpose_times(self, r: Extended) -> tuple[Extended, float]:
        """The product with the transpose, and its relative rounding error."""
        parts = np.einsum("bkc,bk->bc", self._by_rows, _filled(r))
        return np.asarray(parts.sum(axis=0)[: self._columns]), _rounding(self._rows)


def _whole(n: int) -> int:
    return -(-n // BLOCK) * BLOCK


def _filled(x: Extended) -> Extended:
    whole = np.zeros(_whole(x.size), dtype=EXTENDED)
    whole[: x.size] = x
    return whole.reshape(-1, BLOCK)


def _rounding(n: int) -> float:
    return UNIT * (BLOCK + _whole(n) // BLOCK + 3)
