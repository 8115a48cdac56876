"""Lifted points: how points are carried, and what a problem asks of them.

A point x is carried as its displacement d = x - x* (or as x itself), together with linear images of it,
in one array z of shape ``(..., size)``. Methods combine such lifted points with plain ``+``, ``-``,
``*``: the images come along for free, and only a step touches the data. Leading axes are runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Protocol

from polyak_core.arrays import EPS, Array, Scalar, norm
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
