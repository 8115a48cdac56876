"""Three ways to carry a point of a quadratic loss, each with the image that its gradient needs.

A point x is carried as its displacement d = x - x*, together with linear images of d, in one array
z of shape ``(..., size)``. Methods combine such lifted points with plain ``+``, ``-``, ``*``: the
images come along for free, and only :meth:`relift` touches the data. Leading axes are runs.

================  ====================  ==============  =================
form              z                     gradient        products a relift
================  ====================  ==============  =================
`Eigenbasis`      V'd                   lambda * V'd    0
`Gram`            (d, G d)              G d             1
`Factor`          (d, A d, A'A d)       A'A d           2
================  ====================  ==============  =================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from polyak_core.arrays import EPS, Array, Scalar, inner, nonnegative, norm
from polyak_core.oracle import CountedMatrix, Counts

REPRESENTATIONS = ("A", "G", "eigenbasis")
GRADIENT_NOISE = 1e3 * EPS
"""Rounding of a gradient made by matrix products, relative to L ||d|| (generous)."""
SMALLEST_SQUARE = 1e-304
"""Smaller squared norms lose digits: below 2e-308 float64 numbers have fewer."""
VANISHING = SMALLEST_SQUARE**0.5


class Form(Protocol):
    """What a problem asks of a representation; all methods take lifted points but `lift`, `relift`."""

    name: str

    def lift(self, x: Array) -> Array:
        """Carry a plain point."""

    def point(self, z: Array) -> Array:
        """The plain point that is carried."""

    def displacement(self, z: Array) -> Array:
        """Displacement x - x* in coordinates in which norms and inner products are the true ones."""

    def gradient(self, z: Array) -> Array:
        """G d, in the coordinates of `displacement`; no product."""

    def energy(self, z: Array) -> Scalar:
        """1/2 d'Gd, no product, never negative."""

    def size(self, z: Array) -> tuple[Scalar, Scalar]:
        """||G d||^2 and `energy` together; no product."""

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """The map of z to what carries d - G d / L, its images made afresh: products as for `relift`."""

    def relift(self, d: Array) -> Array:
        """Carry a displacement, its images made afresh, so that rounding does not build up."""

    def energy_at(self, d: Array) -> Scalar:
        """1/2 d'Gd of a bare displacement; one product, none in the eigenbasis."""

    def gradient_noise(self, z: Array, L: float) -> Scalar:
        """A size below which the norm of `gradient` is rounding."""

    def counted_by(self, counts: Counts) -> Form:
        """The same form under another counter."""


class Eigenbasis:
    """Coordinates in the eigenvectors of G: every operation elementwise, nothing cancels."""

    name = "eigenbasis"

    def __init__(self, eigenvalues: Array, x_star: Array, basis: Array | None = None) -> None:
        """Eigenvalues and V of G = V diag(eigenvalues) V'; no basis means V = I."""
        self.eigenvalues = eigenvalues
        self._x_star = x_star
        self._basis = basis

    def lift(self, x: Array) -> Array:
        """V'(x - x*)."""
        d = x - self._x_star
        return d if self._basis is None else d @ self._basis

    def point(self, z: Array) -> Array:
        """x* + V z."""
        return self._x_star + (z if self._basis is None else z @ self._basis.T)

    def displacement(self, z: Array) -> Array:
        """V'd itself; V is orthogonal."""
        return z

    def gradient(self, z: Array) -> Array:
        """Each coordinate times its eigenvalue."""
        return self.eigenvalues * z

    def energy(self, z: Array) -> Scalar:
        """1/2 sum lambda (V'd)^2."""
        return 0.5 * inner(self.eigenvalues * z, z)

    def size(self, z: Array) -> tuple[Scalar, Scalar]:
        """Both from one elementwise product."""
        g = self.eigenvalues * z
        return inner(g, g), 0.5 * inner(g, z)

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """One factor for each coordinate."""
        factor = 1 - self.eigenvalues / L
        return factor.__mul__

    def relift(self, d: Array) -> Array:
        """Nothing to make afresh."""
        return d

    def energy_at(self, d: Array) -> Scalar:
        """The same as `energy`."""
        return self.energy(d)

    def gradient_noise(self, z: Array, L: float) -> Scalar:
        """Only underflow: every operation is elementwise."""
        return VANISHING

    def counted_by(self, counts: Counts) -> Eigenbasis:
        """The same: nothing is counted here."""
        return self


