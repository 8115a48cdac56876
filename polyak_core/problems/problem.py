"""A problem f = h + psi: its parts, the certified f*, the exact gap, and the oracle for methods."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.certificates.reference import Reference
from polyak_core.checks import (
    SCALES,
    Given,
    called,
    checked_scale,
    finite_array,
    one_of,
    real_number,
    shown,
    text,
)
from polyak_core.lifted.form import GRADIENT_NOISE, REPRESENTATIONS, SMALLEST_SQUARE, Form
from polyak_core.matrices.counted import Counts
from polyak_core.penalties import Penalty
from polyak_core.problems.custom import OwnLoss, Proximable, Smooth, is_own, own_parts
from polyak_core.problems.facts import described, problem_html
from polyak_core.problems.loss import Loss
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.solution import Solution
from polyak_core.progress.background import Background

FALL = 1e-25
"""A step rounds the gap by EPS^2 of the gap before it: above this part of it, that is at most 1 percent."""
QUADRATIC_FLOOR = 1e-290
"""Below this squares of float64 numbers lose digits (the smallest normal number is 2e-308)."""

STAYING = 2e-14
"""At most so much of x_0 - x* is rounding that no step takes away: 100 times that of float64."""


class Problem:
    """min f(x) = h(x) + psi(x), h L-smooth and mu-strongly convex, psi convex with a simple prox.

    A method is handed an `Oracle` of it (`oracle`), which makes steps and counts them.

    Attributes:
        L: Lipschitz constant of the gradient of h that methods use, > 0.
        mu: strong convexity of h, 0 if there is none.
        mu_restricted: smallest non-zero curvature, NaN if unknown.
        solution: x* and what is made of it, if known or sought.
        shape: that of points, (n,) or the loss's own; loss, penalty and form get them flattened.
        x0: start.

    >>> import polyak_core as pc
    >>> problem = pc.quadratic([1.0, 0.1, 0.01])
    >>> problem.L, problem.mu, round(problem.condition_number), problem.f_star
    (1.0, 0.01, 100, 0.0)
    >>> round(problem.gap([1.0, 1.0, 1.0]), 12)
    0.555
    """

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
        """See `polyak_core.problems.paper` for ready problems, `polyak_core.problems.custom` for one's own.

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
    def grain(self) -> float:
        """Rounding of a gap that is a subtraction, as for one's own h, or d'(G d) with a singular G; else 0.

        In the null space of G rounding of d stays while d shrinks elsewhere; times rounding of G d it is no
        gap.
        """
        if self.subtracts:
            return float(self.loss.grain(self.reference))  # type: ignore[attr-defined]
        if self.mu > 0 or self.form.name != "G":
            return 0.0
        stays = STAYING * float(np.linalg.norm(self.x0.ravel() - self.x_star.ravel()))
        return float(GRADIENT_NOISE * np.max(self.L) * stays**2)

    @property
    def subtracts(self) -> bool:
        """Whether a gap is the difference of two values of f."""
        return hasattr(self.loss, "grain")

    @property
    def floor(self) -> float:
        """The gap below which rounding errors dominate: of x* as stored, of a subtraction, of underflow."""
        level = self.reference.level
        level = self.f_star_error if level is None else level
        return max(level, self.grain, QUADRATIC_FLOOR, SMALLEST_SQUARE / float(np.min(self.L)))

    def floor_of(self, gap: Array) -> float:
        """The floor of a run with these gaps: one step cannot be followed to less than FALL of a gap.

        Where terms of A cancel, as for centred data, that part is larger.
        """
        if self.reference.level is None:
            return self.floor
        fall = FALL * float(getattr(self.loss, "cancellation", 1.0)) ** 2
        before, after = gap[:-1], gap[1:]
        return float(fall * before[after < fall * before].max(initial=self.floor / fall))

    # -- plain points -------------------------------------------------------------------------

    def f(self, x: npt.ArrayLike) -> float:
        """The value at a point."""
        point = point_like(x, "x", self.shape).ravel()
        return self.loss.value(point) + (self.penalty.value(point) if self.penalty is not None else 0.0)

    def gap(self, x: npt.ArrayLike) -> float:
        """f(x) - f* without subtracting large numbers: a sum of squares, never negative."""
        oracle = self.oracle()
        return float(oracle.gap(oracle.lift(point_like(x, "x", self.shape))))

    # -- what methods are handed ----------------------------------------------------------------

    @property
    def form(self) -> Form:
        """How points are carried around x*."""
        return self.solution.form

    def oracle(self, reference: bool = True) -> Oracle:
        """What a method is handed for one run, with a counter of its own.

        Args:
            reference: False for points carried around x0, so that x* is not sought; no gap is known then.
        """
        counts = Counts()
        form = self.form if reference else self.solution.form_around(self.x0.ravel())
        return Oracle(
            form.counted_by(counts),
            self.L,
            self.mu,
            shape=self.shape,
            counts=counts,
            least=self.mu if self.mu > 0 else max(np.nan_to_num(self.mu_restricted), 0.0),
            floor=self.floor if reference else np.nan,
            size=float(np.linalg.norm(self.reference.x_star)) if reference else np.nan,
        )

    # -- variants -----------------------------------------------------------------------------

    def with_L(self, L: float) -> Problem:
        """The same problem, and the same x*, with another L for methods to use.

        Raises:
            ValueError: L is no number > 0 that can be used.
        """
        twin = copy.copy(self)
        twin.L = checked_scale(real_number(L, "L", "a number > 0"), "give such a number")
        return twin

    def starting_at(self, x0: npt.ArrayLike) -> Problem:
        """The same problem from another start (and, where minimisers are many, its own x*)."""
        twin = copy.copy(self)
        twin.x0 = self._start(x0)
        if not (self.mu > 0 and self.solution.begun):
            twin.solution = twin._unsolved()
        return twin

    def with_loss(self, loss: Loss) -> Problem:
        """The same problem, whose h and x* come from another loss."""
        twin = copy.copy(self)
        twin.loss, twin._certify = loss, loss.reference
        twin.solution = twin._unsolved()
        return twin

    # -- words --------------------------------------------------------------------------------

    describe = described
    _repr_html_ = problem_html

    @property
    def constant(self) -> bool:
        """Whether h has no curvature at all, so that every L is right."""
        return self.true_L == 0 and np.isnan(self.mu_restricted)

    def __repr__(self) -> str:
        """One line."""
        return f"<Problem {self.name}: n = {self.loss.size}, L = {self.L:.4g}, mu = {self.mu:.4g}>"


