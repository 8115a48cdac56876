"""The rivals: the identity or the bound of each, at every iterate, and what they refuse."""

from itertools import islice

import numpy as np
import pytest
from cases import FIELD, PROBLEMS, every_method_of_the_field
from hypothesis import given, settings
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.methods.optimal import item_growth
from polyak_core.methods.silver import SILVER, silver_rate

ROUNDING = 1 + 1e-9
FLOOR = 1e-26
"""Below this part of the initial gap rounding decides who comes first."""
RNG = np.random.default_rng(17)
LOG = pc.quadratic(pc.spectrum("log", n=20, condition_number=1e3))
FREE = [name for name in FIELD if name not in ("auto_restart", "heavy_ball_polyak")]
"""Those that ask neither for f* nor for gaps."""


def squared_distance_at(problem, method, k, **keywords):
    """||p_k - x*||^2 / ||x_0 - x*||^2 of the point that the guarantee speaks of."""
    steps = list(islice(pc.iterates(problem, method, **keywords), k + 1))
    point = steps[-1].y if steps[-1].z is None else steps[-1].z
    return np.sum((point - problem.x_star) ** 2) / np.sum((problem.x0 - problem.x_star) ** 2)


# -- conjugate gradients -----------------------------------------------------------------------


@pytest.mark.parametrize("representation", ["eigenbasis", "A", "G"])
@pytest.mark.parametrize("method", [name for name in pc.METHODS if name != "cg"])
def test_no_method_comes_below_cg_after_as_many_gradients(method, representation):
    problem = PROBLEMS["least squares, A"](representation=representation)
    floor = pc.solve(problem, "cg", 130)
    trace = pc.solve(problem, method, 60)
    below = floor.gap[trace.gradients.astype(int)]
    assert np.all(below <= ROUNDING * trace.gap + FLOOR * trace.gap[0])


@pytest.mark.parametrize("representation", ["eigenbasis", "A", "G"])
@pytest.mark.parametrize("distinct", [1, 3, 7])
def test_cg_ends_after_as_many_steps_as_there_are_distinct_eigenvalues(distinct, representation):
    eigenvalues = np.repeat(np.linspace(0.1, 1, distinct), 4)
    problem = pc.quadratic(
        eigenvalues, x0=RNG.standard_normal(eigenvalues.size), representation=representation
    )
    gap = pc.solve(problem, "cg", distinct + 20).relative_gap
    assert gap[distinct - 1] > 1e-12
    assert gap[distinct] < 1e-25
    assert np.all(gap[distinct:] < 1e-25)


# -- the heavy ball with Polyak steps ----------------------------------------------------------


def test_heavy_ball_polyak_is_the_projection_of_x_star_on_what_the_gradients_span():
    eigenvalues = np.geomspace(0.05, 1, 9)
    problem = pc.quadratic(eigenvalues, x0=RNG.standard_normal(9), x_star=RNG.standard_normal(9))
    steps = list(islice(pc.iterates(problem, "heavy_ball_polyak"), 9))
    gradients = np.array([eigenvalues * (step.y - problem.x_star) for step in steps])
    for k, step in enumerate(steps[1:], 1):
        basis = np.linalg.qr(gradients[:k].T)[0]
        projection = problem.x0 + basis @ (basis.T @ (problem.x_star - problem.x0))
        np.testing.assert_allclose(step.y, projection, rtol=0, atol=1e-9)


def test_heavy_ball_polyak_never_moves_away_from_x_star_and_its_step_is_one_over_mu_hat():
    trace = pc.solve(LOG, "heavy_ball_polyak", 300)
    assert np.all(np.diff(trace.distance) <= 1e-12 * trace.distance[0])
    first, second = islice(pc.iterates(LOG, "heavy_ball_polyak"), 2)
    np.testing.assert_allclose(second.y, first.y - LOG.loss.grad(first.y) / trace.mu_hat[0], rtol=1e-12)


def test_beyond_quadratics_nothing_is_promised_and_that_is_said():
    assert "Nothing is promised" in pc.solve(PROBLEMS["logistic"](), "heavy_ball_polyak", 30).message
    assert "promised" not in pc.solve(LOG, "heavy_ball_polyak", 30).message


