"""What tests of the core are run over, by name: `from cases import every_method` (see pyproject.toml)."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS
from polyak_core.data.scaling import scale_features
from polyak_core.problems.least_squares import LeastSquares

RNG = np.random.default_rng(8)
A, B = RNG.standard_normal((40, 12)) * np.logspace(0, -1, 12), RNG.standard_normal(40)
START = RNG.standard_normal(12)
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


def own_problem(A, b, x0, psi=None, **keywords):
    """A problem that people bring as functions."""
    squares = LeastSquares(A, b)
    return pc.Problem(OwnLoss(squares), psi, **{"L": squares.L, "x0": x0, **keywords})


def problems_on(A, b, x0):
    """A small problem of every kind on these data, made anew at each call, which may change keywords."""
    labels = np.where(b > 0, 1.0, -1.0)
    eigenvalues = np.geomspace(0.01, 1, A.shape[1])
    return {
        "quadratic": partial(pc.quadratic, eigenvalues=eigenvalues, x0=x0),
        "quadratic, A": partial(pc.quadratic, eigenvalues=eigenvalues, x0=x0, representation="A"),
        "least squares, eigenbasis": partial(pc.least_squares, A, b, x0=x0, representation="eigenbasis"),
        "least squares, G": partial(pc.least_squares, A, b, x0=x0, representation="G"),
        "least squares, A": partial(pc.least_squares, A, b, representation="A"),
        "dependent columns": partial(pc.least_squares, A.T, b[: A.shape[1]], x0=np.ones(b.size)),
        "lasso": partial(pc.lasso, A, b, lam=0.5, x0=x0),
        "lasso, lam = 0": partial(pc.lasso, A, b, lam=0.0, x0=x0),
        "logistic": partial(pc.logistic, A, labels, lam=0.05, x0=x0),
        "hinge": partial(pc.svm_dual, A, labels, C=1.0),
        "squared hinge": partial(pc.svm_dual, A, labels, C=1.0, loss="squared_hinge"),
        "hinge, rbf": partial(pc.svm_dual, A, labels, C=1.0, kernel="rbf", width=2.0),
        "own": partial(own_problem, A, b, x0, mu=0.05),
        "own, with psi": partial(own_problem, A, b, x0, OwnNorm(), mu=0.05),
    }


PROBLEMS = {
    **problems_on(A, B, START),
    "completion": partial(pc.matrix_completion, np.outer(START[:8], B[:6]), MASK, lam=0.1),
}
every_problem = pytest.mark.parametrize("make", PROBLEMS.values(), ids=PROBLEMS)

WITH_A_RULE = ("adapt_apg", "adapt_apg_v2")
WITH_BACKTRACKING = ("pgd", "fista", "adapt_apg_v2")
STACKING = [name for name, method in pc.METHODS.items() if method.stacks]
FIELD = [name for name in pc.METHODS if name not in STACKING]
WITHOUT_MU = [name for name in STACKING if name != "apg"]

every_method = pytest.mark.parametrize("method", STACKING)
"""The methods that run on every problem and step many rows at once."""
every_method_of_the_field = pytest.mark.parametrize("method", FIELD)
"""The others: each on the problems of its class, one run at a time."""
every_method_with_a_rule = pytest.mark.parametrize("method", WITH_A_RULE)
"""The methods that take `estimator`."""
every_method_with_backtracking = pytest.mark.parametrize("method", WITH_BACKTRACKING)
"""The methods that can find L on the way."""
every_method_without_mu = pytest.mark.parametrize("method", WITHOUT_MU)
"""The methods for problems with mu = 0."""
wide = pytest.mark.skipif(
    EXTENDED_EPS > 1e-18, reason="longdouble is no wider than double here, so bounds are weaker"
)
"""A bound that only a processor with a wide longdouble keeps."""


def small_completion(shape=(6, 4), lam=0.3, seed=1, **keywords):
    """Matrix completion of random numbers, three of five of them known."""
    rng = np.random.default_rng(seed)
    return pc.matrix_completion(rng.standard_normal(shape), rng.random(shape) < 0.6, lam, **keywords)


def sparse_matrices(rng):
    """A tall and a wide sparse matrix, each as it is and centred, by name."""
    tall = sparse.random_array((90, 12), density=0.25, rng=rng, format="csr")
    wide = sparse.random_array((12, 90), density=0.25, rng=rng, format="csr")
    plain = {"tall": tall, "wide": wide}
    return plain | {f"{name} centred": scale_features(A, "center") for name, A in plain.items()}
