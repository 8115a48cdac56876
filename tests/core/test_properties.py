"""What must hold for every quadratic, every start and every method."""

from itertools import islice

import numpy as np
import pytest
from cases import STACKING, every_method, every_method_with_a_rule
from hypothesis import example, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.methods.keywords import parameters
from polyak_core.runs.trace import COLUMNS

EPS = np.finfo(float).eps
sizes = st.floats(1e-6, 1.0)
entries = st.floats(-100, 100).map(lambda v: 0.0 if abs(v) < 1e-6 else v)
methods = st.sampled_from(STACKING)
representations = st.sampled_from(["A", "G", "eigenbasis"])


@st.composite
def quadratics(draw, representation=None):
    eigenvalues = draw(st.lists(sizes, min_size=1, max_size=8))
    n = len(eigenvalues)
    x0 = draw(st.lists(entries, min_size=n, max_size=n))
    name = draw(representations) if representation is None else representation
    return pc.quadratic(eigenvalues, x0=x0, representation=name)


@st.composite
def least_squares(draw):
    """Dense, wide, tall, rank-deficient: whole numbers, so that ties are common."""
    m, n = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    row = st.lists(st.integers(-5, 5), min_size=n, max_size=n)
    A = np.array(draw(st.lists(row, min_size=m, max_size=m)), dtype=float)
    b = np.array(draw(st.lists(st.integers(-9, 9), min_size=m, max_size=m)), dtype=float)
    x0 = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float)
    return A, b, x0, draw(representations)


def keywords(problem, method):
    return {"mu": problem.L / 10} if method == "apg" and problem.mu == 0 else {}


@given(quadratics(), methods)
def test_quadratic_runs_are_sound(problem, method):
    trace = pc.solve(problem, method=method, iterations=60)
    assert_sound(problem, method, trace)
    estimates = trace.mu_hat[(trace.gap > 1e-280) & ~trace.frozen & np.isfinite(trace.mu_hat)]
    assert np.all(estimates >= problem.mu * (1 - 1e-6))
    assert np.all(estimates <= problem.L * (1 + 1e-6))


RANK_TWO = np.array([[-1.0, 0, -3, -1, -4], [2, -1, -2, 5, 1]]), np.array([0.0, 8])


@given(least_squares(), methods)
@example((*RANK_TWO, np.array([0.0, -1, 1, 0, -2]), "G"), "adapt_apg_v2")
@example((*RANK_TWO, np.array([0.0, -1, 1, 0, -2]), "G"), "pgd")
def test_least_squares_runs_are_sound(data, method):
    A, b, x0, representation = data
    problem = pc.least_squares(A, b, x0=x0, representation=representation)
    trace = pc.solve(problem, method=method, iterations=60, **keywords(problem, method))
    assert_sound(problem, method, trace)


def assert_sound(problem, method, trace):
    columns = {name: getattr(trace, name) for name in COLUMNS}
    assert {len(column) for column in columns.values()} == {len(trace)}
    assert np.all(trace.gap >= 0)
    assert np.isfinite(trace.gap).all()
    np.testing.assert_array_equal(trace.k, np.arange(len(trace)))
    assert all(np.all(np.diff(getattr(trace, name)) >= 0) for name in ("gradients", "proxes", "products"))
    if method.startswith(("adapt", "apg")):
        assert np.all((trace.mu > 0) & (trace.mu <= problem.L))
    if method.startswith("adapt"):
        assert np.all(np.diff(trace.mu) <= 0)
    if method == "pgd":
        assert np.all(np.diff(trace.gap) <= 4 * EPS * trace.gap[:-1] + trace.floor)
    if problem.mu_restricted > 0 and method in {"adapt_apg_v2", "adapt_apg_free"}:
        certain = np.minimum.accumulate(trace.gap) > trace.floor  # below it estimates are rounding, too
        assert np.all(trace.mu[certain] >= problem.mu_restricted * (1 - 1e-6))
    assert np.isfinite(trace.x).all()
    assert isinstance(trace.outcome, pc.Outcome)
    assert trace.message.endswith(".")


