"""Runs that begin before x* is there: the same steps, measured later, and never a wrong number meanwhile."""

import threading
from unittest.mock import Mock

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS
from polyak_core.problems.losses import LeastSquares, Quadratic
from polyak_core.runs import ledger

RNG = np.random.default_rng(8)
A, B = RNG.standard_normal((40, 12)) * np.logspace(0, -1, 12), RNG.standard_normal(40)
LABELS, START = np.where(B > 0, 1.0, -1.0), RNG.standard_normal(12)
MASK = RNG.random((8, 6)) < 0.6
PATIENCE = 30
PROBLEMS = {
    "least squares, eigenbasis": lambda: pc.least_squares(A, B, x0=START),
    "least squares, G": lambda: pc.least_squares(A, B, x0=START, representation="G"),
    "least squares, A": lambda: pc.least_squares(A, B, representation="A"),
    "dependent columns": lambda: pc.least_squares(A.T, B[:12], x0=np.ones(40)),
    "lasso": lambda: pc.lasso(A, B, 0.5, x0=START),
    "logistic": lambda: pc.logistic(A, LABELS, 0.05, x0=START),
    "svm": lambda: pc.svm_dual(A, LABELS, 1.0, loss="squared_hinge"),
    "completion": lambda: pc.matrix_completion(np.outer(START[:8], B[:6]), MASK, 0.1),
}
METHODS = {
    "pgd": {},
    "apg": {"mu": 0.05},
    "fista": {},
    "fista_printed": {},
    "restart_gradient": {},
    "nag_free": {},
    "adapt_apg": {"estimator": "schedule", "C": 1e-3, "mu": 0.05},
    "adapt_apg_v2": {"estimator": "known", "mu": 0.05},
}
every_problem = pytest.mark.parametrize("make", PROBLEMS.values(), ids=PROBLEMS)


class Gate:
    """A certificate that comes only when it is allowed to."""

    def __init__(self, certify):
        self.open, self.asked = threading.Event(), 0
        self._certify = certify

    def __call__(self, x0):
        self.asked += 1
        assert self.open.wait(PATIENCE)
        return self._certify(x0)


def gated(make):
    """A problem that counts as large, with a gate before its x*."""
    problem = make()
    gate = problem._certify = Gate(problem._certify)
    problem._long = True
    problem.solution = problem._unsolved()
    return problem, gate


def run_without(problem, method, iterations, **keywords):
    """A run that has made all its steps while x* is sought."""
    run = pc.Run(problem, method, iterations, **keywords)
    while run.k < iterations:
        assert not run.advance(0.01)
    return run


def same(trace, other, rtol=1e-6):
    """Equal but for rounding, well above the floor."""
    above = other.gap > 1e6 * trace.floor
    assert above[:10].all()
    np.testing.assert_allclose(trace.gap[above], other.gap[above], rtol=rtol)
    np.testing.assert_allclose(trace.distance[above], other.distance[above], rtol=rtol)
    for name in ("k", "beta", "mu", "t", "log_A", "gradients", "proxes", "products"):
        ours, theirs = getattr(trace, name)[above], getattr(other, name)[above]
        np.testing.assert_allclose(ours, theirs, rtol=1e-5 if name in ("mu", "beta") else 1e-12)
    assert trace.mu_loc[:10] == pytest.approx(other.mu_loc[:10], rel=1e-5, nan_ok=True)
    assert trace.mu_hat[:10] == pytest.approx(other.mu_hat[:10], rel=1e-5, nan_ok=True)


@every_problem
@pytest.mark.parametrize("method", METHODS)
def test_the_steps_are_those_of_a_run_that_waits(make, method):
    problem, gate = gated(make)
    run = run_without(problem, method, 60, **METHODS[method])
    assert np.isnan(run.last_gap)
    gate.open.set()
    assert run.advance()
    trace, waited = run.trace(), pc.solve(make(), method, 60, **METHODS[method])
    assert len(trace) == len(waited) == 61
    same(trace, waited)
    np.testing.assert_allclose(trace.x, waited.x, rtol=1e-6, atol=1e-7)
    assert gate.asked == 1


