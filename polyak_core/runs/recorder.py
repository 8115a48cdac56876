"""The record of runs that take every step together, as rows of one array; one run is one row.

Steps are noted as the method yields them, and measured a block at a time. A row that has ended is carried
along, but no longer recorded, until all have ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, doubled, shape_of
from polyak_core.checks import shown
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle
from polyak_core.runs.endings import Cause, Ending, Note, Outcome, backtracked, low_start, unpromised
from polyak_core.runs.limits import Row, judged, without_root
from polyak_core.runs.trace import COLUMNS, FLAGS, Trace

FIRST_CAPACITY = 256
BLOCK, RUN_NUMBERS, STACK_NUMBERS = 256, 16_000, 2**16
"""Steps that are measured together: at most so many, and no more numbers than this, of a run or of a stack.
Arrays of more than 128 kB come from the system anew each time, which takes longer than the arithmetic; a
stack asks for such ones anyway, and has no use for small blocks."""
OF_STEP = ("mu", "beta", "log_A", "t", "restarted", "mu_hat", "frozen")
"""Columns that an iterate fills itself."""
MEASURED = ("gap", "gap_seen", "mu_loc", "distance")
COUNTED = ("gradients", "proxes", "products", "seconds")
Block = Mapping[str, Sequence[Any]]
"""The steps that are measured together: their fields by the names of `Iterate`."""
FREE = -np.inf
"""Stands for the free estimate until its block is measured."""


class Recorder:
    """The records of runs, made while they go on, and the judgement that ends them.

    Attributes:
        length: records so far, of the rows that live longest.
        last: index of the last record of each row, shape (rows,); -1 before the first.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        oracle: Oracle,
        start: Array,
        iterates: Iterator[Any],
        full: bool = True,
    ) -> None:
        """Nothing is recorded yet; the first step is taken by `advance`.

        Args:
            rows: the runs.
            oracle: makes and measures the steps of all of them.
            start: x_0, lifted, of shape (size,) for one run, (rows, size) for stacked ones.
            iterates: the method's generator; people's own may yield anything, so that it is checked.
            full: keep all columns; else gaps alone, which is quicker.
        """
        self._rows, self._oracle, self._iterates, self._full = rows, oracle, iterates, full
        self._stacked, self._shape = start.ndim > 1, start.shape
        self._deltas = np.array([row.seen.delta for row in rows])
        divergence = np.array([row.limits.divergence for row in rows])
        self._limits = replace(rows[0].limits, divergence=divergence)
        numbers = STACK_NUMBERS if self._stacked else RUN_NUMBERS
        self._block = max(1, min(BLOCK, numbers // max(start.size, 1)))
        self.length = 0
        self.last = np.full(len(rows), -1)
        self._alive = np.ones(len(rows), dtype=bool)
        self._ends: list[Ending | None] = [None] * len(rows)
        self._points: list[tuple[Array, Array]] = [(z, z) for z in (start if self._stacked else [start])]
        self._counted = np.empty((FIRST_CAPACITY, len(COUNTED)))
        names = (*OF_STEP, *MEASURED) if full else ("gap",)
        self._columns = {name: np.empty((FIRST_CAPACITY, len(rows))) for name in names}
        self._costly = full and not oracle.form.free_estimate
        self._steps: list[float] = []
        self._seen = rows[0].seen
        self._spent = 0.0

    # -- going on -----------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether every row has ended."""
        return not self._alive.any()

    def ended(self, i: int) -> bool:
        """Whether row i has ended."""
        return not self._alive[i]

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when every row has ended.

        Raises:
            ValueError: the method yields nothing more.
        """
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while not self.finished:
                self._advance_block(stop)
                if perf_counter() >= stop:
                    break
        return self.finished

    def _advance_block(self, stop: float) -> None:
        """Take a block of steps: at least one, and fewer if the clock reaches `stop`."""
        iterates = self._collect(min(self._block, self._limits.iterations + 1 - self.length), stop)
        records = slice(self.length, self.length + len(iterates))
        block = dict(zip(Iterate._fields, zip(*iterates, strict=True), strict=True))
        gap, squared = self._measure(records, block)
        if records.start == 0:
            self._limits.begin(gap[0])
            for i, row in enumerate(self._rows):
                row.limits.begin(gap[0, i])
        self.length = records.stop
        self._end_rows(records, gap, squared, iterates)

    def _collect(self, steps: int, stop: float) -> list[Iterate]:
        """Take so many steps, or fewer if time is up, and note what they cost."""
        counts, spent, limit = self._oracle.counts, self._spent, self._limits.seconds
        iterates: list[Iterate] = []
        bills, share, shape = [], len(self._rows), self._shape
        before = perf_counter()
        for it in islice(self._iterates, steps):
            now = perf_counter()
            spent += now - before
            if not (isinstance(it, Iterate) and shape_of(it.x) == shape == shape_of(it.y)):
                raise ValueError(
                    f"{self.method} yielded {shown(it)} at iteration {self.length + len(iterates)}; a method "
                    "yields Iterate(k, x, y, ...) with the lifted points x and y."
                )
            iterates.append(it)
            bills.append((counts.gradients, counts.proxes, counts.products, spent))
            if now >= stop or spent >= limit:
                break
            before = perf_counter()
        self._spent = spent
        if not iterates:
            raise ValueError(
                f"{self.method} yielded nothing after iteration {self.length - 1}; "
                "a method must yield an iterate for every k, without end."
            )
        self._reserve(self.length + len(iterates))
        counted = self._counted[self.length : self.length + len(iterates)]
        counted[:] = bills
        counted[:, -1] /= share
        return iterates

    def _reserve(self, records: int) -> None:
        while records > len(self._counted):
            self._counted = doubled(self._counted)
            self._columns = {name: doubled(column) for name, column in self._columns.items()}

    # -- measuring ----------------------------------------------------------------------------

    def _measure(self, records: slice, block: Block) -> tuple[Array, Array]:
        """Fill the columns; return gap and ||g_L||^2 of the newest steps, the latter where it is needed."""
        columns, oracle, y = self._columns, self._oracle, self._points_of(block["y"])
        if not self._full:
            gap = columns["gap"][records] = self._by_row(oracle.gap(y))
            if not (gap == 0).any():  # only then does it matter whether the gradient is 0 too
                return gap, np.ones_like(gap)
            return gap, self._by_row(oracle.measured(self._points_of(block["x"]), y)[1])
        x = self._points_of(block["x"])
        self._fill_from_steps(records, block)
        if oracle.knows_x_star:
            gap, squared, free_hat, mu_loc = self._numbers(block, x, y)
            if records.stop > 1 and block["x"][-1] is block["y"][-1]:
                mu_loc = np.full_like(gap, np.nan)  # no y is a step T_L from an x, of which it is made
            far = x if block["z"][-1] is None else self._points_of(block["z"])
            gap_seen, distance = self._gap_seen(gap, block), self._by_row(oracle.distance(far))
        else:
            squared = self._by_row(oracle.squared_step(x, y))
            gap = free_hat = mu_loc = gap_seen = distance = np.full_like(squared, np.nan)
        for name, column in zip(MEASURED, (gap, gap_seen, mu_loc, distance), strict=True):
            columns[name][records] = column
        mu_hat = columns["mu_hat"][records]
        np.copyto(mu_hat, free_hat, where=mu_hat == FREE)
        if records.start <= 1 < records.stop:
            self._begin_as_at_x1()
        return gap, squared

    def _points_of(self, points: Sequence[Array]) -> Array:
        return np.array(points) if self._stacked else np.concatenate(points).reshape(len(points), -1)

    def _by_row(self, value: Array) -> Array:
        """Numbers of shape (records, rows) from those that the oracle gives."""
        return value[..., 0] if self._stacked else value

    def _fill_from_steps(self, records: slice, block: Block) -> None:
        for name in OF_STEP:
            values = block[name]
            if name == "mu_hat":
                values = [FREE if value is None else value for value in values]
            column = self._columns[name][records]
            if not self._stacked:
                try:
                    column[:, 0] = values
                except (TypeError, ValueError):
                    raise ValueError(f"{self.method} says {name} = {shown(values)}; give numbers.") from None
                continue
            for row, value in zip(column, values, strict=True):
                row[:, None] = value

    def _numbers(self, block: Block, x: Array, y: Array) -> tuple[Array, ...]:
        """Gap, ||g_L||^2, the free estimate and mu_loc, each step with the L that made it."""
        oracle, gap = self._oracle, None
        if self._rows[0].backtracking:
            L, penalty = np.array(block["L"])[:, None], self._rows[0].problem.penalty
            self._steps += L[:, 0].tolist()
            if penalty is not None and not penalty.cheap:  # works on one step at a time
                own = (oracle.with_L(float(each)) for each in L[:, 0])
                each = [self._all_numbers(one, x[[i]], y[[i]], None) for i, one in enumerate(own)]
                return tuple(np.concatenate(each, axis=1))
            oracle = oracle.with_L(L)
        elif self._costly:  # a gap that the method has asked for is used again
            known = np.array([np.broadcast_to(gap, (len(self._rows), 1)) for gap in block["gap"]])
            gap = (known if self._stacked else known[:, 0]) if np.isfinite(known).all() else None
        return self._all_numbers(oracle, x, y, gap)

    def _all_numbers(self, oracle: Oracle, x: Array, y: Array, known: Array | None) -> tuple[Array, ...]:
        gap, squared, mu_hat = oracle.measured(x, y, known)
        mu_loc = oracle.local_strong_convexity(x, y, gap)
        return tuple(map(self._by_row, (gap, squared, mu_hat, mu_loc)))

    def _gap_seen(self, gap: Array, block: Block) -> Array:
        """The gap under the f* that the method knew at each step."""
        first, newest = self._rows[0].seen, block["seen"][-1]
        if newest is None or newest is first:
            return np.asarray(gap + self._deltas if self._stacked else first.under(gap))
        self._seen = newest
        deltas = [np.nan if seen is None else seen.delta for seen in block["seen"]]
        return np.asarray(gap + np.array(deltas)[:, None])

    def _begin_as_at_x1(self) -> None:
        """Fill record 0 with what is first known at x_1, since x_1 = x_0."""
        columns = self._columns
        columns["mu_loc"][0] = columns["mu_loc"][1]
        unknown = np.isinf(columns["gap_seen"][0])  # `adapt_apg_free` learns its first bound at x_1
        later = columns["gap"][0] + (columns["gap_seen"][1] - columns["gap"][1])
        np.copyto(columns["gap_seen"][0], later, where=unknown)

    # -- ending -------------------------------------------------------------------------------

    def _end_rows(self, records: slice, gap: Array, squared: Array, iterates: list[Iterate]) -> None:
        """End the rows that the newest records end."""
        k = np.arange(float(records.start), records.stop)[:, None]
        over = self._limits.over(k, gap, squared, self._counted[records, 3:]) & self._alive
        ends = over.any(axis=0)
        at = np.where(ends, np.argmax(over, axis=0), len(iterates) - 1)
        self.last[self._alive] = (records.start + at)[self._alive]
        for i in map(int, np.flatnonzero(self._alive)):
            it = iterates[at[i]]
            self._points[i] = (it.x[i], it.y[i]) if self._stacked else (it.x, it.y)
        for i in map(int, np.flatnonzero(ends)):
            self._alive[i] = False
            self._ends[i] = self._judge(i, float(gap[at[i], i]), float(squared[at[i], i]))
        if self._rows[0].backtracking:
            del self._steps[self.last[0] + 1 :]

    def _judge(self, i: int, gap: float, squared: float) -> Ending:
        """Name what ended row i."""
        row, k = self._rows[i], int(self.last[i])
        verdict = row.limits.verdict(row.problem, k, gap, squared)
        spent = row.limits.spent(k, gap)
        if verdict or not self._full or not self._oracle.knows_x_star:
            return verdict or spent
        oracle = row.problem.oracle() if self._stacked else self._oracle
        oracle = oracle.with_L(self._steps[-1]) if row.backtracking else oracle
        (x, y), seen = self._points[i], row.seen if self._stacked else self._seen
        columns = self._columns_of(i)
        return judged(row.problem, oracle, columns, seen, x=x, y=y, spent=spent, method=self.method)

    def end(self, outcome: Outcome, cause: Cause, **more: Any) -> None:
        """End the rows that still run, each at its last record; `more` as in `Ending`."""
        for i in map(int, np.flatnonzero(self._alive)):
            self._ends[i] = Ending(outcome=outcome, k=max(int(self.last[i]), 0), cause=cause, **more)
        self._alive[:] = False

    def cancel(self) -> None:
        """End the rows that still run and keep their records."""
        self.end(Outcome.CANCELLED, Cause.CANCELLED)

    # -- what there is so far -----------------------------------------------------------------

    @property
    def method(self) -> str:
        """Its name."""
        return str(self._rows[0].settings["method"])

    @property
    def gap(self) -> Array:
        """Gaps, shape (records, rows); those of a row after its `last` record mean nothing."""
        return self._columns["gap"][: self.length]

    def outcome(self, i: int) -> Outcome | None:
        """How row i ended, None while it runs; without columns a stalled run counts as a spent budget."""
        end = self._ends[i]
        return None if end is None else end.outcome

    def _columns_of(self, i: int) -> dict[str, npt.NDArray[Any]]:
        """A copy of all columns of row i."""
        count = int(self.last[i]) + 1
        columns: dict[str, npt.NDArray[Any]] = {"k": np.arange(float(count))}
        columns |= dict(zip(COUNTED, self._counted[:count].T.copy(), strict=True))
        columns |= {name: column[:count, i].copy() for name, column in self._columns.items()}
        columns |= {name: columns[name] != 0 for name in FLAGS}
        return {name: columns[name] for name in COLUMNS}

    def trace(self, i: int) -> Trace:
        """Row i so far, as a trace; needs all columns.

        Raises:
            ValueError: only gaps were kept.
        """
        if not self._full:
            raise ValueError("only gaps were kept; make the stack with full=True for traces.")
        row, settings, columns = self._rows[i], dict(self._rows[i].settings), self._columns_of(i)
        still = Ending(outcome=Outcome.CANCELLED, k=int(self.last[i]), cause=Cause.RUNNING)
        notes = low_start(row.problem.mu, settings.get("mu0")) + unpromised(self.method, row.problem)
        if row.backtracking and self._steps:
            settings["L"] = list(self._steps)
            notes.insert(0, backtracked(row.problem.L, self._steps))
        if not self._oracle.knows_x_star:
            notes.append(Note(cause=Cause.UNMEASURED))
        ending = without_root(self._ends[i] or still, row.seen, columns["mu"]).noting(*notes)
        x, y = (self._point(i, z) for z in self._points[i])
        return Trace(
            **columns,
            x=x,
            y=y,
            floor=row.problem.floor_of(columns["gap"]) if self._oracle.knows_x_star else np.nan,
            outcome=ending.outcome,
            message=ending.message,
            settings=settings,
            ending=ending,
        )

    def _point(self, i: int, z: Array) -> Array:
        """The plain point of row i; each of several problems has its own x*."""
        problem = self._rows[i].problem
        return problem.form.point(z).reshape(problem.shape) if self._stacked else self._oracle.point(z)
