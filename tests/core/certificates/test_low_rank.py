"""The certificate of matrix completion: x*, f*, the bound, and the cases where it must be weaker."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from cases import small_completion
from hypothesis import given, settings
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.arrays import EXTENDED, EXTENDED_EPS
from polyak_core.certificates import completion as low_rank
from polyak_core.certificates.factored import LowRank, Observed


@pytest.fixture(scope="module")
def paper():
    return pc.paper_problem("matrix_completion")


def plain_gap_of(p, lam):
    """f(x*) less the dual value of its own residual, by nothing but the definitions."""
    mask, Y = p.loss.mask.reshape(p.shape), p.loss.Y.reshape(p.shape)
    R = mask * (Y - p.x_star)
    R *= min(1.0, lam / np.linalg.norm(2 * R, 2))
    return p.f(p.x_star) - (2 * np.sum(R * Y) - np.sum(R * R))


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_known_minima_in_any_units(seed):
    """Orthogonal columns, all entries seen: a column of length s > lam/2 costs lam s - lam^2/4, else s^2.

    One column and its entries that are seen are such a case too.
    """
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 5), rng.integers(1, 4)
    Y = np.zeros((n * m, m))
    for j in range(m):
        Y[n * j : n * (j + 1), j] = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4)
    mask = np.ones(Y.shape) if m > 1 else rng.random(Y.shape) < 0.7
    lam = float(np.abs(Y).max() * 10.0 ** rng.uniform(-4, 0.5))
    problem = pc.matrix_completion(Y, mask, lam)
    error, half = Decimal(problem.f_star_error), Decimal(math.ulp(problem.f_star)) / 2
    with localcontext() as context:
        context.prec = 80
        weight, best = Decimal(lam), Decimal(0)
        for column in (Y * mask).T:
            squared = sum(Decimal(float(v)) ** 2 for v in column)
            long = 4 * squared > weight * weight
            best += weight * squared.sqrt() - weight * weight / 4 if long else squared
        slack = best * Decimal("1e-70")
        assert abs(Decimal(problem.f_star) - best) <= error + half + slack
        if m == 1:
            x = [Decimal(float(v)) for v in problem.x_star.ravel()]
            there = zip(x, Y.ravel(), mask.ravel(), strict=True)
            away = sum((a - Decimal(float(b))) ** 2 for a, b, is_entry in there if is_entry)
            assert away + weight * sum(v * v for v in x).sqrt() - best <= error + slack


def test_the_papers_problem(paper):
    assert paper.shape == (30, 30)
    assert paper.loss.mask.sum() == 200
    assert np.linalg.matrix_rank(paper.x_star, tol=1e-9) in (9, 10)
    assert paper.f_star_error <= (2e-15 if EXTENDED_EPS < 1e-18 else 1e-11)
    assert "Newton" in paper.f_star_source
    assert abs(plain_gap_of(paper, 0.01)) <= 1e-11
    assert paper.f(paper.x_star) == pytest.approx(paper.f_star, abs=1e-13)


def test_the_papers_solution_satisfies_its_conditions(paper):
    """2 P(Y - X*) = lam (U V' + W), W off the singular vectors of X* and shorter than 1."""
    U, s, Vt = np.linalg.svd(paper.x_star)
    r = int(np.count_nonzero(s > 1e-9))
    Z = 2 * paper.loss.mask.reshape(30, 30) * (paper.loss.Y.reshape(30, 30) - paper.x_star) / 0.01
    np.testing.assert_allclose(U[:, :r].T @ Z @ Vt[:r].T, np.eye(r), atol=1e-11)
    np.testing.assert_allclose(U[:, r:].T @ Z @ Vt[:r].T, 0, atol=1e-11)
    np.testing.assert_allclose(U[:, :r].T @ Z @ Vt[r:].T, 0, atol=1e-11)
    assert np.linalg.norm(U[:, r:].T @ Z @ Vt[r:].T, 2) < 1 - 1e-3


CASES = {
    "tall": ((6, 4), 0.3),
    "wide": ((4, 6), 0.3),
    "row": ((1, 5), 0.3),
    "column": ((5, 1), 0.3),
    "square": ((7, 7), 0.05),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scale", [1.0, 1e-100, 1e70])
def test_certificates_of_all_shapes_and_scales(case, scale):
    shape, lam = CASES[case]
    rng = np.random.default_rng(5)
    Y, mask = scale * rng.standard_normal(shape), rng.random(shape) < 0.7
    p = pc.matrix_completion(Y, mask, scale * lam)
    assert p.f_star_error <= (1e-14 if EXTENDED_EPS < 1e-18 else 1e-11) * p.f_star
    assert abs(plain_gap_of(p, scale * lam)) <= 1e-12 * p.f_star
    assert "weaker" not in p.f_star_source


def lam_max(Y, mask):
    return float(np.linalg.norm(2 * np.asarray(Y) * mask, 2))


def test_x_star_is_zero_from_lam_max_on():
    rng = np.random.default_rng(0)
    Y, mask = rng.standard_normal((5, 4)), rng.random((5, 4)) < 0.7
    edge = lam_max(Y, mask)
    for lam in (edge * (1 + 1e-12), 3 * edge):
        p = pc.matrix_completion(Y, mask, lam)
        assert not p.x_star.any()
        assert "X* = 0" in p.f_star_source
        assert p.f_star == pytest.approx(np.sum((Y * mask) ** 2), rel=1e-15)
        assert p.f_star_error <= 1e-20
    below = pc.matrix_completion(Y, mask, edge * (1 - 1e-5))
    assert np.linalg.matrix_rank(below.x_star, tol=1e-12) == 1
    assert below.f_star < pc.matrix_completion(Y, mask, edge).f_star


def test_degenerate_data():
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((5, 4))
    nothing = pc.matrix_completion(Y, np.zeros((5, 4), bool), 0.3)
    assert (nothing.f_star, nothing.f_star_error) == (0.0, 0.0)
    assert not nothing.x_star.any()
    assert pc.solve(nothing, x0=Y, iterations=3000, target=1e-10).gap[-1] <= 1e-10 * nothing.gap(Y)
    zero = pc.matrix_completion(0 * Y, np.ones((5, 4)), 0.3)
    assert pc.solve(zero).outcome == pc.Outcome.EXACT
    full = pc.matrix_completion(Y, np.ones((5, 4)), 0.3)
    assert (full.mu, full.mu_restricted, full.condition_number) == (2.0, 2.0, 1.0)
    U, s, Vt = np.linalg.svd(Y, full_matrices=False)
    np.testing.assert_allclose(full.x_star, (U * np.maximum(s - 0.15, 0)) @ Vt, atol=1e-14)
    assert pc.solve(full, "apg", iterations=1).gap[-1] <= 1e-25


def test_lam_zero_keeps_the_start_where_nothing_is_observed():
    rng = np.random.default_rng(0)
    Y, mask, x0 = rng.standard_normal((5, 4)), rng.random((5, 4)) < 0.5, np.ones((5, 4))
    p = pc.matrix_completion(Y, mask, 0, x0=x0)
    np.testing.assert_array_equal(p.x_star, np.where(mask, Y, 1.0))
    assert (p.f_star, p.f_star_error) == (0.0, 0.0)
    assert pc.solve(p, "pgd", iterations=5).outcome == pc.Outcome.EXACT


def test_an_uncertain_rank_is_said_and_bounded(monkeypatch):
    monkeypatch.setattr(low_rank, "ITERATIONS", (200, 3000))
    p = small_completion(lam=1e-10)
    assert "weaker bound" in p.f_star_source
    assert p.f_star_error > 1e-12 * p.f_star
    assert p.f(p.x_star) - p.f_star_error <= 1e-10 * np.linalg.norm(p.loss.Y.reshape(p.shape), "nuc")  # f(Y)


def test_a_problem_too_large_for_newton_has_a_run_and_a_bound(monkeypatch):
    exact = small_completion()
    f_star, error = exact.f_star, exact.f_star_error
    monkeypatch.setattr(low_rank, "LARGEST_NEWTON", 0)
    p = small_completion()
    assert "accelerated run" in p.f_star_source
    assert abs(p.f_star - f_star) <= p.f_star_error
    assert error < p.f_star_error <= 2e-12 * p.f_star


@given(seed=st.integers(0, 2**32 - 1), rank=st.integers(0, 4), lam=st.sampled_from([0.01, 0.5, 4.0]))
def test_the_duality_bound_holds_for_any_point(seed, rank, lam):
    rng = np.random.default_rng(seed)
    p = small_completion(lam=lam, seed=2)
    Y, mask = (a.reshape(6, 4).astype(EXTENDED) for a in (p.loss.Y, p.loss.mask))
    G, H = (rng.standard_normal((n, rank)).astype(EXTENDED) for n in (6, 4))
    X = np.asarray(G @ H.T, dtype=float)
    bound = low_rank.duality_bound(Observed(Y, mask, lam), X, LowRank(G, H))
    assert bound >= p.gap(X) * (1 - 1e-12)


@pytest.mark.parametrize("n", [1, 2, 4, 16])
def test_the_norm_bound_is_tight_where_all_singular_values_agree(n):
    """Hadamard matrices: every singular value is sqrt(n), a number without rounding for n = 1, 4, 16."""
    Z = np.ones((1, 1), dtype=EXTENDED)
    while len(Z) < n:
        Z = np.block([[Z, Z], [Z, -Z]])
    bound = low_rank.spectral_norm_bound(Z)
    exact = np.sqrt(EXTENDED(n))
    assert exact <= bound <= exact * (1 + 1e4 * EXTENDED_EPS)


@given(seed=st.integers(0, 2**32 - 1), gap=st.sampled_from([0.0, 1e-15, 1e-9, 0.5]))
def test_the_norm_bound_is_a_bound(seed, gap):
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((6, 6)))[0].astype(EXTENDED) for _ in range(2))
    Z = (U * np.array([1.0, 1.0, 1 - gap, 0.3, 0.0, 0.0])) @ V.T
    v = V[:, :3] @ rng.standard_normal(3).astype(EXTENDED)
    for _ in range(20):  # a lower bound on the norm, in extended precision
        v = Z.T @ (Z @ v)
        v = v / np.sqrt(v @ v)
    below = np.sqrt((Z @ v) @ (Z @ v) / (v @ v)) * (1 - 64 * EXTENDED_EPS)
    bound = low_rank.spectral_norm_bound(Z)
    assert below <= bound <= 1 + 1e-14 + 1e4 * EXTENDED_EPS  # Z is rounded, and the bound made, in that
