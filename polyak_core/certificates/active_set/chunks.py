"""A start for active sets of many coordinates of which few are free: interior points on a part at a time.

Reference: E. Osuna, R. Freund, F. Girosi, An improved training algorithm for support vector machines, 1997.
"""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EXTENDED, Array
from polyak_core.certificates.active_set.kernel_quadratic import KernelQuadratic
from polyak_core.certificates.active_set.pieces import Pieces
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic
from polyak_core.certificates.active_set.starts import interior_start
from polyak_core.matrices.columns import Mask
from polyak_core.progress.watch import step as watched_step

ROUNDS, LARGEST = 4, 1500
"""Chunks at most, and coordinates of each."""


def in_chunks(h: ExtendedQuadratic, pieces: Pieces, x: Array, free: Mask) -> tuple[Array, Mask]:
    """A better point and its free coordinates; both unchanged where these are too many.

    Each chunk holds the free coordinates and those that are closest to being so; the others rest. The search
    ends at the first chunk that does not lower f.
    """
    for k in range(ROUNDS):
        watched_step("chunk", k)
        g = h.slope(x)
        if h.size <= LARGEST or np.count_nonzero(free) > LARGEST // 2:
            break
        slack = np.where(free, -np.inf, _slack(pieces, x, g))
        chunk = np.zeros(h.size, dtype=bool)
        chunk[np.argpartition(slack, LARGEST)[:LARGEST]] = True
        block, start = h.block(chunk), x[chunk]
        linear = g[chunk] - block @ start
        part = KernelQuadratic(block, linear, scale=1.0, ridge=EXTENDED(0), smallest=0.0, largest=h.largest)
        solution, inside = interior_start(part, pieces.bounds)
        solution = pieces.resting(np.where(np.isfinite(solution), solution, start), inside)
        d = solution - start
        penalty = pieces.value(solution.astype(EXTENDED)) - pieces.value(start.astype(EXTENDED))
        if not g[chunk] @ d + 0.5 * d @ (block @ d) + float(penalty) < 0:
            break
        x, free = x.copy(), free.copy()
        x[chunk], free[chunk] = solution, inside
    return x, free


def _slack(pieces: Pieces, x: Array, g: Array) -> Array:
    return np.asarray(pieces.slack(x.astype(EXTENDED), g.astype(EXTENDED)), dtype=np.float64)
