"""Distances and slopes of log(1 + e^-m) to full precision, and the lifted points made of them."""

from decimal import Decimal, localcontext
from itertools import islice

import numpy as np
import pytest
from cases import every_method, wide
from hypothesis import example, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.arrays import EXTENDED
from polyak_core.lifted.softplus import Softplus, bregman, slope_change
from polyak_core.methods.keywords import parameters

moves = st.one_of(
    st.floats(-1e4, 1e4), st.floats(-3, 3), st.floats(-1e-3, 1e-3), st.floats(-20, 0).map(lambda e: 10.0**e)
)
margins = st.one_of(st.floats(-1e4, 1e4), st.floats(-50, 50), st.floats(-1, 1))
SMALLEST = 5e-324
"""Numbers below 10^-308 are rounded to multiples of this."""
PLACES = [0.0, 1e-9, -0.3, 1.0, -1.0, 7.5, 30.0, -30.0, 50.0, -50.0, 200.0, -1e4, 1e4]
SIZES = [
    1e-18,
    3e-12,
    1e-7,
    9.99e-4,
    1e-3,
    1.01e-3,
    0.02,
    0.1249,
    0.125,
    0.1251,
    0.6,
    1.0,
    5.0,
    29.9,
    30.1,
    50.0,
    100.0,
    700.0,
    1e4,
]


def exact(m, d):
    """phi(m + d) - phi(m) - phi'(m) d and phi'(m + d) - phi'(m) with digits enough to subtract."""
    with localcontext() as context:
        context.prec = 260
        m, d = Decimal(m), Decimal(d)
        slopes = [-1 / (1 + at.exp()) for at in (m, m + d)]
        ratio = (1 + (-m - d).exp()) / (1 + (-m).exp())
        return ratio.ln() - slopes[0] * d, slopes[1] - slopes[0]


def relative(actual, expected):
    """Error relative to the truth; what float64 cannot hold is 0."""
    if abs(expected) < Decimal("1e-290"):
        return abs(actual)
    return float(abs(Decimal(float(actual)) / expected - 1))


@pytest.mark.parametrize("m", [place for place in PLACES if abs(place) < 1e3])
def test_distances_and_slopes_are_exact(m):
    for d in [sign * size for size in SIZES if size < 1e3 for sign in (1, -1)]:
        distance, change = exact(m, d)
        # the sum m + d is rounded, and e^(m + d) with it
        rounded = 8 * np.finfo(float).eps * (8 + abs(m) + abs(d))
        assert relative(bregman(np.array(m), np.array(d)), distance) < rounded, d
        assert relative(slope_change(np.array(m), np.array(d)), change) < rounded, d
        around = Softplus(np.array([m]))
        assert relative(around.rise(np.array([d])), distance) < rounded, d
        ours = around.slope_change(np.array([d]))[0]
        rough = 3e-16 if abs(d) >= 2**-6 else 0.0
        assert relative(ours, change) < rounded or abs(Decimal(float(ours)) - change) < rough, d


@pytest.mark.parametrize(
    ("m", "d"), [(1e4, -1e4), (1e4, -2e4), (-1e4, 1.0), (-1e4, 2e4), (3.0, 1e4), (0.0, -1e4)]
)
def test_huge_margins(m, d):
    """By asymptotics: phi(m) = max(-m, 0) but for e^-|m|."""
    distance = max(-(m + d), 0) - max(-m, 0) + d / (1 + np.exp(min(m, 700)))
    if m + d == 0:
        distance += np.log(2)
    if m == 0:
        distance -= np.log(2)
    if m == 3:
        distance -= np.log1p(np.exp(-3))
    assert bregman(np.array(m), np.array(d)) == pytest.approx(distance, rel=1e-12, abs=1e-300)
    change = 1 / (1 + np.exp(min(m, 700))) - 1 / (1 + np.exp(min(m + d, 700)))
    assert slope_change(np.array(m), np.array(d)) == pytest.approx(change, rel=1e-12, abs=1e-300)


