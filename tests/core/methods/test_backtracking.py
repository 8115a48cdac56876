"""L found on the way: never above twice the true one, bounds at every iterate, every trial counted."""

from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pytest
from cases import (
    PROBLEMS,
    STACKING,
    START,
    WITH_BACKTRACKING,
    A,
    B,
    every_method_with_backtracking,
    own_problem,
    problems_on,
)
from hypothesis import example, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.methods.backtracking import SLACK
from polyak_core.methods.keywords import parameters
from polyak_core.problems.least_squares import LeastSquares

RNG = np.random.default_rng(9)
MAKERS = {
    **{name: PROBLEMS[name] for name in ("quadratic", "least squares, A", "lasso", "logistic", "hinge")},
    "quadratic, G": partial(PROBLEMS["quadratic"], representation="G"),
}
every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
every_scale = pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
any_scale = pytest.mark.parametrize("scale", [1e-6, 1.0, 3.0, 1e12])


def solve(make, scale, method, iterations=400, **keywords):
    problem = make(L=scale * make().true_L)
    return problem, pc.solve(problem, method, iterations, backtracking=True, **keywords)


@every_maker
@every_method_with_backtracking
@any_scale
def test_L_is_found_and_never_above_twice_the_true_one(make, method, scale):
    problem, trace = solve(make, scale, method, 400 if scale < 1e6 else 100)
    L = np.array(trace.settings["L"])
    assert L.shape == trace.k.shape
    assert L[0] == L[1]
    assert np.all(L <= 2 * problem.true_L)
    assert trace.gap[-1] < (1e-3 if len(trace) > 400 else 0.5) * trace.gap[0]
    ups, downs = np.sum(np.diff(L) > 0), np.sum(np.diff(L) < 0)
    assert downs > 0
    if method != "pgd":
        assert ups > 0


@every_maker
@every_method_with_backtracking
def test_every_accepted_step_meets_no_more_curvature_than_L(make, method):
    problem, trace = solve(make, 1e-3, method, 60)
    h, L = problem.loss, trace.settings["L"]
    for it in islice(pc.iterates(problem, method, backtracking=True), 1, len(trace)):
        assert it.L == L[it.k]
        s = it.y - it.x
        above = h.value(it.y) - h.value(it.x) - h.grad(it.x) @ s
        rounding = 1e-13 * (abs(h.value(it.x)) + abs(h.value(it.y)))
        assert above <= it.L / 2 * (s @ s) * (1 + SLACK) + rounding
        target = it.x - h.grad(it.x) / it.L
        if problem.penalty is not None:
            target = problem.penalty.prox(target, 1 / it.L)
        np.testing.assert_allclose(it.y, target, rtol=1e-9, atol=1e-12)


@every_maker
@every_scale
def test_the_guarantee_of_fista_is_kept(make, scale):
    _, trace = solve(make, scale, "fista", 1500)
    L = np.array(trace.settings["L"])
    energy = trace.gap[0] / L[1] + trace.distance[0] ** 2 / 2
    bound = L[1:] / trace.t[1:] ** 2 * energy
    above = trace.gap[1:] > 100 * trace.floor
    assert np.all((trace.gap[1:] <= bound * (1 + 1e-8))[above])
    assert np.all(trace.t[1:] ** 2 / L[1:] >= trace.k[1:] ** 2 / (4 * L[1:].max()) * (1 - 1e-9))
    ratio = (trace.t[2:] ** 2 - trace.t[2:]) / trace.t[1:-1] ** 2
    np.testing.assert_allclose(ratio, L[2:] / L[1:-1], rtol=1e-9)


def test_fixed_t_would_break_the_guarantee_and_rescaling_does_not():
    """The rule for t_k is what pays for an L that goes up: without it t_k^2/L_k has no bound of its own."""
    _, trace = solve(MAKERS["quadratic"], 1.0, "fista", 300)
    L = np.array(trace.settings["L"])
    plain = [1.0]
    for _ in range(300):
        plain.append((1 + np.sqrt(1 + 4 * plain[-1] ** 2)) / 2)
    plain = np.array(plain)
    assert np.any(plain[2:] * (plain[2:] - 1) / L[2:] > plain[1:-1] ** 2 / L[1:-1] * (1 + 1e-9))
    rescaled = trace.t[2:] * (trace.t[2:] - 1) / L[2:]
    np.testing.assert_allclose(rescaled, trace.t[1:-1] ** 2 / L[1:-1], rtol=1e-9)


