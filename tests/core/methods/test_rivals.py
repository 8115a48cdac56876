"""The methods without f*, step by step against their listings in plain NumPy."""

from itertools import islice, pairwise

import numpy as np
import pytest
from cases import PROBLEMS, START, A, B

import polyak_core as pc
from polyak_core.certificates.reference import Reference
from polyak_core.lifted.composite import tidied
from polyak_core.methods.keywords import parameters
from polyak_core.penalties import L1
from polyak_core.problems.least_squares import LeastSquares
from polyak_core.problems.problem import Problem

LOG = pc.spectrum("log", n=100, condition_number=1e4)
RIVALS = ("restart_function", "restart_gradient", "nag_free")
RNG = np.random.default_rng(4)


def lasso(representation="A", lam=0.5):
    """A small LASSO whose x* is found by 20,000 steps of plain ISTA on its own."""
    L, x = np.linalg.norm(A, 2) ** 2, np.zeros(START.size)
    for _ in range(20000):
        x = soft(x - A.T @ (A @ x - B) / L, lam / L)
    loss, psi = LeastSquares(A, B), L1(lam)
    f_star = loss.value(x) + psi.value(x)
    certified = Reference(x, f_star, 1e-12, "ISTA", gradient=tidied(psi, x, loss.grad(x)))
    return Problem(loss, psi, certify=lambda x0: certified, representation=representation, x0=START)


def soft(v, threshold):
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0)


def pieces(problem):
    """(f, T_L) of a problem in plain NumPy."""
    loss, L = problem.loss, problem.L
    if problem.penalty is None:
        return loss.value, lambda x: x - loss.grad(x) / L
    lam = problem.penalty.lam
    return (
        lambda x: loss.value(x) + lam * np.abs(x).sum(),
        lambda x: soft(x - loss.grad(x) / L, lam / L),
    )


def restarted_listing(problem, fires, steps):
    f, T = pieces(problem)
    y = y_before = problem.x0
    t, fired = 1.0, False
    for _ in range(steps):
        yield y, t, fired
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        x = y + (t - 1) / t_next * (y - y_before)
        y_before, y, t = y, T(x), t_next
        fired = f(y) > f(y_before) if fires == "restart_function" else (x - y) @ (y - y_before) > 0
        if fired:
            t, y_before = 1.0, y


def nag_free_listing(problem, steps):
    T, L = pieces(problem)[1], problem.L
    y = y_before = x = problem.x0
    g, mu = None, L
    for _ in range(steps):
        yield y, mu
        tau = np.sqrt(mu / L)
        x_before, x = x, y + (1 - tau) / (1 + tau) * (y - y_before)
        y_before, y = y, T(x)
        g_before, g = g, L * (x - y)
        if g_before is not None:
            mu = min(mu, np.linalg.norm(g - g_before) / np.linalg.norm(x - x_before))


CASES = {
    "quadratic": (PROBLEMS["quadratic"](), 400),
    "outlier": (pc.quadratic(pc.spectrum("outlier", n=5, condition_number=50)), 60),
    "least squares": (PROBLEMS["least squares, G"](), 80),
    "lasso, A": (lasso("A"), 60),
    "lasso, G": (lasso("G"), 60),
}


@pytest.mark.parametrize("method", ["restart_function", "restart_gradient"])
@pytest.mark.parametrize(("problem", "steps"), CASES.values(), ids=CASES)
def test_restarts_as_the_listing(problem, steps, method):
    fired = []
    run = pc.iterates(problem, method)
    for it, (y, t, restarted) in zip(run, restarted_listing(problem, method, steps), strict=False):
        np.testing.assert_allclose(it.y, y, rtol=1e-9, atol=1e-11)
        assert it.t == pytest.approx(t)
        assert it.restarted == restarted
        fired.append(restarted)
    assert sum(fired) >= 1