@given(margins, moves)
@example(1e-15, 2.2250738585e-313)
def test_signs_and_bounds(m, d):
    """Nothing is negative or overflows, and phi'' <= 1/4 bounds both; (m, d) -> (-m, -d) changes nothing."""
    m, d = np.array([m, 1.0]), np.array([d, 0.0])
    distance, change = bregman(m, d), slope_change(m, d)
    assert 0 <= distance[0] <= d[0] ** 2 / 8 * (1 + 1e-12) + SMALLEST
    assert 0 <= change[0] * np.sign(d[0]) <= abs(d[0]) / 4 * (1 + 1e-12) + SMALLEST
    assert distance[1] == change[1] == 0
    np.testing.assert_allclose(bregman(-m, -d), distance, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(slope_change(-m, -d), -change, rtol=1e-13, atol=1e-300)


def test_a_nan_stays_alone():
    """Runs side by side: one that overflowed does not spoil another."""
    m, d = np.array([1.0, 2.0, 3.0]), np.array([[np.nan, 9.0, 1e-5]])
    ours = bregman(m, d)
    both = Softplus(m).rise(np.concatenate([d, [[1e-5, 9.0, 1e-5]]]))
    assert np.isnan(both[0, 0])
    assert both[1, 0] == pytest.approx(bregman(m, np.array([1e-5, 9.0, 1e-5])).sum(), rel=1e-14)
    np.testing.assert_array_equal(Softplus(m).slope_change(d), slope_change(m, d))
    assert np.isnan(ours[0, 0])
    assert ours[0, 1] == bregman(np.array(2.0), np.array(9.0))
    assert ours[0, 2] == pytest.approx(bregman(np.array(3.0), np.array(1e-5)), rel=1e-14)


@pytest.mark.parametrize("far", [0.1, 3.0, 20.0])
@pytest.mark.parametrize("size", [100.0, 3.0, 0.5, 0.2, 0.06, 0.02, 5e-3, 1e-4, 1e-9, 1e-100])
def test_many_margins_together_are_as_exact_as_one_by_one(size, far):
    """Slopes to EPS while moves are large, then relative to each; sums always."""
    rng = np.random.default_rng(3)
    m, d = far * rng.standard_normal(500), size * rng.standard_normal((2, 500))
    around, slopes = Softplus(m), slope_change(m, d)
    expected = bregman(m, d).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(around.rise(d), expected, rtol=4e-15)
    np.testing.assert_allclose(around.rise(d[0]), expected[0, 0], rtol=4e-15)
    if np.abs(d).max() > 2**-4:
        np.testing.assert_allclose(around.slope_change(d), slopes, rtol=0, atol=4e-16)
    else:
        np.testing.assert_allclose(around.slope_change(d), slopes, rtol=2e-14)


def test_a_run_gets_the_same_numbers_in_any_company():
    rng = np.random.default_rng(3)
    loss = Softplus(3 * rng.standard_normal(200))
    d = rng.standard_normal((90, 200)) * np.geomspace(1e-12, 50, 90)[:, None]
    d[7, 3], d[40, 0], d[80] = 4.0, np.inf, np.nan
    for work in (loss.slope_change, loss.rise):
        with np.errstate(all="ignore"):
            alone = np.array([work(one) for one in d])
            together = work(d)
        np.testing.assert_array_equal(together.reshape(alone.shape), alone)


@pytest.mark.parametrize("method", ["adapt_apg_v2", "adapt_apg_free", "pgd"])
def test_records_do_not_depend_on_when_the_run_was_looked_at(method):
    rng = np.random.default_rng(4)
    A, labels = rng.standard_normal((60, 8)), rng.choice([-1.0, 1.0], 60)
    problem = pc.logistic(A, labels, lam=1e-3)
    whole = pc.solve(problem, method, iterations=150)
    run = pc.Run(problem, method, iterations=150)
    while not run.advance(0.0):
        pass
    for column in ("gap", "mu", "mu_hat", "mu_loc", "distance"):
        np.testing.assert_array_equal(getattr(run.trace(), column), getattr(whole, column))


def test_a_few_large_moves_among_many_small_ones():
    m = np.linspace(-40, 40, 1000)
    for large in (0.3, 4.0, 60.0):
        d = np.full(1000, 1e-9)
        d[::250] = large
        assert Softplus(m).rise(d) == pytest.approx(bregman(m, d).sum(), rel=1e-14)
        np.testing.assert_allclose(Softplus(m).slope_change(d), slope_change(m, d), rtol=0, atol=4e-16)


def gauss(m, d):
    """The plain integral by eight points, right for small moves only."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    t = (1 + nodes) / 2
    e = np.exp(-np.abs(m + t * d))
    return d * d * float(weights / 2 @ ((1 - t) * e / (1 + e) ** 2))


@given(st.floats(-40, 40), st.floats(-1, 1))
def test_the_integral_of_the_second_derivative(m, d):
    assert bregman(np.array(m), np.array(d)) == pytest.approx(gauss(m, d), rel=1e-12, abs=1e-290)


def test_gauss_points_alone_fail_for_large_moves():
    assert abs(gauss(2.0, -60.0) / bregman(np.array(2.0), np.array(-60.0)) - 1) > 1e-3


RNG = np.random.default_rng(11)
A, LABELS = RNG.standard_normal((14, 5)), np.where(RNG.random(14) < 0.5, 1, -1)
PROBLEM = pc.logistic(A, LABELS, lam=0.03)


def extended(x):
    """f in extended precision, naively."""
    x = np.asarray(x, dtype=EXTENDED)
    m = LABELS * (A.astype(EXTENDED) @ x)
    return np.logaddexp(0, -m).sum() + EXTENDED(0.03) * (x @ x)


@given(st.lists(st.floats(-5, 5), min_size=5, max_size=5))
def test_gap_and_gradient_of_lifted_points(x):
    x = np.array(x)
    form = PROBLEM.form
    z = form.lift(x)
    np.testing.assert_allclose(form.point(z), x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(form.gradient(z), PROBLEM.loss.grad(x), rtol=1e-10, atol=1e-12)
    by_subtraction = float(extended(x) - extended(PROBLEM.x_star))
    assert PROBLEM.gap(x) == pytest.approx(by_subtraction, rel=1e-12, abs=1e-14)


def test_the_gap_close_to_the_minimum_is_the_quadratic_one():
    """1/2 d'Hd, H the Hessian at x*: far below what a subtraction can see."""
    p = 1 / (1 + np.exp(LABELS * (A @ PROBLEM.x_star)))
    hessian = (A.T * (p * (1 - p))) @ A + 2 * 0.03 * np.eye(5)
    form, d = PROBLEM.form, RNG.standard_normal(5)
    for size in (1e-9, 1e-20, 1e-60, 1e-120):
        z = form.relift(size * d)
        assert form.gap(z) == pytest.approx(size * size * (d @ hessian @ d) / 2, rel=20 * max(size, 1e-15))
        np.testing.assert_allclose(form.gradient(z), size * (hessian @ d), rtol=20 * max(size, 1e-14))


@wide
@pytest.mark.parametrize("method", ["pgd", "fista", "adapt_apg_v2"])
def test_mu_loc_is_the_definition(method):
    """2 (f* - f(T(x)) - g'(x* - x) - ||g||^2/(2L)) / ||x - x*||^2, subtracted in extended precision."""
    trace = pc.solve(PROBLEM, method=method, iterations=25)
    f_star = extended(PROBLEM.x_star)
    for step in islice(pc.iterates(PROBLEM, method), 1, 25):
        g, d = PROBLEM.L * (step.x - step.y), step.x - PROBLEM.x_star
        above = float(f_star - extended(step.y) + g @ d - g @ g / (2 * PROBLEM.L))
        assert trace.mu_loc[step.k] == pytest.approx(2 * above / (d @ d), rel=1e-6)
    assert trace.mu_loc[0] == trace.mu_loc[1]
    assert np.all(trace.mu_loc >= PROBLEM.mu * (1 - 1e-9))
    assert np.all(trace.mu_loc <= PROBLEM.L * (1 + 1e-9))


def test_mu_loc_is_nan_only_where_x_star_is_not_known_well_enough():
    trace = pc.solve(PROBLEM, method="adapt_apg_v2", iterations=400)
    resolution = np.finfo(float).eps * PROBLEM.condition_number * np.linalg.norm(PROBLEM.x_star)
    assert trace.distance[0] > resolution > trace.distance[-1]
    np.testing.assert_array_equal(np.isnan(trace.mu_loc), trace.distance <= resolution)


@wide
def test_curvature_is_that_of_f():
    form, s = PROBLEM.form, RNG.standard_normal(5)
    for size in (1e-3, 1.0, 30.0):
        x, y = np.ones(5), np.ones(5) + size * s
        rise = extended(y) - extended(x) - size * (PROBLEM.loss.grad(x) @ s)
        expected = 2 * float(rise) / (size**2 * (s @ s))
        assert form.curvature(form.lift(x), form.lift(y)) == pytest.approx(expected, rel=1e-6)
    assert np.isnan(form.curvature(form.lift(x), form.lift(x)))


@pytest.mark.parametrize("estimator", ["polyak", "certified", "model"])
@every_method
def test_stacked_runs_are_the_single_runs(method, estimator):
    """Leading axes are runs: lifted points (r, N), numbers (r, 1)."""
    extra = {"estimator": estimator} if method in {"adapt_apg", "adapt_apg_v2"} else {}
    if estimator != "polyak" and not extra:
        return
    arguments = parameters(PROBLEM, method, **extra).arguments
    starts = np.random.default_rng(5).standard_normal((3, 5))
    oracle = PROBLEM.oracle()
    points = [oracle.lift(x) for x in starts]
    generator = pc.METHODS[method].generator
    runs = [generator(oracle, z, **arguments) for z in (np.stack(points), *points)]
    for both, *one in islice(zip(*runs, strict=True), 40):
        np.testing.assert_allclose(both.y, np.stack([step.y for step in one]), rtol=1e-7, atol=1e-13)
        expected = np.array([[step.mu] for step in one], dtype=float)
        np.testing.assert_allclose(np.broadcast_to(both.mu, (3, 1)), expected, rtol=1e-7)


def test_one_product_serves_stacked_runs():
    own = PROBLEM.oracle()
    own.prox_step(own.lift(np.ones((4, 5))))
    assert own.counts.products == 1 + 2
