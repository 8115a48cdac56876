"""Active sets and their bounds, against minima enumerated in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from exact import Exact, assert_certified, exact_lasso, exact_svm, fractions
from hypothesis import assume, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.arrays import EXTENDED, EXTENDED_EPS
from polyak_core.certificates.active_set import bound as optimality
from polyak_core.certificates.active_set import method as active_set
from polyak_core.certificates.active_set.bound import excess_bound
from polyak_core.certificates.active_set.method import ActiveSet
from polyak_core.certificates.active_set.pieces import BoxPieces, L1Pieces
from polyak_core.matrices.extended import ExtendedMatrix

RNG = np.random.default_rng(7)
whole = st.integers(-3, 3)


@given(st.data(), st.integers(1, 4))
def test_lasso_of_whole_numbers(data, n):
    """Ties, zero and dependent columns, b = 0 and lam >= lam_max are frequent here."""
    m = data.draw(st.integers(1, 4))
    A = np.array(data.draw(st.lists(st.lists(whole, min_size=n, max_size=n), min_size=m, max_size=m)))
    b = np.array(data.draw(st.lists(whole, min_size=m, max_size=m)))
    lam = data.draw(st.sampled_from([0.5, 1.0, 2.0, 3.0, 9.0]))
    problem = pc.lasso(A, b, lam)
    best = assert_certified(problem, exact_lasso(A, b, lam))
    assert problem.f_star_error <= 1e-12 * max(1, best)


@given(st.data(), st.integers(1, 4), st.sampled_from(["hinge", "squared_hinge"]))
def test_svm_of_whole_numbers(data, m, loss):
    """Zero rows, equal rows, equal rows with other labels."""
    d = data.draw(st.integers(1, 3))
    X = np.array(data.draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=m, max_size=m)))
    y = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m))
    C = data.draw(st.sampled_from([0.125, 0.5, 1.0, 4.0]))
    problem = pc.svm_dual(X, y, C, loss)
    assert_certified(problem, exact_svm(X, y, C, loss))
    assert problem.f_star_error <= 1e-12 * max(1, m)


@given(st.integers(0, 10**6))
def test_a_kernel_is_taken_as_its_float64_matrix(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((4, 2)), rng.choice([-1, 1], 4)
    problem = pc.svm_dual(X, y, 2.0, kernel="rbf", width=0.7)
    assume(problem.mu > 1e-6)
    Q = fractions(problem.loss.extended.block(np.ones(4, dtype=bool)))  # C/2 = 1
    assert_certified(problem, Exact(Q, [Fraction(-1)] * 4, high=1))
    assert problem.f_star_error <= 1e-25


@given(st.integers(0, 10**6), st.booleans())
def test_the_bound_holds_wherever_it_is_made(seed, box):
    """At any feasible point with any free set that matches it, f(x) - min f is below the bound."""
    rng = np.random.default_rng(seed)
    A, b = rng.integers(-4, 5, (3, 3)), rng.integers(-4, 5, 3)
    if box:
        y = rng.choice([-1.0, 1.0], 3)
        problem, exact = pc.svm_dual(A, y, 1.0), exact_svm(A, y, 1.0, "hinge")
        x, pieces = rng.choice([0.0, 0.25, 0.5, 1.0], 3), BoxPieces(0.0, 1.0, 1.0)
        free = (x > 0) & (x < 1)
    else:
        problem, exact = pc.lasso(A, b, 1.0), exact_lasso(A, b, 1.0)
        x, pieces = rng.choice([0.0, -0.5, 1.0], 3), L1Pieces(1.0, 1.0)
        free = x != 0
    start = ActiveSet(problem.loss.extended, pieces, x.astype(EXTENDED), free)
    bound, how = excess_bound(start, x)
    assert exact.value(x) - exact.minimum() <= Fraction(bound)
    assert how in {"duality gap", "strong convexity", "dual point corrected on the free coordinates"}


@pytest.mark.parametrize("start", ["all free", "none free", "nonsense"])
@pytest.mark.parametrize("kind", ["lasso", "hinge", "squared_hinge", "dependent"])
def test_any_start_ends_at_the_minimum(monkeypatch, start, kind):
    X, y = RNG.standard_normal((12, 7)), np.where(np.arange(12) % 2, 1.0, -1.0)

    def make():
        if kind in {"lasso", "dependent"}:
            return pc.lasso(np.hstack([X, X]) if kind == "dependent" else X, y, 0.3)
        return pc.svm_dual(X, y, 1.0, kind)

    def other(h, bounds):
        if start == "nonsense":
            return np.full(h.size, np.nan), np.arange(h.size) % 2 == 0
        return np.full(h.size, 0.25), np.full(h.size, start == "all free")

    usual, reached = make(), 1e-14 if EXTENDED_EPS < 1e-18 else 1e-11
    assert usual.f_star_error <= reached
    monkeypatch.setattr(active_set, "interior_start", other)
    again = make()
    assert again.f_star == pytest.approx(usual.f_star, abs=reached)
    assert again.f_star_error <= reached
    assert "do not all hold" not in again.f_star_source


def test_a_budget_of_steps_that_is_too_small_is_said(monkeypatch):
    X, y = RNG.standard_normal((12, 7)), np.where(np.arange(12) % 2, 1.0, -1.0)
    monkeypatch.setattr(active_set, "interior_start", lambda h, bounds: (np.ones(7), np.zeros(7, dtype=bool)))
    monkeypatch.setattr(ActiveSet, "budget", 1)
    problem = pc.lasso(X, y, 0.3)
    assert "optimality conditions do not all hold" in problem.f_star_source
    assert "a weak bound" in problem.f_star_source
    monkeypatch.undo()
    truth = pc.lasso(X, y, 0.3)
    assert 1e-3 < problem.f(problem.x_star) - truth.f_star <= problem.f_star_error


def test_a_bound_that_does_already_is_not_worked_on(monkeypatch):
    X, y = RNG.standard_normal((12, 7)), np.where(np.arange(12) % 2, 1.0, -1.0)
    monkeypatch.setattr(optimality, "LARGE", 0)
    problem = pc.svm_dual(X, y, 1.0, "squared_hinge")
    assert "bound by strong convexity" in problem.f_star_source
    assert_certified(
        pc.svm_dual(X[:4], y[:4], 1.0, "squared_hinge"), exact_svm(X[:4], y[:4], 1.0, "squared_hinge")
    )


@pytest.mark.parametrize("shape", [(1, 1), (5, 70), (33, 64), (100, 3)])
def test_products_in_extended_precision(shape):
    rows, columns = shape
    matrix = RNG.standard_normal(shape) * 10.0 ** RNG.integers(-3, 4, shape)
    x, r = RNG.standard_normal(columns).astype(EXTENDED), RNG.standard_normal(rows).astype(EXTENDED)
    wide = ExtendedMatrix(matrix)
    for (got, relative), M, v in ((wide.times(x), matrix, x), (wide.transpose_times(r), matrix.T, r)):
        assert relative <= 200 * EXTENDED_EPS
        for value, row in zip(got, M, strict=True):
            terms = [Fraction(float(a)) * as_fraction(b) for a, b in zip(row, v, strict=True)]
            off = abs(as_fraction(value) - sum(terms))
            assert off <= Fraction(relative) * sum(abs(term) for term in terms)


def as_fraction(value):
    """Of a longdouble, exactly."""
    high = float(value)
    return Fraction(high) + Fraction(float(value - EXTENDED(high)))


def test_the_gradient_bound_covers_its_rounding():
    A, b = RNG.integers(-9, 10, (6, 5)), RNG.integers(-9, 10, 6)
    problem = pc.lasso(A, b, 1.0)
    x = RNG.standard_normal(5)
    g, rounding = problem.loss.extended.gradient(x.astype(EXTENDED))
    exact = exact_lasso(A, b, 1.0)
    for i in range(5):
        truth = exact.c[i] + sum(h * Fraction(float(v)) for h, v in zip(exact.H[i], x, strict=True))
        assert abs(as_fraction(g[i]) - truth) <= Fraction(float(rounding[i]))
    assert rounding.max() <= 1e5 * EXTENDED_EPS  # sums of eleven products of numbers up to 9
