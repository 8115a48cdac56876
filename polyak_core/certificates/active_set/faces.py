"""Newton steps on the free coordinates of an active set method."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy

from polyak_core.arrays import Array
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic, Spectrum, unit_scale
from polyak_core.matrices.columns import Mask, Solve
from polyak_core.progress.budget import FACTORED
from polyak_core.progress.watch import step as watched_step

GAIN, ITERATIONS = 1e-8, 300
"""The factor by which conjugate gradients reduce a residual, and their most steps."""
LARGEST_SPECTRUM, SPECTRUM = 1500, 10
"""Blocks up to this size are decomposed where Cholesky factors fail; the work is so many times its cube."""
SURE_CONDITION = 1e10
"""Blocks of H up to this condition number are solved by Cholesky factors, worse ones by a decomposition."""


class LargeFace:
    """The block H_FF, too large for factors: Newton steps by conjugate gradients.

    A step that ends early is a direction of descent all the same.

    Attributes:
        price: of the last step.
    """

    null: ClassVar[Array] = np.zeros((0, 0))

    def __init__(self, h: ExtendedQuadratic, free: Mask) -> None:
        """Products with the block, and its diagonal."""
        self._times, self._each = h.normal(free)
        self.price = 0.0
        self._inverse = 1 / unit_scale(h.diagonal[free]) ** 2

    def newton(self, residual: Array) -> Array:
        """-H_FF^-1 residual, about."""
        return -self.solve(residual)

    def solve(self, right: Array) -> Array:
        """H_FF^-1 right, about, by conjugate gradients preconditioned with the diagonal."""
        self.price = 0.0
        step, r = np.zeros_like(right), right
        z = self._inverse * r
        p, size = z, float(r @ z)
        enough = GAIN**2 * size
        for k in range(ITERATIONS):
            watched_step("conjugate gradients", k)
            image = self._times(p)
            self.price += self._each
            curvature = float(p @ image)
            if not curvature > 0 or size <= enough:
                break
            step = step + size / curvature * p
            r = r - size / curvature * image
            z = self._inverse * r
            before, size = size, float(r @ z)
            p = z + size / before * p
        return step


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
        self.price = 0.0
        if not count or self._by_cholesky(h, free):
            return
        if count > LARGEST_SPECTRUM:
            self._solve = LargeFace(h, free).solve
            return
        self.price = SPECTRUM * FACTORED * count**3
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
        positive = spectrum.values > spectrum.cut
        vectors = spectrum.vectors[:, positive] / spectrum.scale[:, None]
        values = spectrum.values[positive]
        self.null = spectrum.vectors[:, ~positive] / spectrum.scale[:, None]
        self._solve = lambda r: np.asarray(vectors @ ((vectors.T @ r) / values))

    def newton(self, residual: Array) -> Array:
        """-H_FF^-1 residual."""
        return -self._solve(residual)
