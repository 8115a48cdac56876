"""The paper's problems by name, with its data, weights and conventions."""

from __future__ import annotations

from polyak_core.checks import one_of, shown
from polyak_core.data.datasets import DATASETS, Dataset, load_dataset
from polyak_core.problems.completion import random_completion
from polyak_core.problems.lasso import lasso
from polyak_core.problems.least_squares import least_squares
from polyak_core.problems.logistic import logistic
from polyak_core.problems.problem import Problem
from polyak_core.problems.svm import svm_dual

PAPER_LOSSES = ("least_squares", "logistic", "lasso", "svm_dual")
PAPER_WEIGHTS = {
    "logistic": {"sonar": 0.004, "musk": 100.0, "madelon": 1000.0},
    "lasso": {"sonar": 1.0, "musk": 100.0, "madelon": 800.0},
    "svm_dual": {"sonar": 1.0, "musk": 1.0, "madelon": 1.0},
}
"""lam, or C for SVM: table 1 of the paper; for Sonar its figure."""


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

    >>> import polyak_core as pc
    >>> problem = pc.paper_problem("sonar", "lasso")
    >>> problem.x0.shape, round(problem.f_star, 6)
    ((60,), 69.33313)
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
    problem = _problem_on(data, loss)
    problem.name = f"{data.name}, {problem.name}"
    return problem


def _problem_on(data: Dataset, loss: str) -> Problem:
    """One of the paper's losses on a data set of the paper."""
    if loss == "least_squares":
        return least_squares(data.X, data.y)
    weight = PAPER_WEIGHTS[loss][data.name]
    if loss == "logistic":
        return logistic(data.X, data.y, weight)
    if loss == "lasso":
        return lasso(data.X, data.y, weight)
    return svm_dual(data.X, data.y, weight)
