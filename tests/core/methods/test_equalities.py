"""Methods that must agree step by step, and the stable form against the listing."""

from itertools import islice

import numpy as np
import pytest
from cases import PROBLEMS, A, every_method

import polyak_core as pc

SMOOTH = {name: PROBLEMS[name]() for name in ("quadratic", "least squares, eigenbasis")}
every_smooth = pytest.mark.parametrize("problem", SMOOTH.values(), ids=SMOOTH)


def points(problem, steps, **keywords):
    """The y_k - x* of a run, a row a step."""
    return np.array([it.y for it in islice(pc.iterates(problem, **keywords), steps)]) - problem.x_star


def assert_close(ours, theirs, rtol=1e-9, noise=0.0):
    error = np.linalg.norm(ours - theirs, axis=-1)
    assert np.all(error <= rtol * np.linalg.norm(theirs, axis=-1) + noise)


@every_smooth
def test_adapt_apg_with_mu_all_along_is_apg(problem):
    noise = 1e-13 * np.linalg.norm(problem.x_star)
    adaptive = points(problem, 300, method="adapt_apg", estimator="known", mu0=problem.mu)
    assert_close(adaptive, points(problem, 300, method="apg"), noise=noise)


@every_smooth
@pytest.mark.parametrize("part", [1.0, 0.3])
def test_v2_with_mu_known_is_apg(problem, part):
    mu = part * problem.mu
    v2 = points(problem, 300, method="adapt_apg_v2", estimator="known", mu=mu)
    np.testing.assert_array_equal(v2, points(problem, 300, method="apg", mu=mu))


def test_v2_is_algorithm_3_with_s_and_v_reset():
    eigenvalues = pc.spectrum("log", n=30, condition_number=1e3)
    y = y_before = np.ones(30)
    mu = 1.0
    for it in islice(pc.iterates(pc.quadratic(eigenvalues), method="adapt_apg_v2"), 200):
        assert_close(it.y, y)
        g = eigenvalues * y
        mu = min(mu, g @ g / (y @ g))
        assert it.mu == pytest.approx(mu, rel=1e-9)
        tau = np.sqrt(mu)
        v = y_before + (y - y_before) / tau  # with s = mu: the stable form forgets the past
        x = (tau * v + y) / (1 + tau)
        y_before, y = y, x - eigenvalues * x


@pytest.mark.parametrize("estimator", ["polyak", "certified"])
def test_the_stable_form_is_the_listing(estimator):
    """Algorithm 3 with explicit a_k, A_k and the minimiser of m_k + a_0 mu_0/2 ||x - x_0||^2."""
    eigenvalues = np.array([1.0, 0.4, 0.1, 0.02])
    x0 = np.array([1.0, -2.0, 0.5, 3.0])
    y, mu, mu0 = x0, 0.5, 0.5
    A_k, weights, pull = 1.0, mu0, mu0 * x0  # a_0 = 1; sum a_i mu_i; sum a_i (mu_i x_i - g_i)
    run = pc.iterates(pc.quadratic(eigenvalues, x0=x0), method="adapt_apg", estimator=estimator)
    for it in islice(run, 60):
        assert_close(it.y, y, rtol=1e-8)
        assert it.log_A == pytest.approx(np.log(A_k), rel=1e-9, abs=1e-12)
        g, after = eigenvalues * y, y - eigenvalues * y
        twice_gap = y @ g if estimator == "polyak" else after @ (eigenvalues * after) + g @ g
        mu = min(mu, g @ g / twice_gap)
        assert it.mu == pytest.approx(mu, rel=1e-8)
        v = pull / weights
        root = np.sqrt(mu)
        a = root / (1 - root) * A_k
        A_k += a
        tau = a / A_k
        x = tau / (1 + tau) * v + y / (1 + tau)
        y = x - eigenvalues * x
        weights += a * mu
        pull = pull + a * (mu * x - (x - y))


@every_method
def test_representations_agree(method):
    traces = [
        pc.solve(PROBLEMS["least squares, A"](representation=name), method=method, iterations=250)
        for name in ("A", "G", "eigenbasis")
    ]
    early = traces[2].gap > 1e-12 * traces[2].gap[0]
    for trace in traces[:2]:
        for column in ("gap", "mu_hat", "mu", "mu_loc", "beta", "log_A", "t", "distance"):
            ours, theirs = getattr(trace, column)[early], getattr(traces[2], column)[early]
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, err_msg=column)


def test_restart_at_every_step_is_gradient_descent():
    problem = SMOOTH["quadratic"]
    restarted = points(problem, 100, method="restart", gamma=1e-12)
    np.testing.assert_array_equal(restarted, points(problem, 100, method="pgd"))


def test_restart_that_fires_once_is_fista_from_there():
    problem = SMOOTH["quadratic"]
    restarted = points(problem, 100, method="restart", gamma=900.0)
    later = problem.starting_at(restarted[1] + problem.x_star)
    np.testing.assert_array_equal(restarted[1:], points(later, 99, method="fista"))


def test_restart_as_the_listing():
    eigenvalues = pc.spectrum("log", n=20, condition_number=500)
    problem, gamma = pc.quadratic(eigenvalues), 1.5
    y = y_before = np.ones(20)
    t, level, fired = 1.0, y @ (eigenvalues * y) / 2, 0
    for it in islice(pc.iterates(problem, method="restart", gamma=gamma), 300):
        assert_close(it.y, y)
        assert it.t == pytest.approx(t)
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        x = y + (t - 1) / t_next * (y - y_before)
        y_before, y, t = y, x - eigenvalues * x, t_next
        if y @ (eigenvalues * y) / 2 <= level:
            t, y_before, level, fired = 1.0, y, np.exp(-gamma) * level, fired + 1
    assert fired > 5


@pytest.mark.parametrize("representation", ["A", "G"])
@pytest.mark.parametrize("method", ["adapt_apg", "adapt_apg_v2", "fista"])
def test_images_do_not_drift(method, representation):
    """x_k is made of v_k, whose images are never made afresh; after many steps they still fit."""
    problem = PROBLEMS["least squares, A"](representation=representation)
    step = last_lifted(problem, method, 5000)
    d, image = problem.form.displacement(step.x), problem.form.gradient(step.x)
    fresh = A.T @ (A @ d)
    assert np.linalg.norm(image - fresh) <= 1e-13 * problem.L * np.linalg.norm(d)


def last_lifted(problem, method, steps):
    from polyak_core.methods.keywords import parameters

    arguments = parameters(problem, method).arguments
    oracle = problem.oracle()
    run = pc.METHODS[method].generator(oracle, oracle.lift(problem.x0), **arguments)
    with np.errstate(over="ignore", invalid="ignore"):
        return next(islice(run, steps, None))