# -- given L and mu ----------------------------------------------------------------------------


def test_the_printed_numbers_of_item_triple_momentum_and_silver_steps():
    A = 0.0
    for _ in range(15):
        A = item_growth(A, 0.001)
    assert 1 / (1 + 0.001 * A) == pytest.approx(0.756605, abs=5e-7)
    assert (1 - 0.1**0.5) ** 8 * 10 / 2 == pytest.approx(0.238925, abs=5e-7)
    z = silver_rate(3, 0.1 / 3.2)
    assert ((1 - z) / (1 + z)) ** 2 == pytest.approx(0.22145, abs=5e-6)


SMOOTH = ("quadratic", "least squares, A", "logistic")
every_smooth_problem = pytest.mark.parametrize("kind", SMOOTH)


@every_smooth_problem
def test_item_keeps_its_bound_on_the_distance_of_z(kind):
    problem = PROBLEMS[kind]()
    trace = pc.solve(problem, "item", 60)
    q, A = problem.mu / problem.L, 0.0
    for k in range(61):
        bound = trace.distance[0] ** 2 / (1 + q * A)
        assert trace.distance[k] ** 2 <= ROUNDING * bound, k
        A = item_growth(A, q)
    assert trace.distance[9] ** 2 == pytest.approx(
        squared_distance_at(problem, "item", 9) * trace.distance[0] ** 2, rel=1e-6
    )


@every_smooth_problem
def test_triple_momentum_keeps_its_bound(kind):
    problem = PROBLEMS[kind]()
    trace = pc.solve(problem, "tmm", 100)
    rho = 1 - np.sqrt(problem.mu / problem.L)
    bound = rho ** (2 * trace.k) * problem.L**2 / (2 * problem.mu) * trace.distance[0] ** 2
    assert np.all(trace.gap <= ROUNDING * bound)


@every_smooth_problem
def test_silver_steps_keep_their_bounds(kind):
    problem = PROBLEMS[kind]()
    trace, strongly = pc.solve(problem, "silver", 127), pc.solve(problem, "silver_mu", 128)
    for m in range(1, 8):
        bound = problem.L * trace.distance[0] ** 2 / (1 + np.sqrt(4 * SILVER ** (2 * m) - 3))
        assert trace.gap[2**m - 1] <= ROUNDING * bound, m
        z = silver_rate(m, problem.mu / problem.L)
        assert strongly.distance[2**m] <= ROUNDING * (1 - z) / (1 + z) * strongly.distance[0], m


@pytest.mark.parametrize("m", [0, 1, 2, 3])
def test_the_bound_of_silver_steps_is_reached_on_the_smallest_and_the_largest_eigenvalue(m):
    z = silver_rate(m, 0.1 / 3.2)
    reached = [
        squared_distance_at(pc.quadratic([each, 3.2, 0.1], x0=[1.0, 0.0, 0.0]), "silver_mu", 2**m) ** 0.5
        for each in (0.1, 3.2)
    ]
    assert max(reached) == pytest.approx((1 - z) / (1 + z), rel=1e-9)


# -- given L, or nothing -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["quadratic", "least squares, G", "logistic", "lasso", "squared hinge"])
def test_every_mu_of_auto_restart_is_an_upper_bound_and_runs_double_at_most(kind):
    problem = PROBLEMS[kind]()
    assert problem.mu > 0
    trace = pc.solve(problem, "auto_restart", 1500)
    assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
    lengths = np.diff(np.flatnonzero(trace.restarted), prepend=0)
    assert lengths[:2].tolist() == [12, 12]
    assert set(lengths[1:] / lengths[:-1]) <= {1.0, 2.0}
    assert trace.first_below(1e-10) is not None


def test_the_mu_of_adgd_is_no_bound():
    """On one eigenvalue it is half of mu, since it takes half of the curvature met."""
    trace = pc.solve(pc.quadratic([1.0, 1.0], x0=[3.0, 4.0]), "adgd_accel", 12)
    np.testing.assert_allclose(trace.mu[3:8], 0.5)


