"""Long work in a thread of its own: shared by all who ask, left at once, never kept half made."""

import pickle
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.lazy import lazy_property
from polyak_core.matrices.factors import factorise
from polyak_core.problems import least_squares
from polyak_core.problems.least_squares import LeastSquares
from polyak_core.progress.background import Background
from polyak_core.progress.threads import NoThreadError
from polyak_core.progress.watch import step

RNG = np.random.default_rng(6)
A, B = RNG.standard_normal((30, 6)), RNG.standard_normal(30)
PATIENCE = 30


class Gate:
    """Work that goes on only when it is allowed to; it counts how often it was begun and how it ended."""

    def __init__(self, result="found", steps=True):
        self.entered, self.allowed, self.left = threading.Event(), threading.Event(), threading.Event()
        self.result, self.steps, self.tries = result, steps, 0

    def __call__(self):
        self.tries += 1
        self.entered.set()
        assert self.allowed.wait(PATIENCE)
        try:
            if self.steps:
                step("held work", 3)
        except pc.Cancelled:
            self.left.set()
            raise
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def when(gate):
    """A `cancel` that says so once the work has begun."""
    return gate.entered.is_set


def asked_elsewhere(background):
    """Ask for the value in another thread; its answers."""
    answers = []

    def ask():
        try:
            answers.append(background.result())
        except Exception as error:
            answers.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread, answers


def test_work_that_takes_no_step_is_left_at_once():
    work = Gate()
    background = Background(work, long=True)
    with pytest.raises(pc.Cancelled, match="before the first step"), pc.watched(cancel=when(work)):
        background.result()
    assert not background.known
    work.allowed.set()
    assert work.left.wait(PATIENCE)  # its next step ends it
    assert background.result() == "found"
    assert work.tries == 2


def test_a_time_limit_does_not_wait_either():
    work = Gate()
    background = Background(work, long=True)
    with pytest.raises(pc.Cancelled, match="time limit"), pc.watched(seconds=0.05):
        background.result()
    work.allowed.set()


def test_who_comes_later_waits_for_the_same_work():
    work = Gate()
    background = Background(work, long=True)
    thread, answers = asked_elsewhere(background)
    assert work.entered.wait(PATIENCE)
    with pytest.raises(pc.Cancelled), pc.watched(cancel=lambda: True):
        background.result()  # one goes away, the other one still waits
    work.allowed.set()
    thread.join(PATIENCE)
    assert (answers, work.tries) == (["found"], 1)
    assert background.result() is answers[0]


def test_work_that_was_left_is_joined_if_it_has_not_noticed():
    work = Gate()
    background = Background(work, long=True)
    with pytest.raises(pc.Cancelled), pc.watched(cancel=when(work)):
        background.result()
    ticket = background.begin()
    work.allowed.set()
    assert ticket.wait(PATIENCE)
    assert (ticket.result(), work.tries) == ("found", 1)


def test_what_goes_wrong_is_raised_and_not_kept():
    work = Gate(ValueError("no minimiser"))
    work.allowed.set()
    background = Background(work, long=True)
    for _ in range(2):
        with pytest.raises(ValueError, match="no minimiser"):
            background.result()
    assert work.tries == 2


def test_progress_is_heard_by_those_who_wait():
    steps = []
    slow = Gate()
    slow.allowed.set()
    with pc.watched(progress=lambda work, k: steps.append((work, k))):
        Background(slow, long=True).result()
    assert steps == [("held work", 3)]


def test_short_work_is_done_here_and_others_wait_for_it():
    work = Gate(steps=False)
    background = Background(work, long=False)
    thread, answers = asked_elsewhere(background)
    assert work.entered.wait(PATIENCE)
    with pytest.raises(pc.Cancelled, match="time limit"), pc.watched(seconds=0.05):
        background.result()
    work.allowed.set()
    assert background.result() == "found"
    thread.join(PATIENCE)
    assert (answers, work.tries) == (["found"], 1)


def test_a_result_that_is_known_needs_no_thread():
    background = Background(partial(int, 3), long=True)
    assert not background.begun
    assert background.result() == 3
    ticket = background.begin()
    assert ticket.wait(0)
    assert ticket.result() == 3


def test_it_can_be_sent_elsewhere_with_and_without_its_value():
    background = Background(partial(int, 3), long=True)
    assert not pickle.loads(pickle.dumps(background)).known
    background.result()
    sent = pickle.loads(pickle.dumps(background))
    assert sent.known
    assert sent.result() == 3


