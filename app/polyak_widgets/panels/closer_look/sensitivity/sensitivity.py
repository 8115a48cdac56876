"""How many iterations a method takes against one of its parameters: many runs that grow while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.keywords import parameters
from polyak_core.runs.batch import Batch
from polyak_core.runs.stack import Task, obstacle
from polyak_widgets.panels.closer_look.studies import Limited
from polyak_widgets.panels.words.race import EXPONENTS

DEPTHS = tuple(10.0**exponent for exponent in reversed(EXPONENTS))
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
    """Runs of one method, one for each value of a parameter, advanced in slices.

    Args:
        tasks: a problem and keywords of `polyak_core.solve` for each value.
        values: of the parameter, for the reader.
        seconds: of work; what is not there then, stays unknown.
    """

    def __init__(self, tasks: Sequence[Task], values: Sequence[float], seconds: float = LONGEST) -> None:
        """Nothing is computed yet: even the first step is taken by `advance`."""
        self.values = np.asarray(values, dtype=np.float64)
        self._tasks = [(problem, {**keywords, "target": DEPTHS[0]}) for problem, keywords in tasks]
        self._order = spread_order(len(tasks))
        self._runs = Batch((self._tasks[i] for i in self._order), full=False, exact=False)
        self._work = Limited(self._runs, seconds)
        self._begun = False
        count, iterations = self.values.size, int(tasks[0][1]["iterations"])
        unknown = {t: np.full(count, np.nan) for t in DEPTHS}
        self._result = Swept(self.values, unknown, np.zeros(count, dtype=bool), iterations)

    @property
    def finished(self) -> bool:
        """Whether all runs have ended, or the time is used up."""
        return self._result.finished

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on for about so long; True when all runs have ended.

        Raises:
            ValueError: the method cannot run so.
        """
        if self.finished:
            return True
        if not self._begun:
            self._result = replace(self._result, gradients=self._cost())
            self._begun = True
        if self._work.advance(slice_seconds):
            self._result = replace(self.result(), finished=True)
            self._runs = Batch(())  # its gaps are not needed any more
            self._work = Limited(self._runs, 0.0)
        return self.finished

    def _cost(self) -> tuple[float, float]:
        """Gradient calls as the method counts them, which is the same at every step."""
        for i in {self.values.size // 2, self.values.size - 1}:
            problem, keywords = self._tasks[i]
            calls = pc.solve(problem, **keywords | {"iterations": 1, "target": None}).gradients
            if calls.size > 1:  # else the start is the solution
                return float(calls[0]), float(calls[1] - calls[0])
        return 0.0, 1.0

    def result(self) -> Swept:
        """What is known so far."""
        if not self._begun or self.finished:
            return self._result
        places = np.argsort(self._order)
        needed = {t: self._runs.first_below(t)[places] for t in DEPTHS}
        ended = np.array([self._runs.ended(i) for i in places])
        return replace(self._result, needed=needed, ended=ended)


def accepted(problem: pc.Problem, method: str, keywords: Mapping[str, Any]) -> bool:
    """Whether the method can run so."""
    try:
        parameters(problem, method, **keywords)
    except ValueError:
        return False
    return True


def stackable(problem: pc.Problem, method: str, keywords: Mapping[str, Any]) -> bool:
    """Whether runs of a method can be rows of one array."""
    return not obstacle([problem], [parameters(problem, method, **keywords)], False)


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
