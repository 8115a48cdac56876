"""Running a method from one call: with a record of every iteration, or as bare iterates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from polyak_core.checks import Given, called
from polyak_core.methods.iterate import Iterate
from polyak_core.methods.keywords import checked_problem, parameters
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.progress.watch import watched
from polyak_core.runs.run import Run
from polyak_core.runs.trace import Trace
from polyak_core.runs.work import slices


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
        mu: strong convexity that the method is told, in (0, L]; the problem's own by default.
        mu0: first upper bound on mu, in (0, L]; L/2 by default.
        gamma: the gap shrinks by exp(-gamma) between restarts, > 0.
        f_star: the minimum that the method is told, taken as it is; the certified one by default.
        estimator: a name in `ESTIMATORS`.
        C: constant of the schedule, >= 0.
        window: length of the moving minimum, >= 1.
        backtracking: find L on the way, from the problem's L; for pgd, fista and adapt_apg_v2. The L that
            made each y_k is ``trace.settings["L"]``, never above twice the true one (L_0 is L_1).
        target: end at the first gap <= target * gap_0.
        seconds: end after so many seconds in the method; and where the search for x* takes as long.
        reference: False runs at once, without x*: for methods that ask for steps alone. The gap and what is
            made of it (gap_seen, mu_loc, distance) are NaN then, and the trace says so.
        progress: called with (k, gap) after the first step, at the end, and now and then between.
        cancel: asked after each slice of work; True ends the run, and what there is, is kept. It is asked
            while x* is sought too.

    Returns:
        The trace; see `Trace` for its columns and `Outcome` for how it can end.

    Raises:
        ValueError: a value that is not allowed, or a keyword that the method does not use, away from
            its default.
        Cancelled: `cancel` said so while x* was sought, so that there is no record to keep.
    """
    called(progress, "progress", "called with (k, gap)")
    called(cancel, "cancel", "asked whether to stop")
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    with watched(cancel=cancel):  # x* is sought here, after all else is checked
        run = Run(
            start, method, iterations, target, seconds, reference, mu=mu, mu0=mu0, gamma=gamma, f_star=f_star,
            estimator=estimator, C=C, window=window, backtracking=backtracking,
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
        keywords: mu, mu0, gamma, f_star, estimator, C, window, reference as in `solve`.

    Raises:
        ValueError: as in `solve`.
    """
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    plan = parameters(start, method, **keywords)
    oracle = start.oracle(plan.reference)
    return _plain(oracle, plan.generator(oracle, oracle.lift(start.x0), **plan.arguments))


def _plain(oracle: Oracle, lifted: Iterator[Iterate]) -> Iterator[Iterate]:
    while True:
        with np.errstate(over="ignore", invalid="ignore"):
            it = next(lifted)
        yield it._replace(x=oracle.point(it.x), y=oracle.point(it.y))
