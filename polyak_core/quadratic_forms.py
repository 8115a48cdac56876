"""Three ways to carry a point of a quadratic loss, each with the image that its gradient needs.

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

import numpy as np

from polyak_core.arrays import Array, Scalar, inner, nonnegative
from polyak_core.factors import gram
from polyak_core.forms import VANISHING, QuadraticForm, Sizes
from polyak_core.oracle import CountedMatrix, Counts
from polyak_core.sparse import Matrix


class Eigenbasis(QuadraticForm):
    """Coordinates in the eigenvectors of G: every operation elementwise, nothing cancels."""

    name = "eigenbasis"
    exact_rows = True

    def __init__(self, eigenvalues: Array, x_star: Array, basis: Array | None = None) -> None:
        """Eigenvalues and V of G = V diag(eigenvalues) V'; no basis means V = I."""
        self.eigenvalues = eigenvalues
        self._x_star = x_star
        self._basis = basis

    @property
    def plain(self) -> bool:
        """Whether points are given in these coordinates, so that there is no V."""
        return self._basis is None

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

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """All from one elementwise product."""
        g = self.eigenvalues * z
        after = self.energy(z - g / L) if kind == "certified" else None
        if z.ndim == 1:  # asked at every step of one run, and a call takes time
            return Sizes(float(g.dot(g)), 0.5 * float(g.dot(z)), after)
        return Sizes(inner(g, g), 0.5 * inner(g, z), after)

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

    def noise(self, z: Array, L: float) -> Scalar:
        """Only underflow: every operation is elementwise."""
        return VANISHING

    def counted_by(self, counts: Counts) -> Eigenbasis:
        """The same: nothing is counted here."""
        return self


class _Displaced(QuadraticForm):
    """z begins with d itself, x* apart: what the two forms with a matrix share."""

    _x_star: Array
    _n: int

    def lift(self, x: Array) -> Array:
        """d and its images."""
        return self.relift(x - self._x_star)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return np.asarray(self._x_star + self.displacement(z))

    def displacement(self, z: Array) -> Array:
        """The first n entries."""
        return z[..., : self._n]


class Gram(_Displaced):
    """G = A'A at hand, z = (d, G d): one product of size n x n a step."""

    name = "G"

    def __init__(self, gram: CountedMatrix, x_star: Array) -> None:
        """G and x*."""
        self._gram = gram
        self.exact_rows = gram.dense
        self._x_star = x_star
        self._n = gram.shape[1]

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n :]

    def energy(self, z: Array) -> Scalar:
        """1/2 d'(G d), its rounding cut off at 0."""
        return nonnegative(0.5 * inner(self.displacement(z), self.gradient(z)))

    def relift(self, d: Array) -> Array:
        """One product."""
        return np.concatenate([d, self._gram.times(d)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return nonnegative(0.5 * inner(d, self._gram.times(d)))

    def counted_by(self, counts: Counts) -> Gram:
        """The same matrix under another counter."""
        return Gram(self._gram.counted_by(counts), self._x_star)


class Factor(_Displaced):
    """Only A at hand, z = (d, A d, A'A d): two products a step, the energy a true sum of squares."""

    name = "A"

    def __init__(self, matrix: CountedMatrix, x_star: Array) -> None:
        """A and x*."""
        self._matrix = matrix
        self.exact_rows = matrix.dense
        self._x_star = x_star
        self._m, self._n = matrix.shape

    def _image(self, z: Array) -> Array:
        return z[..., self._n : self._n + self._m]

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n + self._m :]

    def energy(self, z: Array) -> Scalar:
        """1/2 ||A d||^2."""
        image = self._image(z)
        return 0.5 * inner(image, image)

    def relift(self, d: Array) -> Array:
        """Two products."""
        image = self._matrix.times(d)
        return np.concatenate([d, image, self._matrix.transpose_times(image)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        image = self._matrix.times(d)
        return 0.5 * inner(image, image)

    def counted_by(self, counts: Counts) -> Factor:
        """The same matrix under another counter."""
        return Factor(self._matrix.counted_by(counts), self._x_star)


def matrix_form(name: str, matrix: Matrix, x_star: Array) -> QuadraticForm:
    """`Factor` (name "A") or `Gram` (name "G") of a matrix A with G = A'A."""
    if name == "G":
        return Gram(CountedMatrix(gram(matrix), Counts()), x_star)
    return Factor(CountedMatrix(matrix, Counts()), x_star)
