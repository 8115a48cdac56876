"""The error of the iterates, direction by direction: a run made again, of which only components are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.keywords import parameters
from polyak_widgets.panels.closer_look.directions.directions import Directions

MOST_KEPT = 200
TRACKED = ("slowest", "second", "tenfold", "fastest")
"""Directions kept at every iteration, for paths; "tenfold" has about ten times the least eigenvalue."""


@dataclass(frozen=True)
class Components:
    """What is known so far of one run.

    Attributes:
        iterations: iterations whose components are there, ascending, shape (s,).
        components: of y_k - x*, shape (s, m), for the m directions, slowest first.
        track: in the directions of `TRACKED` at every k so far, shape (k, 4).
        finished: whether more will come.
    """

    iterations: npt.NDArray[np.intp]
    components: Array
    track: Array
    finished: bool


class ComponentsRun:
    """One method, made again from its start as far as `last`, in slices.

    Args:
        problem: what is minimised.
        directions: of that problem.
        method: a name in `polyak_core.METHODS`.
        last: the last k.
        keywords: as in `polyak_core.solve`.
    """

    def __init__(
        self, problem: pc.Problem, directions: Directions, method: str, last: int, keywords: Mapping[str, Any]
    ) -> None:
        """Check the keywords; the first step is taken by `advance`."""
        plan, oracle = parameters(problem, method, **keywords), problem.oracle()
        self._form, self._directions = oracle.form, directions
        self._iterates = plan.generator(oracle, oracle.lift(problem.x0), **plan.arguments)
        self._iterations = kept_iterations(last)
        self._sampled = frozenset(self._iterations.tolist())
        self._components = np.empty((self._iterations.size, directions.eigenvalues.size))
        self._track = np.empty((last + 1, len(TRACKED)))
        self._tracked = tracked_places(directions.eigenvalues)
        self._last, self._k, self._rows = last, 0, 0

    @property
    def finished(self) -> bool:
        """Whether the last iteration is there."""
        return self._k > self._last

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on for about so long; True at the end."""
        stop = perf_counter() + slice_seconds
        with np.errstate(over="ignore", invalid="ignore"):
            while not self.finished:
                self._note(next(self._iterates))
                if perf_counter() >= stop:
                    break
        return self.finished

    def _note(self, iterate: pc.Iterate) -> None:
        components = self._directions.components(self._form.displacement(iterate.y))
        self._track[self._k] = components[self._tracked]
        if self._k in self._sampled:
            self._components[self._rows] = components
            self._rows += 1
        self._k += 1

    def result(self) -> Components:
        """What there is so far."""
        return Components(
            self._iterations[: self._rows],
            self._components[: self._rows],
            self._track[: self._k],
            self.finished,
        )


def tracked_places(eigenvalues: Array) -> npt.NDArray[np.intp]:
    """Where the directions of `TRACKED` are among ascending eigenvalues.

    >>> tracked_places(np.array([0.01, 0.02, 0.1, 1.0])).tolist()
    [0, 1, 2, 3]
    """
    last = eigenvalues.size - 1
    tenfold = int(np.argmin(np.abs(np.log(eigenvalues / (10 * eigenvalues[0])))))
    return np.array([0, min(1, last), max(tenfold, min(1, last)), last])


def kept_iterations(last: int, most: int = MOST_KEPT) -> npt.NDArray[np.intp]:
    """At most so many of 0..last, half of them at even steps, half at equal ratios; both ends among them.

    >>> kept_iterations(5).tolist()
    [0, 1, 2, 3, 4, 5]
    >>> kept_iterations(100_000).size <= 200
    True
    """
    if last < most:
        return np.arange(last + 1)
    even = np.linspace(0, last, most // 2).round().astype(np.intp)
    ratios = np.geomspace(1, last, most // 2).round().astype(np.intp)
    return np.unique(np.concatenate([even, ratios]))


def step_at(result: Components, k: int) -> int:
    """The last step that is not after k."""
    return int(np.searchsorted(result.iterations, k, side="right")) - 1
