"""Runs without x*: the same steps, no gap, and x* is never sought; and how long a search for x* may take."""

import threading

import numpy as np
import pytest
from cases import PROBLEMS, STACKING, A, B, every_problem

import polyak_core as pc
from polyak_core.problems.least_squares import LeastSquares
from polyak_core.problems.quadratic import Quadratic

PATIENCE = 30


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
REFUSED = [
    ("restart", {}),
    ("restart_function", {}),
    ("adapt_apg", {}),
    ("adapt_apg_v2", {"estimator": "certified"}),
    ("adapt_apg_v2", {"f_star": "dual"}),
    ("adapt_apg_free", {}),
    ("fista", {"backtracking": True}),
    ("pgd", {"backtracking": True}),
]
every_method_without_x_star = pytest.mark.parametrize("method", METHODS)


class Gate:
    """A certificate that comes only when it is allowed to."""

    def __init__(self, certify):
        self.open, self.calls = threading.Event(), 0
        self.inner = certify

    def __call__(self, x0):
        self.calls += 1
        assert self.open.wait(PATIENCE)
        return self.inner(x0)


def gated():
    """A problem that counts as large, with a gate before its x*."""
    loss = LeastSquares(A, B)
    gate = Gate(loss.reference)
    return pc.Problem(loss, certify=gate), gate


# -- without x* ---------------------------------------------------------------------------------


