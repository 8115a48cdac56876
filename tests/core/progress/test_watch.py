"""Work on x* and f* says how far it is, can be stopped, and starts anew when it is asked for again."""

import threading

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.progress.watch import step

RNG = np.random.default_rng(5)
A, B = RNG.standard_normal((30, 8)), RNG.standard_normal(30)
LABELS = np.sign(B)
MASK = RNG.random((12, 10)) < 0.6
PROBLEMS = {
    "lasso": lambda: pc.lasso(A, B, 1.0),
    "svm": lambda: pc.svm_dual(A, LABELS, 1.0),
    "logistic": lambda: pc.logistic(A, LABELS, 0.1),
    "completion": lambda: pc.matrix_completion(RNG.standard_normal((12, 10)), MASK, 0.1),
    "own": lambda: pc.Problem(Half(), None, L=2.0, mu=1.0, x0=np.ones(2)),
}


class Half:
    """h(x) = x_1^2/2 + x_2^2."""

    def value(self, x):
        return float(0.5 * x[0] ** 2 + x[1] ** 2)

    def grad(self, x):
        return np.array([x[0], 2 * x[1]])


@pytest.fixture(params=PROBLEMS, name="problem")
def make_problem(request):
    return PROBLEMS[request.param]()


def test_progress_is_told_in_words(problem):
    told = []
    with pc.watched(progress=lambda work, k: told.append((work, k))):
        reference = problem.reference
    assert told
    assert all(isinstance(work, str) and k >= 0 for work, k in told)
    assert reference is problem.reference


def test_cancelled_work_keeps_nothing_and_can_be_asked_for_again(problem):
    with pytest.raises(pc.Cancelled, match="while x\\* was sought"), pc.watched(cancel=lambda: True):
        _ = problem.reference
    assert not problem.solution.known
    with pc.watched(cancel=lambda: False):
        assert np.isfinite(problem.f_star)


def test_a_time_limit_stops_the_work(problem):
    with pytest.raises(pc.Cancelled, match="time limit"), pc.watched(seconds=0.0):
        _ = problem.reference


def test_solve_hands_its_cancel_on(problem):
    with pytest.raises(pc.Cancelled):
        pc.solve(problem, "fista", cancel=lambda: True)


def test_a_watch_sees_its_own_thread_only():
    entered, leave = threading.Event(), threading.Event()

    def watch_elsewhere():
        with pc.watched(cancel=lambda: True):
            entered.set()
            leave.wait(30)

    other = threading.Thread(target=watch_elsewhere)
    other.start()
    assert entered.wait(30)
    assert np.isfinite(PROBLEMS["lasso"]().f_star)
    leave.set()
    other.join()


def test_without_a_watch_a_step_says_nothing():
    assert step("anything", 1) is None
