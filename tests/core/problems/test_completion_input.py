"""Matrix completion: matrices in and out, and what is refused."""

import json
from itertools import islice

import numpy as np
import pytest

import polyak_core as pc


def small(shape=(6, 4), lam=0.3, seed=1, **keywords):
    rng = np.random.default_rng(seed)
    return pc.matrix_completion(rng.standard_normal(shape), rng.random(shape) < 0.6, lam, **keywords)


def test_matrices_in_and_out():
    x0 = np.arange(24.0).reshape(6, 4) / 24
    p = small(x0=x0)
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
    p = small()
    for call in (p.f, p.gap, lambda x: small(x0=x), lambda x: pc.solve(p, x0=x)):
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
            given, seen = np.array(Y, dtype=kind, order=order), np.array(mask, dtype=kind, order=order)
            given.setflags(write=False)
            seen.setflags(write=False)
            p = pc.matrix_completion(given, seen, 0.3, x0=np.zeros((5, 4), kind))
            assert p.f_star == f_star
            pc.solve(p, iterations=3)
            np.testing.assert_array_equal(given, Y)
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
    p = small()
    rng = np.random.default_rng(0)
    x, move = rng.standard_normal((2, 24))
    slope = (p.loss.value(x + 1e-6 * move) - p.loss.value(x - 1e-6 * move)) / 2e-6
    assert p.loss.grad(x) @ move == pytest.approx(slope, rel=1e-8)
    assert not p.loss.grad(x)[p.loss.mask == 0].any()


def test_other_representations_are_refused():
    with pytest.raises(ValueError, match="diagonal"):
        _ = pc.Problem(small().loss, representation="G").form