@pytest.mark.parametrize(("problem", "steps"), CASES.values(), ids=CASES)
def test_nag_free_as_the_listing(problem, steps):
    for it, (y, mu) in zip(pc.iterates(problem, "nag_free"), nag_free_listing(problem, steps), strict=False):
        np.testing.assert_allclose(it.y, y, rtol=1e-9, atol=1e-11)
        assert it.mu == pytest.approx(mu, rel=1e-6)
    assert mu < problem.L / 2


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
def test_nag_free_uses_differences_of_gradients(representation):
    """Of x itself they would be noise long before the end, and mu_k would sink below mu."""
    problem = PROBLEMS["least squares, A"](representation=representation)
    trace = pc.solve(problem, method="nag_free", iterations=2500)
    steps = list(islice(pc.iterates(problem, "nag_free"), 40))
    assert trace.mu[0] == trace.mu[1] == problem.L
    mu = problem.L
    for before, now in pairwise(steps[1:]):
        s = now.x - before.x
        mu = min(mu, np.linalg.norm(A.T @ (A @ s)) / np.linalg.norm(s))
        assert trace.mu[now.k] == pytest.approx(mu, rel=1e-6)
    assert trace.gap[-1] < 1e-20 * trace.gap[0]
    assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
    assert not trace.frozen.any()


@pytest.mark.parametrize(
    ("method", "iterations", "restarts"),
    [("restart_function", 2303, 1), ("restart_gradient", 2299, 1), ("nag_free", 1182, 0)],
)
def test_log_spectrum_to_1e_10(method, iterations, restarts):
    """1,182 was found by another program; the restarts' counts by the listings above."""
    problem = pc.quadratic(LOG)
    trace = pc.solve(problem, method=method, iterations=4000, target=1e-10)
    assert trace.first_below(1e-10) == iterations
    assert trace.restarted.sum() == restarts
    if method != "nag_free":
        levels = [y @ (LOG * y) / 2 for y, _, _ in restarted_listing(problem, method, iterations + 1)]
        assert min(levels[:-1]) > 1e-10 * levels[0] >= levels[-1]


@pytest.mark.parametrize("method", RIVALS)
def test_no_gradient_more_and_no_f_star(method):
    problem = lasso("G")
    trace = pc.solve(problem, method=method, iterations=50)
    np.testing.assert_array_equal(trace.gradients, trace.k)
    np.testing.assert_array_equal(trace.products, trace.k + 1)
    assert pc.METHODS[method].parameters == ()
    assert "f*" not in pc.METHODS[method].needs


def test_nag_free_stays_above_mu_and_ends_well_on_a_lasso():
    trace = pc.solve(lasso(), method="nag_free", iterations=400)
    assert trace.gap[-1] < 1e-12 * trace.gap[0]
    assert np.all(np.diff(trace.mu) <= 0)
    assert np.isfinite(trace.mu).all()


def test_nothing_moves_nothing_is_learned():
    """0/0: the ratio is refused, mu stays L."""
    problem = pc.quadratic([1.0, 0.5], x0=[0.0, 0.0])
    oracle = problem.oracle()
    run = pc.METHODS["nag_free"].generator(oracle, oracle.lift(problem.x0))
    for it in islice(run, 5):
        assert (it.mu, it.frozen) == (1.0, it.k >= 2)


@pytest.mark.parametrize("method", RIVALS)
def test_stacked_runs_are_the_single_runs_on_a_lasso(method):
    problem = lasso()
    oracle = problem.oracle()
    starts = np.stack([oracle.lift(x) for x in RNG.standard_normal((3, START.size))])
    assert parameters(problem, method).arguments == {}
    runs = [pc.METHODS[method].generator(oracle, x) for x in (starts, *starts)]
    for all_, *one in islice(zip(*runs, strict=True), 50):
        np.testing.assert_allclose(all_.y, np.stack([it.y for it in one]), rtol=1e-7, atol=1e-9)
        for name in ("restarted", "mu"):
            expected = np.array([[getattr(it, name)] for it in one], dtype=float)
            actual = np.broadcast_to(np.asarray(getattr(all_, name), dtype=float), (3, 1))
            np.testing.assert_allclose(actual, expected, rtol=1e-5)
