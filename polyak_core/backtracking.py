"""Methods that find L on the way, up and down."""

from __future__ import annotations

import copy

from polyak_core.problem import Problem


def stepping(problem: Problem, L: float) -> Problem:
    """The same problem under the same counter, with steps of 1/L."""
    twin = copy.copy(problem)
    twin.L = L
    for made in ("_step", "_resolution"):
        twin.__dict__.pop(made, None)
    return twin