def test_an_inner_watch_adds_to_the_outer_one():
    steps = []
    with (
        pc.watched(progress=lambda work, k: steps.append(k), cancel=lambda: len(steps) > 2),
        pc.watched(cancel=lambda: len(steps) > 5, seconds=60),
    ):
        step("a", 0)
        step("a", 1)
        with pytest.raises(pc.Cancelled):
            step("a", 2)
    assert steps == [0, 1, 2]


def test_attributes_of_two_objects_do_not_wait_for_each_other():
    class Thing:
        def __init__(self, work):
            self.work = work

        @lazy_property
        def value(self):
            """The value."""
            return self.work()

    gate = Gate(steps=False)
    slow, quick = Thing(gate), Thing(lambda: "quick")
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert gate.entered.wait(PATIENCE)
    assert quick.value == "quick"
    gate.allowed.set()
    thread.join(PATIENCE)
    assert slow.value == "found"
    assert gate.tries == 1
    assert Thing.value.__doc__ == "The value."


@pytest.fixture
def large(monkeypatch):
    """All problems count as large."""
    monkeypatch.setattr(LeastSquares, "long_search", True)


@pytest.mark.usefixtures("large")
def test_a_singular_value_decomposition_is_left_while_a_problem_is_made(monkeypatch):
    work = Gate(steps=False)
    monkeypatch.setattr(least_squares, "factorise", lambda A: work() and factorise(A))
    with pytest.raises(pc.Cancelled), pc.watched(cancel=when(work)):
        pc.least_squares(A, B)
    work.allowed.set()
    assert pc.least_squares(A, B).L == pytest.approx(np.linalg.norm(A, 2) ** 2)


def test_an_interrupt_comes_through():
    code = """
import _thread, signal, threading, numpy as np, polyak_core as pc
from polyak_core.problems.least_squares import LeastSquares
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
stuck, begun = threading.Event(), threading.Event()
def reference(self, x0):
    begun.set()
    stuck.wait()
LeastSquares.long_search, LeastSquares.reference = True, reference
def interrupt():
    begun.wait()
    _thread.interrupt_main()
threading.Thread(target=interrupt, daemon=True).start()
problem = pc.least_squares(np.eye(3), np.ones(3))
try:
    problem.x_star
except KeyboardInterrupt:
    print("interrupted", problem.solution.known)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (run.stdout, run.stderr) == ("interrupted False\n", "")  # and the stuck thread is no hindrance


@pytest.mark.usefixtures("large")
def test_the_solution_is_the_same_and_is_sent_along():
    problem, small = pc.least_squares(A, B), LeastSquares(A, B).reference(np.zeros(6))
    assert not problem.solution.begun
    np.testing.assert_array_equal(problem.x_star, small.x_star)
    sent = pickle.loads(pickle.dumps(problem))
    assert sent.solution.reference.error == small.error
    other = problem.starting_at(np.ones(6))
    assert other.solution is problem.solution


@pytest.fixture
def no_thread(monkeypatch):
    """Python as in a browser: threads can be named, and not started."""

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("no_thread")
def test_without_threads_work_is_done_where_it_is_asked_for():
    heard, work = [], Gate()
    work.allowed.set()
    background = Background(work, long=True)
    with pytest.raises(NoThreadError, match="no thread can be started"):
        background.begin()
    assert not background.begun
    with pytest.raises(pc.Cancelled, match="held work, step 3"), pc.watched(cancel=lambda: True):
        background.result()
    assert not background.known
    with pc.watched(progress=lambda *step: heard.append(step), cancel=lambda: False):
        assert background.result() == "found"
    assert heard == [("held work", 3)]
    assert work.tries == 2


def test_without_threads_a_run_has_the_same_numbers_and_can_be_cancelled(request, monkeypatch):
    monkeypatch.setattr("polyak_core.certificates.reference.LONG_SIDE", 10)
    A, signs = RNG.standard_normal((60, 20)), np.sign(RNG.standard_normal(60))
    keywords = {"method": "adapt_apg_v2", "iterations": 20}
    expected = pc.solve(pc.logistic(A, signs, 1e-3), **keywords)
    request.getfixturevalue("no_thread")
    problem, steps = pc.logistic(A, signs, 1e-3), []
    assert problem.solution.long
    with pytest.raises(pc.Cancelled), pc.watched(lambda *step: steps.append(step), lambda: len(steps) > 2):
        _ = problem.reference
    assert len(steps) == 3
    np.testing.assert_array_equal(pc.solve(problem, **keywords).gap, expected.gap)