@every_problem
@every_method_without_x_star
def test_the_steps_are_those_of_a_run_with_x_star(make, method):
    problem = make()
    trace = pc.solve(problem, method, 60, reference=False, **METHODS[method])
    assert not problem.solution.begun
    other = pc.solve(make(), method, 60, **METHODS[method])
    assert len(trace) == len(other) == 61
    np.testing.assert_allclose(trace.x, other.x, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(trace.y, other.y, rtol=1e-6, atol=1e-7)
    for name in ("k", "log_A", "gradients", "proxes", "products"):
        np.testing.assert_allclose(getattr(trace, name), getattr(other, name), rtol=1e-12)
    for name in ("beta", "mu", "t", "restarted"):
        np.testing.assert_allclose(getattr(trace, name)[:30], getattr(other, name)[:30], rtol=1e-5)


@every_method_without_x_star
def test_nothing_is_claimed(method):
    trace = pc.solve(PROBLEMS["lasso"](), method, 30, reference=False, **METHODS[method])
    for name in ("gap", "gap_seen", "mu_loc", "distance", "mu_hat"):
        assert np.isnan(getattr(trace, name)).all()
    assert np.isnan(trace.floor)
    assert trace.outcome is pc.Outcome.BUDGET
    assert trace.message.startswith("Stopped at iteration 30: that was the budget of iterations")
    assert "Gaps are NaN: x* is not known." in trace.message
    assert trace.settings["reference"] is False
    assert trace.first_below(1e-3) is None
    assert "nan" in trace.describe()
    assert trace._repr_html_()
    assert len(pc.to_pandas(trace)) == 31


def test_a_run_with_x_star_remembers_no_setting_of_it():
    assert "reference" not in pc.solve(PROBLEMS["quadratic"](), "pgd", 3).settings


def test_a_problem_is_as_it_was_afterwards():
    problem = PROBLEMS["logistic"]()
    pc.solve(problem, "fista", 10, reference=False)
    before = pc.solve(PROBLEMS["logistic"](), "fista", 10)
    np.testing.assert_array_equal(pc.solve(problem, "fista", 10).gap, before.gap)


def test_which_methods_are_refused_is_complete():
    assert set(METHODS) | {method for method, _ in REFUSED} == set(STACKING)


@pytest.mark.parametrize(("method", "keywords"), REFUSED)
def test_methods_that_ask_for_f_star_are_refused(method, keywords):
    problem = PROBLEMS["lasso"]()
    with pytest.raises(ValueError, match="needs f") as caught:
        pc.solve(problem, method, 10, reference=False, **keywords)
    for allowed in METHODS:
        assert allowed in str(caught.value)
    assert "leave reference out" in str(caught.value)
    assert not problem.solution.begun


def test_a_method_of_ones_own_runs_until_it_asks():
    def curious(problem, x0):
        y = x0
        for k in range(100):
            yield pc.Iterate(k, y, y, beta=0.0)
            y = problem.prox_step(y)
            if k == 5:
                problem.gap(y)

    pc.register("curious", curious)
    try:
        run = pc.Run(PROBLEMS["lasso"](), "curious", 4, reference=False)
        assert run.advance()
        with pytest.raises(ValueError, match="needs f"):
            pc.solve(PROBLEMS["lasso"](), "curious", 10, reference=False)
    finally:
        del pc.METHODS["curious"]


def test_a_target_is_refused():
    with pytest.raises(ValueError, match=r"target = 0.5 is a part of the initial gap"):
        pc.solve(PROBLEMS["lasso"](), "fista", 10, target=0.5, reference=False)


def test_a_budget_of_seconds_ends_it():
    trace = pc.solve(PROBLEMS["quadratic"](), "fista", 10**7, seconds=0.02, reference=False)
    assert trace.outcome is pc.Outcome.BUDGET
    assert "the 0.02 seconds are used up" in trace.message


@pytest.mark.parametrize("L", [0.05, 1e-3])
def test_divergence_is_named(L):
    trace = pc.solve(pc.least_squares(A, B, L=L), "fista", 5000, reference=False)
    assert trace.outcome is pc.Outcome.DIVERGED
    assert "true one, " in trace.message
    assert np.isfinite(trace.y).all()


def test_overflow_is_named():
    def exploding(problem, x0):
        y = x0
        for k in range(10**6):
            yield pc.Iterate(k, y, y)
            y = y + 1e3 * (y - problem.prox_step(y))

    pc.register("exploding", exploding)
    try:
        trace = pc.solve(PROBLEMS["lasso"](), "exploding", 10**4, reference=False)
    finally:
        del pc.METHODS["exploding"]
    assert trace.outcome is pc.Outcome.NON_FINITE
    assert "not finite at iteration" in trace.message


def test_cancel_keeps_what_there_is():
    calls = []
    keywords = {"progress": lambda k, gap: calls.append((k, gap)), "cancel": lambda: len(calls) > 3}
    trace = pc.solve(PROBLEMS["squared hinge"](), "fista", 10**6, reference=False, **keywords)
    assert trace.outcome is pc.Outcome.CANCELLED
    assert all(np.isnan(gap) for _, gap in calls)
    assert len(trace) == calls[-1][0] + 1
    assert np.isfinite(trace.y).all()


def test_a_run_in_slices_is_the_same_run():
    run = pc.Run(PROBLEMS["lasso"](), "nag_free", 50, reference=False)
    assert np.isnan(run.last_gap)
    while not run.advance(0):
        assert "Still running" in run.trace().message
    whole = pc.solve(PROBLEMS["lasso"](), "nag_free", 50, reference=False)
    np.testing.assert_array_equal(run.trace().y, whole.y)


def test_bare_iterates():
    problem = PROBLEMS["lasso"]()
    ours = pc.iterates(problem, "fista", reference=False)
    theirs = pc.iterates(PROBLEMS["lasso"](), "fista")
    for _ in range(20):
        np.testing.assert_allclose(next(ours).y, next(theirs).y, rtol=1e-9, atol=1e-12)
    assert not problem.solution.begun
    with pytest.raises(ValueError, match="needs f"):
        next(pc.iterates(problem, "restart", reference=False))


def test_a_sweep_passes_it_on():
    problem = PROBLEMS["lasso"]()
    runs = pc.sweep(problem, method=["pgd", "fista", "restart"], iterations=9, reference=False)
    assert not problem.solution.begun
    for (_, one), method in zip(runs[:2], ("pgd", "fista"), strict=True):
        np.testing.assert_array_equal(one.y, pc.solve(problem, method, 9, reference=False).y)
    assert "needs f*" in runs[2][1].message
    assert "nan" in repr(runs)


@pytest.mark.parametrize("reference", [False, [False, True]])
def test_an_executor_gets_the_data(reference):
    from concurrent.futures import ThreadPoolExecutor

    problem = PROBLEMS["lasso"]()
    with ThreadPoolExecutor(1) as executor:
        runs = pc.sweep(problem, executor=executor, method="fista", iterations=9, reference=reference)
    assert problem.solution.begun is (reference is not False)
    here = pc.sweep(PROBLEMS["lasso"](), method="fista", iterations=9, reference=reference)
    for (_, one), (_, other) in zip(runs, here, strict=True):
        np.testing.assert_array_equal(one.y, other.y)
        np.testing.assert_array_equal(one.gap, other.gap)


# -- the search ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "keywords"), [("fista", {}), ("restart", {}), ("restart", {"f_star": 1})])
def test_seconds_bound_the_search_for_x_star(method, keywords):
    problem, gate = gated()
    calls = []
    trace = pc.solve(
        problem, method, 50, seconds=0.05, progress=lambda k, gap: calls.append((k, gap)), **keywords
    )
    assert trace.outcome is pc.Outcome.BUDGET
    assert "x* was not found within 0.05 seconds" in trace.message
    assert "Give more seconds" in trace.message
    assert "reference=False" in trace.message
    assert len(trace) == 1
    assert [k for k, _ in calls] == [0]
    assert np.isnan(trace.gap).all()
    np.testing.assert_allclose(trace.x, problem.x0, atol=1e-12)
    gate.open.set()
    assert np.isfinite(problem.f_star)
    assert pc.solve(problem, method, 50, seconds=PATIENCE, **keywords).k[-1] == 50


def test_cancel_acts_in_the_search():
    problem, gate = gated()
    with pytest.raises(pc.Cancelled, match="x\\* was sought"):
        pc.solve(problem, "fista", 10, seconds=PATIENCE, cancel=lambda: gate.calls > 0)
    gate.open.set()
    assert pc.solve(problem, "fista", 10).k[-1] == 10


def test_a_watch_around_a_run_is_told_and_can_stop_it():
    problem, gate = gated()
    with pytest.raises(pc.Cancelled, match="time limit"), pc.watched(seconds=0.05):
        pc.solve(problem, "pgd", 10, seconds=PATIENCE)
    gate.open.set()
    calls = []
    with pc.watched(progress=lambda work, k: calls.append(work)):
        pc.solve(problem, "pgd", 10)
    assert calls


def test_what_goes_wrong_with_x_star_is_said():
    def certify(x0):
        raise ValueError("there is no minimiser")

    with pytest.raises(ValueError, match="no minimiser"):
        pc.solve(pc.Problem(LeastSquares(A, B), certify=certify), "fista", 20, seconds=PATIENCE)


def test_a_start_at_x_star_is_solved_exactly():
    loss = Quadratic(np.array([1.0, 0.5]), np.zeros(2), 0.0)
    problem = pc.Problem(loss, certify=loss.reference)
    assert problem.solution.long
    assert pc.solve(problem, "fista", 10).outcome is pc.Outcome.EXACT
