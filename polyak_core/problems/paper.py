"""Ready problems by name: synthetic spectra, least squares, the paper's problems."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import Given, finite_array, one_of, real_number, shown, whole_number
from polyak_core.data.datasets import DATASETS, Dataset, load_dataset
from polyak_core.matrices.kinds import checked_matrix
from polyak_core.problems.completion import random_completion
from polyak_core.problems.lasso import lasso
from polyak_core.problems.least_squares import LeastSquares, Quadratic
from polyak_core.problems.logistic import logistic
from polyak_core.problems.parts import checked_target
from polyak_core.problems.problem import Problem
from polyak_core.problems.svm import svm_dual

SPECTRA = {
    "log": "evenly spaced logarithms from 1/kappa to 1",
    "linear": "evenly spaced from 1/kappa to 1",
    "clusters": "two clusters: half within a factor 2 above 1/kappa, half within a factor 2 below 1",
    "outlier": "one eigenvalue 1/kappa alone, the others log-spaced from 1/sqrt(kappa) to 1",
}
PAPER_LOSSES = ("least_squares", "logistic", "lasso", "svm_dual")
PAPER_WEIGHTS = {
    "logistic": {"sonar": 0.004, "musk": 100.0, "madelon": 1000.0},
    "lasso": {"sonar": 1.0, "musk": 100.0, "madelon": 800.0},
    "svm_dual": {"sonar": 1.0, "musk": 1.0, "madelon": 1.0},
}
"""lam, or C for SVM: table 1 of the paper; for Sonar its figure."""
MAX_SIZE = 10_000_000


def spectrum(kind: str, n: int = 100, condition_number: float = 1e4) -> Array:
    """Eigenvalues in descending order, largest 1, smallest 1/condition_number.

    Args:
        kind: "log", "linear", "clusters" or "outlier" (see `SPECTRA`).
        n: how many, >= 1; n = 1 gives [1.], whatever the condition number.
        condition_number: kappa = largest / smallest, finite and >= 1.

    Returns:
        Array of shape (n,).

    Raises:
        ValueError: unknown kind, n < 1, condition number below 1 or not finite.
    """
    one_of(kind, "spectrum", tuple(SPECTRA))
    n = whole_number(n, "n", 1, MAX_SIZE)
    kappa = real_number(condition_number, "condition_number", "a number >= 1")
    if kappa < 1:
        raise ValueError(
            f"condition_number = {condition_number!r} is below 1: L/mu is at least 1; give a number >= 1."
        )
    mu = 1.0 / kappa
    if n == 1:
        return np.ones(1)
    if kind == "log":
        values = np.geomspace(1.0, mu, n)
    elif kind == "linear":
        values = np.linspace(1.0, mu, n)
    elif kind == "clusters":
        width = min(2.0, np.sqrt(kappa))
        values = np.concatenate(
            [np.geomspace(1.0, 1 / width, n - n // 2), np.geomspace(mu * width, mu, n // 2)]
        )
    else:
        values = np.append(np.geomspace(1.0, np.sqrt(mu), n - 1), mu)
    values[0], values[-1] = 1.0, mu
    return np.asarray(np.minimum.accumulate(values))


def quadratic(
    eigenvalues: npt.ArrayLike,
    x0: npt.ArrayLike | None = None,
    *,
    x_star: npt.ArrayLike | None = None,
    f_star: float = 0.0,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Quadratic in its eigenbasis: f(x) = f* + 1/2 sum lambda_i (x_i - x*_i)^2.

    Args:
        eigenvalues: shape (n,), none negative.
        x0: start, shape (n,); ones by default.
        x_star: minimiser, shape (n,); zeros by default.
        f_star: minimum.
        L: overrides the largest eigenvalue (a wrong L on purpose).
        representation: "eigenbasis" (default, O(n) a step), "G" or "A".

    Raises:
        ValueError: no eigenvalues, a negative or non-finite one, wrong shapes, L <= 0.
    """
    values = finite_array(eigenvalues, "eigenvalues", ndim=1).copy()
    if values.min() < 0:
        raise ValueError(
            f"eigenvalues has a negative entry ({values.min():g}): f would have no minimum; "
            "give numbers >= 0."
        )
    n = values.size
    centre = np.zeros(n) if x_star is None else finite_array(x_star, "x_star", ndim=1).copy()
    if centre.size != n:
        raise ValueError(f"x_star has {centre.size} entries but there are {n} eigenvalues; give one each.")
    minimum = real_number(f_star, "f_star", "a finite number")
    start = np.ones(n) if x0 is None else x0
    return Problem(
        Quadratic(values, centre, minimum), x0=start, L=L, representation=representation, name="quadratic"
    )


def least_squares(
    A: Given,
    b: npt.ArrayLike,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
    representation: str | None = None,
) -> Problem:
    """Least squares: f(x) = 1/2 ||Ax - b||^2 (a sum, no mean, no intercept).

    Args:
        A: shape (m, n), dense or sparse (SciPy's arrays and matrices of any format, or the X of a `Dataset`),
            never densified; L = sigma_max^2, mu = sigma_min^2, or 0 if the column rank may be below n
            (`Problem.mu_error` says how far it may be too high). Where both sides are above 3000, L is a
            proven upper bound and mu at most the true one.
        b: shape (m,).
        x0: start, shape (n,); zeros by default.
        L: overrides sigma_max^2 (a wrong L on purpose).
        representation: "eigenbasis" (default for dense A: 0 products a step), "G" (1) or "A" (2).

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, L <= 0.
    """
    matrix = checked_matrix(A, "A")
    target = checked_target(b, matrix.shape[0])
    return Problem(
        LeastSquares(matrix, target), x0=x0, L=L, representation=representation, name="least squares"
    )


def paper_problem(dataset: str, loss: str | None = None) -> Problem:
    """A problem of the paper with its conventions: features centred, targets +-1, x0 = 0.

    Args:
        dataset: "sonar", "musk", "madelon", or "matrix_completion" (figure 1: 30 x 30, rank 5, 200 entries,
            lam 0.01, seed 0).
        loss: "least_squares", "logistic", "lasso" or "svm_dual" with the weights of `PAPER_WEIGHTS`; none
            for matrix completion.

    Raises:
        ValueError: an unknown name; Madelon where it is neither here nor reachable.

    Reference: Barre and d'Aspremont, section 4 and table 1.
    """
    one_of(dataset, "data set", (*DATASETS, "matrix_completion"))
    if dataset == "matrix_completion":
        if loss is not None:
            raise ValueError(f"matrix_completion has one loss of its own; leave out loss = {shown(loss)}.")
        return random_completion()
    if loss is None:
        raise ValueError(f"a data set needs a loss; choose one of {', '.join(map(repr, PAPER_LOSSES))}.")
    one_of(loss, "loss", PAPER_LOSSES)
    data = load_dataset(dataset, scaling="center")
    problem = _on(data, loss)
    problem.name = f"{data.name}, {problem.name}"
    return problem


def _on(data: Dataset, loss: str) -> Problem:
    """One of the paper's losses on a data set of the paper."""
    if loss == "least_squares":
        return least_squares(data.X, data.y)
    weight = PAPER_WEIGHTS[loss][data.name]
    if loss == "logistic":
        return logistic(data.X, data.y, weight)
    if loss == "lasso":
        return lasso(data.X, data.y, weight)
    return svm_dual(data.X, data.y, weight)
