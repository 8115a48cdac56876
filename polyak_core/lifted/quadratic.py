"""How a point of a quadratic loss is carried: three ways, each with the image that its gradient needs.

================  ====================  ==============  =================
form              z                     gradient        products a relift
================  ====================  ==============  =================
`Eigenbasis`      V'd                   lambda * V'd    0
`Gram`            (d, G d)              G d             1
`Factor`          (d, A d, A'A d)       A'A d           2
================  ====================  ==============  =================
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, inner, nonnegative, norm, paired
from polyak_core.lifted.form import GRADIENT_NOISE, VANISHING, Sizes, SmoothForm
from polyak_core.matrices.counted import CountedMatrix, Counts
from polyak_core.matrices.factors import gram
from polyak_core.matrices.kinds import Matrix

LARGEST_GRAM = 10_000


class QuadraticForm(SmoothForm):
    """h(x) = h* + 1/2 d'Gd without penalty; the three representations say how G d is had."""

    name: str
    free_estimate = True
    exact_rows: bool
    """Whether stacked runs can have the bits of single ones (`Counts.row_by_row`)."""
    free_gradient = True

    @abstractmethod
    def lift(self, x: Array) -> Array:
        """Carry a plain point."""

    @abstractmethod
    def point(self, z: Array) -> Array:
        """The plain point that is carried."""

    @abstractmethod
    def displacement(self, z: Array) -> Array:
        """d, or V'd."""

    @abstractmethod
    def gradient(self, z: Array) -> Array:
        """G d, in the coordinates of `displacement`; no product."""

    @abstractmethod
    def energy(self, z: Array) -> Scalar:
        """1/2 d'Gd, no product, never negative."""

    @abstractmethod
    def energy_at(self, d: Array) -> Scalar:
        """1/2 d'Gd of a bare displacement; one product, none in the eigenbasis."""

    @abstractmethod
    def counted_by(self, counts: Counts) -> QuadraticForm:
        """The same form under another counter."""

    def gap(self, z: Array) -> Scalar:
        """The energy."""
        return self.energy(z)

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One product for the certified estimate; the model's is the polyak estimate when psi = 0."""
        g = self.gradient(z)
        after = self.energy_at(self.displacement(z) - g / L) if kind == "certified" else None
        return Sizes(inner(g, g), self.energy(z), after)

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """The gradient is at hand; L (x - y) would be the same but for cancellation."""
        g = self.gradient(x)
        return inner(g, g)

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """h(x*) above its tangent at x, and the model at y above h there; `gap` is that of h at y.

        The sum is d_y'G d_x - gap + L/2 ||s||^2. The first of the two alone, 1/2 d_x'G d_x, is of the size
        of what is subtracted, so that few digits are lost.
        """
        before, after = self.displacement(x), self.displacement(y)
        s = after - before
        return inner(after, self.gradient(x)) - gap + 0.5 * L * inner(s, s)

    def curvature(self, x: Array, y: Array) -> Scalar:
        """s'Gs / ||s||^2."""
        step = y - x
        s = self.displacement(step)
        squared = inner(s, s)
        return 2 * self.energy(step) / choose(squared > self.noise(x, 1.0) ** 2, squared, np.nan)


class Eigenbasis(QuadraticForm):
    """Coordinates in the eigenvectors of G: every operation elementwise, nothing cancels."""

    name = "eigenbasis"
    exact_rows = True

    def __init__(
        self, eigenvalues: Array, x_star: Array, basis: Array | None = None, rest: Array | float = 0.0
    ) -> None:
        """Eigenvalues and V of G = V diag(eigenvalues) V', no basis means V = I; x* is x_star + rest."""
        self.eigenvalues = eigenvalues
        self._x_star = x_star
        self._rest = rest
        self._basis = basis

    @property
    def plain(self) -> bool:
        """Whether points are given in these coordinates, so that there is no V."""
        return self._basis is None

    def lift(self, x: Array) -> Array:
        """V'(x - x*)."""
        d = x - self._x_star - self._rest
        return d if self._basis is None else d @ self._basis

    def point(self, z: Array) -> Array:
        """x* + V z."""
        return self._x_star + (self._rest + (z if self._basis is None else z @ self._basis.T))

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
        """The same: there are no images to make afresh."""
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

    def tilted(self, gradient: Array) -> Tilted:
        """The form around a point that is no minimiser, where h has this gradient."""
        return Tilted(self, gradient if self._basis is None else gradient @ self._basis)


class _Displaced(QuadraticForm):
    """z begins with d itself, x* apart: what the two forms with a matrix share."""

    def __init__(self, matrix: CountedMatrix, x_star: Array, rest: Array | float = 0.0) -> None:
        """The matrix and x*, as x_star + rest."""
        self._matrix = matrix
        self.exact_rows = matrix.dense
        self._x_star = x_star
        self._rest = rest
        self._m, self._n = matrix.shape

    def lift(self, x: Array) -> Array:
        """d and its images."""
        return self.relift(x - self._x_star - self._rest)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return np.asarray(self._x_star + (self._rest + self.displacement(z)))

    def displacement(self, z: Array) -> Array:
        """The first n entries."""
        return z[..., : self._n]

    def counted_by(self, counts: Counts) -> _Displaced:
        """The same matrix under another counter."""
        return type(self)(self._matrix.counted_by(counts), self._x_star, self._rest)


