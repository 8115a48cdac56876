"""The copy of a problem that is sent to a worker, without what only the search for x* needs.

Data, decompositions and numbers in extended precision stay here. What a step needs is sent, and is often much
less: G in place of A, or eigenvalues. A run on the copy records the same numbers.
"""

from __future__ import annotations

import pickle
from concurrent.futures import Executor
from typing import Any

from polyak_core.arrays import Array
from polyak_core.certificates.reference import Reference
from polyak_core.lifted.form import Form
from polyak_core.problems.custom import OwnForm
from polyak_core.problems.problem import Problem

LARGE = 1_000_000
"""Bytes; a larger parcel is sent to each worker only once."""


class Settled:
    """h in the place of a loss whose x* is known: it answers what a run asks, and has no data."""

    def __init__(self, problem: Problem) -> None:
        """A problem whose x* is known, or is sought now."""
        loss, self._reference, self._form = problem.loss, problem.reference, problem.form
        self.size, self.formula, self.notes = loss.size, loss.formula, loss.notes
        self.L, self.mu, self.mu_restricted = problem.true_L, problem.mu, problem.mu_restricted
        offer = getattr(loss, "dual", None)
        self._dual = None if offer is None else offer(self._reference)

    def value(self, x: Array) -> float:
        """Not known without the data."""
        raise NotImplementedError("the data stayed with the problem that was sent")

    def grad(self, x: Array) -> Array:
        """Not known without the data."""
        raise NotImplementedError("the data stayed with the problem that was sent")

    def reference(self, x0: Array) -> Reference:
        """The reference that was found; it holds for every start where mu > 0."""
        return self._reference

    def form(self, name: str | None, reference: Reference) -> Form:
        """The form in use."""
        return self._form

    def dual(self, reference: Reference) -> Any:
        """Bounds for ``f_star="dual"``, or None."""
        return self._dual


def parcel(problem: Problem) -> Problem:
    """A copy on which runs record the same numbers, from its own start, and from any start where mu > 0."""
    if isinstance(problem.form, OwnForm):  # its steps ask h and psi themselves
        return problem
    twin = problem.with_loss(Settled(problem))
    _ = twin.form  # made now, so that it is sent along
    return twin


def sent(problem: Problem, whole: bool, executor: Executor) -> Any:
    """What tasks get in the place of the problem: itself if they need it `whole`, else a parcel.

    A cluster of dask gets a large one once for each worker; its tasks then hold a name for it.
    """
    content = problem if whole else parcel(problem)
    scatter = getattr(getattr(executor, "_client", None), "scatter", None)
    if scatter is None or len(pickle.dumps(content)) < LARGE:
        return content
    return scatter(content, broadcast=True, hash=False)