class Gram:
    """G = A'A at hand: one product of size n x n a step."""

    name = "G"

    def __init__(self, gram: CountedMatrix, x_star: Array) -> None:
        """G and x*."""
        self._gram = gram
        self._x_star = x_star
        self._n = gram.shape[1]

    def lift(self, x: Array) -> Array:
        """(d, G d), one product."""
        return self.relift(x - self._x_star)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return np.asarray(self._x_star + self.displacement(z))

    def displacement(self, z: Array) -> Array:
        """The first n entries."""
        return z[..., : self._n]

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n :]

    def energy(self, z: Array) -> Scalar:
        """1/2 d'(G d), its rounding cut off at 0."""
        return nonnegative(0.5 * inner(self.displacement(z), self.gradient(z)))

    def size(self, z: Array) -> tuple[Scalar, Scalar]:
        """Both from the image at hand."""
        g = self.gradient(z)
        return inner(g, g), nonnegative(0.5 * inner(self.displacement(z), g))

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """One product."""
        return lambda z: self.relift(self.displacement(z) - self.gradient(z) / L)

    def relift(self, d: Array) -> Array:
        """One product."""
        return np.concatenate([d, self._gram.times(d)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return nonnegative(0.5 * inner(d, self._gram.times(d)))

    def gradient_noise(self, z: Array, L: float) -> Scalar:
        """Rounding of G d."""
        return GRADIENT_NOISE * L * norm(self.displacement(z)) + VANISHING

    def counted_by(self, counts: Counts) -> Gram:
        """The same matrix under another counter."""
        return Gram(self._gram.counted_by(counts), self._x_star)


class Factor:
    """Only A at hand: two products a step, the energy a true sum of squares."""

    name = "A"

    def __init__(self, matrix: CountedMatrix, x_star: Array) -> None:
        """A and x*."""
        self._matrix = matrix
        self._x_star = x_star
        self._m, self._n = matrix.shape

    def lift(self, x: Array) -> Array:
        """(d, A d, A'A d), two products."""
        return self.relift(x - self._x_star)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return np.asarray(self._x_star + self.displacement(z))

    def displacement(self, z: Array) -> Array:
        """The first n entries."""
        return z[..., : self._n]

    def _image(self, z: Array) -> Array:
        return z[..., self._n : self._n + self._m]

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n + self._m :]

    def energy(self, z: Array) -> Scalar:
        """1/2 ||A d||^2."""
        image = self._image(z)
        return 0.5 * inner(image, image)

    def size(self, z: Array) -> tuple[Scalar, Scalar]:
        """Both from the images at hand."""
        g = self.gradient(z)
        return inner(g, g), self.energy(z)

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Two products."""
        return lambda z: self.relift(self.displacement(z) - self.gradient(z) / L)

    def relift(self, d: Array) -> Array:
        """Two products."""
        image = self._matrix.times(d)
        return np.concatenate([d, image, self._matrix.transpose_times(image)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        image = self._matrix.times(d)
        return 0.5 * inner(image, image)

    def gradient_noise(self, z: Array, L: float) -> Scalar:
        """Rounding of A'A d."""
        return GRADIENT_NOISE * L * norm(self.displacement(z)) + VANISHING

    def counted_by(self, counts: Counts) -> Factor:
        """The same matrix under another counter."""
        return Factor(self._matrix.counted_by(counts), self._x_star)


def matrix_form(name: str, matrix: Array, x_star: Array) -> Form:
    """`Factor` (name "A") or `Gram` (name "G") of a matrix A with G = A'A."""
    if name == "G":
        return Gram(CountedMatrix(matrix.T @ matrix, Counts()), x_star)
    return Factor(CountedMatrix(matrix, Counts()), x_star)
