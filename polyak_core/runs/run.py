"""The driver: a method's iterates become a trace; it stops, records and says why it ended."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from time import perf_counter

import numpy as np
import numpy.typing as npt

from polyak_core.checks import Given, called
from polyak_core.methods.backtracking import stepping
from polyak_core.methods.keywords import checked_problem, parameters
from polyak_core.problems.problem import Problem
from polyak_core.progress.background import POLL_SECONDS
from polyak_core.progress.watch import watched
from polyak_core.runs.awaited import Awaited, awaited
from polyak_core.runs.endings import Cause, Ending, Note, Outcome, backtracked, judged, low_start
from polyak_core.runs.ledger import Ledger
from polyak_core.runs.limits import Limits, checked_limits, largest_gap
from polyak_core.runs.trace import Trace

PROGRESS_SECONDS = 0.05


class Run:
    """One method on one problem, advanced in slices of any size.

    Where x* takes long to find, and the method does not need it (see `polyak_core.runs.awaited`), the run
    begins at once while x* is sought in a thread of its own; gaps are NaN until it is there, then made up
    for.
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
        **keywords: Given,
    ) -> None:
        """Check everything, lift x0; the first step is taken by `advance`."""
        chosen = parameters(problem, method, **keywords)
        steps, goal, time = checked_limits(iterations, target, seconds)
        self._awaited = awaited(problem, method, chosen)
        self._problem = problem.counted() if self._awaited is None else self._awaited.problem
        self._settings = {
            "problem": problem.name,
            "method": method,
            "iterations": steps,
            "target": goal,
            "seconds": None if seconds is None else time,
            **chosen.settings,
        }
        start = self._problem.lift(problem.x0)
        self._iterates = chosen.generator(self._problem, start, **chosen.arguments)
        self._backtracking = chosen.backtracking
        largest = largest_gap(self._problem, start) if self._awaited is None else np.inf
        self._limits = Limits(steps, goal, time, largest, sharp=chosen.seen.grain == 0)
        self._ledger = Ledger(self._problem, chosen.seen, start)
        self._note = self._ledger.note_varied if chosen.varied else self._ledger.note
        self._spent = 0.0
        self._end: Ending | None = None

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self._end is not None

    @property
    def k(self) -> int:
        """Index of the last record, -1 before the first."""
        return self._ledger.length + self._ledger.held - 1

    @property
    def last_gap(self) -> float:
        """The newest gap, NaN before the first record and where x* is not known yet."""
        known = self.k >= 0 and not self._ledger.held
        return self._ledger.value("gap", self.k) if known else np.nan

    def __repr__(self) -> str:
        """One line."""
        return f"<Run {self._settings['method']}: k = {self.k}, gap {self.last_gap:.3g}>"

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when the run has ended.

        Iterates are kept for a block of steps and measured together; a run that ends inside a block is
        cut back to its last record.
        """
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while self._end is None:
                self._end = self._turn(stop)
                if perf_counter() >= stop:
                    break
        return self.finished

    def _turn(self, stop: float) -> Ending | None:
        """One block of steps, new or held; or, where no more steps may be taken, a wait for x*."""
        if self._awaited is not None:
            if not self._awaited.over(0):
                self._go_on_without(self._awaited, stop)
                return None
            self._arrive(self._awaited)
        if not self._ledger.take_up():
            self._collect(min(self._ledger.block, self._limits.iterations - self.k), stop)
        return self._close_block()

    def _go_on_without(self, awaited: Awaited, stop: float) -> None:
        ended = self.k >= self._limits.iterations or self._spent >= self._limits.seconds
        if ended or self._ledger.full or not np.isfinite(self._ledger.last[1]).all():
            awaited.over(min(POLL_SECONDS, max(0.0, stop - perf_counter())))
        else:
            self._collect(min(self._ledger.block, self._limits.iterations - self.k), stop)
            self._ledger.hold()

    def _arrive(self, awaited: Awaited) -> None:
        """x* is there: what was held can be measured."""
        self._problem, moved = awaited.arrived()
        self._limits.divergence = largest_gap(self._problem, self._problem.lift(self._problem.x0))
        self._ledger.place(self._problem, moved)
        self._awaited = None

    def cancel(self) -> None:
        """End the run here, keeping what it had."""
        if self._end is not None:
            return
        self._end = self._left(Cause.CANCELLED, max(self.k, 0))
        if self._awaited is not None:
            self._awaited.leave()

    def _collect(self, steps: int, stop: float) -> None:
        """Take so many steps, or fewer if time is up."""
        note, spent, taken = self._note, self._spent, 0
        before = perf_counter()
        for it in islice(self._iterates, steps):
            now = perf_counter()
            spent += now - before
            note(it, spent)
            taken += 1
            if now >= stop or spent >= self._limits.seconds:
                break
            before = perf_counter()
        self._spent = spent
        if not taken:
            raise ValueError(
                f"{self._settings['method']} yielded nothing after iteration {self.k}; "
                "a method must yield an iterate for every k, without end."
            )

    def _close_block(self) -> Ending | None:
        """Measure what was collected; see whether a record ends the run."""
        k, gap, squared, seconds = self._ledger.measure()
        if k[0] == 0:
            self._limits.begin(gap[0])
        over = self._limits.over(k, gap, squared, seconds)
        last = int(np.argmax(over)) if over.any() else len(k) - 1
        self._ledger.close(last, ended=bool(over[last]))
        return self._judge(gap[last], squared[last]) if over[last] else None

    def _judge(self, gap: float, squared: float) -> Ending:
        """Name what ended the run at the newest record."""
        found = self._limits.verdict(self._problem, self.k, gap, squared)
        if found:
            return found
        problem = stepping(self._problem, self._ledger.steps[-1]) if self._backtracking else self._problem
        spent = self._limits.spent(self.k, gap)
        return judged(problem, self._ledger.columns(), self._ledger.seen, *self._ledger.last, spent)

    def trace(self) -> Trace:
        """What there is so far, as a trace."""
        ending = self._end or self._left(Cause.RUNNING, self.k)
        x, y = self._ledger.last
        settings = dict(self._settings)
        if self._backtracking and (steps := self._ledger.steps):
            settings["L"] = steps
            ending = ending.noting(backtracked(self._problem.L, steps))
        ending = ending.noting(*low_start(self._problem.mu, settings.get("mu0")))
        columns = self._ledger.columns()
        return Trace(
            **columns,
            x=self._problem.point(x),
            y=self._problem.point(y),
            floor=self._problem.floor_of(columns["gap"]) if self._awaited is None else np.nan,
            outcome=ending.outcome,
            message=ending.message,
            settings=settings,
            ending=ending,
        )

    def _left(self, cause: Cause, k: int) -> Ending:
        """The end of a run that is left at record k."""
        notes = (Note(cause=Cause.UNMEASURED),) if self._ledger.held else ()
        return Ending(outcome=Outcome.CANCELLED, k=k, cause=cause, notes=notes)


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
    progress: Callable[[int, float], object] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Trace:
    """Run one method and record every iteration.

    On a large problem a method that does not ask for f* begins at once, while x* is sought in a thread; all
    steps are measured once it is there. Other methods wait for it.

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
        seconds: end after so many seconds in the method.
        progress: called with (k, gap) after the first step, at the end, and now and then between; the gap is
            NaN where x* is not known yet.
        cancel: asked after each slice of work; True ends the run, and what there is, is kept: where x* is
            not known yet, that is all but the gap and what is made of it, which are NaN. It is asked while a
            method waits for x* too.

    Returns:
        The trace; see `Trace` for its columns and `Outcome` for how it can end.

    Raises:
        ValueError: a value that is not allowed, or a keyword that the method does not use, away from
            its default.
        Cancelled: `cancel` said so while the method waited for x*, so that there is no record to keep.
    """
    called(progress, "progress", "called with (k, gap)")
    called(cancel, "cancel", "asked whether to stop")
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    with watched(cancel=cancel):  # x* is sought here, after all else is checked
        run = Run(
            start, method, iterations, target, seconds, mu=mu, mu0=mu0, gamma=gamma, f_star=f_star,
            estimator=estimator, C=C, window=window, backtracking=backtracking,
        )  # fmt: skip
    try:
        _follow(run, progress, cancel)
    except BaseException:  # an interrupt, say
        run.cancel()  # nobody waits for x* any more
        raise
    return run.trace()


def _follow(
    run: Run, progress: Callable[[int, float], object] | None, cancel: Callable[[], bool] | None
) -> None:
    followed = progress is not None or cancel is not None
    pause = 0.0 if followed else np.inf  # the first step alone, so that even a short run can be cancelled
    done = False
    while not done:
        done = run.advance(pause)
        pause = min(2 * pause + 0.001, PROGRESS_SECONDS)
        if progress is not None:
            progress(run.k, run.last_gap)
        if cancel is not None and not done and cancel():
            run.cancel()
            done = True
