"""Lifted points: how points are carried, and what a problem asks of them.

A point x is carried as its displacement d = x - x* (or as x itself), together with linear images of it,
in one array z of shape ``(..., size)``. Methods combine such lifted points with plain ``+``, ``-``,
``*``: the images come along for free, and only a step touches the data. Leading axes are runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from polyak_core.arrays import EPS, Array, Scalar, choose, inner, norm
from polyak_core.matrices.counted import Counts

REPRESENTATIONS = ("A", "G", "eigenbasis")
GRADIENT_NOISE = 1e3 * EPS
"""Rounding of a gradient made by matrix products, relative to L ||d|| (generous)."""
SMALLEST_SQUARE = 1e-304
"""Smaller squared norms lose digits: below 2e-308 float64 numbers have fewer."""
VANISHING = SMALLEST_SQUARE**0.5


class Sizes(NamedTuple):
    """What an estimate at z is made of.

    Attributes:
        squared: ||g_L(z)||^2.
        gap: f(z) - f*.
        after: f(T_L(z)) - f* for the certified estimate, the quadratic model's value at T_L(z) less f* for
            the model's, None for the others.
    """

    squared: Scalar
    gap: Scalar
    after: Scalar | None = None


class Form(Protocol):
    """What a problem asks of the way its points are carried; z, x, y are lifted points, y = T_L(x).

    Attributes:
        name: for people.
        free_estimate: whether `sizes` costs neither a product nor a decomposition.
    """

    name: str
    free_estimate: bool

    def lift(self, x: Array) -> Array:
        """Carry a plain point."""

    def point(self, z: Array) -> Array:
        """The plain point that is carried."""

    def displacement(self, z: Array) -> Array:
        """Displacement x - x* in coordinates in which norms and inner products are the true ones."""

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """The map of z to what carries T_L(z), its images made afresh."""

    def slope(self, z: Array) -> Array:
        """grad h(z) as a lifted direction: products as for a step."""

    def prox(self, z: Array, step: float) -> Array:
        """What carries prox_{step psi}(z), its images made afresh; z itself where psi = 0."""

    def gap(self, z: Array) -> Scalar:
        """f(z) - f*, a sum of terms that are not negative; no product."""

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """What the estimate `kind` at z is made of."""

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """||g_L(x)||^2, no product."""

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """mu_loc(x) ||x - x*||^2 / 2 for y = T_L(x), given f(y) - f*; no product."""

    def curvature(self, x: Array, y: Array) -> Scalar:
        """Curvature that h has from x to y: 2 (h(y) - h(x) - grad h(x)'(y - x)) / ||y - x||^2; no product.

        NaN where y - x is rounding of what is carried.
        """

    def noise(self, z: Array, L: float) -> Scalar:
        """A size below which ||g_L(z)|| is rounding."""

    def counted_by(self, counts: Counts) -> Form:
        """The same form under another counter."""


class SmoothForm(ABC):
    """A form without penalty: a step is a gradient step, lifted again."""

    @abstractmethod
    def displacement(self, z: Array) -> Array:
        """Displacement x - x* in coordinates in which norms and inner products are the true ones."""

    @abstractmethod
    def gradient(self, z: Array) -> Array:
        """grad h, in the coordinates of `displacement`."""

    @abstractmethod
    def relift(self, d: Array) -> Array:
        """Carry a displacement, its images made afresh, so that rounding does not build up."""

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """d - grad h / L, lifted again: products as for `gradient` and `relift`."""
        return lambda z: self.relift(self.displacement(z) - self.gradient(z) / L)

    def slope(self, z: Array) -> Array:
        """The gradient, lifted: products as for a step."""
        return self.relift(self.gradient(z))

    def prox(self, z: Array, step: float) -> Array:
        """psi = 0."""
        return z

    def noise(self, z: Array, L: float) -> Scalar:
        """Rounding of the products."""
        return GRADIENT_NOISE * L * norm(self.displacement(z)) + VANISHING


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
