"""Many runs at once: the same entries however they are spread, and no failure that takes others with it."""

import os
import pickle
import re
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
from cases import PROBLEMS, problems_on

import polyak_core as pc
from polyak_core.methods.paper import Iterate
from polyak_core.runs.sweep import run_one
from polyak_core.runs.trace import COLUMNS

RNG = np.random.default_rng(6)
A, B = RNG.standard_normal((20, 5)), RNG.standard_normal(20)
PROBLEM = pc.least_squares(A, B, representation="G")
GRID = {"method": "restart", "gamma": [0.5, 2.0, 5.0], "iterations": [40, 60]}


def same(one, other):
    assert one.settings == other.settings
    assert (one.outcome, one.message) == (other.outcome, other.message)
    for name in set(COLUMNS) - {"seconds"} | {"x", "y"}:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_nested_loops_in_the_given_order():
    runs = pc.sweep(PROBLEM, **GRID)
    expected = [
        {"method": "restart", "gamma": gamma, "iterations": n} for gamma in (0.5, 2.0, 5.0) for n in (40, 60)
    ]
    assert [settings for settings, _ in runs] == expected
    for settings, trace in runs:
        same(trace, pc.solve(PROBLEM, **settings))


@pytest.mark.parametrize("workers", [1, 3])
def test_threads(workers):
    with ThreadPoolExecutor(workers) as pool:
        spread = pc.sweep(PROBLEM, executor=pool, **GRID)
    for (settings, trace), (expected, single) in zip(spread, pc.sweep(PROBLEM, **GRID), strict=True):
        assert settings == expected
        same(trace, single)


def test_processes():
    """Workers started afresh, so that all they know came in the task; x* is found once, here."""
    calls = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        spread = pc.sweep(PROBLEM, executor=pool, progress=lambda *now: calls.append(now), **GRID)
    for (_, trace), (_, single) in zip(spread, pc.sweep(PROBLEM, **GRID), strict=True):
        same(trace, single)
    assert calls == [(i, 6) for i in range(1, 7)]


class Recorder(ThreadPoolExecutor):
    """Remembers the size of each task."""

    def __init__(self):
        super().__init__(1)
        self.tasks = []

    def submit(self, work, /, *arguments):
        self.tasks.append(pickle.dumps((work, arguments)))
        return super().submit(work, *arguments)


def test_each_setting_is_one_small_task():
    problem = pc.least_squares(A, B)
    with Recorder() as pool:
        pc.sweep(problem, executor=pool, **GRID)
    assert len(pool.tasks) == 6
    assert max(map(len, pool.tasks)) < 40 * (A.size + 200)
    work, (sent, settings) = pickle.loads(pool.tasks[0])
    assert sent.solution.known
    assert work is run_one
    same(work(sent, settings), pc.solve(problem, **settings))


TALL = problems_on(RNG.standard_normal((200, 5)), RNG.standard_normal(200), np.zeros(5))
SENT = {
    **{name: TALL[name] for name in ("least squares, eigenbasis", "least squares, G", "lasso", "logistic")},
    "squared hinge, rbf": partial(TALL["hinge, rbf"], loss="squared_hinge"),
    "completion": PROBLEMS["completion"],
}


@pytest.mark.parametrize("name", SENT)
def test_a_task_carries_what_steps_need_and_no_more(name):
    """Not the decompositions and the extended precision in which x* was found, and the same bits come out."""
    problem = SENT[name]()
    settings = {"method": "adapt_apg_v2", "iterations": 30}
    if name in ("lasso", "squared hinge, rbf", "logistic"):
        settings["f_star"] = "dual"
    with Recorder() as pool:
        ((_, trace),) = pc.sweep(problem, executor=pool, **settings)
    work, arguments = pickle.loads(pool.tasks[0])
    single = pc.solve(problem, **settings)
    same(trace, single)
    same(work(*arguments), single)
    with pytest.raises(NotImplementedError, match="stayed"):
        arguments[0].f(problem.x0)
    steps_need = len(pickle.dumps(problem.form)) + len(pickle.dumps(problem.reference))
    assert len(pool.tasks[0]) < 2 * steps_need + 20_000


@pytest.mark.parametrize("mu", [0, 1])
def test_starts_on_an_executor(mu):
    """Where minimisers are many, each start has its own, which is found there."""
    problem = pc.least_squares(A[:3], B[:3]) if mu == 0 else pc.least_squares(A, B)
    starts = list(RNG.standard_normal((3, 5)))
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        spread = pc.sweep(problem, executor=pool, iterations=20, x0=starts)
    for (_, trace), start in zip(spread, starts, strict=True):
        same(trace, pc.solve(problem, iterations=20, x0=start))


def test_continued_with_what_is_missing_or_failed():
    starts = [np.ones(5), np.zeros(5)]
    grid = {"method": "restart", "iterations": [20, 30], "gamma": [1.0, 2.0, 5.0], "x0": starts}
    whole = pc.sweep(PROBLEM, **grid)
    failure = pc.Failure(whole[4][0], "lost")
    part = [*whole[1:4], (whole[4][0], failure), *whole[7:]]
    calls = []
    again = pc.sweep(PROBLEM, done=part, progress=lambda *now: calls.append(now), **grid)
    assert calls == [(i, 12) for i in range(9, 13)]
    assert [again[i][1] is whole[i][1] for i in range(12)] == [i not in (0, 4, 5, 6) for i in range(12)]
    for (settings, trace), (expected, single) in zip(again, whole, strict=True):
        assert str(settings) == str(expected)
        same(trace, single)
    fewer = pc.sweep(PROBLEM, done=whole, method="restart", iterations=30, gamma=[5.0], x0=[np.zeros(5)])
    assert fewer[0][1] is whole[-1][1]
    with ThreadPoolExecutor(1) as pool:
        spread = pc.sweep(PROBLEM, done=whole, executor=pool, **grid)
    assert [trace for _, trace in spread] == [trace for _, trace in whole]


