"""What a method is handed of a problem: steps with one L, their price, and what the record is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np

from polyak_core.arrays import EPS, Array, Scalar, choose, inner, norm
from polyak_core.lazy import lazy_property
from polyak_core.lifted.form import Form, Sizes, SmoothForm
from polyak_core.lifted.quadratic import QuadraticForm
from polyak_core.matrices.counted import Counts

WITHOUT_X_STAR = (
    "this method needs f*, and reference=False says not to compute it. These do without it: pgd, apg, "
    "fista, fista_printed, restart_gradient, nag_free, adgd_accel, ac_fgm, silver, silver_mu, item, tmm, "
    "cg, and adapt_apg and adapt_apg_v2 with the estimator 'known' or 'schedule', all of them without "
    "backtracking. Choose one of these, or leave reference out."
)


@dataclass(frozen=True, eq=False)
class Oracle:
    """Steps on f = h + psi for one run, or for stacked runs.

    Points are *lifted* (`lift`, `point`): arrays that carry x - x* and its image under the matrix, see
    `polyak_core.lifted.form`. They are combined with plain ``+``, ``-``, ``*``, the weights adding up to 1,
    or to 0 for a direction. `prox_step`, `gradient`, `prox` and `ask_estimate` are oracle calls: they and
    `lift` may cost matrix products; everything else is free.

    Attributes:
        form: how points are carried.
        L: the steps are 1/L long; shape (runs, 1) for stacked runs on problems of their own.
        mu: strong convexity of h, 0 if there is none.
        shape: that of plain points.
        counts: the oracle calls and products so far.
        least: the smallest curvature that is known, 0 if none is.
        floor: a gap below this is rounding.
        size: ||x*||; NaN where x* is not known, and then no gap can be asked for.
    """

    form: Form
    L: Scalar
    mu: Scalar
    _: KW_ONLY
    shape: tuple[int, ...]
    counts: Counts
    least: Scalar = field(repr=False)
    floor: Scalar = field(repr=False)
    size: Scalar = field(repr=False)

    def with_L(self, L: Scalar) -> Oracle:
        """The same under the same counter, with steps of another length."""
        return replace(self, L=L)

    def apart(self) -> Oracle:
        """The same under a counter of its own."""
        counts = Counts()
        return replace(self, form=self.form.counted_by(counts), counts=counts)

    @lazy_property
    def knows_x_star(self) -> bool:
        """Whether gaps, distances and estimates can be asked for."""
        return not np.isnan(self.size).any()

    @lazy_property
    def resolution(self) -> Scalar:
        """The smallest distance to x* that the stored float64 x* resolves."""
        return EPS * self.L / choose(self.least > 0, self.least, self.L) * self.size

    # -- points -------------------------------------------------------------------------------

    def lift(self, x: Array) -> Array:
        """Carry a plain point; leading axes are runs."""
        return self.form.lift(x.reshape(*x.shape[: x.ndim - len(self.shape)], -1))

    def point(self, z: Array) -> Array:
        """The plain point that z carries."""
        return self.form.point(z).reshape(*z.shape[:-1], *self.shape)

    # -- oracle calls -------------------------------------------------------------------------

    def prox_step(self, z: Array) -> Array:
        """T_L(z), one gradient and one prox."""
        self.counts.gradients += 1
        self.counts.proxes += 1
        return self._step(z)

    @lazy_property
    def _step(self) -> Callable[[Array], Array]:
        return self.form.stepper(self.L)

    def gradient(self, z: Array) -> Array:
        """grad h(z) as a lifted direction, so that ``z - s * gradient(z)`` is a point for any s."""
        self.counts.gradients += 1
        return self.form.slope(z)

    def slope(self, z: Array) -> Array:
        """grad h(z) in the coordinates of `difference`; with `moved` it costs what a step does."""
        self.counts.gradients += 1
        return self.form.gradient(z) if isinstance(self.form, SmoothForm) else self.form.slope(z)

    def moved(self, z: Array, step: Array | float) -> Array:
        """The point z + step, the step in the coordinates of `difference`; its images are made afresh."""
        if isinstance(self.form, SmoothForm):
            return self.form.relift(self.form.displacement(z) + step)
        return np.asarray(z + step)

    def bend(self, p: Array) -> Scalar:
        """p'Gp for a quadratic loss, p in the coordinates of `difference`; as many products as a step.

        It is NaN where p is so small that squares of it are rounding.
        """
        assert isinstance(self.form, QuadraticForm)
        P = self.form.relift(p)
        return self.form.curvature(0 * P, P) * inner(p, p)

    def prox(self, z: Array, step: float) -> Array:
        """prox_{step psi}(z) at any point; ``prox(z - gradient(z) / L, 1 / L)`` is T_L(z)."""
        self.counts.proxes += 1
        return self.form.prox(z, step)

    def ask_estimate(self, z: Array, kind: str) -> Sizes:
        """What the estimate `kind` at z is made of: one gradient and one prox more.

        Raises:
            ValueError: x* is not known.
        """
        self._require_x_star()
        self.counts.gradients += 1
        self.counts.proxes += 1
        return self.form.sizes(z, self.L, kind)

    # -- free ---------------------------------------------------------------------------------

    def gap(self, z: Array) -> Scalar:
        """f(z) - f*.

        Raises:
            ValueError: x* is not known.
        """
        self._require_x_star()
        return self.form.gap(z)

    def _require_x_star(self) -> None:
        if not self.knows_x_star:
            raise ValueError(WITHOUT_X_STAR)

    def squared_step(self, x: Array, y: Array) -> Scalar:
        """||g_L(x)||^2 of a step just made, y = T_L(x)."""
        return self.form.squared_step(x, y, self.L)

    def reduced_gradient(self, x: Array, y: Array) -> Array:
        """g_L(x) of a step just made, y = T_L(x), in the coordinates of `difference`."""
        if isinstance(self.form, QuadraticForm):
            return self.form.gradient(x)
        return np.asarray(self.L * self.difference(x, y))

    def difference(self, x: Array, y: Array) -> Array:
        """x - y in coordinates in which norms and inner products are the true ones."""
        return self.form.displacement(x) - self.form.displacement(y)

    def noise(self, z: Array) -> Scalar:
        """A size below which ||g_L(z)|| is rounding."""
        return self.form.noise(z, self.L)

    def distance(self, z: Array) -> Scalar:
        """||x - x*||."""
        return norm(self.form.displacement(z))

    def curvature(self, x: Array, y: Array) -> Scalar:
        """Curvature that h has from x to y; at most L if L is true, NaN where y - x is rounding."""
        return self.form.curvature(x, y)

    # -- the record ---------------------------------------------------------------------------

    def measured(self, x: Array, y: Array, gap: Scalar | None = None) -> tuple[Scalar, Scalar, Scalar]:
        """f(y) - f*, ||g_L||^2 and the polyak estimate at y = T_L(x); no product.

        Where an estimate at y is not free, it is NaN, the gradient is that at x, and a given gap is taken.
        """
        if not self.form.free_estimate:
            gap = self.form.gap(y) if gap is None else gap
            return gap, self.squared_step(x, y), np.full_like(gap, np.nan)
        squared, gap, _ = self.form.sizes(y, self.L, "polyak")
        return gap, squared, squared / (2 * choose(gap > 0, gap, np.nan))

    def local_strong_convexity(self, x: Array, y: Array, gap: Scalar) -> Scalar:
        """mu_loc at x, given y = T_L(x), both lifted, and the gap at y; no product.

        Reference: Barre and d'Aspremont, appendix C, with g_L taken at x. NaN where ||x - x*|| is rounding:
        below eps L/mu ||x*||, or for mu = 0 where the gap at y is not above the floor.
        """
        distance = self.distance(x)
        known = (distance > self.resolution) & ((self.mu > 0) | (gap > self.floor))
        mu_loc = 2 * self.form.excess(x, y, self.L, gap) / choose(known, distance, 1.0) ** 2
        return choose(known, mu_loc, np.nan)
