"""Quadratic function with a box or an l1 norm, solved by finding out which coordinates are free.

Problem: min f(x) = h(x) + psi(x), h convex quadratic, psi the sum of a convex function of each coordinate
that is made of straight pieces. A coordinate is *free* inside of a piece, else it rests at the end of one.
Algorithm: an interior point start; then a primal active set method in extended precision: Newton steps on
the free coordinates up to the first end met, which is fixed; where none is met, coordinates whose
optimality condition fails are freed. Directions without curvature are followed up to an end, so that the
free block becomes regular.
Guarantee: none but `polyak_core.optimality`, made of the point that was found, whatever it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polyak_core.arrays import EXTENDED, Array, Extended
from polyak_core.columns import Mask
from polyak_core.extended_quadratic import ExtendedQuadratic
from polyak_core.faces import Face
from polyak_core.first_order_start import first_order_start
from polyak_core.interior_point import interior_start
from polyak_core.pieces import Pieces
from polyak_core.watch import step as watched_step

REFINEMENTS = 12
TOGETHER = 20
"""So many times several coordinates are freed at once; later one by one, which cannot go round in circles."""


@dataclass
class ActiveSet:
    """State of the method.

    Attributes:
        x: a feasible point.
        free: the free coordinates.
        g, rounding: gradient of h at x, and a bound on its error.
        steps: changes of the free set.
        settled: whether all optimality conditions hold, but for rounding.
        at_zero: whether zeros, tried first, were it.
        budget: changes of the free set at most; 0 stands for a budget that grows with the size.
    """

    h: ExtendedQuadratic
    pieces: Pieces
    x: Extended
    free: Mask
    budget: ClassVar[int] = 0

    def __post_init__(self) -> None:
        """Measure the start."""
        self.steps = 0
        self.settled = self.at_zero = False
        self.measure()

    def measure(self) -> None:
        """The gradient at x, and where free coordinates may go."""
        self.g, self.rounding = self.h.gradient(self.x)
        self._slope, self._low, self._high = self.pieces.region(self.x, self.g)

    @property
    def residual(self) -> Array:
        """Gradient of f on the free coordinates."""
        return np.asarray((self.g + self._slope)[self.free], dtype=np.float64)

    def violation(self) -> Array:
        """How far optimality fails at coordinates that rest, beyond rounding; 0 where it holds."""
        slack = np.asarray(self.pieces.slack(self.x, self.g), dtype=np.float64)
        return np.where(self.free, 0.0, np.maximum(0.0, -slack - self.rounding))

    def run(self) -> ActiveSet:
        """Until optimality holds, or the budget of changes is used up."""
        for k in range(self.budget or 100 + 2 * self.h.size):
            watched_step("active set", k)
            if self._solve_face():
                violation = self.violation()
                if not violation.any():
                    self.settled = True
                    break
                several = self.steps < TOGETHER
                self.free = self.free | (violation >= (0.3 if several else 1.0) * violation.max())
            self.steps += 1
        return self

    def _solve_face(self) -> bool:
        """Newton steps on the free coordinates; False if the face changed on the way."""
        face = Face(self.h, self.free)
        if face.null.shape[1] and self._slide(face.null):
            return False
        size = np.inf
        for _ in range(REFINEMENTS):
            if self._move(face.newton(self.residual), 1.0):
                return False
            last, size = size, float(np.abs(self.residual).max(initial=0.0))
            if not size < last / 4:
                break
        return True

    def _move(self, step: Array, longest: float) -> int:
        """Go along a step of the free coordinates up to the first end; how many were met there."""
        where = np.flatnonzero(self.free)
        start = self.x[where]
        ends = np.where(step < 0, self._low[where], self._high[where])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lengths = np.where(step != 0, (ends - start) / step, np.inf)
        length = min(EXTENDED(longest), lengths.min(initial=np.inf))
        if not np.isfinite(length):
            return 0
        met = lengths <= length if length < longest else np.zeros(step.size, dtype=bool)
        low, high = self._low[where], self._high[where]
        self.x[where] = np.where(met, ends, np.clip(start + length * step.astype(EXTENDED), low, high))
        self.free[where[met]] = False
        self.measure()
        return int(np.count_nonzero(met))

    def _slide(self, null: Array) -> bool:
        """Follow directions without curvature down to an end each; True if the face changed."""
        changed = False
        where = np.flatnonzero(self.free)
        for k in range(null.shape[1]):
            along = np.where(self.free[where], null[:, k], 0.0)
            if not along.any():
                continue
            downhill = float((self.g + self._slope)[where] @ along)
            along = -along if downhill > 0 else along
            before = self.free[where]
            met = self._move(along[before], np.inf)
            changed = changed or met > 0
            if met > 1:  # directions cannot be kept away from more than one end
                break
            if met:
                pivot = int(np.argmax(before & ~self.free[where]))
                null[:, k + 1 :] -= np.outer(null[:, k] / null[pivot, k], null[pivot, k + 1 :])
        return changed


def solve(h: ExtendedQuadratic, pieces: Pieces) -> ActiveSet:
    """Minimise h + psi; zeros are tried first."""
    nowhere = np.zeros(h.size, dtype=bool)
    zeros = ActiveSet(h, pieces, np.zeros(h.size, dtype=EXTENDED), nowhere)
    if not zeros.violation().any():
        zeros.settled = zeros.at_zero = True
        return zeros
    x, free = (interior_start if h.affordable else first_order_start)(h, pieces.bounds)
    x = pieces.resting(np.where(np.isfinite(x), x, 0.0), free)
    return ActiveSet(h, pieces, x.astype(EXTENDED), free.copy()).run()