@every_problem
def test_the_floor_is_reached_and_known(make):
    problem, gate = gated(make)
    run = run_without(problem, "restart_gradient", 3000)
    gate.open.set()
    run.advance()
    trace = run.trace()
    assert np.isfinite(trace.gap).all()
    assert trace.floor < (1e-15 if EXTENDED_EPS < 1e-18 else 1e-12) * trace.gap[0]
    # entries rounded to float64 have full rank, which costs a part of what x* leaves open
    assert trace.gap[-300:].max() <= 2 * trace.floor
    assert trace.outcome is pc.Outcome.FLOOR


@every_problem
@pytest.mark.parametrize("before", [0, 30])
def test_when_x_star_comes_changes_no_count(make, before):
    problem, gate = gated(make)
    run = pc.Run(problem, "nag_free", 60)
    while run.k < before - 1:
        run.advance(0)
    gate.open.set()
    run._awaited.over(PATIENCE)
    assert run.advance()
    same(run.trace(), pc.solve(make(), "nag_free", 60))


def test_meanwhile_nothing_is_claimed():
    problem, gate = gated(PROBLEMS["lasso"])
    run = run_without(problem, "nag_free", 30)
    trace = run.trace()
    for name in ("gap", "gap_seen", "mu_loc", "distance", "mu_hat"):
        assert np.isnan(getattr(trace, name)).all()
    assert np.isnan(trace.floor)
    assert "still running at iteration 30" in trace.message.lower()
    assert "as x* is not" in trace.message
    assert trace.outcome is pc.Outcome.CANCELLED
    assert np.isfinite(trace.mu).all()
    np.testing.assert_array_equal(trace.k, np.arange(31))
    waited = pc.solve(PROBLEMS["lasso"](), "nag_free", 30)
    np.testing.assert_allclose(trace.y, waited.y, rtol=1e-10, atol=1e-13)
    gate.open.set()
    run.advance()
    assert np.isfinite(run.last_gap)
    assert run.trace().floor > 0


def test_solve_tells_of_steps_before_x_star_is_there():
    problem, gate = gated(PROBLEMS["logistic"])
    told = []

    def progress(k, gap):
        told.append((k, gap))
        if k == 50:
            gate.open.set()

    trace = pc.solve(problem, "fista", 50, progress=progress)
    assert told[0][0] == 0
    assert all(np.isnan(gap) for _, gap in told[:-1])
    assert told[-1] == (50, trace.gap[-1])
    assert trace.outcome is pc.Outcome.BUDGET


def test_a_certificate_of_ones_own_is_waited_for_in_the_same_way():
    gate = Gate(LeastSquares(A, B).reference)
    run = run_without(pc.Problem(LeastSquares(A, B), certify=gate), "apg", 20)
    gate.open.set()
    assert run.advance()
    assert run.last_gap < run.trace().gap[0]


def test_cancelled_before_x_star_is_there():
    problem, gate = gated(PROBLEMS["svm"])
    seen = []
    keywords = {"progress": lambda k, gap: seen.append(k), "cancel": lambda: len(seen) > 3}
    trace = pc.solve(problem, "fista", 10**6, **keywords)
    assert trace.outcome is pc.Outcome.CANCELLED
    assert "Cancelled at iteration" in trace.message
    assert "as x* is not" in trace.message
    assert np.isnan(trace.gap).all()
    assert np.isfinite(trace.y).all()
    assert len(trace) == seen[-1] + 1
    assert not problem.solution.known
    gate.open.set()
    assert np.isfinite(problem.f_star)


@pytest.mark.parametrize("method", ["restart", "adapt_apg", "adapt_apg_free", "restart_function"])
def test_methods_that_compare_with_f_star_wait_for_it(method):
    problem, gate = gated(PROBLEMS["lasso"])
    with pytest.raises(pc.Cancelled), pc.watched(cancel=lambda: gate.asked > 0):
        pc.Run(problem, method, 10)
    gate.open.set()
    assert np.isfinite(pc.solve(problem, method, 10).gap).all()


def test_a_target_cuts_the_run_back_to_its_record():
    problem, gate = gated(PROBLEMS["logistic"])
    run = run_without(problem, "apg", 400, target=1e-6)
    gate.open.set()
    assert run.advance()
    trace = run.trace()
    waited = pc.solve(PROBLEMS["logistic"](), "apg", 400, target=1e-6)
    assert trace.outcome is waited.outcome is pc.Outcome.TARGET
    assert len(trace) == len(waited) < 400
    np.testing.assert_allclose(trace.y, waited.y, rtol=1e-9, atol=1e-12)


