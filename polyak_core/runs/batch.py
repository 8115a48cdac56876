"""Any runs as one piece of work: those that can be stacked step together, the others on their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import Given
from polyak_core.problems.problem import Problem
from polyak_core.problems.quadratic import Quadratic
from polyak_core.progress.watch import Cancelled
from polyak_core.runs.run import Run
from polyak_core.runs.stack import Stack, Task
from polyak_core.runs.trace import Trace
from polyak_core.runs.work import Turns, Work

STACKED = ("mu", "mu0", "gamma", "x0")
"""Keywords that may differ from row to row of a stack."""
FEWEST = 3
"""Fewer runs than this are as quick one by one."""
UNSTACKED = ("seconds", "reference")
"""Keywords that only a single run takes."""


class Batch:
    """Runs of any kind, advanced in slices; each begins at its first turn.

    Args:
        tasks: a problem and keywords of `Run` for each, with its start as ``x0`` if it has one of its own.
        in_turns: all runs advance in turns; else each run ends before the next one begins.
        full: keep all columns, for `trace`; else stacked runs keep gaps alone, which is quicker.
        exact: stack only where all numbers have the bits of single runs.
    """

    def __init__(
        self, tasks: Iterable[Task], *, in_turns: bool = False, full: bool = True, exact: bool = True
    ) -> None:
        self._tasks = list(tasks)
        self._places: dict[int, tuple[_Alike, int]] = {}
        groups = []
        for places in _alike(self._tasks):
            group = _Alike([self._tasks[i] for i in places], full, exact)
            self._places |= {i: (group, j) for j, i in enumerate(places)}
            groups.append(group)
        self._groups = groups
        self._turns = Turns(groups, one_by_one=not in_turns)

    @property
    def unfinished(self) -> int:
        """How many stacks and single runs have not ended."""
        return self._turns.unfinished

    @property
    def finished(self) -> bool:
        """Whether every run has ended, or gone wrong."""
        return self._turns.finished

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when all runs have ended.

        Raises:
            Cancelled: somebody who watches stopped the search for x*; the next call starts it anew.
        """
        return self._turns.advance(slice_seconds)

    def cancel(self) -> None:
        """End all runs here and keep their records; a run that has not begun never begins."""
        for group in self._groups:
            group.cancel()

    def ended(self, i: int) -> bool:
        """Whether run i has ended, or gone wrong."""
        group, j = self._places[i]
        return group.ended(j)

    def trace(self, i: int) -> Trace | None:
        """Run i so far; None if it has not begun, or went wrong."""
        group, j = self._places[i]
        return group.trace(j)

    def error(self, i: int) -> Exception | None:
        """What went wrong with run i."""
        group, j = self._places[i]
        return group.error(j)

    def first_below(self, relative_gap: float) -> Array:
        """For each run the first k with gap <= relative_gap * gap_0, NaN where there is none yet."""
        first = {id(group): group.first_below(relative_gap) for group in self._groups}
        places = (self._places[i] for i in range(len(self)))
        return np.array([first[id(group)][j] for group, j in places])

    @property
    def gaps(self) -> list[Array]:
        """Of each run f(y_k) - f* so far, shape (records,); empty if it has not begun, or went wrong."""
        rows = {id(group): group.gaps for group in self._groups}
        places = (self._places[i] for i in range(len(self)))
        return [rows[id(group)][j] for group, j in places]

    def __len__(self) -> int:
        """Number of runs."""
        return len(self._tasks)


def _alike(tasks: Sequence[Task]) -> list[list[int]]:
    """The indices of tasks, in groups that differ only in keywords that can be stacked."""
    groups: dict[tuple[Given, ...], list[int]] = {}
    for i, (problem, keywords) in enumerate(tasks):
        rest = ((name, name in STACKED or _compared(keywords[name])) for name in sorted(keywords))
        groups.setdefault((_family(problem), *rest), []).append(i)
    return list(groups.values())


