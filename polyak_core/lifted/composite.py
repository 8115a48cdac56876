"""Carrying points of a quadratic loss with a penalty: h as its own form carries it, psi on plain points."""

from __future__ import annotations

from collections.abc import Callable

from polyak_core.arrays import Array, Scalar, inner, norm
from polyak_core.lifted.form import GRADIENT_NOISE, VANISHING, Sizes
from polyak_core.lifted.quadratic import QuadraticForm
from polyak_core.matrices.counted import Counts
from polyak_core.penalties import Penalty

POINT_NOISE = 1e3 * GRADIENT_NOISE


class Composite:
    """f = h + psi, h quadratic.

    With g* = grad h(x*), tidied so that -g* is a subgradient of psi at x*, the gap is
    1/2 d'Gd + [psi(x) - psi(x*) + g*'(x - x*)]: two sums of terms that are not negative.
    """

    def __init__(self, quadratic: QuadraticForm, penalty: Penalty, x_star: Array, gradient: Array) -> None:
        """`gradient` is g*."""
        self.name = quadratic.name
        self.free_estimate = penalty.cheap
        self.exact_rows = quadratic.exact_rows
        self._h = quadratic
        self._penalty = penalty
        self._x_star = x_star
        self._g_star = gradient
        self._size = float(norm(x_star))

    def lift(self, x: Array) -> Array:
        """As h does."""
        return self._h.lift(x)

    def point(self, z: Array) -> Array:
        """x* + d."""
        return self._h.point(z)

    def displacement(self, z: Array) -> Array:
        """d."""
        return self._h.displacement(z)

    def parts(self, z: Array) -> tuple[Array, Array, Scalar]:
        """d, G d and 1/2 d'Gd; no product."""
        return self._h.displacement(z), self._h.gradient(z), self._h.energy(z)

    def _target(self, z: Array, L: float) -> Array:
        """T_L(z) - x*; no product."""
        moved = self._h.displacement(z) - (self._h.gradient(z) + self._g_star) / L
        return self._penalty.prox(self._x_star + moved, 1 / L) - self._x_star

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Gradient step, prox, lifted again."""
        return lambda z: self._h.relift(self._target(z, L))

    def slope(self, z: Array) -> Array:
        """That of h, lifted."""
        return self._h.relift(self._h.gradient(z) + self._g_star)

    def prox(self, z: Array, step: float) -> Array:
        """A prox of the plain point, lifted again."""
        return self._h.relift(self._penalty.prox(self._x_star + self.displacement(z), step) - self._x_star)

    def _above_tangent(self, d: Array) -> Scalar:
        """psi above its tangent at x*."""
        return self._penalty.bregman(self._x_star + d, self._x_star, -self._g_star)

    def gap(self, z: Array) -> Scalar:
        """Two sums of terms that are not negative."""
        return self._h.energy(z) + self._above_tangent(self.displacement(z))

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One prox; one product for the certified estimate, none for the others."""
        d = self.displacement(z)
        target = self._target(z, L)
        s = target - d
        squared = L * L * inner(s, s)
        after: Scalar | None = None
        if kind == "certified":
            after = self._h.energy_at(target) + self._above_tangent(target)
        elif kind == "model":
            quadratic = self._h.energy(z) + inner(self._h.gradient(z), s) + 0.5 * L * inner(s, s)
            after = quadratic + self._above_tangent(target)
        return Sizes(squared, self.gap(z), after)

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """L^2 ||x - y||^2."""
        s = self.displacement(x) - self.displacement(y)
        return L * L * inner(s, s)

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """That of h alone, and psi(x*) above its tangent at y."""
        s = self.displacement(y) - self.displacement(x)
        xi = self._penalty.tidy(self.point(y), -(L * s + self._h.gradient(x) + self._g_star))
        pull = self._penalty.bregman(self._x_star, self.point(y), xi)
        return self._h.excess(x, y, L, self._h.energy(y)) + pull

    def curvature(self, x: Array, y: Array) -> Scalar:
        """That of h."""
        return self._h.curvature(x, y)

    def noise(self, z: Array, L: float) -> Scalar:
        """Rounding of the products, and of points: here x itself is rounded, not d; ||x|| <= ||x*|| + ||d||.

        Generous enough for an estimate above it to be right to 1e-6.
        """
        size = self._size + norm(self.displacement(z))
        return self._h.noise(z, L) + POINT_NOISE * L * size + VANISHING

    def counted_by(self, counts: Counts) -> Composite:
        """The same form under another counter."""
        return Composite(self._h.counted_by(counts), self._penalty, self._x_star, self._g_star)


def tidied(penalty: Penalty, x_star: Array, gradient: Array) -> Array:
    """The gradient of h at x* such that its negative is a subgradient of psi there."""
    return -penalty.tidy(x_star, -gradient)
