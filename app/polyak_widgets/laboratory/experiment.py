"""From settings to runs: pure, cached for each method, knows no widget."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any, NamedTuple

from cachetools import LRUCache

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.matrices.kinds import stored_entries
from polyak_core.runs.batch import Batch
from polyak_core.runs.endings import Cause
from polyak_core.runs.stack import Task
from polyak_widgets.laboratory.budget import NO_LIMIT, NUMBER, Budget, Purse, record_bytes
from polyak_widgets.laboratory.datasets import Shelf, patiently
from polyak_widgets.laboratory.memory import give_back
from polyak_widgets.laboratory.problems import (
    build_problem,
    method_keywords,
    problem_key,
    run_keywords,
    with_L,
)
from polyak_widgets.laboratory.texts import NEEDS_MU, only_for
from polyak_widgets.numbers import typeset
from polyak_widgets.settings.choices import WITH_LAM
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings, given_settings

SLICE_SECONDS = 0.002
"""A turn of one method; all methods grow at once, and a stale run is left within a turn."""
KEPT_BYTES = 2**27
"""Records of finished runs; those of the usual 1500 iterations take 0.2 MB each."""
KEPT_PROBLEMS = 8
KEPT_PROBLEM_BYTES = 2**27
"""Of all problems together; the newest is kept whatever it takes. That is 4 with 2 million numbers each."""
LARGE = 2**23
"""Bytes of a problem whose making leaves gaps in memory."""
COPIES = 2
"""A problem holds its data and one matrix of that size beside them."""


@dataclass(frozen=True)
class MethodRun:
    """One method of the picture.

    Attributes:
        method: name in `polyak_core.METHODS`.
        trace: what there is so far.
        finished: whether more will come.
        refusal: why the method cannot run here, in words; then there is no trace.
        picture_seconds: the seconds of the whole picture, where these are used up and so it ended.
    """

    method: str
    trace: pc.Trace | None
    finished: bool
    refusal: str = ""
    picture_seconds: float | None = None

    @property
    def bytes(self) -> int:
        """What the records take."""
        return record_bytes(len(self.trace)) if self.trace is not None else 0


Estimates = dict[str, tuple[Array, Array]]
"""By their names in `SIX` estimates of mu along one run: k and the values."""


@dataclass(frozen=True)
class Experiment:
    """All runs of one picture.

    Attributes:
        settings, problem, runs: what was asked for, and what came of it.
        estimates: what six rules make of mu along a run, by its method, where that was asked for.
        restarts: with them the run of `auto_restart` that the sixth is made along, drawn or not.
    """

    settings: Settings
    problem: pc.Problem
    runs: tuple[MethodRun, ...]
    estimates: Mapping[str, Estimates] = field(default_factory=dict)
    restarts: pc.Trace | None = None

    @property
    def finished(self) -> bool:
        """Whether every run has ended."""
        return all(run.finished for run in self.runs)

    def unfinished(self) -> Experiment:
        """The same as it stood while it grew: what is known at once is drawn with few points first."""
        return replace(self, runs=tuple(replace(run, finished=False) for run in self.runs))


class KeptProblem(NamedTuple):
    """A problem, and the bytes that it takes of those that problems may take."""

    problem: pc.Problem
    size: int


class Laboratory:
    """Makes problems and remembers the newest runs, each under the settings that it depends on."""

    def __init__(self, budget: Budget = NO_LIMIT) -> None:
        self.budget = budget
        self._problems: LRUCache[Any, KeptProblem] = LRUCache(
            KEPT_PROBLEM_BYTES, getsizeof=lambda it: it.size
        )
        self.finished: LRUCache[Any, MethodRun] = LRUCache(KEPT_BYTES, getsizeof=lambda run: run.bytes)
        self.shelf = Shelf()

    def problem(self, settings: Settings, stale: Callable[[], bool] | None = None) -> pc.Problem:
        """The problem of these settings with its x* and f*, remembered.

        Raises:
            ValueError: there is no such problem, or it is too large for the budget.
            polyak_core.Cancelled: `stale` said that it is not wanted any more, or its time is used up.
        """
        data = self.shelf.data(settings, stale)
        self.budget.require(settings, data)
        key = problem_key(settings)
        if key not in self._problems:
            try:
                self._keep(key, self._new_problem(settings, data, stale), data)
            except ValueError as error:  # the core speaks of its own arguments, the page of a field
                raise SettingsError(field_to_blame(settings), typeset(str(error))) from None
        return self._problems[key].problem

    def _keep(self, key: Any, problem: pc.Problem, data: pc.Dataset | None) -> None:
        """Remember a problem; the oldest go that have no room beside it."""
        size = 0 if data is None else COPIES * NUMBER * stored_entries(data.X)
        at_least = KEPT_PROBLEM_BYTES // KEPT_PROBLEMS
        self._problems[key] = KeptProblem(problem, min(max(size, at_least), KEPT_PROBLEM_BYTES))
        if size > LARGE:
            give_back()

    def _new_problem(
        self, settings: Settings, data: pc.Dataset | None, stale: Callable[[], bool] | None
    ) -> pc.Problem:
        """The problem of these settings; where methods are given another L, from the one with the true L."""
        if settings.L_factor == 1:
            return self._solved(settings, data, self.budget.over(stale))
        return with_L(self.problem(replace(settings, L_factor=1.0), stale), settings.L_factor)

    def _solved(self, settings: Settings, data: pc.Dataset | None, over: Callable[[], bool]) -> pc.Problem:
        """The problem with its x*; norms and kernels of data may take seconds in which nothing is asked."""
        if data is None:
            problem = build_problem(settings)
        else:
            problem = patiently(lambda: build_problem(settings, data), over)
        with pc.watched(cancel=over):
            _ = problem.reference
        return problem

    def knows(self, settings: Settings) -> bool:
        """Whether the problem is there already, but for the L that methods are given."""
        return problem_key(replace(settings, L_factor=1.0)) in self._problems

    def keeps(self, problem: pc.Problem) -> bool:
        """Whether this very problem is remembered."""
        return any(each.problem is problem for each in list(self._problems.values()))

    def begin(self, settings: Settings, purse: Purse | None = None) -> Growing:
        """The runs of these settings, ready to grow; those that are known are finished already.

        They draw from the `purse`, by default from a new one.
        """
        return Growing(self, settings, purse or self.budget.purse())


def grown(
    laboratory: Laboratory, settings: Settings, stale: Callable[[], bool]
) -> Generator[bool, None, Experiment]:
    """The experiment of these settings with all runs at their ends; yields after each slice.

    Raises:
        polyak_core.Cancelled: `stale` said that it is not wanted any more.
        ValueError: there is no such problem.
    """
    laboratory.problem(settings, stale)
    growing = laboratory.begin(settings)
    while not growing.advance():
        if stale():
            raise pc.Cancelled("The reader has gone on.")
        yield False
    return growing.snapshot()


def field_to_blame(settings: Settings) -> str:
    """The field that a problem which cannot be made is due to: a weight of 0, or the problem as such."""
    return "lam" if settings.lam == 0 and settings.problem in WITH_LAM else "problem"


class Growing:
    """The runs of one picture while they grow, in turns."""

    def __init__(self, laboratory: Laboratory, settings: Settings, purse: Purse) -> None:
        self._settings, self._purse, self._seconds = settings, purse, laboratory.budget.seconds
        self._problem = laboratory.problem(settings)
        self._finished = laboratory.finished
        self._keys = {method: self._key(method) for method in settings.methods}
        self._runs = {method: self._finished.get(key) for method, key in self._keys.items()}
        new = [method for method, run in self._runs.items() if run is None]
        self._growing = {method: Batch([method_task(self._problem, settings, method)]) for method in new}
        self._spent = dict.fromkeys(new, 0.0)

    def _key(self, method: str) -> tuple[Any, ...]:
        keywords = method_keywords(self._settings, method, self._problem)
        ends = run_keywords(self._settings)
        return (problem_key(self._settings), *ends.items(), method, *keywords.items())

    @property
    def finished(self) -> bool:
        """Whether every run has ended."""
        return all(self._runs.values())

    def advance(self, slice_seconds: float = SLICE_SECONDS) -> bool:
        """One turn of every run that is not at its end; True when all are."""
        for method in self._unfinished():
            begun, growing = process_time(), self._growing[method]
            growing.advance(slice_seconds)
            self._spent[method] += process_time() - begun
            if not growing.finished and self._spent[method] >= self._seconds:
                growing.cancel()
                self._keep(out_of_time(self._run(method), self._seconds))
            elif growing.finished:
                self._keep(self._run(method))
        if not self.finished and self._purse.is_empty:
            seconds = self._purse.seconds
            self._end_all(lambda run: replace(out_of_time(run, seconds), picture_seconds=seconds))
        return self.finished

    def _unfinished(self) -> list[str]:
        return [method for method, run in self._runs.items() if run is None]

    def _keep(self, run: MethodRun) -> None:
        """Remember a run that has come to its own end."""
        self._runs[run.method] = run
        if run.trace is not None:
            self._finished[self._keys[run.method]] = run

    def cancel(self) -> None:
        """End every run where it is; what it has is kept, and not remembered as finished."""
        self._end_all(lambda run: run)

    def _end_all(self, ended: Callable[[MethodRun], MethodRun]) -> None:
        """End every run where it is; `ended` says how."""
        for method in self._unfinished():
            self._growing[method].cancel()
            self._runs[method] = ended(replace(self._run(method), finished=True))

    def snapshot(self) -> Experiment:
        """What there is so far."""
        runs = tuple(run or self._run(method) for method, run in self._runs.items())
        return Experiment(self._settings, self._problem, runs)

    def _run(self, method: str) -> MethodRun:
        """What there is so far of a new run."""
        growing, why = self._growing[method], ""
        error = growing.error(0)
        if isinstance(error, ValueError):
            why = refusal(self._problem, method) or typeset(str(error))
        elif error is not None:
            raise error
        return MethodRun(method, growing.trace(0), growing.finished, why)


def run_experiment(settings: Settings) -> Experiment:
    """All runs of the settings, to their ends.

    Raises:
        ValueError: it is of another kind.

    >>> experiment = run_experiment(Settings(methods=("apg",), iterations=900))
    >>> experiment.runs[0].trace.first_below(1e-10)
    824
    """
    growing = Laboratory().begin(given_settings(settings))
    while not growing.advance():
        pass
    return growing.snapshot()


def method_task(problem: pc.Problem, settings: Settings, method: str) -> Task:
    """The run of one method, as a batch takes it."""
    ends = run_keywords(settings) | {"method": method}
    return problem, ends | method_keywords(settings, method, problem)


def out_of_time(run: MethodRun, seconds: float) -> MethodRun:
    """A run that was ended, since its seconds of a processor were used up: it says so."""
    trace = run.trace
    if trace is None or trace.ending is None:
        return run
    numbers = {"seconds": seconds, "gap": float(trace.gap[-1])}
    ending = replace(trace.ending, outcome=pc.Outcome.BUDGET, cause=Cause.SECONDS, numbers=numbers)
    return replace(run, trace=replace(trace, outcome=ending.outcome, message=ending.message, ending=ending))


def refusal(problem: pc.Problem, method: str) -> str:
    """Why a method cannot run on a problem, in words; empty if it can."""
    kind = pc.METHODS[method]
    if not kind.domain.has(problem):
        return only_for(str(kind.domain))
    needs_mu = "mu" in kind.parameters
    return NEEDS_MU if needs_mu and not problem.mu > 0 else ""
