"""Rank from below: factors of matrix completion gain columns while the weight falls to lam.

With few columns each step is cheap, and a long run of singular value decompositions, which begins with far
too many, is not needed.

Reference: Mishra, Meyer, Bach, Sepulchre, Low-rank optimization with trace norm penalty, 2013; Hastie,
Mazumder, Lee, Zadeh, Matrix completion and low-rank SVD via fast alternating least squares, 2015.
"""

from __future__ import annotations

import numpy as np

from polyak_core.arrays import EXTENDED, Array
from polyak_core.certificates.factored import LowRank, Observed, polished, row_grams
from polyak_core.progress.budget import FACTORED, SEARCH
from polyak_core.progress.watch import step as watched_step

FALL = 4.0
"""The weight is divided by this in each round; the first one leaves X* = 0."""
SWEEPS = 10
DECOMPOSITION = 25
"""Multiplications of a singular value decomposition, over n m min(n, m)."""
SWEEP = 2.5
"""Those of half a sweep, over n m and the square of the rank."""
DECOMPOSITIONS = 60
ALIKE, ROUGH = 1e-9, 1e-3
"""Singular values of the dual point this close to the weight count as equal: after Newton, and before."""
LEAST = 1e-9
"""Columns shorter than this, relative to the longest, squared, are left out."""


def grown(data: Observed) -> LowRank | None:
    """LowRank of about the minimiser, as far as the work goes; None where nothing is observed, or X* = 0."""
    Y, mask = (np.asarray(a, dtype=np.float64) for a in (data.Y, data.mask))
    (p, q), work = Y.shape, SEARCH / 2
    G, H, level, smooth = np.zeros((p, 0)), np.zeros((q, 0)), np.inf, False
    for k in range(DECOMPOSITIONS):
        watched_step("growing rank", k)
        U, s, Vt = np.linalg.svd(2 * mask * (Y - G @ H.T), full_matrices=False)
        level = max(data.lam, min(level, float(s[0])) / FALL)
        missing = int(np.count_nonzero(s > level * (1 + (ALIKE if smooth else ROUGH))))
        rank = G.shape[1]
        new = min(missing, max(rank, 5))
        work -= FACTORED * p * q * (DECOMPOSITION * q + 2 * SWEEPS * SWEEP * (rank + new) ** 2)
        if work < 0 or (level == data.lam and missing == 0 and (smooth or rank == 0)):
            break
        smooth = level == data.lam and missing == 0
        if smooth:
            factors = polished(data, LowRank(G.astype(EXTENDED), H.astype(EXTENDED)))
            G, H = (np.asarray(a, dtype=np.float64) for a in factors)
            work -= SEARCH / 5
            continue
        root = np.sqrt((s[:new] - level) / 2)
        G, H = np.hstack([G, U[:, :new] * root]), np.hstack([H, Vt[:new].T * root])
        G, H = balanced(*alternated(Y, mask, level, G, H))
    return LowRank(G.astype(EXTENDED), H.astype(EXTENDED)) if G.shape[1] else None


def alternated(Y: Array, mask: Array, lam: float, G: Array, H: Array) -> tuple[Array, Array]:
    """Some sweeps of least squares in either factor, the other one held."""
    for _ in range(SWEEPS):
        for first in (True, False):
            observed, values, F = (mask, Y, H) if first else (mask.T, Y.T, G)
            grams = row_grams(observed, F) + lam / 2 * np.eye(F.shape[1])
            factor = np.asarray(np.linalg.solve(grams, (values @ F)[..., None])[..., 0], dtype=np.float64)
            G, H = (factor, H) if first else (G, factor)
    return G, H


def balanced(G: Array, H: Array) -> tuple[Array, Array]:
    """The same product with columns that are orthogonal and as long in both, those next to 0 left out."""
    (P, R), (Q, S) = np.linalg.qr(G), np.linalg.qr(H)
    U, s, Vt = np.linalg.svd(R @ S.T, full_matrices=False)
    large = s > LEAST * s[0]
    root = np.sqrt(s[large])
    return P @ U[:, large] * root, Q @ Vt[large].T * root
