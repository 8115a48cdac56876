"""Products with a matrix in extended precision, their rounding bounded beforehand."""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EXTENDED, EXTENDED_EPS, Array, Extended

BLOCK = 32
STRIP = 2**18
"""Entries that are widened at a time."""
UNIT = 0.5 * EXTENDED_EPS
"""Largest relative error of one operation."""


class ExtendedMatrix:
    """A matrix in extended precision whose products are summed in blocks, so that rounding stays small.

    A product of n terms is off by at most u (BLOCK + n/BLOCK + 3) times the sum of their sizes.
    """

    def __init__(self, matrix: Array) -> None:
        """Keep the matrix; nobody else may change it. Strips of it are widened as they are needed."""
        self._matrix = matrix
        self._rows, self._columns = matrix.shape
        self._strip = max(1, STRIP // _whole(self._columns))

    def _wide(self, first: int, last: int) -> Extended:
        """Some rows, filled up with zeros to whole blocks of columns."""
        part = self._matrix[first:last]
        filled = np.zeros((part.shape[0], _whole(self._columns)), dtype=EXTENDED)
        filled[:, : self._columns] = part
        return filled

    def times(self, x: Extended) -> tuple[Extended, float]:
        """The product, and its rounding error relative to |matrix||x|."""
        blocks, products = _filled(x), []
        for first in range(0, self._rows, self._strip):
            strip = self._wide(first, first + self._strip)
            cut = strip.reshape(strip.shape[0], -1, BLOCK)
            products.append(np.einsum("rbk,bk->rb", cut, blocks).sum(axis=1))
        return np.concatenate(products), _rounding(self._columns)

    def transpose_times(self, r: Extended) -> tuple[Extended, float]:
        """The product with the transpose, and its relative rounding error."""
        blocks, products = _filled(r), []
        several = max(1, self._strip // BLOCK)
        for first in range(0, len(blocks), several):
            strip = np.zeros((min(several, len(blocks) - first) * BLOCK, self._columns), dtype=EXTENDED)
            part = self._matrix[first * BLOCK : (first + several) * BLOCK]
            strip[: part.shape[0]] = part
            cut = strip.reshape(-1, BLOCK, self._columns)
            products.append(np.einsum("bkc,bk->bc", cut, blocks[first : first + several]))
        return np.concatenate(products).sum(axis=0), _rounding(self._rows)

    def magnitude_times(self, x: Array) -> Array:
        """|matrix| x in float64, for x >= 0."""
        strips = range(0, self._rows, self._strip)
        return np.concatenate([np.abs(self._matrix[i : i + self._strip]) @ x for i in strips])

    def magnitude_transpose_times(self, r: Array) -> Array:
        """|matrix|' r in float64, for r >= 0."""
        strips = [slice(i, i + self._strip) for i in range(0, self._rows, self._strip)]
        return np.asarray(sum(r[part] @ np.abs(self._matrix[part]) for part in strips))


def _whole(n: int) -> int:
    return -(-n // BLOCK) * BLOCK


def _filled(x: Extended) -> Extended:
    whole = np.zeros(_whole(x.size), dtype=EXTENDED)
    whole[: x.size] = x
    return whole.reshape(-1, BLOCK)


def _rounding(n: int) -> float:
    return UNIT * (BLOCK + _whole(n) // BLOCK + 3)
