"""Rank from below: factors of matrix completion that gain columns while the weight falls to what it is.

With few columns each step is cheap, and a long run of singular value decompositions, which begins with far
too many, is not needed.

Reference: Mishra, Meyer, Bach, Sepulchre, Low-rank optimization with trace norm penalty, 2013; Hastie,
Mazumder, Lee, Zadeh, Matrix completion and low-rank SVD via fast alternating least squares, 2015.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from polyak_core.arrays import EXTENDED, Array
from polyak_core.factored import Factors, Observed, polished, row_grams
from polyak_core.watch import step as watched_step
from polyak_core.work import FACTORED, SEARCH

FALL = 4.0
"""What the weight is divided by, from the largest that leaves X* = 0 on."""
SWEEPS = 10
DECOMPOSITION = 25
"""Multiplications of a singular value decomposition, over n m min(n, m)."""
DECOMPOSITIONS = 60
ALIKE = 1e-9
"""Singular values of the dual point this close to the weight are not above it."""
LEAST = 1e-9
"""Columns shorter than this, relative to the longest, squared, are left out."""


def grown(data: Observed) -> Factors | None:
    """Factors of about the minimiser; None where nothing is observed, or X* = 0."""
    Y, mask = (np.asarray(a, dtype=np.float64) for a in (data.Y, data.mask))
    G, H = np.zeros((Y.shape[0], 0)), np.zeros((Y.shape[1], 0))
    each = DECOMPOSITION * FACTORED * Y.shape[0] * Y.shape[1] ** 2
    level = np.inf
    for k in range(int(np.clip(SEARCH / each, 1, DECOMPOSITIONS))):
        watched_step("growing rank", k)
        U, s, Vt = np.linalg.svd(2 * mask * (Y - G @ H.T), full_matrices=False)
        level = max(data.lam, min(level, float(s[0])) / FALL)
        missing = int(np.count_nonzero(s > level * (1 + ALIKE)))
        if level == data.lam and (missing == 0 or s[0] == 0):
            break
        new = min(missing, max(G.shape[1], 5))
        root = np.sqrt((s[:new] - level) / 2)
        G, H = np.hstack([G, U[:, :new] * root]), np.hstack([H, Vt[:new].T * root])
        G, H = balanced(*alternated(Y, mask, level, G, H))
        if level == data.lam and G.shape[1]:
            smooth = polished(replace(data, lam=level), Factors(G.astype(EXTENDED), H.astype(EXTENDED)))
            G, H = (np.asarray(a, dtype=np.float64) for a in smooth)
    return Factors(G.astype(EXTENDED), H.astype(EXTENDED)) if G.shape[1] else None


def alternated(Y: Array, mask: Array, lam: float, G: Array, H: Array) -> tuple[Array, Array]:
    """Some sweeps of least squares in either factor, the other one held."""
    for _ in range(SWEEPS):
        for first in (True, False):
            shown, values, F = (mask, Y, H) if first else (mask.T, Y.T, G)
            grams = row_grams(shown, F) + lam / 2 * np.eye(F.shape[1])
            found = np.asarray(np.linalg.solve(grams, (values @ F)[..., None])[..., 0], dtype=np.float64)
            G, H = (found, H) if first else (G, found)
    return G, H


def balanced(G: Array, H: Array) -> tuple[Array, Array]:
    """The same product with columns that are orthogonal and as long in both, those next to 0 left out."""
    (P, R), (Q, S) = np.linalg.qr(G), np.linalg.qr(H)
    U, s, Vt = np.linalg.svd(R @ S.T)
    kept = s > LEAST * s[0]
    root = np.sqrt(s[kept])
    return P @ U[:, kept] * root, Q @ Vt[kept].T * root