@pytest.mark.parametrize("method", ["adgd_accel", "ac_fgm"])
def test_what_is_given_nothing_does_not_look_at_L(method):
    problem = PROBLEMS["least squares, A"]()
    traces = [pc.solve(each, method, 60) for each in (problem, problem.with_L(1e3 * problem.L))]
    np.testing.assert_allclose(traces[0].gap, traces[1].gap, rtol=1e-6, atol=1e-24 * traces[0].gap[0])


@pytest.mark.parametrize("kind", ["quadratic", "least squares, A", "logistic"])
def test_ac_fgm_goes_down_to_rounding_where_differences_of_values_have_long_ended(kind):
    trace = pc.solve(PROBLEMS[kind](), "ac_fgm", 1500)
    assert np.isfinite(trace.gap).all()
    assert trace.gap[1200:].max() < 1e-13 * trace.gap[0]


# -- all of them -------------------------------------------------------------------------------


@every_method_of_the_field
@settings(max_examples=12)
@given(st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=6), st.sampled_from(["A", "G", "eigenbasis"]))
def test_runs_on_quadratics_are_sound(method, eigenvalues, representation):
    x0 = np.linspace(-3, 2, len(eigenvalues)) + 0.1
    problem = pc.quadratic(eigenvalues, x0=x0, representation=representation)
    trace = pc.solve(problem, method, 80)
    assert np.isfinite(trace.gap).all()
    assert np.all(trace.gap >= 0)
    assert isinstance(trace.outcome, pc.Outcome)
    assert all(np.all(np.diff(getattr(trace, name)) >= 0) for name in ("gradients", "proxes", "products"))
    if method != "ac_fgm":
        np.testing.assert_array_equal(trace.gradients, trace.k)


@pytest.mark.parametrize("kind", ["quadratic", "least squares, A", "logistic", "own"])
@pytest.mark.parametrize("method", FREE)
def test_without_x_star_they_take_the_same_steps(method, kind):
    if not pc.METHODS[method].domain.has(PROBLEMS[kind]()):
        return
    runs = [pc.solve(PROBLEMS[kind](), method, 12, reference=reference) for reference in (False, True)]
    np.testing.assert_allclose(runs[0].y, runs[1].y, rtol=1e-6, atol=1e-7)


@every_method_of_the_field
def test_nothing_moves_at_the_minimum(method):
    trace = pc.solve(pc.quadratic([1.0, 0.5], x0=[0.0, 0.0]), method, 8)
    assert (trace.outcome, trace.gap[-1]) == (pc.Outcome.EXACT, 0.0)


@pytest.mark.parametrize("method", [name for name in FIELD if name not in ("auto_restart", "ac_fgm")])
@pytest.mark.parametrize("kind", ["lasso", "hinge", "completion", "own, with psi"])
def test_a_penalty_is_refused_where_a_method_has_no_prox(method, kind):
    with pytest.raises(ValueError, match=r"without a penalty, and .* has a penalty; choose"):
        pc.solve(PROBLEMS[kind](), method, 10)


def test_what_is_missing_is_said():
    with pytest.raises(ValueError, match=r"cg is for quadratics and least squares .* is no quadratic"):
        pc.solve(PROBLEMS["logistic"](), "cg", 10)
    for method in ("item", "tmm", "silver_mu"):
        with pytest.raises(ValueError, match="has mu = 0, so a method that needs mu"):
            pc.solve(pc.quadratic([1.0, 0.0]), method, 10)
    for method in ("auto_restart", "heavy_ball_polyak"):
        with pytest.raises(ValueError, match=r"needs f\*"):
            pc.solve(LOG, method, 10, reference=False)


@pytest.mark.parametrize("method", ["silver", "silver_mu"])
@pytest.mark.parametrize("iterations", [1500, 2100, 3000, 6000, 20_000])
def test_silver_steps_that_rise_by_design_are_not_said_to_stall(method, iterations):
    trace = pc.solve(pc.quadratic(pc.spectrum("log", 100, 1e4)), method, iterations)
    third = iterations // 3
    assert trace.gap[-third:].min() < 0.9 * trace.gap[third:-third].min(), "it makes progress"
    assert trace.outcome == "budget", trace.message
