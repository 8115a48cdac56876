"""Matrix completion: golden values, the gap down to its floor, shapes, bad input."""

import json
from itertools import islice

import numpy as np
import pytest
from cases import every_method_without_mu, small_completion

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS


@pytest.fixture(scope="module")
def paper():
    return pc.paper_problem("matrix_completion")


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
def test_the_gap_is_what_subtraction_gives(shape):
    p = small_completion(shape)
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal(shape)
        assert p.gap(X) == pytest.approx(p.f(X) - p.f_star, rel=1e-12)


@pytest.mark.parametrize("method", ["adapt_apg_v2", "adapt_apg_free", "restart_gradient"])
def test_the_papers_problem_is_solved_to_its_floor(paper, method):
    trace = pc.solve(paper, method, iterations=8000, target=1e-18)
    assert trace.outcome == pc.Outcome.TARGET
    assert paper.f_star_error <= trace.floor <= (1e-17 if EXTENDED_EPS < 1e-18 else 1e-14) * trace.gap[0]
    # rounded to float64 entries the point has full rank and is worse, within what the floor says
    assert paper.gap(trace.y) <= trace.gap[-1] + 2 * trace.floor
    assert trace.last_above(1e-8) == pytest.approx(1250, rel=0.5)


@every_method_without_mu
def test_long_runs_neither_rise_nor_turn_nan(method):
    p = small_completion(lam=1.0)
    trace = pc.solve(p, method, iterations=4000)
    assert np.isfinite(trace.gap).all()
    reached = trace.first_below(1e-19)
    assert reached is not None
    assert reached < 400
    assert (trace.gap[10 * reached :] <= 1e-17 * trace.gap[0]).all()
    assert trace.outcome in (pc.Outcome.FLOOR, pc.Outcome.EXACT)


def test_estimates_stay_above_mu_and_below_l():
    full = pc.matrix_completion(np.random.default_rng(0).standard_normal((6, 5)), np.ones((6, 5)), 1.0, L=8)
    trace = pc.solve(full, "adapt_apg_v2", estimator="certified", iterations=300)
    estimates = trace.mu_hat[~trace.frozen]
    assert len(estimates) > 20
    assert (estimates >= 2 * (1 - 1e-9)).all()
    assert (trace.mu <= 8).all()
    assert 2 <= trace.mu[-1] <= 3


def test_fista_keeps_its_bound():
    p = small_completion()
    trace = pc.solve(p, "fista", iterations=300)
    energy = trace.gap[0] + p.L / 2 * np.sum((p.x0 - p.x_star) ** 2)
    assert (trace.gap <= energy / trace.t**2 * (1 + 1e-12)).all()


def test_the_constant_is_two_and_not_one():
    """With 1/2 missing the gradient is 2-Lipschitz: steps of 1/0.9 are too long, said in words."""
    rng = np.random.default_rng(0)
    Y, mask = rng.standard_normal((6, 4)), np.ones((6, 4))
    assert pc.matrix_completion(Y, mask, 0.0).f(0 * Y) == pytest.approx(np.sum(Y**2))
    right = pc.matrix_completion(Y, mask, 0.1)
    wrong = pc.matrix_completion(Y, mask, 0.1, L=0.9)
    assert (right.L, wrong.L) == (2.0, 0.9)
    for method in ("pgd", "fista", "adapt_apg_v2"):
        assert pc.solve(right, method, iterations=50).gap[-1] < 1e-9
        trace = pc.solve(wrong, method, iterations=3000)
        assert trace.outcome in (pc.Outcome.DIVERGED, pc.Outcome.BOUNCING, pc.Outcome.STALLED), trace.message


def test_mu_loc_is_its_definition():
    p = small_completion()
    L, subtract = p.L, []
    trace = pc.solve(p, "fista", iterations=12)
    for step in islice(pc.iterates(p, "fista"), 13):
        g, d = L * (step.x - step.y), step.x - p.x_star
        numerator = p.f_star - p.f(step.y) + np.sum(g * d) - np.sum(g * g) / (2 * L)
        subtract.append(2 * numerator / np.sum(d * d))
    np.testing.assert_allclose(trace.mu_loc[1:], subtract[1:], rtol=1e-9)
    assert trace.mu_loc[0] == trace.mu_loc[1]


def test_matrices_in_and_out():
    x0 = np.arange(24.0).reshape(6, 4) / 24
    p = small_completion(x0=x0)
    np.testing.assert_array_equal(p.x0, x0)
    trace = pc.solve(p, iterations=5)
    step = next(islice(pc.iterates(p, "pgd"), 3, None))
    for point in (p.x_star, p.x0, trace.x, trace.y, step.x, step.y):
        assert point.shape == (6, 4)
    again = pc.Trace.from_dict(json.loads(json.dumps(trace.to_dict())))
    np.testing.assert_array_equal(again.y, trace.y)
    np.testing.assert_array_equal(pc.solve(p, iterations=5, x0=np.asfortranarray(x0)).y, trace.y)
    mask, Y = p.loss.mask.reshape(6, 4), p.loss.Y.reshape(6, 4)
    by_hand = np.sum((mask * (x0 - Y)) ** 2) + 0.3 * np.linalg.norm(x0, "nuc")
    assert p.f(x0) == pytest.approx(by_hand, rel=1e-14)
    assert p.gap(x0) == pytest.approx(by_hand - p.f_star, rel=1e-12)
    assert trace.gap[0] == p.gap(x0)
    assert "0.3 ||X||_*" in p.describe()
    assert "6 x 4" in p.describe()


