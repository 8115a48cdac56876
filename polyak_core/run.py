"""The driver: a method's iterates become a trace; it stops, records and says why it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, real_number, whole_number
from polyak_core.methods import METHODS, Iterate
from polyak_core.outcomes import DIVERGENCE, ending
from polyak_core.parameters import parameters
from polyak_core.problem import Problem
from polyak_core.trace import FLAGS, NUMBERS, Outcome, Trace

FIRST_CAPACITY = 256
MAX_ITERATIONS = 10_000_000
PROGRESS_SECONDS = 0.05
K, GAP, GAP_SEEN, MU_HAT, MU_LOC, SECONDS, DISTANCE = map(
    NUMBERS.index, ("k", "gap", "gap_seen", "mu_hat", "mu_loc", "seconds", "distance")
)
NOTED = -np.inf
"""Stands for the free estimate until its block is measured."""
BLOCK, BLOCK_NUMBERS = 64, 2**16
"""Steps measured together: at most so many, and no more than fit in the cache."""


class Run:
    """One method on one problem, advanced in slices of any size.

    `trace` may be called at any time: a run that is stopped, or goes wrong, keeps what it had.

    Args:
        problem: what to minimise, from its own x0.
        method: a name in `METHODS`.
        iterations: last k, if nothing ends the run before.
        target: end at the first gap <= target * gap_0.
        seconds: end after so much time in the method.
        keywords: as in `solve`.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        iterations: int = 1000,
        target: float | None = None,
        seconds: float | None = None,
        **keywords: Any,
    ) -> None:
        chosen = parameters(problem, method, **keywords)
        self._iterations = whole_number(iterations, "iterations", 1, MAX_ITERATIONS)
        self._target = -1.0 if target is None else _positive(target, "target", "a number in (0, 1]", 1.0)
        self._seconds = np.inf if seconds is None else _positive(seconds, "seconds", "a number > 0", np.inf)
        self._problem = problem.counted()
        self._seen = chosen.seen
        self._settings = {
            "problem": problem.name,
            "method": method,
            "iterations": self._iterations,
            "target": target,
            "seconds": seconds,
            **chosen.settings,
        }
        start = self._problem.lift(problem.x0)
        self._iterates = METHODS[method].generator(self._problem, start, **chosen.arguments)
        self._limit = DIVERGENCE * float(
            self._problem.gap_at(start) + problem.L / 2 * self._problem.distance(start) ** 2
        )
        self._records = np.empty((FIRST_CAPACITY, len(NUMBERS) + len(FLAGS)))
        self._length = 0
        self._spent = 0.0
        self._block = max(1, min(BLOCK, BLOCK_NUMBERS // max(start.size, 1)))
        self._xs: list[Array] = []
        self._ys: list[Array] = []
        self._last = start, start
        self._end: tuple[Outcome, str] | None = None

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self._end is not None

    @property
    def k(self) -> int:
        """Index of the last record, -1 before the first."""
        return self._length - 1

    @property
    def last_gap(self) -> float:
        """The newest gap, NaN before the first record."""
        return float(self._records[self.k, GAP]) if self._length else np.nan

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when the run has ended.

        Iterates are kept for a block of steps and measured together; a run that ends inside a block is
        cut back to its last record.
        """
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while self._end is None:
                self._collect(min(self._block, self._iterations - self.k))
                self._end = self._measure()
                if perf_counter() >= stop:
                    break
        return self.finished

    def cancel(self) -> None:
        """End the run here, keeping what it had."""
        if self._end is None:
            self._end = Outcome.CANCELLED, f"Cancelled at iteration {max(self.k, 0)}; the curve so far is kept."

    def _collect(self, steps: int) -> None:
        """Take so many steps; note what the method says and what it has asked for."""
        while self._length + steps > len(self._records):
            self._records = np.concatenate([self._records, np.empty_like(self._records)])
        counts, records = self._problem.counts, self._records
        for _ in range(steps):
            before = perf_counter()
            it = next(self._iterates)
            self._spent += perf_counter() - before
            records[self._length] = (
                it.k, np.nan, np.nan, NOTED if it.mu_hat is None else it.mu_hat, it.mu, np.nan, it.beta, it.log_A,
                it.t, counts.gradients, counts.proxes, counts.products, self._spent, np.nan, it.restarted, it.frozen,
            )  # fmt: skip
            self._xs.append(it.x)
            self._ys.append(it.y)
            self._length += 1

    def _measure(self) -> tuple[Outcome, str] | None:
        """Fill in gap, mu_loc, distance and free estimates of the newest block; see whether one ends the run."""
        x, y = np.stack(self._xs), np.stack(self._ys)
        problem, rows = self._problem, self._records[self._length - len(x) : self._length]
        gap = problem.gap_at(y)[:, 0]
        squared = problem.squared_reduced_gradient(y)[:, 0]
        rows[:, GAP], rows[:, GAP_SEEN] = gap, self._seen(gap)
        rows[:, DISTANCE] = problem.distance(x)[:, 0]
        rows[:, MU_LOC] = problem.local_strong_convexity(x, y)[:, 0]
        noted = rows[:, MU_HAT] == NOTED
        rows[noted, MU_HAT] = squared[noted] / (2 * np.where(gap > 0, gap, np.nan))[noted]
        if rows[0, K] == 0:
            rows[0, MU_LOC] = rows[1, MU_LOC] if len(rows) > 1 else np.nan  # x_1 = x_0
        elif rows[0, K] == 1:
            self._records[0, MU_LOC] = rows[0, MU_LOC]
        over = ~np.isfinite(gap) | (gap > self._limit) | (gap <= self._target * self._records[0, GAP])
        over |= ((gap == 0) & (squared == 0)) | (rows[:, SECONDS] >= self._seconds)
        over[-1] |= rows[-1, K] >= self._iterations
        last = int(np.argmax(over)) if over.any() else len(x) - 1
        self._length -= len(x) - 1 - last
        self._last = self._xs[last], self._ys[last]
        self._xs.clear()
        self._ys.clear()
        return self._judge(gap[last], squared[last]) if over.any() else None

    def _judge(self, gap: float, squared: float) -> tuple[Outcome, str]:
        """Name what ended the run at the newest record."""
        k = self.k
        if not np.isfinite(gap):
            return Outcome.NON_FINITE, (
                f"The gap is not finite at iteration {k}: numbers overflowed. Is L too small? The curve before is kept."
            )
        if gap > self._limit:
            return Outcome.DIVERGED, (
                f"Diverged: the gap is {gap:.1e} at iteration {k}. Steps of 1/L with L = {self._problem.L:.3g} are too "
                f"long; give an L that is not below the true one, {self._problem.true_L:.3g}."
            )
        if gap == 0 and squared == 0:
            return Outcome.EXACT, f"Solved exactly at iteration {k}: the gap and the gradient are both 0."
        if gap <= self._target * self._records[0, GAP]:
            return Outcome.TARGET, f"Reached the target {self._target:g} of the first gap at iteration {k}."
        if k >= self._iterations:
            tail = "that was the budget of iterations; give more, or a faster method."
        else:
            tail = f"the {self._seconds:g} seconds are used up; give more."
        columns = self._columns()
        return ending(self._problem, columns["gap"], columns["mu"], self._seen, *self._last, tail)

    def _columns(self) -> dict[str, npt.NDArray[np.float64]]:
        rows = self._records[: self._length].T
        return {name: rows[j].copy() for j, name in enumerate((*NUMBERS, *FLAGS))}

    def trace(self) -> Trace:
        """What there is so far, as a trace."""
        columns = self._columns()
        outcome, message = self._end or (Outcome.CANCELLED, f"Still running at iteration {self.k}.")
        numbers = {name: columns[name] for name in NUMBERS}
        flags = {name: columns[name] != 0 for name in FLAGS}
        return Trace(
            **numbers,
            **flags,
            x=self._problem.point(self._last[0]),
            y=self._problem.point(self._last[1]),
            floor=self._problem.floor,
            outcome=outcome,
            message=message,
            settings=dict(self._settings),
        )


def _positive(value: Any, name: str, allowed: str, high: float) -> float:
    number = real_number(value, name, allowed)
    if not 0 < number <= high:
        raise ValueError(f"{name} = {value!r} is not allowed: give {allowed}, or leave it out.")
    return number


def solve(
    problem: Problem,
    method: str = "adapt_apg",
    iterations: int = 1000,
    x0: npt.ArrayLike | None = None,
    mu: float | None = None,
    mu0: float | None = None,
    gamma: float = 1.0,
    f_star: float | str | None = None,
    estimator: str = "polyak",
    C: float | None = None,
    window: int | None = None,
    backtracking: bool = False,
    target: float | None = None,
    seconds: float | None = None,
    progress: Callable[[int, float], object] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Trace:
    """Run one method and record every iteration.

    Args:
        problem: what to minimise.
        method: a name in `METHODS`.
        iterations: records k = 0..iterations, unless the run ends earlier; 1 to 10 million.
        x0: start, shape (n,); the problem's own by default.
        mu: strong convexity that the method is told, in (0, L]; the problem's own by default.
        mu0: first upper bound on mu, in (0, L]; L/2 by default.
        gamma: the gap shrinks by exp(-gamma) between restarts, > 0.
        f_star: the minimum that the method is told, taken as it is; the certified one by default.
        estimator: a name in `ESTIMATORS`.
        C: constant of the schedule, >= 0.
        window: length of the moving minimum, >= 1.
        backtracking: no method offers it yet.
        target: end at the first gap <= target * gap_0.
        seconds: end after so many seconds in the method.
        progress: called now and then with (k, gap).
        cancel: asked after each slice of work; True ends the run, and what there is, is kept.

    Returns:
        The trace; see `Trace` for its columns and `Outcome` for how it can end.

    Raises:
        ValueError: a value that is not allowed, or a keyword that the method does not use, away from
            its default.
    """
    start = problem if x0 is None else problem.starting_at(x0)
    run = Run(
        start, method, iterations, target, seconds, mu=mu, mu0=mu0, gamma=gamma, f_star=f_star,
        estimator=estimator, C=C, window=window, backtracking=backtracking,
    )  # fmt: skip
    watched = progress is not None or cancel is not None
    while not run.advance(PROGRESS_SECONDS if watched else np.inf):
        if progress is not None:
            progress(run.k, run.last_gap)
        if cancel is not None and cancel():
            run.cancel()
    return run.trace()


def iterates(
    problem: Problem, method: str = "adapt_apg", x0: npt.ArrayLike | None = None, **keywords: Any
) -> Iterator[Iterate]:
    """The bare iterates of a method, x and y as plain points of shape (n,); endless.

    Args:
        problem: what to minimise.
        method: a name in `METHODS`.
        x0: start, shape (n,); the problem's own by default.
        keywords: mu, mu0, gamma, f_star, estimator, C, window as in `solve`.

    Raises:
        ValueError: as in `solve`.
    """
    own = (problem if x0 is None else problem.starting_at(x0)).counted()
    chosen = parameters(own, method, **keywords)
    lifted = METHODS[method].generator(own, own.lift(own.x0), **chosen.arguments)
    return _plain(own, lifted)


def _plain(problem: Problem, lifted: Iterator[Iterate]) -> Iterator[Iterate]:
    while True:
        with np.errstate(over="ignore", invalid="ignore"):
            it = next(lifted)
        yield it._replace(x=problem.point(it.x), y=problem.point(it.y))
