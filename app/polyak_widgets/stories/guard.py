"""The restarted method with the guard that the adaptive ones have: a negative gap says nothing."""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from polyak_core.arrays import Scalar
from polyak_core.methods.f_star import GapSeen
from polyak_core.methods.paper import restart
from polyak_widgets.laboratory.problems import build_problem
from polyak_widgets.settings.settings import Settings


class GuardedGap(GapSeen):
    """The gap under a given f*, infinite where f* is too high for it: then no level is reached."""

    def __call__(self, gap: Scalar) -> Scalar:
        """The gap that the test for a restart compares."""
        shifted = super().__call__(gap)
        return np.inf if shifted < 0 else shifted


def guarded_restart(settings: Settings, tolerance: float) -> int:
    """Iterations of the restarted method to a relative gap, where f* is given too high."""
    problem = build_problem(settings)
    first = problem.gap(problem.x0)
    oracle = problem.oracle()
    gap_seen = GuardedGap(-settings.f_star_delta * first)
    run = restart(oracle, oracle.lift(problem.x0), settings.gamma, gap_seen)
    return sum(1 for _ in takewhile(lambda it: float(it.gap) > tolerance * first, run))
