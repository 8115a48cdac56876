"""How runs end: which ends stop them, which are named afterwards, and what the sentence says."""

from dataclasses import replace

import numpy as np
import pytest
from cases import every_method

import polyak_core as pc
from polyak_core.methods.paper import Iterate
from polyak_core.problems.least_squares import LeastSquares

Outcome = pc.Outcome
RNG = np.random.default_rng(11)
A, B = RNG.standard_normal((20, 6)), RNG.standard_normal(20)
LOG = pc.spectrum("log", n=40, condition_number=1e3)


@pytest.fixture
def own_method():
    """Register a generator under the name "own" for one test."""

    def add(generator):
        pc.register("own", generator)

    yield add
    pc.METHODS.pop("own", None)


def test_target():
    trace = pc.solve(pc.quadratic(LOG), method="apg", iterations=5000, target=1e-6)
    assert trace.outcome is Outcome.TARGET
    assert trace.gap[-1] <= 1e-6 * trace.gap[0] < trace.gap[-2]
    assert f"iteration {len(trace) - 1}" in trace.message
    assert pc.solve(pc.quadratic(LOG), method="apg", target=1.0).k.tolist() == [0]


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
@every_method
def test_solved_exactly_at_once(method, representation):
    keywords = {"mu": 0.5} if method == "apg" else {}
    problems = [
        pc.quadratic([1.0, 0.5], x0=[0, 0], representation=representation),
        pc.quadratic([0.0, 0.0], representation=representation),
        pc.least_squares(A, np.zeros(20), representation=representation),
        pc.least_squares(np.zeros((4, 3)), np.ones(4), representation=representation),
    ]
    for problem in problems:
        for target in (None, 1e-3):
            trace = pc.solve(problem, method=method, target=target, **keywords)
            assert trace.outcome is Outcome.EXACT
            assert len(trace) == 1
            assert trace.gap[0] == 0


@every_method
def test_condition_number_1_is_solved_by_one_step(method):
    trace = pc.solve(pc.quadratic([2.0, 2.0, 2.0]), method=method)
    assert trace.outcome is Outcome.EXACT
    assert len(trace) <= 3
    assert np.isfinite(trace.gap).all()
    if method in {"apg", "adapt_apg_v2"}:
        assert trace.mu[0] == 2
        assert trace.beta[0] == 0


def test_mu0_equal_to_L():
    trace = pc.solve(pc.quadratic(LOG), mu0=1.0, iterations=500)
    assert np.isfinite(trace.gap).all()
    assert trace.log_A[0] == 0
    tau_1 = pc.solve(pc.quadratic(LOG), mu0=1.0, mu=1.0, estimator="known", iterations=50)
    assert np.isposinf(tau_1.log_A[1:]).all()
    descent = pc.solve(pc.quadratic(LOG), method="pgd", iterations=50)
    np.testing.assert_allclose(tau_1.gap, descent.gap, rtol=1e-12)


def test_precision_floor_outranks_budget_and_ends_nothing():
    problem = pc.least_squares(A, B)
    trace = pc.solve(problem, method="apg", iterations=400)
    assert trace.outcome is Outcome.FLOOR
    assert len(trace) == 401
    assert trace.floor == problem.floor >= problem.f_star_error
    assert f"iteration {np.argmax(trace.gap <= trace.floor)}" in trace.message


def test_a_weak_certificate_is_called_so():
    """What is known of f* may be so little that the gap of a whole run means nothing."""
    loss = LeastSquares(np.diag([1.0, 0.1]), np.array([1.0, 1.0]))
    weak = replace(loss.reference(np.zeros(2)), error=0.4, level=None, source="a guess")
    trace = pc.solve(pc.Problem(loss, certify=lambda x0: weak), "fista", 200)
    assert trace.floor == 0.4
    assert trace.outcome is pc.Outcome.FLOOR
    first = int(np.argmax(trace.gap <= 0.4))
    assert f"certificate is weak: f* is known to 4.0e-01 only, and from iteration {first} on" in trace.message
    assert "a guess" in trace.message
    good = pc.solve(pc.Problem(loss), "adapt_apg_v2", 4000)
    assert "weak" not in good.message


def test_an_eigenvalue_that_is_almost_0_lifts_no_floor():
    trace = pc.solve(pc.quadratic([1.0, 1e-320], x0=[1.0, 0.0], L=2.0), method="pgd", iterations=100)
    assert trace.outcome is Outcome.BUDGET
    assert trace.floor < 1e-280


