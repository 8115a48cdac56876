"""What tests of the core are run over, by name: `from cases import every_method` (see pyproject.toml)."""

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS
from polyak_core.problems.least_squares import LeastSquares

RNG = np.random.default_rng(8)
A, B = RNG.standard_normal((40, 12)) * np.logspace(0, -1, 12), RNG.standard_normal(40)
LABELS, START = np.where(B > 0, 1.0, -1.0), RNG.standard_normal(12)
MASK = RNG.random((8, 6)) < 0.6


class OwnLoss:
    """h of one's own: a value and a gradient, and nothing else."""

    def __init__(self, h):
        self.value, self.grad = h.value, h.grad


class OwnNorm:
    """psi of one's own: the l1 norm."""

    def value(self, x):
        return float(np.abs(x).sum())

    def prox(self, x, step):
        return np.sign(x) * np.maximum(np.abs(x) - step, 0)


def own_problem(psi=None):
    """A problem that people bring as functions."""
    squares = LeastSquares(A, B)
    return pc.Problem(OwnLoss(squares), psi, L=squares.L, mu=0.05, x0=START)


PROBLEMS = {
    "quadratic": lambda: pc.quadratic(np.geomspace(0.01, 1, 12), x0=START),
    "quadratic, A": lambda: pc.quadratic(np.geomspace(0.01, 1, 12), x0=START, representation="A"),
    "least squares, eigenbasis": lambda: pc.least_squares(A, B, x0=START, representation="eigenbasis"),
    "least squares, G": lambda: pc.least_squares(A, B, x0=START, representation="G"),
    "least squares, A": lambda: pc.least_squares(A, B, representation="A"),
    "dependent columns": lambda: pc.least_squares(A.T, B[:12], x0=np.ones(40)),
    "lasso": lambda: pc.lasso(A, B, 0.5, x0=START),
    "lasso, lam = 0": lambda: pc.lasso(A, B, 0.0, x0=START),
    "logistic": lambda: pc.logistic(A, LABELS, 0.05, x0=START),
    "svm": lambda: pc.svm_dual(A, LABELS, 1.0, loss="squared_hinge"),
    "svm, rbf": lambda: pc.svm_dual(A, LABELS, 1.0, kernel="rbf", width=2.0),
    "completion": lambda: pc.matrix_completion(np.outer(START[:8], B[:6]), MASK, 0.1),
    "own": own_problem,
    "own, with psi": lambda: own_problem(OwnNorm()),
}
"""A small problem of every kind, made anew at each call."""
every_problem = pytest.mark.parametrize("make", PROBLEMS.values(), ids=PROBLEMS)

WITH_A_RULE = ("adapt_apg", "adapt_apg_v2")
WITHOUT_MU = [name for name in pc.METHODS if name != "apg"]

every_method = pytest.mark.parametrize("method", pc.METHODS)
every_method_with_a_rule = pytest.mark.parametrize("method", WITH_A_RULE)
"""The methods that take `estimator`."""
every_method_without_mu = pytest.mark.parametrize("method", WITHOUT_MU)
"""The methods for problems with mu = 0."""
wide = pytest.mark.skipif(
    EXTENDED_EPS > 1e-18, reason="longdouble is no wider than double here, so bounds are weaker"
)
"""A bound that only a processor with a wide longdouble keeps."""
