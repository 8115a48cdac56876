"""Many runs at once: every combination of the listed keywords, here or on any executor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Any

import numpy as np

from polyak_core.checks import Given, called, shown
from polyak_core.display import aligned, facts_html, short, table_html, ten_to
from polyak_core.methods.keywords import checked_problem
from polyak_core.problems.problem import Problem
from polyak_core.progress.watch import Cancelled, watched
from polyak_core.runs.batch import Batch
from polyak_core.runs.run import solve
from polyak_core.runs.stack import listed
from polyak_core.runs.trace import TOLERANCES, Trace
from polyak_core.runs.work import LONGEST_SLICE, slices
from polyak_core.runs.worker_copy import sent

KEYWORDS = tuple(
    name for name in inspect.signature(solve).parameters if name not in {"problem", "progress", "cancel"}
)
DEFAULT_METHOD = inspect.signature(solve).parameters["method"].default
SHOWN_RUNS = 40
"""Lines of a sweep that are shown; a table of all of them is `polyak_core.to_pandas`."""
RunSettings = dict[str, Any]
SweptRuns = Iterable[tuple[RunSettings, "Trace | Failure"]]
Results = Iterator[tuple[int, "Trace | Failure"]]


@dataclass(frozen=True)
class Failure:
    """What stands in the place of a trace where a run went wrong.

    Attributes:
        settings: the keywords of the run.
        message: the exception in words.

    >>> import polyak_core as pc
    >>> runs = pc.sweep(pc.quadratic([1.0, 0.1]), method="apg", mu=[0.1, 2.0], iterations=10)
    >>> [isinstance(run, pc.Failure) for settings, run in runs]
    [False, True]
    >>> print(runs[1][1].message)
    mu = 2.0 is not allowed: give a number in (0, L] with L = 1.
    """

    settings: RunSettings
    message: str

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return facts_html("This run failed", [("settings", str(self.settings)), ("why", self.message)])


def sweep(
    problem: Problem,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
    cancel: Callable[[], bool] | None = None,
    done: SweptRuns = (),
    **keywords: Given,
) -> list[tuple[RunSettings, Trace | Failure]]:
    """Solve one problem under every combination of the keywords that are given as lists.

    The same entries come for any executor and any number of workers, in the order of nested loops over the
    keywords as given, the last one innermost; only the column `seconds` differs. In this process, runs that
    differ in gamma, mu, mu0 or x0 alone are stacked (`polyak_core.runs.stack`) where that changes no bit,
    which is several times as quick.

    Args:
        problem: what to minimise.
        executor: any `concurrent.futures.Executor`; each setting is one task. None works in this process.
        progress: called with (done, all) after each run.
        cancel: asked between runs (and, in this process, within them); True ends the sweep, and the runs
            that have ended are returned. Tasks that have begun elsewhere end on their own, and are dropped.
        done: what an earlier sweep of this problem returned. Traces that are asked for again are taken from
            there; only what is missing there, or failed, is run: ``runs = sweep(..., done=runs)``.
        keywords: as in `solve`, `reference` too; a list, tuple, range or array with one axis is swept. A
            start `x0` is an array itself, so a sweep over starts is a list of arrays, or an array of shape
            (starts, n).

    Returns:
        A pair (settings, trace) for each combination, settings being the keywords of that run. A run that
        failed has a `Failure` in place of its trace, and the others are kept.

    Raises:
        ValueError: a keyword that `solve` does not have, or an empty list.

    >>> import polyak_core as pc
    >>> problem = pc.quadratic([1.0, 0.1, 0.01])
    >>> runs = pc.sweep(problem, method="restart", gamma=[1, 5], iterations=500, target=1e-8)
    >>> [(settings["gamma"], trace.first_below(1e-8)) for settings, trace in runs]
    [(1, 228), (5, 102)]
    """
    checked_problem(problem)
    called(progress, "progress", "called with (done, all)")
    called(cancel, "cancel", "asked whether to stop")
    if executor is not None:
        called(
            getattr(executor, "submit", shown(executor)),
            "executor.submit",
            "given a task, as that of an Executor",
        )
    tasks = list(combinations(keywords))
    results = _earlier(problem, tasks, done)
    missing = [i for i in range(len(tasks)) if i not in results]
    if executor is None:
        results_of = _in_this_process(problem, tasks, missing, cancel)
    else:
        results_of = _on_executor(problem, tasks, missing, executor, cancel)
    with suppress(Cancelled):
        for i, result in results_of:
            results[i] = result
            if progress is not None:
                progress(len(results), len(tasks))
    return RunList((settings, results[i]) for i, settings in enumerate(tasks) if i in results)


def checked_runs(runs: Given, name: str) -> list[tuple[RunSettings, Trace | Failure]]:
    """What a sweep returned, or a ValueError in words."""
    pairs: list[Given] = [runs]
    with suppress(Exception):  # an object that is no list of runs may raise anything
        pairs = list(runs)
    for pair in pairs:
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], dict)
            and isinstance(pair[1], Trace | Failure)
        ):  # fmt: skip
            raise ValueError(f"{name} holds {shown(pair)}, which is no run; give what a sweep returned.")
    return pairs


def _earlier(problem: Problem, tasks: list[RunSettings], done: SweptRuns) -> dict[int, Trace | Failure]:
    """The traces that are there already, by task."""
    traces = {
        _key(settings): result for settings, result in checked_runs(done, "done") if isinstance(result, Trace)
    }
    for trace in traces.values():
        if trace.settings["problem"] != problem.name:
            raise ValueError(
                f"done holds runs on {trace.settings['problem']!r}, and this problem is {problem.name!r}; "
                "give what a sweep of this problem returned."
            )
    keys = map(_key, tasks)
    return {i: traces[key] for i, key in enumerate(keys) if key in traces}


def _key(settings: RunSettings) -> tuple[tuple[str, Given], ...]:
    """Settings as a key of a dictionary, also where they hold a start."""
    return tuple((name, _comparable(settings[name])) for name in sorted(settings))


def _comparable(value: Given) -> Given:
    """The value, or the entries of an array; an object that equals nothing where it can be no setting."""
    with suppress(Exception):
        plain = value if np.ndim(value) == 0 else tuple(np.ravel(value))
        hash(plain)
        return plain
    return object()


def combinations(keywords: dict[str, Given]) -> Iterator[RunSettings]:
    """Nested loops over what is listed, the last keyword innermost."""
    unknown = sorted(set(keywords) - set(KEYWORDS))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not a keyword of a sweep; these are: {', '.join(KEYWORDS)}."
        )
    values = {name: listed(name, value) or [value] for name, value in keywords.items()}
    for combination in product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def run_one(problem: Problem, settings: RunSettings) -> Trace | Failure:
    """One task of an executor: a trace, or a failure that says why there is none."""
    try:
        return solve(problem, **settings)
    except Exception as error:  # whatever went wrong, the other runs are kept
        return _failure(settings, error)


def _failure(settings: RunSettings, error: BaseException) -> Failure:
    words = str(error) or "no more is known"
    return Failure(settings, words if isinstance(error, ValueError) else f"{type(error).__name__}: {words}")


def _in_this_process(
    problem: Problem, tasks: list[RunSettings], missing: list[int], cancel: Callable[[], bool] | None
) -> Results:
    """Run the missing tasks in this process, stacked where that is possible."""
    batch = Batch((problem, {"method": DEFAULT_METHOD, **tasks[i]}) for i in missing)
    running, seconds = dict(enumerate(missing)), slices()
    while running:
        _check_cancel(cancel)
        with watched(cancel=cancel):  # x* may be sought here
            batch.advance(next(seconds))
        for j in [j for j in running if batch.ended(j)]:
            _check_cancel(cancel)
            i = running.pop(j)
            yield i, _result(batch, j, tasks[i])


def _result(batch: Batch, j: int, settings: RunSettings) -> Trace | Failure:
    error, trace = batch.error(j), batch.trace(j)
    if error is not None:
        return _failure(settings, error)
    assert trace is not None, "what has ended without an error has a trace"
    return trace


def _check_cancel(cancel: Callable[[], bool] | None) -> None:
    if cancel is not None and cancel():
        raise Cancelled


def _on_executor(
    problem: Problem,
    tasks: list[RunSettings],
    missing: list[int],
    executor: Executor,
    cancel: Callable[[], bool] | None,
) -> Results:
    """Run the missing tasks on an executor, one for each setting; one that is lost becomes a `Failure`."""
    if not missing:
        return
    unreferenced = [_unreferenced(tasks[i]) for i in missing]
    if not all(unreferenced):
        with watched(cancel=cancel):
            _ = problem.form  # x* is found now, so that no worker has to do it again
    moved = not problem.mu > 0 and any(tasks[i].get("x0") is not None for i in missing)
    content = sent(problem, moved or any(unreferenced), executor)
    pending: dict[Future[Trace | Failure], int] = {}
    try:
        for i in missing:
            try:
                pending[executor.submit(run_one, content, tasks[i])] = i
            except RuntimeError as error:  # the executor is shut down, or its workers are gone
                yield i, _failure(tasks[i], error)
        while pending:
            _check_cancel(cancel)
            for future in wait(pending, LONGEST_SLICE, FIRST_COMPLETED).done:
                i = pending.pop(future)
                yield i, _outcome(future, tasks[i])
    finally:
        for future in pending:
            future.cancel()


def _unreferenced(settings: RunSettings) -> bool:
    """Whether a run does without x*, so that it needs the data."""
    reference = settings.get("reference", True)
    return isinstance(reference, bool | np.bool_) and not reference


def _outcome(future: Future[Trace | Failure], settings: RunSettings) -> Trace | Failure:
    try:
        return future.result()
    except (Exception, CancelledError) as error:  # lost on the way: a worker died, or it cannot be pickled
        return _failure(settings, error)


class RunList(list[tuple[dict[str, Any], Any]]):
    """The list that a sweep returns, (settings, trace or failure) each, shown as a table."""

    def __repr__(self) -> str:
        """A line for each run: the settings in which it differs, and its result."""
        title, head, rows, more = _runs_shown(self)
        return "\n".join([title, aligned([head, *rows]), *([more] if more else [])]) if rows else title

    def _repr_html_(self) -> str:
        """The same as a table."""
        title, head, rows, more = _runs_shown(self)
        table = table_html(head, rows) if rows else ""
        return f"<div><strong>{escape(title)}</strong>{table}{escape(more)}</div>"


def _runs_shown(runs: RunList) -> tuple[str, list[str], list[list[str]], str]:
    """Title, names of columns, lines, and what is left out."""
    names = dict.fromkeys(name for settings, _ in runs for name in settings)
    texts = {name: [short(settings.get(name, "")) for settings, _ in runs] for name in names}
    varied = {name: each for name, each in texts.items() if len(set(each)) > 1}
    same = ", ".join(f"{name} = {each[0]}" for name, each in texts.items() if name not in varied)
    title = f"{len(runs)} run{'s' * (len(runs) != 1)}" + (f" with {same}" if same else "")
    results = [result for _, result in runs][:SHOWN_RUNS]
    head = [*varied, "outcome", "iterations", "gap", *(f"to {ten_to(t)}" for t in TOLERANCES)]
    rows = [
        [*(each[i] for each in varied.values()), *_result_cells(result)] for i, result in enumerate(results)
    ]
    if any(reasons := [_reason(result) for result in results]):
        head.append("why")
        rows = [[*row, why] for row, why in zip(rows, reasons, strict=True)]
    left = len(runs) - len(results)
    return title, head, rows, f"... and {left} more: pc.to_pandas(runs) has them all." if left else ""


def _reason(result: Any) -> str:
    """The reason of a failure, which has no gap; "" for a trace."""
    return "" if hasattr(result, "gap") else str(result.message)


def _result_cells(result: Any) -> list[str]:
    """How a run ended, how far it came, the first k below each tolerance."""
    if _reason(result):
        return ["failed", "", "", *[""] * len(TOLERANCES)]
    reached = (result.first_below(tolerance) for tolerance in TOLERANCES)
    last = f"{result.gap[-1]:.3g}" if len(result) else ""
    steps = ("not reached" if k is None else str(k) for k in reached)
    return [str(result.outcome), str(len(result) - 1), last, *steps]
