"""What a run writes down: notes at each step, the rest measured a block of steps at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Scalar
from polyak_core.methods.backtracking import stepping
from polyak_core.methods.estimators import Shift
from polyak_core.methods.iterate import Iterate
from polyak_core.problems.problem import Problem
from polyak_core.runs.trace import COLUMNS, FLAGS, NUMBERS

FIRST_CAPACITY = 256
BLOCK, BLOCK_NUMBERS = 256, 2**16
"""Steps measured together: at most so many, and no more than fit in the cache."""
SAID = ("mu", "beta", "log_A", "t", "restarted", "mu_hat", "frozen")
"""What an iterate says, in its order, after k, x and y."""
BILLED = ("gradients", "proxes", "products", "seconds")
NOTES = [COLUMNS.index(name) for name in (*SAID, *BILLED)]
K, GAP, GAP_SEEN, MU_HAT, MU_LOC, SECONDS, DISTANCE = map(
    COLUMNS.index, ("k", "gap", "gap_seen", "mu_hat", "mu_loc", "seconds", "distance")
)
FREE = -np.inf
"""Stands for the free estimate until its block is measured."""
MEMORY = 2**28
"""Bytes of steps that may wait for x*."""


class Block(NamedTuple):
    """What the driver must see of the newest steps: k, gap, ||g_L||^2 and seconds, a number a step."""

    k: Array
    gap: Array
    squared: Array
    seconds: Array


class Held(NamedTuple):
    """Steps noted, not measured yet."""

    iterates: list[Iterate]
    bills: list[tuple[float, ...]]

    def notes(self) -> Array:
        """A row of what `NOTES` names for each step."""
        said = list(zip(*self.iterates, strict=True))[3 : 3 + len(SAID)]
        said[5] = tuple(FREE if mu_hat is None else mu_hat for mu_hat in said[5])
        notes = np.empty((len(self.bills), len(NOTES)))
        for j, column in enumerate(said):
            notes[:, j] = column
        notes[:, len(SAID) :] = self.bills
        return notes


class Ledger:
    """Rows of `COLUMNS` for one run, and the last iterate.

    Where x* is not known yet, blocks of steps are held back; `place` says where x* is, and then they are
    taken up again one by one.

    Attributes:
        length: how many rows count; rows behind are overwritten.
        block: how many steps to note before they are measured.
        held: how many steps are held back.
    """

    def __init__(self, problem: Problem, seen: Shift, start: Array) -> None:
        """Empty, for a run on `problem` from the lifted `start`."""
        self.length = 0
        self.block = max(1, min(BLOCK, BLOCK_NUMBERS // max(start.size, 1)))
        self._last = start, start
        self._problem, self._counts = problem, problem.counts
        self.held = 0
        self._held: deque[Held] = deque()
        self._moved: Callable[[Array], Array] | None = None
        self._seen = seen
        self._rows = np.empty((FIRST_CAPACITY, len(COLUMNS)))
        self._noted = Held([], [])
        self._gaps: list[Scalar] = []
        self._costly = not problem.form.free_estimate
        self._varied: list[tuple[float, Shift | None]] = []

    def note(self, it: Iterate, spent: float) -> None:
        """Write down what the method says and what it has asked for so far."""
        counts, (iterates, bills) = self._counts, self._noted
        iterates.append(it)
        bills.append((counts.gradients, counts.proxes, counts.products, spent))
        if self._costly:  # the gap at y may cost much, so that one which the method asked for is kept
            point, gap = self._problem.asked
            self._gaps.append(gap if point is it.y else np.nan)

    def note_varied(self, it: Iterate, spent: float) -> None:
        """The same for a run on which L, or what is known of f*, changes."""
        self.note(it, spent)
        self._varied.append((it.L, it.seen))

    def measure(self) -> Block:
        """Add the noted steps as rows, with all that is measured."""
        problem, first, iterates = self._problem, self.length, self._noted.iterates
        size = len(iterates)
        xs, ys = [it.x for it in iterates], [it.y for it in iterates]
        x, y = (self._placed(np.concatenate(points).reshape(size, -1)) for points in (xs, ys))
        while first + size > len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        rows = self._rows[first : first + size]
        gap, squared, free_hat, mu_loc = self._measured(x, y)
        rows[:, K] = np.arange(first, first + size)
        rows[:, NOTES] = self._noted.notes()
        rows[:, GAP], rows[:, GAP_SEEN] = gap, self._gap_seen(gap)
        rows[:, DISTANCE] = problem.distance(x)[:, 0]
        rows[:, MU_LOC] = mu_loc
        free = rows[:, MU_HAT] == FREE
        rows[free, MU_HAT] = free_hat[free]
        if first <= 1 < first + size:
            self._start_from(*self._rows[:2])
        self.length += size
        return Block(rows[:, K], gap, squared, rows[:, SECONDS])

    def _placed(self, z: Array) -> Array:
        return z if self._moved is None else self._moved(z)

    @property
    def last(self) -> tuple[Array, Array]:
        """The last x and y, lifted."""
        x, y = self._last
        return self._placed(x), self._placed(y)

    def hold(self) -> None:
        """Keep the noted steps for later."""
        newest = self._noted.iterates[-1]
        self._last = newest.x, newest.y
        self.held += len(self._noted.iterates)
        self._held.append(self._noted)
        self._noted = Held([], [])
        self._gaps.clear()

    @property
    def full(self) -> bool:
        """Whether no more should be held."""
        return 2 * self.held * self._last[0].nbytes > MEMORY

    def place(self, problem: Problem, moved: Callable[[Array], Array]) -> None:
        """Say where x* is: measure on `problem` what was carried elsewhere, and is `moved` there."""
        self._problem, self._moved = problem, moved

    def take_up(self) -> bool:
        """Note the first steps that are held again; False if there are none."""
        if not self._held:
            return False
        self._noted = self._held.popleft()
        self.held -= len(self._noted.iterates)
        return True

    def _measured(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        """`Problem.measured` and mu_loc, each step with the L that made it."""
        gap = np.array(self._gaps)[:, None]
        known = len(gap) == len(x) and bool(np.isfinite(gap).all())
        if not self._varied or np.isnan(self._varied[-1][0]):
            return _numbers(self._problem, x, y, gap if known else None)
        L = np.array([[used] for used, _ in self._varied[-len(x) :]])
        penalty = self._problem.penalty
        if penalty is None or penalty.cheap:  # works row by row, for steps of any length
            return _numbers(stepping(self._problem, L), x, y)
        steps = [_numbers(stepping(self._problem, float(L[i, 0])), x[[i]], y[[i]]) for i in range(len(x))]
        gap, squared, mu_hat, mu_loc = np.concatenate(steps, axis=1)
        return gap, squared, mu_hat, mu_loc

    def _start_from(self, zeroth: Array, first: Array) -> None:
        """x_1 = x_0: what is known at x_1 was true before."""
        zeroth[MU_LOC] = first[MU_LOC]
        if np.isinf(zeroth[GAP_SEEN]):  # `adapt_apg_free` learns its first bound at x_1
            zeroth[GAP_SEEN] = zeroth[GAP] + (first[GAP_SEEN] - first[GAP])

    def _gap_seen(self, gap: Array) -> Array:
        """The gap under the f* that the method knew at each step."""
        if self.seen is self._seen:
            return np.asarray(self._seen(gap))
        known = [seen for _, seen in self._varied[-len(gap) :]]
        deltas = np.array([np.nan if seen is None else seen.delta for seen in known])
        return np.asarray(gap + deltas)

    @property
    def seen(self) -> Shift:
        """What is known of f* at the newest step."""
        newest = self._varied[-1][1] if self._varied else None
        return self._seen if newest is None else newest

    @property
    def steps(self) -> list[float]:
        """The L that made y_k, for each record of a run with backtracking."""
        return [L for L, _ in self._varied]

    def close(self, last: int, ended: bool) -> None:
        """End the newest block with its record `last`; what lies behind does not count, if the run ended."""
        iterates = self._noted.iterates
        self.length -= len(iterates) - 1 - last
        if ended:
            self._held.clear()
            self.held = 0
        if not self._held:
            self._last = iterates[last].x, iterates[last].y
        del self._varied[self.length :]
        for kept in self._noted:
            kept.clear()
        self._gaps.clear()

    def value(self, name: str, k: int) -> float:
        """One number."""
        return float(self._rows[k, COLUMNS.index(name)])

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """A copy of all columns, numbers as float64 and flags as booleans."""
        rows = np.concatenate([self._rows[: self.length], *map(self._unmeasured, self._held)]).T
        rows[K] = np.arange(rows.shape[1])
        numbers = {name: rows[j].copy() for j, name in enumerate(NUMBERS)}
        return numbers | {name: rows[COLUMNS.index(name)] != 0 for name in FLAGS}

    def _unmeasured(self, block: Held) -> Array:
        rows = np.full((len(block.iterates), len(COLUMNS)), np.nan)
        rows[:, NOTES] = block.notes()
        rows[rows[:, MU_HAT] == FREE, MU_HAT] = np.nan
        return rows


def _numbers(
    problem: Problem, x: Array, y: Array, known: Array | None = None
) -> tuple[Array, Array, Array, Array]:
    gap, squared, mu_hat = problem.measured(x, y, known)
    return gap[:, 0], squared[:, 0], mu_hat[:, 0], problem.local_strong_convexity(x, y, gap)[:, 0]
