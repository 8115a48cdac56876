"""Work on x* and f* says how far it is, can be stopped, and starts anew when it is asked for again."""

import threading

import numpy as np
import pytest
from cases import PROBLEMS

import polyak_core as pc
from polyak_core.progress.watch import step

SLOW = ("lasso", "squared hinge", "logistic", "completion", "own")
"""Problems whose x* takes steps."""


@pytest.fixture(params=SLOW, name="problem")
def make_problem(request):
    return PROBLEMS[request.param]()


def test_progress_is_told_in_words(problem):
    steps = []
    with pc.watched(progress=lambda work, k: steps.append((work, k))):
        reference = problem.reference
    assert steps
    assert all(isinstance(work, str) and k >= 0 for work, k in steps)
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
