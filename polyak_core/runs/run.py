"""One method on one problem, advanced in slices: the driver of a record with one row."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from polyak_core.checks import Given
from polyak_core.methods.keywords import parameters
from polyak_core.problems.problem import Problem
from polyak_core.runs.limits import Limits, checked_limits, largest_gap
from polyak_core.runs.recorder import Recorder, Row
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
        chosen = parameters(problem, method, reference=reference, **keywords)
        steps, goal, time = checked_limits(iterations, target, seconds)
        if goal is not None and not reference:
            raise ValueError(
                f"target = {target} asks for gaps, and with reference=False f* is not known; leave one out."
            )
        oracle = problem.oracle(reference)
        start = oracle.lift(problem.x0)
        largest = largest_gap(problem, oracle, start) if reference else np.inf
        settings = {
            "problem": problem.name,
            "method": method,
            "iterations": steps,
            "target": goal,
            "seconds": None if seconds is None else time,
            **chosen.settings,
        }
        limits = Limits(steps, goal, time, largest, sharp=chosen.seen.grain == 0)
        row = Row(problem, chosen.seen, settings, limits, chosen.backtracking)
        self._method = method
        self._recorder = Recorder([row], oracle, start, chosen.generator(oracle, start, **chosen.arguments))

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
        return f"<Run {self._method}: k = {self.k}, gap {self.last_gap:.3g}>"

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`; True when the run has ended."""
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while not self.finished:
                self._recorder.advance(stop)
                if perf_counter() >= stop:
                    break
        return self.finished

    def cancel(self) -> None:
        """End the run here, keeping what it had."""
        self._recorder.cancel()

    def trace(self) -> Trace:
        """What there is so far, as a trace."""
        return self._recorder.trace(0)
