"""Several runs that take every step together, as rows of one array: what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.methods.estimators import Shift
from polyak_core.methods.iterate import Iterate
from polyak_core.problems.problem import Problem
from polyak_core.runs.endings import Cause, Ending, Outcome, judged, low_start
from polyak_core.runs.limits import Limits
from polyak_core.runs.trace import COLUMNS, Trace

FIRST_CAPACITY = 256
BLOCK, BLOCK_NUMBERS = 64, 2**15
"""Steps measured together: at most so many, and no more numbers than fit in the cache with their images."""
NOTED = ("mu", "beta", "log_A", "t", "restarted", "mu_hat", "frozen")
MU_HAT = NOTED.index("mu_hat")
FIRST_BLOCK = 8
"""Steps of the first block after x_0; blocks grow from there, so that something can be drawn at once."""
FREE = -np.inf
"""Stands for the free estimate until its block is measured."""
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Row:
    """One of the runs: its problem, as a run on its own has it, what it sees, settings and limits."""

    problem: Problem
    seen: Shift
    settings: dict[str, Any]
    limits: Limits


class Lockstep:
    """Rows in lockstep; a row that has ended is carried along, unseen, until all have ended.

    Attributes:
        gap: shape (records, rows); what lies behind `length` does not count.
        length: records so far, of the rows that live longest.
        last: index of the last record of each row, shape (rows,).
    """

    def __init__(
        self, rows: Sequence[Row], carrier: Problem, iterates: Iterator[Iterate], full: bool
    ) -> None:
        """Rows, the problem that carries their points, the iterates; `full` keeps all columns."""
        self._rows, self._carrier, self._iterates, self._full = rows, carrier, iterates, full
        self._deltas = np.array([row.seen.delta for row in rows])
        first = rows[0].limits
        divergence = np.array([row.limits.divergence for row in rows])
        self._limits = Limits(first.iterations, first.target, first.seconds, divergence, first.sharp)
        self.length = 0
        self.last = np.full(len(rows), -1)
        self._alive = np.ones(len(rows), dtype=bool)
        self._ends: list[Ending | None] = [None] * len(rows)
        self._points: list[tuple[Array, Array] | None] = [None] * len(rows)
        start = np.stack([row.problem.lift(row.problem.x0) for row in rows])
        self._newest = start, start
        self._counted = np.empty((FIRST_CAPACITY, 4))
        self._noted = np.empty((FIRST_CAPACITY, len(NOTED), len(rows), 1)) if full else np.empty((0, 0, 0, 0))
        names = ("gap", "gap_seen", "mu_loc", "distance") if full else ("gap",)
        self._measured = {name: np.empty((FIRST_CAPACITY, len(rows))) for name in names}
        self._below: dict[float, tuple[int, Array]] = {}
        self._spent = 0.0
        self._steps = 1  # the first block is x_0 alone

    @property
    def gap(self) -> Array:
        """Gaps, shape (records, rows)."""
        return self._measured["gap"][: self.length]

    @property
    def finished(self) -> bool:
        """Whether every row has ended."""
        return not self._alive.any()

    def ended(self, i: int) -> bool:
        """Whether row i has ended."""
        return not self._alive[i]

    def advance(self) -> None:
        """One block of steps."""
        if self.finished:
            return
        steps = min(self._steps, self._limits.iterations + 1 - self.length)
        self._reserve(self.length + steps)
        xs: list[Array] = []
        ys: list[Array] = []
        before = perf_counter()
        for k, it in enumerate(islice(self._iterates, steps), self.length):
            now = perf_counter()
            self._spent += now - before
            self._note(k, it)
            xs.append(it.x)
            ys.append(it.y)
            before = perf_counter()
        self._steps = max(1, min(BLOCK, BLOCK_NUMBERS // xs[0].size, FIRST_BLOCK + 2 * self.length))
        self._close(xs, ys)

    def _reserve(self, records: int) -> None:
        while records > len(self._counted):
            self._counted = doubled(self._counted)
            self._noted = doubled(self._noted)
            self._measured = {name: doubled(column) for name, column in self._measured.items()}

    def _note(self, k: int, it: Iterate) -> None:
        counts = self._carrier.counts
        self._counted[k] = counts.gradients, counts.proxes, counts.products, self._spent / len(self._rows)
        if self._full:
            note = self._noted[k]
            note[0], note[1], note[2], note[3] = it.mu, it.beta, it.log_A, it.t
            note[4], note[5], note[6] = it.restarted, FREE if it.mu_hat is None else it.mu_hat, it.frozen

    def _close(self, xs: list[Array], ys: list[Array]) -> None:
        """Measure the newest steps; see which rows they end."""
        first, size = self.length, len(xs)
        records = slice(first, first + size)
        gap, squared = self._measure(records, xs, ys)
        if first == 0:
            self._limits.begin(gap[0])
            for i, row in enumerate(self._rows):
                row.limits.begin(gap[0, i])
        k = np.arange(float(first), first + size)[:, None]
        over = self._limits.over(k, gap, squared, self._seconds(records)) & self._alive
        self.length += size
        at = np.where(over.any(axis=0), np.argmax(over, axis=0), size - 1)
        self.last[self._alive] = (first + at)[self._alive]
        for i in map(int, np.flatnonzero(over.any(axis=0))):
            j = int(at[i])
            self._alive[i] = False
            self._points[i] = xs[j][i].copy(), ys[j][i].copy()
            self._ends[i] = self._judge(i, float(gap[j, i]), float(squared[j, i]))
        self._newest = xs[-1], ys[-1]

    def _measure(self, records: slice, xs: list[Array], ys: list[Array]) -> tuple[Array, Array]:
        """Gap and ||g_L||^2 of the newest steps (the latter only where needed); columns are filled."""
        carrier, columns, y = self._carrier, self._measured, np.stack(ys)
        if not self._full:
            gap = columns["gap"][records] = carrier.gap_at(y)[..., 0]
            exact = bool((gap == 0).any())  # then it matters whether the gradient is 0 too
            return gap, carrier.measured(np.stack(xs), y)[1][..., 0] if exact else np.ones_like(gap)
        x = np.stack(xs)
        gap, squared, free_hat = carrier.measured(x, y)
        columns["mu_loc"][records] = carrier.local_strong_convexity(x, y, gap)[..., 0]
        gap, squared, free_hat = gap[..., 0], squared[..., 0], free_hat[..., 0]
        columns["gap"][records], columns["gap_seen"][records] = gap, gap + self._deltas
        columns["distance"][records] = carrier.distance(x)[..., 0]
        if records.start <= 1 < records.stop:
            columns["mu_loc"][0] = columns["mu_loc"][1]  # x_1 = x_0: what is known at x_1 was true before
        hat = self._noted[records, MU_HAT, :, 0]
        np.copyto(hat, free_hat, where=hat == FREE)
        return gap, squared

    def _judge(self, i: int, gap: float, squared: float) -> Ending:
        """Name what ended row i, by the rules and in the words of a run on its own."""
        row, k = self._rows[i], int(self.last[i])
        found = row.limits.verdict(row.problem, k, gap, squared)
        spent = row.limits.spent(k, gap)
        if found or not self._full:
            return found or spent
        points = self._points[i]
        assert points is not None
        return judged(row.problem, self._columns(i), row.seen, *points, spent)

    def first_below(self, relative_gap: float) -> Array:
        """For each row the first k with gap <= relative_gap * gap_0, NaN where there is none yet."""
        scanned, found = self._below.get(relative_gap, (0, np.full(len(self._rows), np.nan)))
        if self.length > scanned:
            k = np.arange(scanned, self.length)[:, None]
            below = (self.gap[scanned:] <= relative_gap * self.gap[0]) & (k <= self.last)
            new = below.any(axis=0) & np.isnan(found)
            found = np.where(new, scanned + np.argmax(below, axis=0), found)
            self._below[relative_gap] = self.length, found
        return np.array(found)

    def outcome(self, i: int) -> Outcome | None:
        """How row i ended, None while it runs; without columns nothing but the budget is known of its end."""
        end = self._ends[i]
        return None if end is None else end.outcome

    def cancel(self) -> None:
        """End the rows that run, keeping what they had."""
        for i in np.flatnonzero(self._alive):
            self._points[i] = self._newest[0][i].copy(), self._newest[1][i].copy()
            k = int(self.last[i])
            self._ends[i] = Ending(outcome=Outcome.CANCELLED, k=k, cause=Cause.CANCELLED)
        self._alive[:] = False

    def _columns(self, i: int) -> dict[str, npt.NDArray[Any]]:
        """All columns of row i."""
        count = int(self.last[i]) + 1
        billed, noted = self._billed(i, count), self._noted[:count, :, i, 0].T
        columns: dict[str, npt.NDArray[Any]] = {"k": np.arange(float(count))}
        columns |= dict(zip(("gradients", "proxes", "products", "seconds"), billed.copy(), strict=True))
        columns |= dict(zip(NOTED, noted.copy(), strict=True))
        columns |= {name: column[:count, i].copy() for name, column in self._measured.items()}
        for flag in ("restarted", "frozen"):
            columns[flag] = columns[flag] != 0
        return {name: columns[name] for name in COLUMNS}

    def _billed(self, i: int, count: int) -> Array:
        """Gradients, proxes, products and seconds of the first records of row i, shape (4, count)."""
        return self._counted[:count].T

    def _seconds(self, records: slice) -> Array:
        """The seconds of each row at these records, shape (records, rows); (records, 1) if they are equal."""
        return self._counted[records, 3:]

    def trace(self, i: int) -> Trace:
        """Row i as a trace, equal to that of a run on its own; needs all columns.

        Raises:
            ValueError: only gaps were kept.
        """
        if not self._full:
            raise ValueError("only gaps were kept; make the stack with full=True for traces.")
        row = self._rows[i]
        still = Ending(outcome=Outcome.CANCELLED, k=int(self.last[i]), cause=Cause.RUNNING)
        ending = (self._ends[i] or still).noting(*low_start(row.problem.mu, row.settings.get("mu0")))
        x, y = self._points[i] or (self._newest[0][i], self._newest[1][i])
        columns = self._columns(i)
        return Trace(
            **columns,
            x=row.problem.point(x),
            y=row.problem.point(y),
            floor=row.problem.floor_of(columns["gap"]),
            outcome=ending.outcome,
            message=ending.message,
            settings=dict(row.settings),
            ending=ending,
        )


def doubled(column: Array) -> Array:
    """The same with room for as many more, so that a record is moved a few times however many come."""
    return np.concatenate([column, np.empty_like(column)])