def _family(problem: Problem) -> tuple[Given, ...]:
    """Equal for problems that may be rows of one stack: one problem, or quadratics of one size."""
    loss = problem.loss
    return (type(loss), loss.size) if isinstance(loss, Quadratic) else (id(problem),)


def _compared(value: Given) -> Given:
    """Equal for equal values of one type."""
    with suppress(TypeError):
        hash(value)
        return type(value), value
    return id(value)


class _Alike:
    """Runs that are alike: a stack, or one after another where they cannot be stacked."""

    def __init__(self, tasks: list[Task], full: bool, exact: bool) -> None:
        self._tasks, self._full, self._exact = tasks, full, exact
        self._stack: Stack | None = None
        self._singles = [_Single(task) for task in tasks]
        self._work: Work | None = None
        self._cancelled = False

    @property
    def finished(self) -> bool:
        return self._cancelled or (self._work is not None and self._work.finished)

    def advance(self, slice_seconds: float = np.inf) -> bool:
        if self._work is None:
            self._stack = self._stacked()
            self._work = self._stack or Turns(self._singles, one_by_one=True)
        return self._work.advance(slice_seconds)

    def _stacked(self) -> Stack | None:
        """One stack of all; None if they are few, cannot be stacked, or a setting is wrong."""
        problems, keywords = [problem for problem, _ in self._tasks], [options for _, options in self._tasks]
        if len(problems) < FEWEST or not keywords[0].keys().isdisjoint(UNSTACKED):
            return None
        listed = {name: [each.get(name) for each in keywords] for name in STACKED if name in keywords[0]}
        one = all(problem is problems[0] for problem in problems)
        if one and not listed:  # nothing would say how many rows there are
            return None
        try:
            return Stack(
                problems[0] if one else problems, full=self._full, exact=self._exact, **keywords[0] | listed
            )
        except ValueError:  # one by one, each run says what is wrong with it
            return None

    def cancel(self) -> None:
        self._cancelled = True
        for piece in [self._stack] if self._stack else self._singles:
            piece.cancel()

    def ended(self, j: int) -> bool:
        return self._stack.ended(j) if self._stack else self._singles[j].finished

    def trace(self, j: int) -> Trace | None:
        return self._stack.trace(j) if self._stack else self._singles[j].trace()

    def error(self, j: int) -> Exception | None:
        return self._singles[j].error

    def first_below(self, relative_gap: float) -> Array:
        if self._stack:
            return self._stack.first_below(relative_gap)
        return np.array([single.first_below(relative_gap) for single in self._singles])

    @property
    def gaps(self) -> list[Array]:
        if self._stack:
            return self._stack.rows_of_gaps
        traces = (single.trace() for single in self._singles)
        return [np.empty(0) if trace is None else trace.gap for trace in traces]


class _Single:
    """One run that begins at its first turn; its error is kept, so that the others go on."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._run: Run | None = None
        self._trace: Trace | None = None
        self.error: Exception | None = None

    @property
    def finished(self) -> bool:
        return self._trace is not None or self.error is not None

    def advance(self, slice_seconds: float = np.inf) -> bool:
        try:
            self._run = self._run or run_of(*self._task)
            if self._run.advance(slice_seconds):
                self._end(self._run)
        except Cancelled:
            raise
        except Exception as error:  # whatever went wrong, the other runs are kept
            self.error = error
            self._run = None
        return self.finished

    def _end(self, run: Run) -> None:
        self._trace, self._run = run.trace(), None

    def cancel(self) -> None:
        if self._run is not None:
            self._run.cancel()
            self._end(self._run)

    def trace(self) -> Trace | None:
        return self._run.trace() if self._run else self._trace

    def first_below(self, relative_gap: float) -> float:
        k = None if self._trace is None else self._trace.first_below(relative_gap)
        return np.nan if k is None else k


def run_of(problem: Problem, keywords: dict[str, Any]) -> Run:
    """The run of a task, at its start."""
    x0 = keywords.get("x0")
    own = problem if x0 is None else problem.starting_at(x0)
    return Run(own, **{name: value for name, value in keywords.items() if name != "x0"})
