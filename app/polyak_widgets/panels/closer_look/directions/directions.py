"""The directions in which the error is told apart: eigenvectors of the Hessian of h at x*.

On a quadratic they do not influence each other: the error along each shrinks at a rate that depends on its
eigenvalue alone. With a penalty that fixes coordinates (zeros of the LASSO, bounds of the SVM) the Hessian is
that on the coordinates that are free at x*, where the last iterations take place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.lifted.quadratic import Eigenbasis
from polyak_core.penalties import L1, Box
from polyak_core.problems.least_squares import LeastSquares
from polyak_core.problems.logistic import Logistic
from polyak_core.problems.quadratic import Quadratic
from polyak_core.problems.svm import SvmDual

MOST_COORDINATES = 1000
"""An eigendecomposition of more would take longer than a reader waits."""
MOST_DIRECTIONS = 64
"""More could not be told apart in a chart."""


class NoDirectionsError(ValueError):
    """There are no such directions here; the message says why, in words that follow "because"."""


@dataclass(frozen=True)
class Directions:
    """Eigenvectors of positive eigenvalues, slowest first; of many only some, the first two and the last too.

    Attributes:
        eigenvalues: ascending, shape (m,).
        vectors: shape (free coordinates, m); None if coordinates of `Problem.form` are the components.
        places: which displacements are multiplied with the vectors, or are the components.
        exact: whether f is quadratic, so that f(x) - f* is 1/2 sum lambda_i c_i^2.
        free, n: how many coordinates move at x*, and all.
    """

    eigenvalues: Array
    vectors: Array | None
    places: npt.NDArray[np.intp]
    exact: bool
    free: int
    n: int

    def components(self, displacement: Array) -> Array:
        """Components of x - x* as `Problem.form.displacement` has it; leading axes are kept."""
        part = displacement[..., self.places]
        return part if self.vectors is None else part @ self.vectors


def directions(problem: pc.Problem) -> Directions:
    """The directions of a problem.

    Raises:
        NoDirectionsError: there are none, or too many coordinates; in words.
    """
    form = problem.form
    if isinstance(form, Eigenbasis) and problem.penalty is None:
        values = np.asarray(form.eigenvalues)
        places = _some(values)
        return Directions(values[places], None, places, True, values.size, problem.loss.size)
    free = _free(problem)
    if not free.size:
        raise NoDirectionsError("no coordinate is free at x*: every one sits at 0 or at a bound.")
    if free.size > MOST_COORDINATES:
        raise NoDirectionsError(
            f"the Hessian on {free.size} coordinates is too large to be decomposed while you wait "
            f"(up to {MOST_COORDINATES} are)."
        )
    values, vectors = np.linalg.eigh(_hessian(problem, free))
    places = _some(values)
    exact = problem.penalty is None and isinstance(problem.loss, Quadratic | LeastSquares)
    return Directions(values[places], vectors[:, places], free, exact, free.size, problem.loss.size)


def _free(problem: pc.Problem) -> npt.NDArray[np.intp]:
    """The coordinates that no penalty holds at x*."""
    x = problem.x_star.ravel()
    penalty = problem.penalty
    if penalty is None:
        return np.arange(x.size)
    if isinstance(penalty, L1):
        return np.flatnonzero(x)
    if isinstance(penalty, Box):
        return np.flatnonzero((x > penalty.low) & (x < penalty.high))
    raise NoDirectionsError(
        "its penalty bends with the point, so that no fixed set of directions tells the errors apart."
    )


def _hessian(problem: pc.Problem, free: npt.NDArray[np.intp]) -> Array:
    """The Hessian of h at x* on the free coordinates, symmetric."""
    loss, x = problem.loss, problem.x_star.ravel()
    if isinstance(loss, Logistic):
        p = scipy.special.expit(np.asarray(loss.A @ x))
        weights = np.sqrt(p * (1 - p))
        columns = [np.asarray(loss.A @ unit).ravel() for unit in _units(x.size, free)]
        dense = weights[:, None] * np.column_stack(columns)
        return np.asarray(dense.T @ dense + 2 * loss.lam * np.eye(free.size))
    if not isinstance(loss, Quadratic | LeastSquares | SvmDual):
        raise NoDirectionsError("the Hessian of this loss is not known to the page.")
    # The gradient of a quadratic is affine, so its differences are the columns of the Hessian.
    base = np.asarray(loss.grad(np.zeros(x.size)))
    square = np.column_stack([np.asarray(loss.grad(unit)) - base for unit in _units(x.size, free)])[free]
    return np.asarray((square + square.T) / 2)


def _units(n: int, free: npt.NDArray[np.intp]) -> list[Array]:
    rows = np.zeros((free.size, n))
    rows[np.arange(free.size), free] = 1.0
    return list(rows)


def _some(values: Array) -> npt.NDArray[np.intp]:
    """Places of the eigenvalues above rounding, ascending; of many, some at even ranks and the second one."""
    largest = float(values.max(initial=0.0))
    order = np.argsort(values, kind="stable")
    positive = order[values[order] > values.size * np.finfo(float).eps * largest]
    if not positive.size:
        raise NoDirectionsError("f has no curvature at x*.")
    if positive.size <= MOST_DIRECTIONS:
        return positive
    ranks = np.linspace(0, positive.size - 1, MOST_DIRECTIONS - 1).round().astype(np.intp)
    places: npt.NDArray[np.intp] = positive[np.union1d(ranks, [1])]
    return places
