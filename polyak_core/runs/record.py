"""Any solver from outside on the exact gap: its points, by a callback or as a list, become a trace.

>>> import numpy as np, scipy.optimize
>>> import polyak_core as pc
>>> problem = pc.quadratic([1.0, 0.1, 0.01])
>>> with pc.record(problem, name="L-BFGS-B") as recording:
...     _ = scipy.optimize.minimize(recording.value, problem.x0, jac=recording.gradient, callback=recording)
>>> bool(recording.trace.relative_gap[-1] < 1e-6)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import Given, several, shown, text, whole_number
from polyak_core.methods.keywords import checked_problem
from polyak_core.problems.problem import Problem, point_like
from polyak_core.runs.endings import Cause, Ending, Outcome
from polyak_core.runs.limits import MAX_ITERATIONS
from polyak_core.runs.trace import NUMBERS, Trace

ENOUGH = 3
"""So many points that are all the same say that no point was handed on."""


class Recording:
    """Called with each new point of a solver; `trace` is the run so far.

    Record 0 is the problem's x0, whether or not the solver hands it on. Time spent in recording is left out.
    Gradients are counted where the solver asks for them by `gradient`; else they are NaN.

    Raises:
        ValueError: a point of another shape or with entries that are not finite, when it comes.
    """

    def __init__(self, problem: Problem, name: str = "recorded") -> None:
        """Nothing but the start is known."""
        self._problem, self._name = checked_problem(problem), text(name, "name")
        _ = problem.reference
        self._points: list[Array] = [problem.x0.copy()]
        self._gradients, self._calls = [0], 0
        self._seconds, self._spent, self._since = [0.0], 0.0, perf_counter()

    def __enter__(self) -> Self:
        """The clock begins here."""
        self._since = perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """What was recorded stays, also where the solver failed."""

    def __call__(self, x: Given, *others: Given) -> None:
        """One more point: an array, or what has it as ``x`` (an attribute, or an entry of a dictionary)."""
        self._spent += perf_counter() - self._since
        place = f"point {len(self._points)}"
        x = x["x"] if isinstance(x, Mapping) and "x" in x else getattr(x, "x", x)
        point = point_like(x, place, self._problem.shape)
        if len(self._points) > 1 or not np.array_equal(point, self._points[0]):
            self._points.append(point)
            self._gradients.append(self._calls)
            self._seconds.append(self._spent)
        self._since = perf_counter()

    def value(self, x: npt.ArrayLike) -> float:
        """f(x), for solvers that ask for a function."""
        return self._problem.f(x)

    def gradient(self, x: npt.ArrayLike) -> Array:
        """grad h(x), counted; for solvers that ask for it.

        Raises:
            ValueError: the problem has a penalty, so that this would not be the gradient of f.
        """
        if self._problem.penalty is not None:
            raise ValueError(f"{self._problem.name} has a penalty, so that f has no gradient everywhere.")
        self._calls += 1
        point = point_like(x, "x", self._problem.shape)
        return np.asarray(self._problem.loss.grad(point.ravel()).reshape(self._problem.shape))

    @property
    def trace(self) -> Trace:
        """The points so far, measured as those of every run.

        Raises:
            ValueError: all points are the same.
        """
        points, oracle = self._points, self._problem.oracle()
        if len(points) > ENOUGH and all(np.array_equal(points[1], point) for point in points[2:]):
            raise ValueError(
                f"all {len(points) - 1} points of {self._name} are the same, {shown(points[1])}: hand on the "
                "point of each iteration, as a copy if the solver changes it in place."
            )
        numbers = []
        for point in points:
            z = oracle.lift(point)
            gap, _, mu_hat = oracle.measured(z, z)
            numbers.append((float(gap), float(mu_hat), float(oracle.distance(z))))
        gap, mu_hat, distance = np.array(numbers).T
        columns = {name: np.full(len(points), np.nan) for name in NUMBERS}
        columns |= {"k": np.arange(float(len(points))), "gap": gap, "gap_seen": gap.copy(), "mu_hat": mu_hat}
        columns |= {"distance": distance, "seconds": np.array(self._seconds)}
        if self._calls:
            columns["gradients"] = np.array(self._gradients, dtype=float)
        ending = self._ending(gap)
        none = np.zeros(len(points), dtype=bool)
        settings = {"problem": self._problem.name, "method": self._name, "iterations": len(points) - 1}
        return Trace(
            **columns,
            restarted=none,
            frozen=none.copy(),
            x=points[-1].copy(),
            y=points[-1].copy(),
            floor=self._problem.floor_of(gap),
            outcome=ending.outcome,
            message=ending.message,
            settings=settings,
            ending=ending,
        )

    def _ending(self, gap: Array) -> Ending:
        k, floor = len(gap) - 1, float(self._problem.floor_of(gap))
        if gap.min() <= floor:
            first = int(np.argmax(gap <= floor))
            return Ending(outcome=Outcome.FLOOR, k=first, cause=Cause.FLOOR, numbers={"floor": floor})
        numbers: dict[str, float | str] = {"gap": float(gap[-1]), "name": self._name}
        return Ending(outcome=Outcome.BUDGET, k=k, cause=Cause.RECORDED, numbers=numbers)


def record(problem: Problem, points: Iterable[npt.ArrayLike] | None = None, *, name: str = "recorded") -> Any:
    """Record a solver from outside: its gap is exact, and its trace is one like those of `solve`.

    Args:
        problem: what the solver minimises, from its x0; x* is sought first, if it is not known.
        points: the points of its iterations; their trace is returned. Without them a `Recording` is, to be
            used as a callback: ``with pc.record(problem) as recording: solver(..., callback=recording)``.
        name: what tables and pictures call it.

    Returns:
        A `Recording`, or with points their `Trace`.

    Raises:
        ValueError: no points, a point of another shape, or not finite; all points the same, as where a solver
            changes one array in place.

    >>> import polyak_core as pc
    >>> trace = record(pc.quadratic([1.0, 0.5]), [[1.0, 1.0], [0.5, 0.5], [0.0, 0.25]])
    >>> trace.gap.tolist()
    [0.75, 0.1875, 0.015625]
    """
    recording = Recording(problem, name)
    if points is None:
        return recording
    for point in several(points, "points", "points, or an array with one in each row"):
        recording(point)
    return recording.trace


def lbfgs(problem: Problem, iterations: int = 1000) -> Trace:
    """L-BFGS of SciPy, a baseline on every problem without a penalty: ten pairs, with a line search.

    Guarantee: none that compares with those of the methods here; superlinear close to x* in practice.
    Reference: Byrd, Lu, Nocedal and Zhu 1995, A limited memory algorithm for bound constrained optimization.

    Args:
        problem: what to minimise, from its x0.
        iterations: the last k, unless SciPy ends before.

    Raises:
        ValueError: the problem has a penalty, or iterations is no whole number from 1 on.

    >>> import polyak_core as pc
    >>> trace = lbfgs(pc.quadratic(pc.spectrum("log", n=20, condition_number=100)), iterations=200)
    >>> bool(trace.gap[-1] < 1e-6 * trace.gap[0])
    True
    """
    from scipy.optimize import minimize

    most = whole_number(iterations, "iterations", 1, MAX_ITERATIONS)
    with Recording(problem, "L-BFGS") as recording:
        options = {"maxiter": most, "maxfun": 20 * most, "ftol": 0.0, "gtol": 0.0}
        minimize(
            lambda x: recording.value(x.reshape(problem.shape)),
            problem.x0.ravel(),
            jac=lambda x: recording.gradient(x.reshape(problem.shape)).ravel(),
            callback=lambda x: recording(x.reshape(problem.shape)),
            method="L-BFGS-B",
            options=options,
        )
    return recording.trace
