"""The iterates of a method with nothing around them: no record, no end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from polyak_core.checks import Given
from polyak_core.methods.iterate import Iterate
from polyak_core.methods.keywords import checked_problem, parameters
from polyak_core.problems.problem import Problem


def iterates(
    problem: Problem, method: str = "adapt_apg", x0: npt.ArrayLike | None = None, **keywords: Given
) -> Iterator[Iterate]:
    """The bare iterates of a method, x and y as plain points of shape (n,); endless.

    Args:
        problem: what to minimise.
        method: a name in `METHODS`.
        x0: start, shape (n,); the problem's own by default.
        keywords: mu, mu0, gamma, f_star, estimator, C, window as in `solve`.

    Raises:
        ValueError: as in `solve`.
    """
    start = checked_problem(problem) if x0 is None else checked_problem(problem).starting_at(x0)
    own = start.counted()
    chosen = parameters(own, method, **keywords)
    lifted = chosen.generator(own, own.lift(own.x0), **chosen.arguments)
    return _plain(own, lifted)


def _plain(problem: Problem, lifted: Iterator[Iterate]) -> Iterator[Iterate]:
    while True:
        with np.errstate(over="ignore", invalid="ignore"):
            it = next(lifted)
        yield it._replace(x=problem.point(it.x), y=problem.point(it.y))
