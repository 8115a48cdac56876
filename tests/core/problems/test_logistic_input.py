"""What people may hand to logistic regression, wrong, odd, huge or sparse, and what it says of itself."""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse

import polyak_core as pc
from polyak_core.matrices.kinds import Centred

RNG = np.random.default_rng(2)
A = RNG.standard_normal((40, 6)) * np.logspace(0.5, -1, 6)
Y = np.where(A @ np.arange(1.0, 7.0) + 2 * RNG.standard_normal(40) > 0, 1, -1)


@pytest.mark.parametrize(
    "given",
    [
        (np.rint(A * 4).astype(int), Y.astype(int)),
        (np.rint(A * 4).astype(np.float32), Y.astype(np.int8)),
        (np.asfortranarray(np.rint(A * 4)), Y.tolist()),
        (np.rint(A * 4)[::-1][::-1], Y.astype(float)),
    ],
    ids=["int", "float32", "Fortran", "strides"],
)
def test_kinds_of_input(given):
    matrix, labels = given
    kept = np.array(matrix)
    matrix.flags.writeable = False
    plain = pc.logistic(np.rint(A * 4), Y, lam=0.5)
    problem = pc.logistic(matrix, labels, lam=0.5)
    assert (problem.L, problem.f_star) == (plain.L, plain.f_star)
    assert pc.solve(problem, iterations=20).gap[-1] == pc.solve(plain, iterations=20).gap[-1]
    np.testing.assert_array_equal(matrix, kept)


def test_flipping_a_sample_with_its_label_changes_nothing():
    flips = np.where(RNG.random(40) < 0.5, 1, -1)
    flipped = pc.logistic(flips[:, None] * A, flips * Y, lam=0.1)
    plain = pc.logistic(A, Y, lam=0.1)
    np.testing.assert_allclose(flipped.x_star, plain.x_star, rtol=1e-14)
    traces = [pc.solve(p, method="adapt_apg_v2", iterations=50) for p in (flipped, plain)]
    np.testing.assert_allclose(traces[0].gap, traces[1].gap, rtol=1e-8)


def test_huge_margins():
    """X = (1000, -1000)', y = (1, -1), x0 = -1: both samples are wrong by 1000."""
    problem = pc.logistic([[1000.0], [-1000.0]], [1, -1], lam=0.05, x0=[-1.0])
    assert problem.f([-1.0]) == 2000.05
    assert problem.gap([-1.0]) == pytest.approx(2000.05 - problem.f_star, rel=1e-14)
    for method in pc.METHODS:
        trace = pc.solve(problem, method=method, iterations=300)
        assert np.isfinite(trace.gap).all()
        assert trace.gap[-1] < trace.gap[0]
    torn = pc.logistic([[1e4], [1e4]], [1, -1], lam=0.05, x0=[1.0])  # margins 1e4 and -1e4
    assert torn.f([1.0]) == pytest.approx(1e4 + 0.05, rel=1e-15)
    assert torn.x_star[0] == pytest.approx(0, abs=1e-20)
    trace = pc.solve(torn, method="adapt_apg_v2", iterations=100)
    assert np.all(trace.gap[1:] < trace.gap[0])


def test_small_problems():
    one = pc.logistic([[3.0]], [1], lam=0.1)  # m = n = 1
    x = one.x_star[0]
    assert 0.2 * x == pytest.approx(3 / (1 + np.exp(3 * x)), rel=1e-14)
    nothing = pc.logistic(np.zeros((3, 2)), [1, -1, 1], lam=0.5, x0=[1, 2])
    assert (nothing.L, nothing.mu, nothing.condition_number) == (1, 1, 1)
    assert nothing.f_star == pytest.approx(3 * np.log(2))
    assert pc.solve(nothing, method="pgd", iterations=5).outcome is pc.Outcome.EXACT
    assert "2 zero columns" in nothing.describe()
    constant = pc.logistic(np.zeros((2, 2)), [1, 1], lam=0, x0=[1, 2])
    np.testing.assert_array_equal(constant.x_star, [1, 2])
    assert pc.solve(constant, iterations=5).outcome is pc.Outcome.EXACT


