"""Quadratic function with a box or an l1 norm, solved by finding out which coordinates are free.

Problem: min f(x) = h(x) + psi(x), h convex quadratic, psi the sum of a convex function of each coordinate
that is made of straight pieces. A coordinate is *free* inside of a piece, else it rests at the end of one.
Algorithm: an interior point start; then a primal active set method in extended precision: Newton steps on
the free coordinates up to the first end met, which is fixed; where none is met, coordinates whose
optimality condition fails are freed. Directions without curvature are followed up to an end, so that the
free block becomes regular.
Guarantee: that of `polyak_core.certificates.active_set.bound`, which holds for whatever point is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polyak_core.arrays import EXTENDED, Array, Extended
from polyak_core.certificates.active_set.chunks import in_chunks
from polyak_core.certificates.active_set.faces import Face, LargeFace
from polyak_core.certificates.active_set.pieces import Pieces
from polyak_core.certificates.active_set.quadratic import ExtendedQuadratic
from polyak_core.certificates.active_set.starts import first_order_start, interior_start
from polyak_core.matrices.columns import Mask
from polyak_core.progress.budget import LARGEST_FACTORED, SEARCH
from polyak_core.progress.watch import step as watched_step

REFINEMENTS = 12
TOGETHER = 20
"""Several coordinates are freed at once this many times; later one at a time, which cannot cycle."""


@dataclass
class ActiveSet:
    """State of the method.

    Attributes:
        x: a feasible point.
        free: the free coordinates.
        g, rounding: gradient of h at x, and a bound on its error.
        steps: changes of the free set.
        settled: whether all optimality conditions hold, but for rounding.
        at_zero: whether x = 0, which is tried first, is the solution.
        budget: changes of the free set at most; 0 stands for a budget that grows with the size.
        work: the part of the work that is left (`polyak_core.progress.budget`).
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
        self.work = SEARCH
        self.measure()

    def measure(self) -> None:
        """The gradient at x, and where free coordinates may go."""
        self.work -= self.h.extended_product
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
        """Go on until optimality holds, or a budget is used up."""
        for k in range(self.budget or 100 + 2 * self.h.size):
            watched_step("active set", k)
            if self.work < 0:
                break
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
        face = self._face()
        if face.null.shape[1] and self._slide(face.null):
            return False
        size = np.inf
        for _ in range(REFINEMENTS):
            step = face.newton(self.residual)
            self.work, face.price = self.work - face.price, 0.0
            if self._bend(step) or self._move(step, 1.0):
                return False
            last, size = size, float(np.abs(self.residual).max(initial=0.0))
            if not size < last / 4:
                break
        return True

    def _face(self) -> Face | LargeFace:
        """The free block, factored where that costs little enough."""
        count = int(np.count_nonzero(self.free))
        price = self.h.block_price(count)
        if count > LARGEST_FACTORED or price > self.work / 4:
            return LargeFace(self.h, self.free)
        self.work -= price
        return Face(self.h, self.free)

    def _bend(self, step: Array) -> bool:
        """Go along a step that bends at each end that it meets, as long as f falls; whether it met any.

        Many ends are met at once where the face is far from the right one. A step that meets none is left
        to `_move`, and so is the search late on, so that it ends.
        """
        where = np.flatnonzero(self.free)
        low, high = self._low[where], self._high[where]
        start, slope = self.x[where], np.asarray((self.g + self._slope)[where], dtype=np.float64)
        if self.steps >= TOGETHER or np.all((start + step > low) & (start + step < high)):
            return False
        times, price = self.h.normal(self.free)
        for length in (1.0, 0.5, 0.25):
            new = np.clip(start + EXTENDED(length) * step, low, high)
            d = np.asarray(new - start, dtype=np.float64)
            self.work -= price
            if float(slope @ d) + 0.5 * float(d @ times(d)) < 0:
                self.x[where] = new
                self.free[where[(new == low) | (new == high)]] = False
                self.measure()
                return True
        return False

    def _move(self, step: Array, longest: float) -> int:
        """Go along a step of the free coordinates up to the first end; how many reached one there."""
        where = np.flatnonzero(self.free)
        start = self.x[where]
        ends = np.where(step < 0, self._low[where], self._high[where])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lengths = np.where(step != 0, (ends - start) / step, np.inf)
        length = min(EXTENDED(longest), lengths.min(initial=np.inf))
        if not np.isfinite(length):
            return 0
        reached = lengths <= length if length < longest else np.zeros(step.size, dtype=bool)
        low, high = self._low[where], self._high[where]
        self.x[where] = np.where(reached, ends, np.clip(start + length * step.astype(EXTENDED), low, high))
        self.free[where[reached]] = False
        self.measure()
        return int(np.count_nonzero(reached))

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
            ends = self._move(along[before], np.inf)
            changed = changed or ends > 0
            if ends > 1:  # directions cannot be kept away from more than one end
                break
            if ends:
                pivot = int(np.argmax(before & ~self.free[where]))
                null[:, k + 1 :] -= np.outer(null[:, k] / null[pivot, k], null[pivot, k + 1 :])
        return changed


def find_active_set(h: ExtendedQuadratic, pieces: Pieces) -> ActiveSet:
    """Minimise h + psi; zeros are tried first."""
    nowhere = np.zeros(h.size, dtype=bool)
    zeros = ActiveSet(h, pieces, np.zeros(h.size, dtype=EXTENDED), nowhere)
    if not zeros.violation().any():
        zeros.settled = zeros.at_zero = True
        return zeros
    x, free = (interior_start if h.affordable else first_order_start)(h, pieces.bounds)
    x = pieces.resting(np.where(np.isfinite(x), x, 0.0), free)
    if not h.affordable:
        x, free = in_chunks(h, pieces, x, free)
    return ActiveSet(h, pieces, x.astype(EXTENDED), free.copy()).run()