def test_runs_on_another_problem_are_not_taken():
    with pytest.raises(ValueError, match="runs on 'quadratic', and this problem is 'least squares'"):
        pc.sweep(PROBLEM, done=pc.sweep(pc.quadratic([1.0]), iterations=5), iterations=5)


@pytest.mark.parametrize("threads", [False, True])
def test_a_failure_keeps_the_others(threads):
    pool = ThreadPoolExecutor(2) if threads else None
    runs = pc.sweep(PROBLEM, method=["restart", "pgd"], gamma=[1.0, -1.0], iterations=5, executor=pool)
    kinds = [type(result).__name__ for _, result in runs]
    assert kinds == ["Trace", "Failure", "Trace", "Failure"]
    failure = runs[1][1]
    assert failure.settings == runs[1][0] == {"method": "restart", "gamma": -1.0, "iterations": 5}
    assert "gamma = -1.0 is not allowed" in failure.message
    assert "pgd does not use gamma" in runs[3][1].message


@pytest.fixture
def broken_method():
    def broken(problem, x0):
        yield Iterate(0, x0, x0)
        raise ZeroDivisionError

    pc.register("broken", broken)
    yield
    pc.METHODS.pop("broken")


@pytest.mark.usefixtures("broken_method")
def test_errors_in_a_method_are_named():
    runs = pc.sweep(PROBLEM, method=["broken", "pgd"], iterations=5)
    assert runs[0][1].message == "ZeroDivisionError: no more is known"
    assert len(runs[1][1]) == 6


def die(*_):
    os._exit(1)


def test_workers_that_die_are_named(monkeypatch):
    monkeypatch.setattr("polyak_core.runs.sweep.run_one", die)
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        runs = pc.sweep(PROBLEM, executor=pool, method="pgd", iterations=[5, 6])
    assert [settings["iterations"] for settings, _ in runs] == [5, 6]
    assert all("BrokenProcessPool" in failure.message for _, failure in runs)
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    ((_, failure),) = pc.sweep(PROBLEM, executor=pool, iterations=5)
    assert "shutdown" in failure.message


def test_what_cannot_be_sent_is_named():
    problem = pc.quadratic([1.0, 0.5])
    problem.unpicklable = lambda: None
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        ((_, failure),) = pc.sweep(problem, executor=pool, iterations=5)
    assert re.search("pickle|local object", failure.message), "as this Python says it"


def test_cancelled_between_runs_keeps_what_is_done():
    done = []
    runs = pc.sweep(
        PROBLEM, gamma=[1, 2, 3], method="restart", iterations=5,
        progress=lambda *now: done.append(now), cancel=lambda: len(done) == 2,
    )  # fmt: skip
    assert [settings["gamma"] for settings, _ in runs] == [1, 2]
    assert done == [(1, 3), (2, 3)]


def test_cancelled_within_a_run_drops_it():
    answers = iter([False, False, True])
    runs = pc.sweep(PROBLEM, method="pgd", iterations=[10**6, 5], cancel=lambda: next(answers, True))
    assert runs == []


class Slow(ThreadPoolExecutor):
    """Starts the first task only."""

    def submit(self, work, /, *arguments):
        if arguments[1]["gamma"] == 1:
            return super().submit(work, *arguments)
        self.waiting = [*getattr(self, "waiting", []), Future()]
        return self.waiting[-1]


def test_cancelled_on_an_executor():
    done = []
    with Slow(1) as pool:
        runs = pc.sweep(
            PROBLEM, gamma=[2, 1, 3], method="restart", iterations=5, executor=pool,
            progress=lambda *now: done.append(now), cancel=lambda: bool(done),
        )  # fmt: skip
    assert [settings["gamma"] for settings, _ in runs] == [1]
    assert all(future.cancelled() for future in pool.waiting)


def test_what_counts_as_a_list():
    starts = [np.zeros(5), np.ones(5)]
    assert len(pc.sweep(PROBLEM, iterations=3, x0=starts)) == 2
    assert len(pc.sweep(PROBLEM, iterations=3, x0=np.ones((3, 5)))) == 3
    assert len(pc.sweep(PROBLEM, iterations=3, x0=[0.0] * 5)) == 1
    assert len(pc.sweep(PROBLEM, iterations=3)) == 1
    numbers = pc.sweep(PROBLEM, iterations=range(3, 6), mu0=np.array([0.1, 0.2]) * PROBLEM.L)
    assert len(numbers) == 6
    assert all(type(settings["mu0"]) is float for settings, _ in numbers)


def test_bad_sweeps():
    with pytest.raises(ValueError, match="gama is not a keyword of a sweep; these are: method"):
        pc.sweep(PROBLEM, gama=[1, 2])
    with pytest.raises(ValueError, match="gamma is an empty list"):
        pc.sweep(PROBLEM, method="restart", gamma=[])
    with pytest.raises(ValueError, match="x0 is an empty list"):
        pc.sweep(PROBLEM, x0=[])
