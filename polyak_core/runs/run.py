"""One method on one problem: a run in slices, a trace from one call, or bare iterates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.checks import Given, called, shown
from polyak_core.methods.f_star import TRUE_GAP
from polyak_core.methods.keywords import checked_flag, checked_problem, parameters
from polyak_core.methods.paper import Iterate
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.progress.watch import Cancelled, watched
from polyak_core.runs.endings import Cause, Outcome
from polyak_core.runs.limits import Limits, Row, checked_limits, largest_gap, largest_step
from polyak_core.runs.recorder import Recorder
from polyak_core.runs.trace import Trace
from polyak_core.runs.work import slices


class Run:
    """One method on one problem, advanced in slices of any size.

    `trace` may be called at any time: a run that is stopped, or goes wrong, keeps its records.

    Args:
        problem: what to minimise, from its own x0.
        method: a name in `METHODS`.
        iterations: last k, if nothing ends the run before.
        target: end at the first gap <= target * gap_0.
        seconds: end after so much time in the method.
        reference: False runs without x*, see `solve`.
        keywords: as in `solve`.

    >>> import polyak_core as pc
    >>> run = pc.Run(pc.quadratic([1.0, 0.1, 0.01]), "apg", iterations=500, target=1e-8)
    >>> while not run.advance(slice_seconds=0.01):
    ...     print("at", run.k)
    >>> print(run.trace().message)
    Reached the target 1e-08 of the initial gap at iteration 87.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        iterations: int = 1000,
        target: float | None = None,
        seconds: float | None = None,
        reference: bool = True,
        **keywords: Given,
    ) -> None:
        """Check everything, seek x*, lift x0; the first step is taken by `advance`."""
        steps, goal, time = checked_limits(iterations, target, seconds)
        settings = {
            "problem": checked_problem(problem).name,
            "method": method,
            "iterations": steps,
            "target": goal,
            "seconds": None if seconds is None else time,
        }
        referenced = checked_flag(reference, "reference")
        if goal is not None and not referenced:
            raise ValueError(
                f"target = {shown(target)} is a part of the initial gap, which reference=False leaves "
                "unknown; leave one of the two out."
            )
        limits = Limits(
            iterations=steps, target=goal, seconds=time, divergence=np.inf, sharp=True, referenced=referenced
        )
        start_time = perf_counter()
        try:
            with watched(seconds=None if seconds is None else time):
                plan = parameters(problem, method, reference=reference, **keywords)
                oracle = problem.oracle(referenced)
        except Cancelled:
            if perf_counter() - start_time < time:
                raise
            self._recorder = _start_alone(problem, settings, replace(limits, referenced=False))
            return
        start = oracle.lift(problem.x0)
        limits.divergence = (largest_gap if referenced else largest_step)(problem, oracle, start)
        limits.sharp = not problem.subtracts
        row = Row(problem, plan.seen, settings | plan.settings, limits, plan.backtracking)
        self._recorder = Recorder([row], oracle, start, plan.generator(oracle, start, **plan.arguments))

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self._recorder.finished

    @property
    def k(self) -> int:
        """Index of the last record, -1 before the first."""
        return int(self._recorder.last[0])

    @property
    def last_gap(self) -> float:
        """The newest gap, NaN before the first record and where x* is not known."""
        return float(self._recorder.gap[self.k, 0]) if self.k >= 0 else np.nan

    def __repr__(self) -> str:
        """One line."""
        return f"<Run {self._recorder.method}: k = {self.k}, gap {self.last_gap:.3g}>"

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when the run has ended."""
        return self._recorder.advance(slice_seconds)

    def cancel(self) -> None:
        """End the run here and keep its records."""
        self._recorder.cancel()

    def trace(self) -> Trace:
        """The records so far, as a trace."""
        return self._recorder.trace(0)


def _start_alone(problem: Problem, settings: dict[str, Any], limits: Limits) -> Recorder:
    """The trace of a run whose time ran out while x* was sought: its start alone."""
    oracle = problem.oracle(reference=False)
    start = oracle.lift(problem.x0)
    row = Row(problem, TRUE_GAP, settings, limits)
    recorder = Recorder([row], oracle, start, iter([Iterate(0, start, start)]))
    recorder.advance(0.0)
    remedy = (
        "Give more seconds, or ask for problem.f_star first, which all runs then share; or, where the "
        "method never asks for f*, give reference=False."
    )
    recorder.end(Outcome.BUDGET, Cause.UNFOUND, remedy=remedy, numbers={"seconds": limits.seconds})
    return recorder


def solve(
    problem: Problem,
    method: str = "adapt_apg",
    iterations: int = 1000,
    *,
    x0: npt.ArrayLike | None = None,
    mu: float | None = None,
    mu0: float | None = None,
    gamma: float = 1.0,
    f_star: float | str | None = None,
    guard: bool | None = None,
    estimator: str = "polyak",
    C: float | None = None,
    window: int | None = None,
    backtracking: bool = False,
    target: float | None = None,
    seconds: float | None = None,
    reference: bool = True,
    progress: Callable[[int, float], object] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Trace:
    """Run one method and record every iteration.

    x* and f* are found first, if the problem has not found them before: every gap is measured from them.

    Args:
        problem: what to minimise.
        method: a name in `METHODS`.
        iterations: records k = 0..iterations, unless the run ends earlier; 1 to 10 million.
        x0: start, shape (n,); the problem's own by default.
        mu: strong convexity that the method is given, in (0, L]; the problem's own by default.
        mu0: first upper bound on mu, in (0, L]; L/2 by default.
        gamma: the gap shrinks by exp(-gamma) between restarts, > 0.
        f_star: the minimum that the method is given, taken as it is; the certified one by default.
        guard: whether a gap that is negative, since f_star is too high, is refused. By default methods with
            an estimate of mu have this guard and restart has none. False runs algorithms 3 and 4 as printed,
            which refuse nothing; True keeps restart from restarting at such a gap.
        estimator: a name in `ESTIMATORS`.
        C: constant of the schedule, >= 0.
        window: length of the moving minimum, >= 1.
        backtracking: find L on the way, from the problem's L; for pgd, fista and adapt_apg_v2. The L that
            made each y_k is ``trace.settings["L"]``, never above twice the true one (L_0 is L_1).
        target: end at the first gap <= target * gap_0.
        seconds: end after so many seconds in the method, or in the search for x*.
        reference: False runs at once, without x*: for methods that ask for steps alone. The gap and what is
            made of it (gap_seen, mu_loc, distance) are NaN then, and the trace says so.
        progress: called with (k, gap) after the first step, at the end, and now and then between.
        cancel: asked after each slice of work, and while x* is sought; True ends the run, and its records
            are kept.

    Returns:
        The trace; see `Trace` for its columns and `Outcome` for how it can end.

    Raises:
        ValueError: a value that is not allowed, or a keyword that the method does not use, away from
            its default.
        Cancelled: `cancel` returned True while x* was sought, so that there are no records.

    >>> import polyak_core as pc
    >>> problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    >>> trace = pc.solve(problem, method="adapt_apg_v2", iterations=2000, target=1e-10)
    >>> print(trace.message)
    Reached the target 1e-10 of the initial gap at iteration 1038.
    """
    called(progress, "progress", "called with (k, gap)")
    called(cancel, "cancel", "asked whether to stop")
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    with watched(cancel=cancel):  # x* is sought here, after all else is checked
        run = Run(
            start, method, iterations, target, seconds, reference, mu=mu, mu0=mu0, gamma=gamma, f_star=f_star,
            guard=guard, estimator=estimator, C=C, window=window, backtracking=backtracking,
        )  # fmt: skip
    _follow(run, progress, cancel)
    return run.trace()


def _follow(
    run: Run, progress: Callable[[int, float], object] | None, cancel: Callable[[], bool] | None
) -> None:
    if progress is None and cancel is None:
        run.advance()
        return
    for seconds in slices():
        done = run.advance(seconds)
        if progress is not None:
            progress(run.k, run.last_gap)
        if cancel is not None and not done and cancel():
            run.cancel()
        if run.finished:
            break


def iterates(
    problem: Problem, method: str = "adapt_apg", x0: npt.ArrayLike | None = None, **keywords: Given
) -> Iterator[Iterate]:
    """The bare iterates of a method, x and y as plain points of shape (n,); endless.

    Args:
        problem: what to minimise.
        method: a name in `METHODS`.
        x0: start, shape (n,); the problem's own by default.
        keywords: mu, mu0, gamma, f_star, guard, estimator, C, window, reference as in `solve`.

    Raises:
        ValueError: as in `solve`.

    >>> import itertools
    >>> import polyak_core as pc
    >>> problem = pc.quadratic([1.0, 0.1, 0.01])
    >>> steps = itertools.islice(pc.iterates(problem, method="adapt_apg_v2"), 100)
    >>> gaps = [problem.gap(step.y) for step in steps]
    >>> gaps[-1] < 1e-6 * gaps[0]
    True
    """
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    plan = parameters(start, method, **keywords)
    oracle = start.oracle(plan.reference)
    return _plain(oracle, plan.generator(oracle, oracle.lift(start.x0), **plan.arguments))


def _plain(oracle: Oracle, lifted: Iterator[Iterate]) -> Iterator[Iterate]:
    while True:
        with np.errstate(over="ignore", invalid="ignore"):
            it = next(lifted)
        z = None if it.z is None else oracle.point(it.z)
        yield it._replace(x=oracle.point(it.x), y=oracle.point(it.y), z=z)
