"""Roads to x* of a logistic problem: which is taken, what is said of it, and that others lead there too."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

import polyak_core as pc
from polyak_core.arrays import EPS, EXTENDED_EPS
from polyak_core.certificates.logistic import logistic_reference
from polyak_core.certificates.logistic_sample import Sample
from polyak_core.matrices.factors import Factorisation
from polyak_core.matrices.kinds import Centred

wide = pytest.mark.skipif(
    EXTENDED_EPS > 1e-18, reason="longdouble is no wider than double here, so the bound is weaker"
)
RNG = np.random.default_rng(7)
A = RNG.standard_normal((14, 3))
MIXED = np.where(RNG.random(14) < 0.5, 1, -1)
PARTED = np.where(A @ [1.0, -2.0, 0.5] > 0, 1, -1)


def test_solve_says_that_there_is_no_minimiser():
    problem = pc.logistic(A, PARTED, lam=0)
    assert any("lam = 0" in note for note in problem.loss.notes)
    with pytest.raises(ValueError, match="no minimiser"):
        pc.solve(problem, method="pgd", iterations=5)
    quasi = pc.logistic(
        [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1, 1, -1], lam=0
    )  # one margin grows, two stay 0
    with pytest.raises(ValueError, match="no minimiser"):
        _ = quasi.f_star


@pytest.mark.parametrize("known", [True, False], ids=["rank known", "rank guessed"])
def test_dependent_columns(monkeypatch, known):
    """lam > 0: the shortest; lam = 0: what steps from x0 reach, the rest of x0 kept."""
    if not known:
        monkeypatch.setattr("polyak_core.certificates.separation.LARGEST_ELIMINATION", 0)
    doubled = np.hstack([A, A[:, :1], np.zeros((14, 1))])
    problem = pc.logistic(doubled, MIXED, lam=0.1)
    np.testing.assert_allclose(problem.x_star[0], problem.x_star[3], rtol=1e-14)
    assert problem.x_star[4] == 0
    start = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    flat = pc.logistic(doubled, MIXED, lam=0, x0=start)
    assert flat.reference.proven is known
    assert ("estimate" in flat.f_star_source and "numerical rank 3 of 5" in flat.f_star_source) is not known
    assert flat.x_star[4] == pytest.approx(5, rel=1e-14)
    assert flat.x_star[0] - flat.x_star[3] == pytest.approx(-3, rel=1e-13)
    trace = pc.solve(flat, method="adapt_apg_v2", iterations=2000)
    np.testing.assert_allclose(trace.y, flat.x_star, rtol=1e-10)
    assert trace.gap[-1] < 1e-25


def test_no_strong_convexity_and_no_full_rank_is_said():
    """Dependent columns and lam = 1e-40: the gradient's rounding over 4 lam is more than f itself."""
    problem = pc.logistic(np.hstack([A, A]), MIXED, lam=1e-40)
    assert "only min f >= 0" in problem.f_star_source
    assert problem.f_star_error > 1e-20
    limit = pc.logistic(A, MIXED, lam=0)  # a minimiser in half the columns has the same margins
    assert 0 <= problem.f_star - limit.f_star <= problem.f_star_error + 1e-14


def test_a_weak_bound_says_so(monkeypatch):
    """Products alone and lam = 0: nothing but min f >= 0."""
    monkeypatch.setattr("polyak_core.certificates.curvature_bound.SMALL_SIDE", 2)
    found = logistic_reference(Sample(sparse.csr_array(A), MIXED, 0.0, None), np.zeros(3))
    assert "only min f >= 0" in found.source
    assert found.error >= found.f_star
    best = pc.logistic(A, MIXED, lam=0)
    assert found.f_star == pytest.approx(best.f_star, rel=1e-14)
    np.testing.assert_allclose(found.x_star, best.x_star, rtol=1e-10)


@pytest.mark.parametrize("kind", ["sparse", "centred"])
def test_products_alone_reach_the_same(kind):
    mean = A.mean(axis=0)
    matrix = sparse.csr_array(A) if kind == "sparse" else Centred(sparse.csr_array(A), mean)
    dense = A if kind == "sparse" else A - mean
    for lam in (1.0, 1e-4):
        found = logistic_reference(Sample(matrix, MIXED, lam, None), np.zeros(3))
        direct = logistic_reference(Sample(dense, MIXED, lam, Factorisation.of(dense)), np.zeros(3))
        np.testing.assert_allclose(found.x_star, direct.x_star, rtol=1e-14)
        assert found.f_star == pytest.approx(direct.f_star, rel=1e-15)
        assert found.error <= max(1e-20, 1e4 * direct.error)


def test_a_general_solver_finds_the_same():
    problem = pc.logistic(A, MIXED, lam=0.2)
    other = minimize(problem.f, np.ones(3), jac=problem.loss.grad, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(problem.x_star, other.x, atol=1e-7)
    terms = (A.shape[0] + 8) * EPS  # rounding of a sum of terms that are not negative
    assert problem.f_star <= other.fun * (1 + terms)


def test_where_x0_lies_does_not_matter():
    near, far = (pc.logistic(A, MIXED, lam=1e-3, x0=x0) for x0 in (np.zeros(3), 1e8 * np.ones(3)))
    np.testing.assert_array_equal(near.x_star, far.x_star)


@wide
@pytest.mark.parametrize(("name", "lam"), [("sonar", 0.004), ("musk", 100.0)])
def test_the_papers_data(name, lam):
    data = pc.load_dataset(name, scaling="center")
    problem = pc.logistic(data.X, data.y, lam=lam)
    assert problem.f_star_error <= 1e-20 * max(1, problem.f_star)
    assert np.linalg.norm(problem.loss.grad(problem.x_star)) <= 1e-11 * problem.L * np.linalg.norm(
        problem.x_star
    )


@wide
@pytest.mark.madelon
def test_madelon():
    data = np.load(Path(os.environ["POLYAK_DATA_DIR"]) / "madelon.npz")
    problem = pc.logistic(data["X"] - data["X"].mean(axis=0), data["y"], lam=1000.0)
    assert problem.f_star_error <= 1e-20 * problem.f_star
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=500)
    assert trace.first_below(1e-3) is not None


def test_too_large_to_factorise(monkeypatch):
    """L a proven upper bound, said so; x* by products alone."""
    monkeypatch.setattr("polyak_core.problems.logistic.factorise", lambda matrix: None)
    large, plain = pc.logistic(sparse.csr_array(A), MIXED, lam=0.3), np.linalg.norm(A, 2) ** 2 / 4 + 0.6
    assert plain <= large.L <= 3 * plain
    assert large.mu == 0.6
    assert "too large to factorise: L is a proven upper bound" in large.describe()
    assert large.f_star_error < 1e-20
    assert pc.solve(large, method="adapt_apg_v2", iterations=300).gap[-1] < 1e-25


def test_a_plane_that_separates_centred_data_is_found():
    parted = Centred(sparse.csr_array(A), A.mean(axis=0))
    with pytest.raises(ValueError, match="separates the classes"):
        _ = pc.logistic(parted, np.where(parted @ [1.0, -2.0, 0.5] > 0, 1, -1), lam=0).x_star
