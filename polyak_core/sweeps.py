"""Many runs at once: every combination of the listed keywords, here or on any executor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from polyak_core.arrays import Given
from polyak_core.display import facts_html
from polyak_core.problem import Problem
from polyak_core.run import solve
from polyak_core.trace import Outcome, Trace

POLL_SECONDS = 0.05
KEYWORDS = tuple(
    name for name in inspect.signature(solve).parameters if name not in {"problem", "progress", "cancel"}
)
Settings = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """What stands in the place of a trace where a run went wrong.

    Attributes:
        settings: the keywords of the run.
        message: the exception in words.
    """

    settings: Settings
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
    **keywords: Given,
) -> list[tuple[Settings, Trace | Failure]]:
    """Solve one problem under every combination of the keywords that are given as lists.

    The same entries come for any executor and any number of workers, in the order of nested loops over the
    keywords as given, the last one innermost; only the column `seconds` differs.

    Args:
        problem: what to minimise.
        executor: any `concurrent.futures.Executor`; each setting is one task. None works in this process.
        progress: called with (done, all) after each run.
        cancel: asked between runs (and, in this process, within them); True ends the sweep, and what is
            done is returned. Tasks that have begun elsewhere are left to finish, unseen.
        keywords: as in `solve`; a list, tuple, range or array with one axis is swept. A start `x0` is an
            array itself, so a sweep over starts is a list of arrays, or an array of shape (starts, n).

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
    tasks = list(combinations(keywords))
    if executor is None:
        results = _one_by_one(problem, tasks, progress, cancel)
    else:
        _ = problem.form  # x* is found now, so that no worker has to do it again
        results = _spread(problem, tasks, executor, progress, cancel)
    return [(settings, results[i]) for i, settings in enumerate(tasks) if i in results]


def combinations(keywords: dict[str, Given]) -> Iterator[Settings]:
    """Nested loops over what is listed, the last keyword innermost."""
    unknown = sorted(set(keywords) - set(KEYWORDS))
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is no keyword of a sweep; there are {', '.join(KEYWORDS)}.")
    listed = {name: _values(name, value) for name, value in keywords.items()}
    for values in product(*listed.values()):
        yield dict(zip(listed, values, strict=True))


def _values(name: str, value: Given) -> list[Given]:
    many = isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim > 0)
    if many and name == "x0":
        many = len(value) == 0 or np.ndim(value[0]) > 0
    if not many:
        return [value]
    if len(value) == 0:
        raise ValueError(f"{name} is an empty list, so there is nothing to run; give at least one value.")
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else list(value)


def run_one(
    problem: Problem, settings: Settings, cancel: Callable[[], bool] | None = None
) -> Trace | Failure:
    """One task: a run, or in words why there is none."""
    try:
        return solve(problem, **settings, cancel=cancel)
    except Exception as error:  # whatever it is, the other runs are to be kept
        return _failure(settings, error)


def _failure(settings: Settings, error: BaseException) -> Failure:
    words = str(error) or "no more is known"
    return Failure(settings, words if isinstance(error, ValueError) else f"{type(error).__name__}: {words}")


def _one_by_one(
    problem: Problem,
    tasks: list[Settings],
    progress: Callable[[int, int], object] | None,
    cancel: Callable[[], bool] | None,
) -> dict[int, Trace | Failure]:
    results: dict[int, Trace | Failure] = {}
    for i, settings in enumerate(tasks):
        if cancel is not None and cancel():
            break
        result = run_one(problem, settings, cancel)
        if isinstance(result, Trace) and result.outcome is Outcome.CANCELLED:
            break
        results[i] = result
        if progress is not None:
            progress(len(results), len(tasks))
    return results


def _spread(
    problem: Problem,
    tasks: list[Settings],
    executor: Executor,
    progress: Callable[[int, int], object] | None,
    cancel: Callable[[], bool] | None,
) -> dict[int, Trace | Failure]:
    results: dict[int, Trace | Failure] = {}
    pending: dict[Future[Trace | Failure], int] = {}
    for i, settings in enumerate(tasks):
        try:
            pending[executor.submit(run_one, problem, settings)] = i
        except RuntimeError as error:  # the executor is shut down, or its workers are gone
            results[i] = _failure(settings, error)
    while pending and not (cancel is not None and cancel()):
        for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
            i = pending.pop(future)
            results[i] = _outcome(future, tasks[i])
            if progress is not None:
                progress(len(results), len(tasks))
    for future in pending:
        future.cancel()
    return results


def _outcome(future: Future[Trace | Failure], settings: Settings) -> Trace | Failure:
    try:
        return future.result()
    except (Exception, CancelledError) as error:  # lost on the way: a worker died, or it cannot be pickled
        return _failure(settings, error)