def test_describe():
    text = pc.logistic([[1.0, 2.0], [1.0, -1.0]], [1, 1], lam=0.25).describe()
    for words in (
        "sum log(1 + exp(-y_i a_i'x)) + 0.25 ||x||^2",
        "mu = 0.5",
        "1 constant columns",
        "labels are +1",
    ):
        assert words in text
    assert "Newton's method" in text
    assert "nan" not in text


def test_a_problem_can_be_sent_to_another_process():
    problem = pc.logistic(A, Y, lam=0.1)
    before = pc.solve(problem, iterations=20)
    np.testing.assert_array_equal(
        pc.solve(pickle.loads(pickle.dumps(problem)), iterations=20).gap, before.gap
    )


CALLS = [
    (lambda: pc.logistic(A, np.ones(3), 1), ["y has 3 entries", "40 rows", "one label a row"]),
    (lambda: pc.logistic(A, (Y + 1) / 2, 1), ["not +1 or -1", "the first is 0", "2 * y - 1"]),
    (lambda: pc.logistic(A, Y > 0, 1), ["not +1 or -1"]),
    (lambda: pc.logistic(A, np.where(Y > 0, np.nan, -1), 1), ["y has", "NaN"]),
    (lambda: pc.logistic(A, ["a"] * 40, 1), ["y must be an array of real numbers"]),
    (lambda: pc.logistic(A, Y[:, None], 1), ["y must have 1 axes"]),
    (lambda: pc.logistic(A, Y, -0.1), ["lam = -0.1", ">= 0"]),
    (lambda: pc.logistic(A, Y, np.nan), ["lam = nan", ">= 0"]),
    (lambda: pc.logistic(A, Y, "1"), ["lam = '1'", ">= 0"]),
    (lambda: pc.logistic(A * np.inf, Y, 1), ["A has", "NaN or infinite"]),
    (lambda: pc.logistic(A[0], Y, 1), ["A must have 2 axes"]),
    (lambda: pc.logistic(A, Y, 1, x0=[1]), ["x0 has 1 entries", "n = 6"]),
    (lambda: pc.logistic(A, Y, 1, L=0), ["L = 0", "leave it out"]),
    (lambda: pc.logistic(A * 1e100, Y, 1), ["1e+150", "scale the data"]),
    (lambda: pc.logistic(A, Y, 1, representation="G"), ["'G'", "choose one of 'A'"]),
    (lambda: pc.logistic(A, Y, 1, representation="eigenbasis"), ["'eigenbasis'", "'A'"]),
    (lambda: pc.solve(pc.logistic(A, Y, 0), method="apg"), ["mu = 0", "pass mu="]),
]


@pytest.mark.parametrize(("call", "fragments"), CALLS, ids=[str(number) for number in range(len(CALLS))])
def test_bad_input(call, fragments):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=re.escape(fragments[0])) as caught:
        call()
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize("kind", ["csr", "coo", "csc matrix", "centred"])
def test_sparse_data_is_dense_data(kind):
    X = sparse.random_array((80, 15), density=0.2, rng=np.random.default_rng(3), format="csr")
    labels = np.where(np.random.default_rng(4).random(80) < 0.5, 1, -1)
    if kind == "centred":
        mean = np.asarray(X.mean(axis=0))
        given, dense = Centred(X, mean), X.toarray() - mean
    else:
        given = {"csr": X, "coo": X.tocoo(), "csc matrix": sparse.csc_matrix(X)}[kind]
        dense = X.toarray()
    thin, full = (pc.logistic(data, labels, lam=0.03) for data in (given, dense))
    assert thin.L == pytest.approx(full.L, rel=1e-12)
    assert thin.f_star == pytest.approx(full.f_star, rel=1e-15)
    np.testing.assert_allclose(thin.x_star, full.x_star, rtol=1e-13, atol=1e-16)
    assert thin.f_star_error < 1e-20
    runs = [pc.solve(p, method="adapt_apg_v2", iterations=100) for p in (thin, full)]
    np.testing.assert_allclose(runs[0].gap, runs[1].gap, rtol=1e-7)
    np.testing.assert_array_equal(runs[0].products, runs[1].products)