def test_divergence_and_overflow_are_named_when_x_star_is_there():
    problem, gate = gated(lambda: pc.least_squares(A, B, L=0.05))
    run = pc.Run(problem, "fista", 5000)
    while np.isfinite(run.trace().y).all():
        run.advance(0.01)
    before = run.k
    run.advance(0.01)
    assert run.k == before  # no more steps from what is not finite
    gate.open.set()
    assert run.advance()
    assert run.trace().outcome is pc.Outcome.DIVERGED
    assert np.isfinite(run.trace().gap).all()


def test_memory_is_limited(monkeypatch):
    monkeypatch.setattr(ledger, "MEMORY", 40_000)
    problem, gate = gated(PROBLEMS["least squares, A"])
    run = pc.Run(problem, "fista", 5000)
    for _ in range(20):
        run.advance(0.005)
    assert 10 < run.k < 500
    gate.open.set()
    assert run.advance()
    assert run.k == 5000


def test_held_steps_are_taken_up_in_slices():
    problem, gate = gated(PROBLEMS["lasso"])
    run = run_without(problem, "fista", 500)
    gate.open.set()
    _ = problem.x_star, problem.form
    run.advance(0)
    trace = run.trace()
    known = np.isfinite(trace.gap)
    assert known[0]
    assert not known[-1]
    assert len(trace) == 501
    while not run.advance(0):
        pass
    np.testing.assert_array_equal(run.trace().gap[known], trace.gap[known])


def test_what_goes_wrong_with_x_star_is_said():
    separable = pc.logistic(np.eye(3), [1, 1, -1], lam=0.0)
    separable._long, separable.solution = True, None
    separable.solution = separable._unsolved()
    with pytest.raises(ValueError, match="minimi"):
        pc.solve(separable, "fista", 20)


def test_a_watch_around_a_run_is_told_and_can_stop_it():
    problem, gate = gated(PROBLEMS["lasso"])
    with pytest.raises(pc.Cancelled, match="time limit"), pc.watched(seconds=0.05):
        pc.solve(problem, "pgd", 10)
    gate.open.set()
    told = []
    with pc.watched(progress=lambda work, k: told.append(work)):
        pc.solve(problem, "pgd", 10)
    assert told


def test_an_interrupt_leaves_the_search():
    problem, gate = gated(PROBLEMS["lasso"])
    with pytest.raises(KeyboardInterrupt):
        pc.solve(problem, "pgd", 10, progress=Mock(side_effect=KeyboardInterrupt))
    assert problem.solution._forming._job._askers == 0
    gate.open.set()


def test_a_run_that_is_forgotten_leaves_the_search():
    problem, gate = gated(PROBLEMS["lasso"])
    run = pc.Run(problem, "pgd", 10)
    with pytest.raises(RuntimeError, match="still sought"):
        run._problem.gap_at(run._problem.lift(problem.x0))
    job = problem.solution._forming._job
    assert job._askers == 1
    del run
    assert job._askers == 0
    gate.open.set()


@pytest.mark.parametrize("keywords", [{"backtracking": True}, {}], ids=["backtracking", "own"])
def test_other_runs_wait(keywords):
    h = LeastSquares(A, B)
    problem, gate = gated(PROBLEMS["lasso"] if keywords else lambda: pc.Problem(Plain(h), L=h.L, x0=START))
    gate.open.set()
    assert np.isfinite(pc.solve(problem, "fista", 10, **keywords).gap).all()


class Plain:
    def __init__(self, h):
        self.value, self.grad = h.value, h.grad


def test_a_sweep_finds_x_star_first():
    (problem, gate), small = gated(PROBLEMS["lasso"]), PROBLEMS["lasso"]()
    gate.open.set()
    ours, theirs = (pc.sweep(p, method=["pgd", "fista"], x0=[START], iterations=9) for p in (problem, small))
    for (_, one), (_, other) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.gap, other.gap)


def test_a_start_at_x_star_is_solved_exactly():
    loss = Quadratic(np.array([1.0, 0.5]), np.zeros(2), 0.0)
    problem = pc.Problem(loss, certify=loss.reference)
    assert problem.solution.long
    assert pc.solve(problem, "fista", 10).outcome is pc.Outcome.EXACT