@every_maker
@every_method_with_backtracking
def test_betas_form_the_next_point(make, method):
    problem, trace = solve(make, 1e-2, method, 40)
    steps = list(islice(pc.iterates(problem, method, backtracking=True), 41))
    for before, now, after in zip(steps, steps[1:], steps[2:], strict=False):
        x = now.y + trace.beta[now.k] * (now.y - before.y)
        np.testing.assert_allclose(after.x, x, rtol=1e-9, atol=1e-12)
        if method == "adapt_apg_v2":
            root = np.sqrt(now.mu / after.L)
            assert now.beta == pytest.approx((1 - root) / (1 + root))


@every_method_with_backtracking
def test_rejected_steps_are_counted(method):
    """The L that is far too small costs trials at the first step; each is a gradient, a prox, a product."""
    make = MAKERS["quadratic, G"]
    _, trace = solve(make, 1e-3, method, 50)
    own = 1 if method == "adapt_apg_v2" else 0
    trials = np.diff(trace.gradients) - own
    assert trials[0] >= 2
    assert np.all(trials >= 1)
    ups = np.diff(trace.settings["L"]) > 0
    np.testing.assert_array_equal(trials[1:] > 1, ups[1:])
    np.testing.assert_array_equal(np.diff(trace.products), trials)
    np.testing.assert_array_equal(trace.gradients[0], own)
    assert trace.products[0] == 1
    assert trace.gradients[-1] < 2.4 * 50


def test_iteration_counts_stay_close_to_those_with_the_true_L():
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    for scale in (1e-3, 1.0, 1e3):
        wrong = pc.quadratic(problem.loss.eigenvalues, L=scale)
        trace = pc.solve(wrong, "adapt_apg_v2", 2000, backtracking=True, target=1e-10)
        assert trace.first_below(1e-10) < 1038  # that of the true L
        assert trace.gradients[-1] < 2077
        assert np.all(trace.mu[1:] >= problem.mu * (1 - 1e-6))


@every_maker
@every_method_with_backtracking
def test_safe_near_the_rounding_floor(make, method):
    """Longer than needed: L is driven neither up by rounding nor below what steps meet.

    That gaps which have settled do not rise is tested in `test_settled`.
    """
    problem = make()
    plan, oracle = parameters(problem, method, backtracking=True), problem.oracle()
    steps = plan.generator(oracle, oracle.lift(problem.x0), **plan.arguments)
    for it in islice(steps, 1, 1500):
        assert it.L <= 2 * problem.true_L
        assert it.L > 1e-6 * problem.true_L
        assert not oracle.curvature(it.x, it.y) > it.L * (1 + SLACK)  # NaN where the step is rounding
    assert oracle.gap(it.y) < 1e-4 * problem.gap(problem.x0)


def test_curvature_is_known_of_steps_that_are_small_against_the_minimiser():
    """Near x* a point is rounded, but the curvature between two that are carried is not."""
    problem = MAKERS["lasso"]()
    oracle = problem.oracle()
    minimiser = oracle.lift(problem.x_star)
    for size in (1e-4, 1e-8, 1e-12, 1e-15):
        d, s = (
            oracle.lift(problem.x_star + each) - minimiser for each in RNG.standard_normal((2, START.size))
        )
        x, y = minimiser + size * d, minimiser + size * (d + s)
        s = oracle.difference(y, x)  # as it is carried
        assert oracle.curvature(x, y) == pytest.approx(np.sum((A @ s) ** 2) / (s @ s), rel=1e-9)
    assert np.isnan(oracle.curvature(x, x * (1 + 1e-15)))


@given(
    st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=6),
    st.floats(-6, 20),
    st.sampled_from(WITH_BACKTRACKING),
    st.integers(0, 2**32 - 1),
)
def test_any_quadratic_from_any_L(eigenvalues, exponent, method, seed):
    x0 = np.random.default_rng(seed).standard_normal(len(eigenvalues))
    top = max(eigenvalues)
    problem = pc.quadratic(eigenvalues, x0=x0, L=top * 10**exponent)
    trace = pc.solve(problem, method, 120, backtracking=True)
    L = np.array(trace.settings["L"])
    assert np.all(L <= 2 * top * (1 + 1e-9))
    assert np.isfinite(trace.gap).all()
    assert np.all(L > 0)


