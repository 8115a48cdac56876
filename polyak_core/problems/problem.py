"""A problem f = h + psi: lifted points, the prox step, the exact gap, the certified f*."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array, Scalar, choose, norm
from polyak_core.certificates.reference import Reference
from polyak_core.checks import checked_scale, one_of, real_number, text
from polyak_core.lazy import once
from polyak_core.lifted.form import REPRESENTATIONS, SMALLEST_SQUARE, Form, QuadraticForm, Sizes
from polyak_core.matrices.counted import Counts
from polyak_core.penalties import Penalty
from polyak_core.problems.custom import Proximable, Smooth
from polyak_core.problems.facts import described, problem_html
from polyak_core.problems.losses import Loss
from polyak_core.problems.parts import checked_parts, point_like, seeks_long
from polyak_core.problems.provisional import Provisional
from polyak_core.problems.solution import Solution
from polyak_core.progress.background import Background

FALL = 1e-25
"""The rounding of one step, EPS^2 of the gap before it, is at most 1 percent of what is above."""
QUADRATIC_FLOOR = 1e-290
"""Below this squares of float64 numbers lose digits (the smallest normal number is 2e-308)."""


class Problem:
    """min f(x) = h(x) + psi(x), h L-smooth and mu-strongly convex, psi convex with a simple prox.

    Points that methods work on are *lifted* (`lift`, `point`): arrays that carry x - x* and its image
    under the matrix, see `polyak_core.lifted.form`. `prox_step` and `ask_estimate` are oracle calls; they
    and `lift` may cost matrix products; everything else on lifted points is free. `counted`
    gives the problem a counter of its own for both.

    Attributes:
        L: Lipschitz constant of the gradient of h that methods use, > 0.
        mu: strong convexity of h, 0 if there is none.
        mu_restricted: smallest non-zero curvature, NaN if unknown.
        solution: x* and what is made of it, if known or sought.
        shape: that of points, (n,) or the loss's own; loss, penalty and form get them flattened.
        x0: start.
        asked: the last lifted point whose gap was asked for, and the gap.
        rounding: a gap that points are rounded to before anything is known of x*, 0 in general.
    """

    rounding = 0.0
    asked: tuple[Array | None, Scalar] = (None, np.nan)

    def __init__(
        self,
        loss: Loss | Smooth,
        penalty: Penalty | Proximable | None = None,
        *,
        certify: Callable[[Array], Reference] | None = None,
        x0: npt.ArrayLike | None = None,
        L: float | None = None,
        mu: float | None = None,
        representation: str | None = None,
        name: str = "problem",
    ) -> None:
        """See `polyak_core.problems.catalog` for ready problems, `polyak_core.problems.custom` for one's own.

        Args:
            loss: h; one's own has ``value(x)`` and ``grad(x)`` on points of shape (n,).
            penalty: psi or None; one's own has ``value(x)`` and ``prox(x, step)``.
            certify: finds x* and f* from x0, in place of the loss; in a thread of its own, if the loss is
                not one's own.
            x0: start; needed for one's own h.
            L: overrides the Lipschitz constant; needed for one's own h.
            mu: strong convexity of one's own h, 0 by default; the estimate f_star_error is better if given.
            representation: see `polyak_core.lifted.form`.
            name: for people.

        Raises:
            ValueError: x0 infeasible or of a wrong shape, L or mu not allowed, what one's own h and psi
                return at x0 is of a wrong shape or not finite, or grad does not fit value.
        """
        self.loss, self.penalty = checked_parts(loss, penalty, x0, L, mu)
        loss, penalty = self.loss, self.penalty
        self.name = text(name, "name")
        self._long = seeks_long(loss, certify)
        self._certify = loss.reference if certify is None else certify
        if representation is not None:
            one_of(representation, "representation", REPRESENTATIONS)
        self.representation = representation
        self.shape: tuple[int, ...] = getattr(loss, "shape", (loss.size,))
        self.x0 = np.zeros(self.shape) if x0 is None else self._start(x0)
        constants = Background(lambda: (loss.L, loss.mu, loss.mu_restricted), self._long)
        self.true_L, self.mu, self.mu_restricted = constants.result()
        advice = "scale the data (A and b, or the eigenvalues)"
        self.L = 1.0 if self.constant else checked_scale(self.true_L, advice)
        if L is not None:
            self.L = checked_scale(real_number(L, "L", "a number > 0"), "give such a number, or leave it out")
        self.counts = Counts()
        self.solution = self._unsolved()

    def _start(self, x0: npt.ArrayLike) -> Array:
        start = point_like(x0, "x0", self.shape)
        if self.penalty is not None:
            self.penalty.check(start.ravel(), "x0")
        return start

    # -- certified solution -------------------------------------------------------------------

    def _unsolved(self) -> Solution:
        find = partial(self._certify, self.x0.ravel())
        return Solution(self.loss, self.penalty, self.representation, find, self._long)

    @property
    def reference(self) -> Reference:
        """x*, f* and the bound on their error, made on first use; `watched` follows and stops the work."""
        return self.solution.reference

    @property
    def x_star(self) -> Array:
        """The minimiser (the one that methods from x0 reach)."""
        return self.reference.x_star.reshape(self.shape).copy()

    @property
    def f_star(self) -> float:
        """The minimum of f."""
        return self.reference.f_star

    @property
    def f_star_error(self) -> float:
        """Bound on f(x_star) - min f for the stored x_star."""
        return self.reference.error

    @property
    def f_star_source(self) -> str:
        """How x* and f* were found, in words."""
        return self.reference.source

    @property
    def condition_number(self) -> float:
        """L / mu, infinite if mu = 0."""
        return self.L / self.mu if self.mu > 0 else float("inf")

    @property
    def mu_error(self) -> float:
        """Bound on how far mu may be above the true one; 0 where it is exact, or a bound from below."""
        return float(getattr(self.loss, "mu_error", 0.0))

    @property
    def floor(self) -> float:
        """The gap below which rounding rules: what the stored x* leaves open, or underflow."""
        level = self.reference.level
        level = self.f_star_error if level is None else level
        return max(level, self.rounding, QUADRATIC_FLOOR, SMALLEST_SQUARE / float(np.min(self.L)))

    def floor_of(self, gap: Array) -> float:
        """The floor of a run with these gaps: one step cannot be followed to less than FALL of a gap."""
        if self.reference.level is None:
            return self.floor
        before, after = gap[:-1], gap[1:]
        return float(FALL * before[after < FALL * before].max(initial=self.floor / FALL))

    @property
    def _curvature(self) -> float:
        """The smallest that methods meet."""
        known = self.mu if self.mu > 0 else self.mu_restricted
        return known if known > 0 else self.L

    # -- plain points -------------------------------------------------------------------------

    def f(self, x: npt.ArrayLike) -> float:
        """The value at a point."""
        point = point_like(x, "x", self.shape).ravel()
        return self.loss.value(point) + (self.penalty.value(point) if self.penalty is not None else 0.0)

    def gap(self, x: npt.ArrayLike) -> float:
        """f(x) - f* without subtracting large numbers: a sum of squares, never negative."""
        form = self.form.counted_by(Counts())
        return float(form.gap(form.lift(point_like(x, "x", self.shape).ravel())))

    # -- lifted points ------------------------------------------------------------------------

    @once
    def form(self) -> Form:
        """The representation in use."""
        return self.solution.form

    def lift(self, x: Array) -> Array:
        """Carry a plain point; leading axes are runs."""
        return self.form.lift(x.reshape(*x.shape[: x.ndim - len(self.shape)], -1))

    def point(self, z: Array) -> Array:
        """The plain point that z carries."""
        return self.form.point(z).reshape(*z.shape[:-1], *self.shape)

    def prox_step(self, z: Array) -> Array:
        """T_L(z), one gradient and one prox."""
        self.counts.gradients += 1
        self.counts.proxes += 1
        return self._step(z)

    @once
    def _step(self) -> Callable[[Array], Array]:
        return self.form.stepper(self.L)

    def ask_estimate(self, z: Array, kind: str) -> Sizes:
        """What the estimate `kind` at z is made of: one gradient and one prox more."""
        self.counts.gradients += 1
        self.counts.proxes += 1
        sizes = self.form.sizes(z, self.L, kind)
        self.asked = z, sizes.gap
        return sizes

    def measured(self, x: Array, y: Array, gap: Scalar | None = None) -> tuple[Scalar, Scalar, Scalar]:
        """f(y) - f*, ||g_L||^2 and the polyak estimate at y = T_L(x), for the record; no product.

        Where an estimate at y is not free, it is NaN, the gradient is that at x, and a given gap is taken.
        """
        if not self.form.free_estimate:
            gap = self.gap_at(y) if gap is None else gap
            return gap, self.squared_step(x, y), np.full_like(gap, np.nan)
        squared, gap, _ = self.form.sizes(y, self.L, "polyak")
        return gap, squared, squared / (2 * choose(gap > 0, gap, np.nan))

    def squared_step(self, x: Array, y: Array) -> Scalar:
        """||g_L(x)||^2 of a step just made, y = T_L(x): free on every problem."""
        return self.form.squared_step(x, y, self.L)

    def reduced_gradient(self, x: Array, y: Array) -> Array:
        """g_L(x) of a step just made, y = T_L(x), in the coordinates of `difference`: free."""
        if isinstance(self.form, QuadraticForm | Provisional) and self.form.free_gradient:
            return self.form.gradient(x)
        return self.L * self.difference(x, y)

    def difference(self, x: Array, y: Array) -> Array:
        """x - y in coordinates in which norms and inner products are the true ones."""
        return self.form.displacement(x) - self.form.displacement(y)

    def gap_at(self, z: Array) -> Scalar:
        """f(z) - f*, free."""
        gap = self.form.gap(z)
        self.asked = z, gap
        return gap

    def noise(self, z: Array) -> Scalar:
        """A size below which ||g_L(z)|| is rounding."""
        return self.form.noise(z, self.L)

    def distance(self, z: Array) -> Scalar:
        """||x - x*||."""
        return norm(self.form.displacement(z))

    def curvature(self, x: Array, y: Array) -> Scalar:
        """Curvature that h has from x to y; at most L if L is true, NaN where y - x is rounding."""
        return self.form.curvature(x, y)

    def local_strong_convexity(self, x: Array, y: Array, gap: Scalar | None = None) -> Scalar:
        """mu_loc at x, given y = T_L(x), both lifted, and the gap at y if it is known; no product.

        Reference: Barre and d'Aspremont, appendix C, with g_L taken at x. NaN where ||x - x*|| is rounding:
        below eps condition_number ||x*||, or for mu = 0 where the gap at y is not above the floor.
        """
        gap = self.gap_at(y) if gap is None else gap
        distance = self.distance(x)
        known = distance > self._resolution
        if not self.mu > 0:
            known = known & (gap > self.floor)
        mu_loc = 2 * self.form.excess(x, y, self.L, gap) / choose(known, distance, 1.0) ** 2
        return choose(known, mu_loc, np.nan)

    @once
    def _resolution(self) -> float:
        """The distance to x* that the stored float64 x* can still tell."""
        return EPS * self.L / self._curvature * float(np.linalg.norm(self.reference.x_star))

    # -- variants -----------------------------------------------------------------------------

    def counted(self) -> Problem:
        """The same problem with a counter of its own, for one run."""
        form = self.form  # made before the copy, so that the twin shares what it is made of
        twin = copy.copy(self)
        twin.counts = Counts()
        twin.__dict__.pop("_step", None)
        twin.__dict__["form"] = form.counted_by(twin.counts)
        return twin

    def starting_at(self, x0: npt.ArrayLike) -> Problem:
        """The same problem from another start (and, where minimisers are many, its own x*)."""
        twin = copy.copy(self)
        twin.x0 = self._start(x0)
        twin.counts = Counts()
        if not (self.mu > 0 and self.solution.begun):
            for made in ("form", "_resolution", "_step"):
                twin.__dict__.pop(made, None)
            twin.solution = twin._unsolved()
        return twin

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: all but the step, which is made again there."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_step", "asked")}

    # -- words --------------------------------------------------------------------------------

    describe = described
    _repr_html_ = problem_html

    @property
    def constant(self) -> bool:
        """No curvature at all, so that every L is right."""
        return self.true_L == 0 and np.isnan(self.mu_restricted)

    def __repr__(self) -> str:
        """One line."""
        return f"<Problem {self.name}: n = {self.loss.size}, L = {self.L:.4g}, mu = {self.mu:.4g}>"