@given(least_squares(), st.lists(st.integers(-40, 40), min_size=5, max_size=5))
def test_the_gap_is_f_minus_its_minimum(data, point):
    A, b, x0, representation = data
    problem = pc.least_squares(A, b, x0=x0, representation=representation)
    x = np.array(point[: x0.size], dtype=float)
    by_subtraction = problem.f(x) - problem.f_star
    assert problem.gap(x) == pytest.approx(by_subtraction, rel=1e-9, abs=1e-10 * (1 + problem.f(x)))


@given(quadratics(representation="eigenbasis"), methods)
def test_recorded_gaps_are_those_of_the_iterates(problem, method):
    trace = pc.solve(problem, method=method, iterations=25)
    steps = list(islice(pc.iterates(problem, method), len(trace)))
    for step, gap, distance in zip(steps, trace.gap, trace.distance, strict=True):
        assert gap == pytest.approx(problem.f(step.y), rel=1e-12, abs=1e-290)
        assert distance == pytest.approx(np.linalg.norm(step.x), rel=1e-12, abs=1e-150)
    np.testing.assert_array_equal(steps[-1].y, trace.y)


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
def test_mu_loc_is_the_definition(representation):
    """2 (f* - f(T(x)) - g'(x* - x) - ||g||^2/(2L)) / ||x - x*||^2, by subtraction where that is accurate."""
    rng = np.random.default_rng(4)
    A, b = rng.standard_normal((15, 5)), rng.standard_normal(15)
    problem = pc.least_squares(A, b, representation=representation)
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=20)
    for step in islice(pc.iterates(problem, "adapt_apg_v2"), 1, 20):
        g, d = problem.L * (step.x - step.y), step.x - problem.x_star
        above = problem.f_star - problem.f(step.y) + g @ d - g @ g / (2 * problem.L)
        assert trace.mu_loc[step.k] == pytest.approx(2 * above / (d @ d), rel=1e-6)
    assert trace.mu_loc[0] == trace.mu_loc[1]
    assert np.all(trace.mu_loc >= problem.mu * (1 - 1e-9))


def test_mu_loc_is_nan_where_x_star_is_not_known_well_enough():
    problem = pc.least_squares(np.diag([1.0, 1e-4]), [1.0, 1.0], x0=[0.0, 1e4 - 1e-4])
    trace = pc.solve(problem, method="pgd", iterations=20)
    resolution = EPS * 1e8 * 1e4
    assert trace.distance[1] > resolution > trace.distance[2]
    np.testing.assert_array_equal(np.isnan(trace.mu_loc), trace.distance <= resolution)


def stacked(problem, method, copies, **changes):
    arguments = parameters(problem, method).arguments | changes
    oracle = problem.oracle()
    start = np.stack([oracle.lift(x) for x in copies])
    return pc.METHODS[method].generator(oracle, start, **arguments)


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
@every_method
def test_stacked_runs_are_the_single_runs(method, representation):
    """Leading axes are runs: lifted points (r, N), numbers (r, 1)."""
    rng = np.random.default_rng(5)
    A, b = rng.standard_normal((12, 4)), rng.standard_normal(12)
    problem = pc.least_squares(A, b, representation=representation)
    starts = rng.standard_normal((3, 4))
    gammas = np.array([[0.5], [1.0], [3.0]])
    changes = {"gamma": gammas} if method == "restart" else {}
    for it in islice(stacked(problem, method, starts, **changes), 40):
        if it.k == 0:
            singles = [single_run(problem, method, i, x, gammas) for i, x in enumerate(starts)]
        one = [next(single) for single in singles]
        scale = np.linalg.norm(np.stack([step.y for step in one]), axis=-1, keepdims=True)
        assert np.all(np.abs(it.y - np.stack([step.y for step in one])) <= 1e-9 * scale)
        for name in ("mu", "t", "log_A", "restarted", "frozen"):
            expected = np.array([[getattr(step, name)] for step in one], dtype=float)
            actual = np.broadcast_to(np.asarray(getattr(it, name), dtype=float), (3, 1))
            np.testing.assert_allclose(actual, expected, rtol=1e-7, err_msg=name)


def single_run(problem, method, i, x, gammas):
    changes = {"gamma": float(gammas[i, 0])} if method == "restart" else {}
    arguments = parameters(problem, method).arguments | changes
    oracle = problem.oracle()
    return pc.METHODS[method].generator(oracle, oracle.lift(x), **arguments)


