"""Newton steps on the free coordinates of an active set method."""

from __future__ import annotations

import numpy as np
import scipy

from polyak_core.arrays import Array
from polyak_core.columns import Mask
from polyak_core.extended_quadratic import ExtendedQuadratic, Solve, Spectrum, unit_scale

SURE_CONDITION = 1e10
"""Blocks of H up to this condition number are solved by Cholesky factors, worse ones by a decomposition."""


class Face:
    """The block H_FF, factored: Newton steps on the free coordinates, or the directions without curvature.

    Attributes:
        null: shape (free, k), directions in which h is a straight line; k = 0 if H_FF is regular.
    """

    def __init__(self, h: ExtendedQuadratic, free: Mask) -> None:
        """Cholesky factors of the scaled block if it is well conditioned, else its eigenvectors."""
        count = int(np.count_nonzero(free))
        self.null = np.zeros((count, 0))
        self._solve: Solve = np.zeros_like
        if count and not self._by_cholesky(h, free):
            self._by_spectrum(h.spectrum(free))

    def _by_cholesky(self, h: ExtendedQuadratic, free: Mask) -> bool:
        scale = unit_scale(h.diagonal[free])
        block = h.block(free) / np.outer(scale, scale)
        size = float(np.abs(block).sum(axis=0).max())
        try:
            factor, lower = scipy.linalg.cho_factor(block, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return False
        reciprocal, _ = scipy.linalg.lapack.dpocon(factor, size, uplo="L" if lower else "U")
        self._solve = lambda r: scipy.linalg.cho_solve((factor, lower), r / scale, check_finite=False) / scale
        return bool(reciprocal * SURE_CONDITION > 1)

    def _by_spectrum(self, spectrum: Spectrum) -> None:
        kept = spectrum.values > spectrum.cut
        vectors = spectrum.vectors[:, kept] / spectrum.scale[:, None]
        values = spectrum.values[kept]
        self.null = spectrum.vectors[:, ~kept] / spectrum.scale[:, None]
        self._solve = lambda r: np.asarray(vectors @ ((vectors.T @ r) / values))

    def newton(self, residual: Array) -> Array:
        """-H_FF^-1 residual."""
        return -self._solve(residual)