class Gram(_Displaced):
    """G = A'A at hand, z = (d, G d): one product of size n x n a step."""

    name = "G"

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n :]

    def energy(self, z: Array) -> Scalar:
        """1/2 d'(G d), its rounding cut off at 0."""
        return nonnegative(0.5 * inner(self.displacement(z), self.gradient(z)))

    def relift(self, d: Array) -> Array:
        """One product."""
        return np.concatenate([d, self._matrix.times(d)], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return nonnegative(0.5 * inner(d, self._matrix.times(d)))


class Factor(_Displaced):
    """Only A at hand, G = A'A + ridge I: two products a step, the energy a true sum of squares."""

    name = "A"

    def __init__(
        self, matrix: CountedMatrix, x_star: Array, rest: Array | float = 0.0, ridge: float = 0.0
    ) -> None:
        """The matrix, x*, as x_star + rest, and the ridge."""
        super().__init__(matrix, x_star, rest)
        self._ridge = ridge

    def _lifted_by_ridge(self, energy: Scalar, d: Array) -> Scalar:
        return energy + 0.5 * self._ridge * inner(d, d) if self._ridge else energy

    def counted_by(self, counts: Counts) -> Factor:
        """The same matrix under another counter."""
        return Factor(self._matrix.counted_by(counts), self._x_star, self._rest, self._ridge)

    def _image(self, z: Array) -> Array:
        return z[..., self._n : self._n + self._m]

    def gradient(self, z: Array) -> Array:
        """The last n entries."""
        return z[..., self._n + self._m :]

    def energy(self, z: Array) -> Scalar:
        """1/2 ||A d||^2 + ridge/2 ||d||^2."""
        image = self._image(z)
        return self._lifted_by_ridge(0.5 * inner(image, image), self.displacement(z))

    def relift(self, d: Array) -> Array:
        """Two products."""
        image = self._matrix.times(d)
        pull = self._matrix.transpose_times(image)
        return np.concatenate([d, image, pull + self._ridge * d if self._ridge else pull], axis=-1)

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        image = self._matrix.times(d)
        return self._lifted_by_ridge(0.5 * inner(image, image), d)


class Tilted(QuadraticForm):
    """h around a point that is no minimiser: h(x) = h(x*) + g*'d + 1/2 d'Gd.

    So the iterates are those of the problem, however little is known of x*. Below the level of what is
    unknown the gap may come out negative, and is cut off at 0.
    """

    def __init__(self, flat: QuadraticForm, g_star: Array) -> None:
        """The form around x* without its slope, and the slope g* = grad h(x*)."""
        self.name, self.exact_rows = flat.name, flat.exact_rows
        self._flat, self._g_star = flat, g_star

    def lift(self, x: Array) -> Array:
        """As the form around x* does."""
        return self._flat.lift(x)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return self._flat.point(z)

    def displacement(self, z: Array) -> Array:
        """d."""
        return self._flat.displacement(z)

    def relift(self, d: Array) -> Array:
        """As the form around x* does."""
        return self._flat.relift(d)

    def curvature(self, x: Array, y: Array) -> Scalar:
        """A slope has none."""
        return self._flat.curvature(x, y)

    def gradient(self, z: Array) -> Array:
        """G d + g*."""
        return self._flat.gradient(z) + self._g_star

    def energy(self, z: Array) -> Scalar:
        """1/2 d'Gd + g*'d."""
        return nonnegative(self._flat.energy(z) + paired(self.displacement(z), self._g_star))

    def energy_at(self, d: Array) -> Scalar:
        """One product."""
        return nonnegative(self._flat.energy_at(d) + paired(d, self._g_star))

    def noise(self, z: Array, L: float) -> Scalar:
        """That of the product, and of g*."""
        return self._flat.noise(z, L) + GRADIENT_NOISE * norm(self._g_star)

    def counted_by(self, counts: Counts) -> Tilted:
        """The same form under another counter."""
        return Tilted(self._flat.counted_by(counts), self._g_star)


def matrix_form(name: str, matrix: Matrix, x_star: Array, rest: Array | float = 0.0) -> QuadraticForm:
    """`Factor` (name "A") or `Gram` (name "G") of a matrix A with G = A'A, around x_star + rest."""
    if name == "G":
        return Gram(CountedMatrix(gram(matrix), Counts()), x_star, rest)
    return Factor(CountedMatrix(matrix, Counts()), x_star, rest)


def check_gram(name: str, size: int, instead: str) -> None:
    """Raise a ValueError, which says what to do `instead`, if G is too large to be formed."""
    if size > LARGEST_GRAM:
        raise ValueError(
            f"representation {name!r} would need a matrix of {size} x {size} numbers; it is for "
            f"n <= {LARGEST_GRAM}. Leave it out: {instead}."
        )