def test_points_of_other_problems_are_vectors_as_before():
    p = pc.least_squares(np.eye(3), np.ones(3))
    assert p.shape == (3,)
    assert pc.solve(p, iterations=2).y.shape == p.x_star.shape == p.form.lift(p.x0).shape == (3,)


@pytest.mark.parametrize("wrong", [np.zeros(24), np.zeros((4, 6)), np.zeros((6, 4, 1)), np.zeros((6, 3))])
def test_points_of_another_shape_are_refused(wrong):
    p = small_completion()
    for call in (p.f, p.gap, lambda x: small_completion(x0=x), lambda x: pc.solve(p, x0=x)):
        with pytest.raises(ValueError, match="shape"):
            call(wrong)


def test_what_is_not_observed_does_not_matter():
    rng = np.random.default_rng(0)
    Y, mask = rng.standard_normal((5, 4)), rng.random((5, 4)) < 0.6
    assert not mask.all()
    holes = np.where(mask, Y, np.nan)
    f_star = pc.matrix_completion(Y, mask, 0.3).f_star
    assert pc.matrix_completion(holes, mask, 0.3).f_star == f_star
    assert pc.matrix_completion(np.where(mask, Y, np.inf), mask.astype(int), 0.3).f_star == f_star
    with pytest.raises(ValueError, match="where it is observed"):
        pc.matrix_completion(holes, mask | True, 0.3)


def test_input_of_all_kinds_is_taken_and_left_alone():
    rng = np.random.default_rng(0)
    Y, mask = np.round(4 * rng.standard_normal((5, 4))), rng.random((5, 4)) < 0.6
    f_star = pc.matrix_completion(Y, mask, 0.3).f_star
    for kind in (np.float32, np.int64, np.float64):
        for order in "CF":
            numbers, places = np.array(Y, dtype=kind, order=order), np.array(mask, dtype=kind, order=order)
            numbers.setflags(write=False)
            places.setflags(write=False)
            p = pc.matrix_completion(numbers, places, 0.3, x0=np.zeros((5, 4), kind))
            assert p.f_star == f_star
            pc.solve(p, iterations=3)
            np.testing.assert_array_equal(numbers, Y)
    mine = Y.copy()
    p = pc.matrix_completion(mine, mask, 0.3)
    mine[:] = 0
    assert p.f_star == f_star


EYE = np.eye(3)


BAD = [
    (lambda: pc.matrix_completion(EYE, EYE, -0.1), ["lam", "-0.1", ">= 0"]),
    (lambda: pc.matrix_completion(EYE, EYE, np.nan), ["lam", "nan"]),
    (lambda: pc.matrix_completion(EYE, np.ones((3, 2)), 1), ["mask", "(3, 2)", "(3, 3)"]),
    (lambda: pc.matrix_completion(EYE, 2 * EYE, 1), ["mask", "0 and 1"]),
    (lambda: pc.matrix_completion(EYE, 0.5 * EYE, 1), ["mask", "0 and 1"]),
    (lambda: pc.matrix_completion(EYE, EYE.astype(str), 1), ["mask", "0 and 1"]),
    (lambda: pc.matrix_completion(EYE, np.nan * EYE, 1), ["mask", "0 and 1"]),
    (lambda: pc.matrix_completion(np.ones(3), np.ones(3), 1), ["Y", "2 axes"]),
    (lambda: pc.matrix_completion(np.ones((0, 3)), np.ones((0, 3)), 1), ["Y", "empty"]),
    (lambda: pc.matrix_completion([["a"]], [[1]], 1), ["Y", "real numbers"]),
    (lambda: pc.matrix_completion(EYE, EYE, 1, L=-2), ["L = -2"]),
    (lambda: pc.matrix_completion(EYE, EYE, 1, x0=np.nan * EYE), ["x0", "NaN"]),
    (lambda: pc.solve(pc.matrix_completion(EYE, EYE, 1), "apg"), ["mu = 0"]),
    (lambda: pc.solve(pc.matrix_completion(EYE, EYE, 1), f_star="dual"), ["dual"]),
    (lambda: pc.paper_problem("matrix_completion", "lasso"), ["'lasso'"]),
    (lambda: pc.paper_problem("sonar"), ["loss"]),
]


@pytest.mark.parametrize(("call", "fragments"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_bad_input_is_named(call, fragments):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_the_gradient_is_twice_the_error_where_it_is_observed():
    p = small_completion()
    rng = np.random.default_rng(0)
    x, move = rng.standard_normal((2, 24))
    slope = (p.loss.value(x + 1e-6 * move) - p.loss.value(x - 1e-6 * move)) / 2e-6
    assert p.loss.grad(x) @ move == pytest.approx(slope, rel=1e-8)
    assert not p.loss.grad(x)[p.loss.mask == 0].any()


def test_other_representations_are_refused():
    with pytest.raises(ValueError, match="diagonal"):
        _ = pc.Problem(small_completion().loss, representation="G").form
