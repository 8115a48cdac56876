"""One method on one problem, advanced in slices: the driver of a record with one row."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from polyak_core.checks import Given, shown
from polyak_core.methods.f_star import TRUE_GAP
from polyak_core.methods.iterate import Iterate
from polyak_core.methods.keywords import checked_flag, checked_problem, parameters
from polyak_core.problems.problem import Problem
from polyak_core.progress.watch import Cancelled, watched
from polyak_core.runs.endings import Cause, Ending, Outcome
from polyak_core.runs.limits import Limits, Row, checked_limits, largest_gap, largest_step
from polyak_core.runs.recorder import Recorder
from polyak_core.runs.trace import Trace


class Run:
    """One method on one problem, advanced in slices of any size.

    `trace` may be called at any time: a run that is stopped, or goes wrong, keeps what it had.

    Args:
        problem: what to minimise, from its own x0.
        method: a name in `METHODS`.
        iterations: last k, if nothing ends the run before.
        target: end at the first gap <= target * gap_0.
        seconds: end after so much time in the method.
        reference: False runs without x*, see `solve`.
        keywords: as in `solve`.
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
                f"target = {shown(target)} is a part of the first gap, which reference=False leaves unknown; "
                "leave one of the two out."
            )
        limits = Limits(steps, goal, time, np.inf, sharp=True, referenced=referenced)
        start_time = perf_counter()
        try:
            with watched(seconds=None if seconds is None else time):
                plan = parameters(problem, method, reference=reference, **keywords)
                oracle = problem.oracle(referenced)
        except Cancelled:
            if perf_counter() - start_time < time:
                raise
            self._recorder = _unfound(problem, settings, replace(limits, referenced=False))
            return
        start = oracle.lift(problem.x0)
        limits.divergence = (largest_gap if referenced else largest_step)(problem, oracle, start)
        limits.sharp = plan.seen.grain == 0
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
        """End the run here, keeping what it had."""
        self._recorder.cancel()

    def trace(self) -> Trace:
        """What there is so far, as a trace."""
        return self._recorder.trace(0)


def _unfound(problem: Problem, settings: dict[str, Any], limits: Limits) -> Recorder:
    """The record of a run that had no time left when x* was not found: its start."""
    oracle = problem.oracle(reference=False)
    start = oracle.lift(problem.x0)
    row = Row(problem, TRUE_GAP, settings, limits)
    recorder = Recorder([row], oracle, start, iter([Iterate(0, start, start)]))
    recorder.advance(0.0)
    remedy = (
        "Give more seconds, or ask for problem.f_star first, which all runs then share; or, where the "
        "method never asks for f*, give reference=False."
    )
    numbers = {"seconds": limits.seconds}
    recorder.end(Ending(outcome=Outcome.BUDGET, k=0, cause=Cause.UNFOUND, remedy=remedy, numbers=numbers))
    return recorder
