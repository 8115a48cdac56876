"""LASSO and SVM in units of all sizes: what is claimed of them, against minimisers in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from exact import assert_certified, exact_dual, exact_lasso, exact_svm, fractions
from hypothesis import assume, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.matrices.rbf import rbf_kernel


def wild(rng, m, n):
    """Rows and columns in units of all sizes, equal rows, columns that are nearly equal."""
    A = rng.standard_normal((m, n)) if rng.random() < 0.5 else np.round(3 * rng.standard_normal((m, n)))
    A = A * [1.0, *rng.choice([1e8, 1.0, 1e-8], n - 1)] * 10.0 ** rng.choice([-6, 0, 0, 6])
    if rng.random() < 0.3:
        A = A * 10.0 ** rng.integers(-4, 5, (m, 1))
    A[rng.integers(m)] = A[rng.integers(m)]
    if n > 1 and rng.random() < 0.2:
        A[:, 0] = A[:, 1] * (1 + rng.choice([0, 1e-9, 1e-14]))
    return A


seeds = st.integers(0, 10**6)


@given(seeds)
def test_lasso_in_any_units(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6), rng.integers(1, 5)
    A, b = wild(rng, m, n), rng.standard_normal(m) * 10.0 ** rng.integers(-3, 4)
    largest = float(np.abs(A.T @ b).max())
    lam = 10.0 ** rng.uniform(-12, 6) if rng.random() < 0.5 else largest * 10.0 ** rng.uniform(-12, 0.1)
    assume(lam > 0)
    assert_certified(pc.lasso(A, b, lam), exact_lasso(A, b, lam))


@given(seeds, st.sampled_from(["hinge", "squared_hinge"]), st.booleans())
def test_svm_in_any_units(seed, loss, rbf):
    rng = np.random.default_rng(seed)
    X = wild(rng, rng.integers(1, 5), rng.integers(1, 4))
    y = np.where(rng.random(len(X)) < rng.choice([0.5, 1.0]), 1.0, -1.0)
    C = 10.0 ** rng.uniform(-10, 10)
    if rbf:
        width = 10.0 ** rng.uniform(-1, 2.6) * max(1e-6, float(np.abs(X).max()))
        problem = pc.svm_dual(X, y, C, loss, "rbf", width)
        assert "of the kernel matrix as it is in float64" in problem.f_star_source
        Q = fractions(y[:, None] * rbf_kernel(X, width) * y)
        assert_certified(problem, exact_dual(Q, Fraction(C), loss))
    else:
        assert_certified(pc.svm_dual(X, y, C, loss), exact_svm(X, y, C, loss))


def test_constants_that_are_rounded_count():
    """2/0.3 is no number of float64: distilled from a public bug report."""
    assert_certified(
        pc.svm_dual([[0.5]], [1], 0.3, "squared_hinge"), exact_svm([[0.5]], [1], 0.3, "squared_hinge")
    )


def test_a_printed_minimum_that_cancels():
    """x'Kx and 1'x agree in all but some digits; distilled from a public bug report."""
    X, y = np.array([[0.0], [0.5], [1.0], [1.65]]), np.array([1, -1, 1, -1])
    problem = pc.svm_dual(X, y, 1e10, "squared_hinge", "rbf", 300.0)
    Q = fractions(y[:, None] * rbf_kernel(X, 300.0) * y)
    exact = exact_dual(Q, Fraction(10**10), "squared_hinge")
    assert_certified(problem, exact)
    assert problem.f_star == float(exact.value(problem.x_star))


@pytest.mark.parametrize("kind", ["lasso", "hinge", "squared_hinge", "rbf"])
def test_where_exact_values_take_too_long_their_rounding_counts(kind, monkeypatch):
    monkeypatch.setattr("polyak_core.matrices.exact.MOST_ENTRIES", 0)
    rng = np.random.default_rng(3)
    for _ in range(20):
        A, b, y = rng.standard_normal((4, 3)), rng.standard_normal(4), rng.choice([-1.0, 1.0], 4)
        if kind == "lasso":
            assert_certified(pc.lasso(A, b, 0.01), exact_lasso(A, b, 0.01))
        elif kind == "rbf":
            Q = fractions(y[:, None] * rbf_kernel(A, 1.0) * y)
            assert_certified(
                pc.svm_dual(A, y, 0.3, "hinge", "rbf", 1.0), exact_dual(Q, Fraction(0.3), "hinge")
            )
        else:
            assert_certified(pc.svm_dual(A, y, 0.3, kind), exact_svm(A, y, 0.3, kind))
