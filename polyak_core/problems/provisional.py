"""Carrying points while x* is not known yet: around the start x0 in its place.

A lifted point is linear but for its centre, so that all a method needs that does not ask for f* is the same:
x0 takes the place of x*, and grad h(x0) that of grad h(x*). What is carried here becomes what is carried
around x* by adding one lifted point, that of x0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from polyak_core.arrays import Array, Scalar, norm
from polyak_core.certificates.reference import Reference
from polyak_core.lifted.composite import POINT_NOISE
from polyak_core.lifted.form import GRADIENT_NOISE, VANISHING, Form, QuadraticForm
from polyak_core.lifted.logistic import MarginForm
from polyak_core.lifted.quadratic import Eigenbasis
from polyak_core.matrices.counted import Counts
from polyak_core.penalties import Penalty
from polyak_core.problems.losses import Loss


class Provisional:
    """Any form around x0; with a penalty, one in the coordinates of x.

    Attributes:
        free_gradient: whether grad h(x) costs no product.
    """

    free_estimate = False

    def __init__(
        self, carrier: QuadraticForm | MarginForm, penalty: Penalty | None, x0: Array, slope: Array
    ) -> None:
        """The form of h around x0, and grad h(x0) in its coordinates."""
        self.name = carrier.name
        self.free_gradient = penalty is None and isinstance(carrier, QuadraticForm)
        self._carrier, self._penalty, self._x0, self._slope = carrier, penalty, x0, slope
        self._steepness = float(norm(slope))

    def lift(self, x: Array) -> Array:
        """As the form of h does."""
        return self._carrier.lift(x)

    def point(self, z: Array) -> Array:
        """x0 + d."""
        return self._carrier.point(z)

    def displacement(self, z: Array) -> Array:
        """d = x - x0."""
        return self._carrier.displacement(z)

    def gradient(self, z: Array) -> Array:
        """grad h(x)."""
        return self._carrier.gradient(z) + self._slope

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Gradient step, prox, lifted again."""

        def step(z: Array) -> Array:
            moved = self.displacement(z) - self.gradient(z) / L
            if self._penalty is not None:
                moved = self._penalty.prox(self._x0 + moved, 1 / L) - self._x0
            return self._carrier.relift(moved)

        return step

    def noise(self, z: Array, L: float) -> Scalar:
        """Rounding of the products, of grad h(x0), and with a penalty of points."""
        level = self._carrier.noise(z, L) + GRADIENT_NOISE * self._steepness + VANISHING
        return level if self._penalty is None else level + POINT_NOISE * L * norm(self.point(z))

    def counted_by(self, counts: Counts) -> Provisional:
        """The same form under another counter."""
        return Provisional(self._carrier.counted_by(counts), self._penalty, self._x0, self._slope)

    def _unknown(self, *asked: object) -> NoReturn:
        raise RuntimeError("this number is not to be had while x* is still sought")

    gap = sizes = squared_step = excess = curvature = _unknown


def provisional_form(
    loss: Loss, penalty: Penalty | None, representation: str | None, x0: Array
) -> Provisional | None:
    """The form around x0; None for a loss whose points are carried in another way."""
    carrier: Form = loss.form(representation, _centre(x0))
    if not isinstance(carrier, QuadraticForm | MarginForm):
        return None
    slope = loss.grad(x0)
    if isinstance(carrier, Eigenbasis):  # its coordinates may be turned
        slope = loss.form(representation, _centre(np.zeros_like(x0))).lift(slope)
    return Provisional(carrier, penalty, x0, slope)


def _centre(x: Array) -> Reference:
    return Reference(x, np.nan, np.nan, "a centre")