@pytest.mark.parametrize("method", ["adapt_apg", "adapt_apg_v2", "adapt_apg_free"])
def test_f_star_too_low_stalls(method):
    problem = pc.quadratic(pc.spectrum("log", n=40, condition_number=1e4))
    delta = 1e-6 * problem.gap(problem.x0)
    trace = pc.solve(problem, method=method, iterations=3000, f_star=-delta)
    assert trace.outcome is Outcome.STALLED
    assert trace.mu[-1] < 0.1 * problem.mu
    assert len(trace) == 3001
    for words in ("f* is given too low", f"{delta:.1e}", "Give a larger f*"):
        assert words in trace.message
    np.testing.assert_array_equal(trace.gap_seen, trace.gap + delta)
    true = pc.solve(problem, method=method, iterations=3000)
    early = true.gap > 40 * delta
    np.testing.assert_allclose(trace.gap[early], true.gap[early], rtol=0.1)  # nothing visible yet
    assert trace.gap[-1] < 1e-2 * delta  # slow, but no divergence


@pytest.mark.parametrize(("part", "low", "high"), [(1e-6, 1.3, 2), (1e-4, 5, 9)])
@pytest.mark.parametrize("method", ["adapt_apg", "adapt_apg_v2", "adapt_apg_free"])
def test_f_star_too_high_freezes_mu_above_the_true_one(method, part, low, high):
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    delta = part * problem.gap(problem.x0)
    trace = pc.solve(problem, method=method, iterations=3000, f_star=delta)
    assert trace.outcome is Outcome.BUDGET
    assert "f* is given too high" in trace.message
    assert low < trace.mu[-1] / problem.mu < high
    assert trace.frozen[-1]
    assert trace.gap_seen[-1] == pytest.approx(-delta, rel=1e-5)
    assert trace.gap[-1] < 1e-5 * delta


def test_f_star_too_high_turns_restart_into_gradient_descent():
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    trace = pc.solve(problem, method="restart", iterations=2000, f_star=1e-3 * problem.gap(problem.x0))
    negative = np.argmax(trace.gap_seen < 0)
    assert trace.restarted[negative:].mean() > 0.95
    assert (trace.beta[negative:] == 0).mean() > 0.95


@pytest.mark.parametrize("method", ["pgd", "adapt_apg_v2"])
def test_half_the_true_L_bounces(method):
    trace = pc.solve(pc.quadratic(LOG, L=0.5), method=method, iterations=500)
    assert trace.outcome is Outcome.BOUNCING
    assert len(trace) == 501
    assert "Give L >= 1" in trace.message
    nearly = pc.solve(pc.quadratic(LOG, L=0.50001), method="pgd", iterations=2000)
    assert nearly.outcome is Outcome.BUDGET
    assert "more than L = 0.5" in nearly.message


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
@pytest.mark.parametrize("method", ["fista", "adapt_apg", "apg", "pgd", "restart"])
def test_less_than_half_the_true_L_diverges(method, representation):
    trace = pc.solve(pc.quadratic(LOG, L=0.4, representation=representation), method=method)
    assert trace.outcome is Outcome.DIVERGED
    assert np.isfinite(trace.gap).all()
    assert len(trace) < 100
    assert "not below the true one, 1" in trace.message


def test_not_finite(own_method):
    trace = pc.solve(pc.quadratic([1.0, 0.5], x0=[1e10, 1e10], L=1e-150), method="pgd")
    assert trace.outcome is Outcome.NON_FINITE
    assert len(trace) == 2
    assert np.isfinite(trace.gap[0])

    def spoils(problem, x0):
        yield Iterate(0, x0, x0)
        yield Iterate(1, x0, x0)
        while True:
            yield Iterate(2, x0, np.nan * x0)

    own_method(spoils)
    trace = pc.solve(pc.quadratic([1.0, 0.5]), method="own")
    assert trace.outcome is Outcome.NON_FINITE
    assert len(trace) == 3
    assert "iteration 2" in trace.message


def test_budget_of_iterations():
    trace = pc.solve(pc.quadratic(LOG), method="pgd", iterations=30)
    assert trace.outcome is Outcome.BUDGET
    np.testing.assert_array_equal(trace.k, np.arange(31))
    assert "iterations" in trace.message