@pytest.mark.parametrize("estimator", ["certified", "model", "known", "schedule"])
@every_method_with_a_rule
def test_stacked_runs_with_other_estimators(method, estimator):
    problem = pc.quadratic([1.0, 0.3, 0.05])
    extra = {"C": 0.2} if estimator == "schedule" else {}
    arguments = parameters(problem, method, estimator=estimator, **extra).arguments
    starts = np.array([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]])
    oracle = problem.oracle()
    runs = [pc.METHODS[method].generator(oracle, x, **arguments) for x in (starts, *starts)]
    for both, *one in islice(zip(*runs, strict=True), 30):
        np.testing.assert_allclose(both.y, np.stack([step.y for step in one]), rtol=1e-9, atol=1e-14)


@given(quadratics(), st.sampled_from(["polyak", "certified", "model"]), st.floats(-0.5, 0.5))
def test_no_f_star_makes_mu_fall_out_of_its_range(problem, estimator, part):
    f_star = part * problem.gap(problem.x0)
    for method in ("adapt_apg", "adapt_apg_v2"):
        trace = pc.solve(problem, method=method, iterations=80, f_star=f_star, estimator=estimator)
        assert np.all((trace.mu > 0) & (trace.mu <= problem.L))
        assert np.isfinite(trace.gap).all()


@pytest.mark.parametrize("window", [1, 5, 1000])
def test_the_window_forgets(window):
    problem = pc.quadratic(pc.spectrum("log", n=20, condition_number=100))
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=60, estimator="window", window=window)
    expected = [trace.mu_hat[max(0, k + 1 - window) : k + 1].min() for k in range(61)]
    np.testing.assert_allclose(trace.mu, np.minimum(expected, problem.L))


def test_the_schedule_in_the_index_of_mu():
    problem = pc.quadratic([1.0, 0.01])
    trace = pc.solve(problem, iterations=50, estimator="schedule", C=0.5, mu0=0.1)
    np.testing.assert_allclose(trace.mu, np.minimum(0.1, 0.01 + 0.5 / (trace.k + 2) ** 2))


@pytest.mark.parametrize("kind", pc.SPECTRA)
@given(n=st.integers(1, 30), exponent=st.floats(0, 12))
def test_spectra(kind, n, exponent):
    values = pc.spectrum(kind, n=n, condition_number=10**exponent)
    assert values.shape == (n,)
    assert values[0] == 1
    assert np.all(np.diff(values) <= 0)
    if n > 1:
        assert values[-1] == pytest.approx(10**-exponent, rel=1e-12)


@pytest.mark.parametrize(("power", "refused"), [(-6.7, True), (-5.0, False)])
def test_guards_refuse_rounding_only(power, refused):
    """From a start on the slow eigenvector the gradient G d is rounding once mu/L is below 1e3 eps."""
    rng = np.random.default_rng(6)
    basis = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    A = np.linalg.qr(rng.standard_normal((30, 12)))[0] * np.logspace(0, power, 12) @ basis.T
    problem = pc.least_squares(A, rng.standard_normal(30))
    start = problem.x_star + 1e6 * basis[:, -1]
    for representation in ("A", "G"):
        own = pc.least_squares(A, problem.loss.b, representation=representation)
        trace = pc.solve(own, method="adapt_apg_v2", iterations=1, x0=start)
        assert trace.frozen[0] == refused
        assert trace.mu[0] == (own.L if refused else pytest.approx(own.mu, rel=0.1))
    exact = pc.solve(problem, method="adapt_apg_v2", iterations=1, x0=start)
    assert not exact.frozen[0]
    assert exact.mu[0] == pytest.approx(problem.mu, rel=0.1)


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
def test_nothing_freezes_on_the_way_down(representation):
    problem = pc.quadratic(pc.spectrum("log", n=15, condition_number=50), representation=representation)
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=4000)
    deep = trace.gap > 1e-290
    assert not deep[-1]
    assert not trace.frozen[deep].any()
    assert trace.mu[-1] >= problem.mu * (1 - 1e-6)


def test_an_estimate_made_of_vanishing_squares_is_refused():
    problem = pc.quadratic([1.0, 1e-16], x0=[0.0, 3e-137])
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=1)
    assert trace.gap[0] > 1e-290
    assert trace.frozen[0]
    larger = pc.solve(problem, method="adapt_apg_v2", iterations=1, x0=[0.0, 1e-130])
    assert not larger.frozen[0]