def checked_parts(
    h: Given, psi: Given, x0: npt.ArrayLike | None, L: float | None, mu: float | None
) -> tuple[Loss, Penalty | None]:
    """h and psi as they are, or, if they are people's own, checked and wrapped."""
    if is_own(h, psi):
        return own_parts(h, psi, x0, L, mu)
    if mu is not None:
        raise ValueError(
            f"mu = {shown(mu)} is for an h of your own; this problem knows its mu. Give mu to solve instead."
        )
    return h, psi


def point_like(x: npt.ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """A copy of a point, or a ValueError in words."""
    point = finite_array(x, name, ndim=len(shape))
    if point.shape != shape:
        raise ValueError(
            f"{name} has {point.size} entries in shape {point.shape}; "
            f"this problem has n = {np.prod(shape)}, shape {shape}."
        )
    if np.abs(point).max() > SCALES[1]:
        raise ValueError(
            f"{name} is so far from 0 (an entry of size {np.abs(point).max():.1e}) that squares overflow; "
            f"give one that is closer, with entries up to {SCALES[1]:g}."
        )
    return np.array(point, order="C")


def seeks_long(loss: Loss, certify: Given) -> bool:
    """Whether finding x* may take long; a given `certify` may, except beside a loss of one's own.

    The methods of people's own losses are called in one thread only, that of the caller.
    """
    called(certify, "certify", "called with x0 and returns a Reference")
    if isinstance(loss, OwnLoss):
        return False
    return bool(getattr(loss if certify is None else certify, "long_search", certify is not None))