def test_budget_of_seconds():
    trace = pc.solve(pc.quadratic(LOG), method="fista", iterations=10**7, seconds=0.02)
    assert trace.outcome in {Outcome.BUDGET, Outcome.FLOOR}
    assert trace.seconds[-1] >= 0.02 > trace.seconds[-2]
    assert np.all(np.diff(trace.seconds) >= 0)
    flat = pc.quadratic(pc.spectrum("log", n=40, condition_number=1e12))
    trace = pc.solve(flat, method="pgd", iterations=10**7, seconds=0.02)
    assert trace.outcome is Outcome.BUDGET
    assert "0.02 seconds" in trace.message


def test_cancelled_keeps_the_curve():
    calls, reports = [], []

    def cancel():
        calls.append(1)
        return len(calls) == 2

    trace = pc.solve(
        pc.quadratic(pc.spectrum("log", condition_number=1e9)),
        method="pgd",
        iterations=10**7,
        cancel=cancel,
        progress=lambda k, gap: reports.append((k, gap)),
    )
    assert trace.outcome is Outcome.CANCELLED
    assert reports[-1] == (trace.k[-1], trace.gap[-1])
    assert "kept" in trace.message


def test_a_short_run_can_be_cancelled_and_tells_its_end():
    calls = []
    trace = pc.solve(pc.quadratic(LOG), iterations=40, cancel=lambda: True)
    assert trace.outcome is Outcome.CANCELLED
    assert len(trace) == 1
    trace = pc.solve(pc.quadratic(LOG), iterations=40, progress=lambda *now: calls.append(now))
    assert calls[0][0] == 0
    assert calls[-1] == (40, trace.gap[-1])


def test_slow_steps_are_not_kept_waiting_for_a_block(own_method):
    def slow(problem, x0):
        from time import sleep

        k = 0
        while True:
            yield Iterate(k, x0, x0)
            sleep(0.02)
            k += 1

    own_method(slow)
    run = pc.Run(pc.quadratic([1.0, 0.5]), "own", 1000)
    run.advance(0.01)
    assert run.k <= 3


def test_slow_progress_is_no_stall():
    problem = pc.quadratic([1.0, 1e-6])
    trace = pc.solve(problem, method="pgd", iterations=1000)
    assert trace.gap[-1] > 0.99 * trace.gap[500]
    assert trace.outcome is Outcome.BUDGET


def test_steps_that_do_nothing_stall(own_method):
    def idle(problem, x0):
        k = 0
        while True:
            yield Iterate(k, x0, x0)
            k += 1

    own_method(idle)
    trace = pc.solve(pc.quadratic([1.0, 0.5]), method="own", iterations=100)
    assert trace.outcome is Outcome.STALLED
    assert "no longer lower f" in trace.message


@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis"])
@pytest.mark.parametrize("estimator", ["polyak", "certified"])
@every_method
def test_ten_times_longer_than_needed(method, estimator, representation):
    keywords = {"estimator": estimator} if method in {"adapt_apg", "adapt_apg_v2"} else {}
    problem = pc.least_squares(A, B, representation=representation)
    trace = pc.solve(problem, method=method, iterations=12000, **keywords)
    assert trace.outcome in {Outcome.FLOOR, Outcome.EXACT}
    assert np.isfinite(trace.gap).all()
    reached = np.argmax(trace.gap <= 1e-28 * trace.gap[0])
    assert 0 < 10 * reached < 12000
    assert np.all(trace.gap[reached:] <= 1e-24 * trace.gap[0])  # FISTA ripples
    assert np.isfinite(trace.x).all()
    if keywords:
        assert np.isfinite(trace.mu).all()
        assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
        assert not trace.frozen[trace.gap > 1e-280].any()


def test_ripples_are_no_stall():
    """FISTA on two eigenvalues passes close to x* once; later ripples are lower and lower all the same."""
    trace = pc.solve(pc.quadratic(pc.spectrum("log", 2, 1e4)), "fista", iterations=1500)
    assert trace.outcome is pc.Outcome.BUDGET


def test_a_mu_k_that_is_hardly_too_low_is_no_stall():
    """f* too low by delta lowers the estimate a little long before it costs any time."""
    trace = pc.solve(pc.quadratic([1.0, 0.1, 0.01]), "adapt_apg_v2", iterations=40, f_star=-1e-6)
    assert trace.mu[-1] < 0.01
    assert trace.outcome is Outcome.BUDGET
