"""Carrying points whose prox is a singular value decomposition, so that none is computed twice.

The decomposition that makes y = T_L(x) also tells how far psi is above its tangent at x* (for the gap of
y) and how far above its tangent at y (for mu_loc at x). Both numbers travel with y. They are not linear in
y, so that a combination of points carries wrong ones. So each number travels with a seal, which is made of
the bits of its own point. Where a seal does not fit, a new decomposition makes the number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polyak_core.arrays import EPS, Array, Scalar, inner
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.form import Sizes
from polyak_core.lifted.quadratic import QuadraticForm
from polyak_core.matrices.counted import Counts
from polyak_core.penalties import Decomposition, Nuclear, above_tangent

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
SLOPE, SEAL, PULL, ORIGIN = range(4)
"""What follows the displacement: psi above its tangent at x*, the seal of y; psi(x*) above the tangent at y,
the seal of x and L."""


class Spectral(Composite):
    """`Composite` for the nuclear norm: z = (d, slope, seal, pull, origin).

    The gap is that of the low rank point that a prox step makes; the entries of y, rounded to float64,
    stand for it up to a part that is within `f_star_error`.
    """

    def __init__(self, quadratic: QuadraticForm, penalty: Nuclear, x_star: Array, gradient: Array) -> None:
        """As `Composite`, for a quadratic form that carries displacements alone."""
        super().__init__(quadratic, penalty, x_star, gradient)
        self.name = "entries"
        self._nuclear = penalty
        self._n = x_star.size
        self._weights = (2 * np.arange(self._n, dtype=np.uint64) + np.uint64(1)) * GOLDEN_RATIO
        self._tangent = penalty.unit(-gradient)  # at x*
        centre = penalty.decomposed(x_star)
        rounding = x_star.size**0.5 * EPS * centre.s[0]  # what float64 entries add to a low rank matrix
        self._centre = centre.with_values(np.where(centre.s > rounding, centre.s, 0.0))

    # -- seals --------------------------------------------------------------------------------

    def _sealed(self, d: Array, slope: Array, pull: Array, origin: Array) -> Array:
        tail = (slope, self._seal(d), pull, origin)
        return np.concatenate([d, *(np.broadcast_to(number, (*d.shape[:-1], 1)) for number in tail)], axis=-1)

    def _seal(self, d: Array, L: float = 1.0) -> Array:
        """53 bits of a sum over the bits of d, each entry weighted, and of L."""
        mixed = np.ascontiguousarray(d).view(np.uint64) @ self._weights ^ np.float64(L).view(np.uint64)
        return np.asarray(mixed >> np.uint64(11), dtype=np.float64)[..., None]

    def _trusted(self, z: Array, number: int, seal: Array, afresh: Callable[[Array], Array]) -> Scalar:
        """A number carried by z where its seal fits; `afresh` makes it for the rows it is given."""
        if z.shape[-1] == self._n:  # a bare displacement
            numbers, stale = np.empty((*z.shape[:-1], 1)), np.ones((*z.shape[:-1], 1), dtype=bool)
        else:
            tail = z[..., self._n :]
            numbers, stale = tail[..., [number]], tail[..., [number + 1]] != seal
        if stale.any():
            rows = stale[..., 0]
            numbers = numbers.copy()
            numbers[rows] = afresh(rows)[..., None]
        return float(numbers[0]) if z.ndim == 1 else numbers

    # -- points -------------------------------------------------------------------------------

    def lift(self, x: Array) -> Array:
        """One decomposition, for the gap there."""
        d = super().lift(x)
        return self._sealed(
            d, self._slope_of(self._nuclear.decomposed(x)), np.array(np.nan), np.array(np.nan)
        )

    def point(self, z: Array) -> Array:
        """x* + d."""
        return super().point(self.displacement(z))

    def displacement(self, z: Array) -> Array:
        """The first entries."""
        return z[..., : self._n]

    def _slope_of(self, X: Decomposition) -> Array:
        return (self._nuclear.lam * above_tangent(X, self._tangent))[..., None]

    def _forward(self, d: Array, L: float) -> Array:
        """x - grad h(x)/L."""
        return self._x_star + (d - (self._h.gradient(d) + self._g_star) / L)

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Gradient step and singular value thresholding, one decomposition."""

        def step(z: Array) -> Array:
            d = self.displacement(z)
            X, Z = self._nuclear.split(self._forward(d, L), 1 / L)
            target = self._nuclear.flat(X.matrix()) - self._x_star
            pull = self._nuclear.lam * above_tangent(self._centre, Z)
            return self._sealed(target, self._slope_of(X), pull[..., None], self._seal(d, L))

        return step

    def slope(self, z: Array) -> Array:
        """That of h; the numbers that travel with a point mean nothing for a direction."""
        unknown = np.array(np.nan)
        return self._sealed(self._h.gradient(self.displacement(z)) + self._g_star, *(unknown,) * 3)

    def prox(self, z: Array, step: float) -> Array:
        """Singular value thresholding, one decomposition."""
        X, _ = self._nuclear.split(self._x_star + self.displacement(z), step)
        target = self._nuclear.flat(X.matrix()) - self._x_star
        return self._sealed(target, self._slope_of(X), np.array(np.nan), np.array(np.nan))

    # -- numbers ------------------------------------------------------------------------------

    def gap(self, z: Array) -> Scalar:
        """Free for a point that was lifted or made by a step; else one decomposition."""
        d = self.displacement(z)

        def afresh(rows: Array) -> Array:
            return self._slope_of(self._nuclear.decomposed(self._x_star + d[rows]))[..., 0]

        return self._h.energy(d) + self._trusted(z, SLOPE, self._seal(d), afresh)

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One prox, for every kind."""
        d = self.displacement(z)
        X, _ = self._nuclear.split(self._forward(d, L), 1 / L)
        target = self._nuclear.flat(X.matrix()) - self._x_star
        s = target - d
        squared = L * L * inner(s, s)
        if kind not in ("certified", "model"):
            return Sizes(squared, self.gap(z), None)
        if kind == "certified":
            smooth = self._h.energy_at(target)
        else:
            smooth = self._h.energy(d) + inner(self._h.gradient(d), s) + 0.5 * L * inner(s, s)
        slope = self._slope_of(X)
        return Sizes(squared, self.gap(z), smooth + (float(slope[0]) if z.ndim == 1 else slope))

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """As for h alone, and psi(x*) above its tangent at y; free for y = T_L(x) just made."""
        before, after = self.displacement(x), self.displacement(y)

        def afresh(rows: Array) -> Array:
            _, Z = self._nuclear.split(self._forward(before[rows], L), 1 / L)
            return np.asarray(self._nuclear.lam * above_tangent(self._centre, Z))

        pull = self._trusted(y, PULL, self._seal(before, L), afresh)
        return self._h.excess(before, after, L, self._h.energy(after)) + pull

    def curvature(self, x: Array, y: Array) -> Scalar:
        """That of h."""
        return self._h.curvature(self.displacement(x), self.displacement(y))

    def noise(self, z: Array, L: float) -> Scalar:
        """As for any penalty."""
        return super().noise(self.displacement(z), L)

    def counted_by(self, counts: Counts) -> Spectral:
        """The same form under another counter."""
        return Spectral(self._h.counted_by(counts), self._nuclear, self._x_star, self._g_star)
