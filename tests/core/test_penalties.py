"""The nuclear norm: prox, subgradients, distance from a tangent; against definitions and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyak_core.arrays import EPS
from polyak_core.penalties import Decomposition, Nuclear, above_tangent

SHAPES = [(1, 1), (1, 4), (4, 1), (3, 3), (5, 3), (3, 5)]
lams = st.sampled_from([1e-3, 0.5, 1.0, 20.0])
seeds = st.integers(0, 2**32 - 1)


def eigen_prox(M, level):
    """The prox by an eigendecomposition of M'M, another way than the one under test."""
    values, V = np.linalg.eigh(M.T @ M)
    s = np.sqrt(np.maximum(values, 0.0))
    shrunk = np.where(s > level, 1 - level / np.where(s > level, s, 1.0), 0.0)
    return M @ (V * shrunk) @ V.T


def norm2(M):
    return np.linalg.norm(M, 2)


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=seeds, lam=lams)
def test_prox_agrees_with_another_program_and_with_its_optimality(shape, seed, lam):
    v = np.random.default_rng(seed).standard_normal(shape)
    penalty, step = Nuclear(lam, shape), 0.3
    X = penalty.prox(v.ravel(), step).reshape(shape)
    np.testing.assert_allclose(X, eigen_prox(v, lam * step), atol=1e-7)
    xi = (v - X) / step  # a subgradient at X: of norm <= lam, with <xi, X> = psi(X)
    assert norm2(xi) <= lam + 1e-13
    assert np.sum(xi * X) == pytest.approx(penalty.value(X.ravel()), rel=1e-9, abs=1e-12)


@given(seed=seeds, lam=lams)
def test_value_is_lam_times_the_trace_of_the_root(seed, lam):
    M = np.random.default_rng(seed).standard_normal((4, 3))
    roots = np.sqrt(np.linalg.eigvalsh(M.T @ M))
    assert Nuclear(lam, (4, 3)).value(M.ravel()) == pytest.approx(lam * roots.sum(), rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=seeds, lam=lams)
def test_bregman_agrees_with_the_subtraction(shape, seed, lam):
    rng = np.random.default_rng(seed)
    penalty = Nuclear(lam, shape)
    u, source = rng.standard_normal((2, np.prod(shape)))
    v = penalty.prox(source, 0.5 / lam)
    xi = penalty.tidy(v, (source - v) * 2 * lam)
    expected = penalty.value(u) - penalty.value(v) - xi @ (u - v)
    value = penalty.bregman(u, v, xi)
    assert value >= 0
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12 * lam)


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5)])
@given(seed=seeds)
def test_bregman_of_a_point_on_the_same_face_is_not_rounding(shape, seed):
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((n, 2)))[0] for n in shape)
    penalty = Nuclear(0.7, shape)
    v, u = ((U * s) @ V.T for s in ([3.0, 1.0], [0.5, 2.0]))  # one subgradient serves both: 0.7 U V'
    xi = penalty.tidy(v.ravel(), 0.7 * (U @ V.T).ravel())
    value = penalty.bregman(u.ravel(), v.ravel(), xi)
    rounding = 2 * 0.7 * 2 * EPS * 3  # of the entries of u, which makes it full rank
    assert 0 <= value <= rounding
    low_rank = Decomposition(U, np.array([0.5, 2.0]), V.T) if shape[0] >= shape[1] else None
    if low_rank is not None and shape == (3, 3):
        square = Decomposition(np.c_[U, np.zeros(3)], np.array([0.5, 2.0, 0.0]), np.r_[V.T, np.zeros((1, 3))])
        assert above_tangent(square, penalty.unit(xi)) <= 1e-29


@pytest.mark.parametrize("angle", [1e-1, 1e-5, 1e-9, 1e-12])
def test_bregman_of_a_small_turn_has_its_closed_form(angle):
    """psi(u) = lam, <Z, u> = cos^2 + d sin^2: lam (1 - d) sin^2 in all, far below the rounding of psi."""
    penalty, d = Nuclear(2.0, (2, 2)), 0.25
    turn = np.array([np.cos(angle), np.sin(angle)])
    unit = np.array([-turn[1], turn[0]])
    u = Decomposition(np.c_[turn, unit], np.array([1.0, 0.0]), np.stack([turn, unit]))
    Z = Decomposition(np.eye(2), np.array([1.0, d]), np.eye(2))
    expected = (1 - d) * np.sin(angle) ** 2
    assert above_tangent(u, Z) == pytest.approx(expected, rel=1e-6)
    if angle >= 1e-5:
        value = penalty.bregman(u.matrix().ravel(), np.array([1.0, 0, 0, 0]), np.array([2.0, 0, 0, 2 * d]))
        assert value == pytest.approx(2 * expected, rel=1e-4)


@given(seed=seeds, lam=lams)
def test_tidy_gives_the_subgradient_back_and_cleans_rounding(seed, lam):
    rng = np.random.default_rng(seed)
    penalty = Nuclear(lam, (5, 4))
    U, V = (np.linalg.qr(rng.standard_normal((n, n)))[0][:, :4] for n in (5, 4))
    v = (U * [2.0, 0.5, 0.0, 0.0]) @ V.T
    xi = lam * (U * [1.0, 1.0, 0.8, 0.1]) @ V.T
    noise = 1e-10 * lam * rng.standard_normal(xi.shape)
    value = penalty.tidy(v.ravel(), (xi + noise).ravel()).reshape(5, 4)
    np.testing.assert_allclose(value, xi, atol=1e-8 * lam)
    s = np.linalg.svd(value, compute_uv=False)
    assert s[1] == pytest.approx(lam, rel=1e-14)  # exactly lam on the support, however noisy
    assert s[0] <= lam * (1 + 1e-14)
    assert penalty.tidy(np.zeros(20), xi.ravel()) == pytest.approx(xi.ravel(), abs=1e-14 * lam)


@pytest.mark.parametrize("shape", SHAPES)
def test_stacked_runs_are_single_runs(shape):
    rng = np.random.default_rng(3)
    penalty = Nuclear(0.4, shape)
    u, v = rng.standard_normal((2, 3, np.prod(shape)))
    v = penalty.prox(v, 1.0)
    rough = rng.standard_normal(v.shape)
    xi = penalty.tidy(v, rough)
    gaps = penalty.bregman(u, v, xi)
    assert gaps.shape == (3, 1)
    for j in range(3):
        np.testing.assert_allclose(penalty.prox(u, 0.5)[j], penalty.prox(u[j], 0.5), atol=1e-14)
        np.testing.assert_allclose(xi[j], penalty.tidy(v[j], rough[j]), atol=1e-12)
        alone = penalty.bregman(u[j], v[j], xi[j])
        assert isinstance(alone, float)
        assert gaps[j, 0] == pytest.approx(alone, rel=1e-12)
    one_tangent = penalty.bregman(u, v[0], xi[0])
    assert one_tangent[1, 0] == pytest.approx(penalty.bregman(u[1], v[0], xi[0]), rel=1e-12)


def test_a_matrix_that_overflowed_is_nan_and_no_exception():
    penalty = Nuclear(1.0, (2, 2))
    points = np.array([[3.0, 0, 0, 3.0], [np.inf, 0, 0, 1], [np.nan, 1, 1, 1]])
    moved = penalty.prox(points, 1.0)
    np.testing.assert_allclose(moved[0], [2, 0, 0, 2])
    assert np.isnan(moved[1:]).all()
    assert np.isnan(penalty.prox(points[1], 1.0)).all()
