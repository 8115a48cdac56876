"""How many iterations a method takes against one of its parameters: many runs that grow while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.keywords import parameters
from polyak_core.runs.stack import Stack, obstacle
from polyak_widgets.panels.race import EXPONENTS

SweptRun = tuple[pc.Problem, dict[str, Any]]
"""A problem and the keywords of `polyak_core.solve`."""
TOLERANCES = tuple(10.0**exponent for exponent in reversed(EXPONENTS))
"""Parts of the initial gap, the strictest first."""
VALUES, SINGLE_VALUES = 64, 16
"""How many values of the parameter; fewer where every run has to be made on its own."""
LONGEST = 20.0
"""Seconds of work for one chart."""


@dataclass(frozen=True)
class Swept:
    """What is known so far.

    Attributes:
        values: of the parameter, ascending, shape (r,).
        needed: for each tolerance the first k with a gap below it, NaN where there is none yet, shape (r,).
        ended: which runs go no further, shape (r,).
        iterations: the last k of every run.
        finished: whether nothing more will come.
        gradients: gradient calls before the first step, and those of each step.
    """

    values: Array
    needed: Mapping[float, Array]
    ended: npt.NDArray[np.bool_]
    iterations: int
    finished: bool = False
    gradients: tuple[float, float] = (0.0, 1.0)

    def known(self, tolerance: float) -> npt.NDArray[np.bool_]:
        """Of which runs it is known what they need, be it more than they were allowed; shape (r,)."""
        return np.isfinite(self.needed[tolerance]) | self.ended

    def complete(self, tolerance: float) -> bool:
        """Whether that is known of all runs; else the study grows, was cut off, or was stopped."""
        return bool(self.known(tolerance).all())


class Sensitivity:
    """Runs of one method, one for each value of a keyword, advanced in slices.

    Args:
        problem: what to minimise, or one problem for each value.
        method: a name in `polyak_core.METHODS`.
        iterations: the last k of every run.
        values: of the parameter, for the reader.
        seconds: of work; what is not there then, stays unknown.
        keywords: as in `polyak_core.solve`; a list has one entry for each value.
    """

    def __init__(
        self,
        problem: pc.Problem | Sequence[pc.Problem],
        method: str,
        iterations: int,
        values: Sequence[float],
        seconds: float = LONGEST,
        **keywords: Any,
    ) -> None:
        """Nothing is computed yet: even the first step is taken by `advance`."""
        self._ask = problem, method, iterations, keywords
        self._seconds = seconds
        self.values = np.asarray(values, dtype=np.float64)
        self._runs: _Runs | None = None
        self._spent = 0.0
        self._known = Swept(
            self.values,
            {t: np.full(self.values.size, np.nan) for t in TOLERANCES},
            np.zeros(self.values.size, dtype=bool),
            iterations,
        )

    @property
    def finished(self) -> bool:
        """Whether all runs have ended, or the time is used up."""
        return self._known.finished

    def advance(self, slice_seconds: float) -> bool:
        """Go on for about so long; True when all runs have ended."""
        if self.finished:
            return True
        if self._runs is None:
            self._known = replace(self._known, gradients=self._cost())
            self._runs = self._begin()
        before = perf_counter()
        done = self._runs.advance(slice_seconds)
        self._spent += perf_counter() - before
        if done or self._spent > self._seconds:
            self._known = replace(self.result(), finished=True)
            self._runs = None  # its gaps are not needed any more
        return self.finished

    def _each(self, i: int) -> SweptRun:
        """Problem and keywords of one run."""
        problem, _, _, keywords = self._ask
        own = problem if isinstance(problem, pc.Problem) else problem[i]
        return own, {name: value[i] if isinstance(value, list) else value for name, value in keywords.items()}

    def _cost(self) -> tuple[float, float]:
        """Gradient calls as the method counts them, which is the same at every step."""
        for i in {self.values.size // 2, self.values.size - 1}:
            own, keywords = self._each(i)
            calls = pc.solve(own, self._ask[1], 1, **keywords).gradients
            if calls.size > 1:  # else the start is the solution
                return float(calls[0]), float(calls[1] - calls[0])
        return 0.0, 1.0

    def _begin(self) -> _Runs:
        problem, method, iterations, keywords = self._ask
        tasks = [self._each(i) for i in range(self.values.size)]
        if stackable(tasks, method):
            return Stack(problem, method, iterations, target=TOLERANCES[0], **keywords)
        return _Singles(tasks, method, iterations)

    def result(self) -> Swept:
        """What is known so far."""
        if self._runs is None:
            return self._known
        needed = {t: self._runs.first_below(t) for t in TOLERANCES}
        ended = np.array([self._runs.ended(i) for i in range(self.values.size)])
        return replace(self._known, needed=needed, ended=ended)


class _Runs(Protocol):
    """What a `Sensitivity` asks of its runs."""

    def advance(self, slice_seconds: float) -> bool:
        """Go on for about so long; True when all have ended."""

    def first_below(self, relative_gap: float) -> Array:
        """The first k below, NaN where there is none yet."""

    def ended(self, i: int) -> bool:
        """Whether run i has ended."""


class _Singles:
    """The same, one run after the other, from the middle on: at the ends runs may take very long."""

    def __init__(self, tasks: Sequence[SweptRun], method: str, iterations: int) -> None:
        self._tasks, self._method, self._iterations = tasks, method, iterations
        self._waiting = spread_order(len(tasks))[::-1]
        self._run: pc.Run | None = None
        self._traces: dict[int, pc.Trace] = {}

    def advance(self, slice_seconds: float) -> bool:
        if self._run is None:
            problem, keywords = self._tasks[self._waiting[-1]]
            self._run = pc.Run(problem, self._method, self._iterations, target=TOLERANCES[0], **keywords)
        if self._run.advance(slice_seconds):
            self._traces[self._waiting.pop()] = self._run.trace()
            self._run = None
        return not self._waiting

    def first_below(self, relative_gap: float) -> Array:
        found = np.full(len(self._tasks), np.nan)
        for i, trace in self._traces.items():
            k = trace.first_below(relative_gap)
            found[i] = np.nan if k is None else k
        return found

    def ended(self, i: int) -> bool:
        return i in self._traces


def accepted(problem: pc.Problem, keywords: Mapping[str, Any], method: str) -> bool:
    """Whether the method can run so."""
    try:
        parameters(problem, method, **keywords)
    except ValueError:
        return False
    return True


def stackable(tasks: Sequence[SweptRun], method: str) -> bool:
    """Whether runs of a method can be rows of one array."""
    chosen = [parameters(problem, method, **keywords) for problem, keywords in tasks]
    return not obstacle([problem for problem, _ in tasks], chosen, False)


def spread_order(count: int) -> list[int]:
    """All of 0..count-1, the middle first, then always the middle of the widest piece that is left.

    >>> spread_order(5), spread_order(6)
    ([2, 0, 3, 1, 4], [2, 4, 0, 3, 5, 1])
    """
    order, pieces = [], [(0, count)]
    while pieces:
        low, high = pieces.pop(0)
        if low < high:
            middle = (low + high - 1) // 2
            order.append(middle)
            pieces = sorted(
                [*pieces, (low, middle), (middle + 1, high)], key=lambda piece: piece[0] - piece[1]
            )
    return order


def even_ratios(low: float, high: float, count: int) -> list[float]:
    """Values at equal ratios, three digits each as a slider has them, so that a click sets just that."""
    return sorted({float(f"{value:.3g}") for value in np.geomspace(low, high, count)})