@given(
    st.sampled_from(["lasso", "logistic", "hinge", "own"]),
    st.floats(-6, 20),
    st.sampled_from(WITH_BACKTRACKING),
    st.integers(0, 2**32 - 1),
)
@example("hinge", 12.0, "pgd", 267248181)  # 1/L is lost beside x_0, so that the first step is none
@example("own", 15.75, "pgd", 23137585)  # the difference of two gradients of one's own h is rounding
def test_any_data_from_any_L(kind, exponent, method, seed):
    rng = np.random.default_rng(seed)
    X, b = rng.standard_normal((6, 3)) * 10 ** rng.uniform(-2, 2, 3), rng.standard_normal(6)
    start = rng.standard_normal(3) * 10 ** rng.uniform(-3, 3)
    make = {**problems_on(X, b, start), "own": partial(own, X, b, start)}[kind]
    true_L = make().true_L
    problem = make(L=true_L * 10**exponent)
    trace = pc.solve(problem, method, 40, backtracking=True)
    assert max(trace.settings["L"]) <= 2 * true_L * (1 + 1e-6)
    assert min(trace.settings["L"]) > 0
    assert np.isfinite(trace.gap).all()


def own(X, b, start, **keywords):
    """Least squares as people write it, with an x* that is known."""
    h = LeastSquares(X, b)
    level = 1e-15 * h.value(start)  # gaps of people's own h are differences of values
    reference = replace(h.reference(start), level=level)
    problem = own_problem(X, b, start, certify=lambda x0: reference, **keywords)
    problem.true_L = h.L
    return problem


def at_the_minimum(name, **keywords):
    """A problem that starts at its own x*."""
    return partial(PROBLEMS[name], x0=PROBLEMS[name](**keywords).x_star, **keywords)


STARTS = {
    "quadratic": at_the_minimum("quadratic"),
    "least squares": at_the_minimum("least squares, eigenbasis"),
    "lasso at 0": at_the_minimum("lasso", lam=1e4),
    "logistic": at_the_minimum("logistic", lam=1.0),
    "own": partial(own, A, B, PROBLEMS["least squares, eigenbasis"]().x_star),
    "constant": partial(pc.quadratic, [0.0, 0.0], x0=[1.0, 2.0]),
}


@pytest.mark.parametrize("make", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("L", [1e-6, 1.0, 1e12])
@every_method_with_backtracking
def test_a_start_at_the_minimum_ends(make, L, method):
    """There is nothing to learn an L from, but rounding; trials are few, and nothing goes wrong."""
    problem = make(L=L)
    trace = pc.solve(problem, method, 10, backtracking=True)
    assert np.isfinite(trace.gap).all()
    assert trace.gap.max() <= 1e-20 + 1e6 * trace.floor
    assert trace.gradients[-1] < 200
    assert np.isfinite(trace.settings["L"]).all()


def test_an_L_whose_squares_overflow():
    trace = pc.solve(pc.quadratic([1.0, 0.5], x0=[1e10, 1e10], L=1e-150), "pgd", 80, backtracking=True)
    assert trace.gap[-1] < 1e-12 * trace.gap[0]
    assert max(trace.settings["L"]) <= 2


def test_columns_are_made_with_the_L_of_each_step():
    problem, trace = solve(MAKERS["lasso"], 1e3, "fista", 40)
    for it in islice(pc.iterates(problem, "fista", backtracking=True), 1, 41):
        g, d = it.L * (it.x - it.y), it.x - problem.x_star
        above = problem.f_star - problem.f(it.y) + g @ d - g @ g / (2 * it.L)
        assert trace.mu_loc[it.k] == pytest.approx(2 * above / (d @ d), rel=1e-5)
        T = problem.penalty.prox(it.y - problem.loss.grad(it.y) / it.L, 1 / it.L)
        step = it.L * (it.y - T)
        assert trace.mu_hat[it.k] == pytest.approx(step @ step / (2 * problem.gap(it.y)), rel=1e-6)


def test_words_and_settings():
    _, trace = solve(MAKERS["quadratic"], 1e-3, "fista", 30)
    assert trace.settings["backtracking"] is True
    assert "Backtracking, L = 0.001 given: L from " in trace.message
    assert pc.Trace.from_dict(trace.to_dict()).settings["L"] == trace.settings["L"]
    assert "L" not in pc.solve(MAKERS["quadratic"](), "fista", 30).settings
    long, start = (solve(MAKERS["quadratic"], 1e-3, "fista", n)[1].settings["L"] for n in (300, 100))
    assert long[:101] == start


@pytest.mark.parametrize("method", sorted(set(STACKING) - set(WITH_BACKTRACKING)))
def test_the_others_say_that_they_do_not(method):
    with pytest.raises(ValueError, match="does not use backtracking = True"):
        pc.solve(MAKERS["quadratic"](), method, backtracking=True)
