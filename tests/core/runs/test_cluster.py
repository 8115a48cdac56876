"""A sweep on a real cluster of dask, two workers: start, kill one, cancel, continue, plot."""

import logging
import os
import signal
from contextlib import suppress

import dask
import numpy as np
import plotly.graph_objects as go
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

import polyak_core as pc
from polyak_core.runs.trace import COLUMNS

pytestmark = pytest.mark.slow  # processes are started

GAMMAS = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
GRID = {"method": "restart", "gamma": GAMMAS, "iterations": 6000}
PROBLEM = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e5))


PATIENT = {
    "distributed.comm.timeouts.connect": "300s",  # a busy machine starts processes slowly
    "distributed.scheduler.allowed-failures": 1,  # each costs the start of a worker
}


@pytest.fixture(scope="module")
def client():
    """Two workers, each a process of its own that is started anew when it dies."""
    quiet = {"silence_logs": logging.CRITICAL, "dashboard_address": ":0"}
    workers = {"n_workers": 2, "threads_per_worker": 1}
    with dask.config.set(PATIENT):
        cluster = LocalCluster(**workers, **quiet)
        with Client(cluster) as client:
            yield client
        with suppress(TimeoutError):  # the oldest distributed gives a worker that it has killed no time to go
            cluster.close()


@pytest.fixture(scope="module")
def expected():
    return [pc.solve(PROBLEM, "restart", 6000, gamma=gamma) for gamma in GAMMAS]


def assert_same(runs, expected):
    for (settings, trace), single in zip(runs, expected, strict=True):
        assert isinstance(trace, pc.Trace), trace
        assert (trace.message, trace.settings) == (single.message, single.settings)
        assert settings["gamma"] == single.settings["gamma"]
        for name in set(COLUMNS) - {"seconds"}:
            np.testing.assert_array_equal(getattr(trace, name), getattr(single, name), err_msg=name)


def test_the_journey(client, expected):
    def kill_one_worker(done, count):
        reports.append((done, count))
        if done == 1:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    reports: list[tuple[int, int]] = []
    runs = pc.sweep(PROBLEM, executor=client.get_executor(pure=False), progress=kill_one_worker, **GRID)
    assert reports == [(i, 6) for i in range(1, 7)]
    assert_same(runs, expected)  # nothing is lost

    reports.clear()
    part = pc.sweep(
        PROBLEM, executor=client.get_executor(pure=False), cancel=lambda: len(reports) >= 2,
        progress=lambda *now: reports.append(now), **GRID,
    )  # fmt: skip
    assert 2 <= len(part) < 6

    reports.clear()
    whole = pc.sweep(
        PROBLEM, executor=client.get_executor(pure=False), done=part,
        progress=lambda *now: reports.append(now), **GRID,
    )  # fmt: skip
    assert reports == [(i, 6) for i in range(len(part) + 1, 7)]
    traces = {id(trace) for _, trace in part}
    assert sum(id(trace) in traces for _, trace in whole) == len(part)
    assert_same(whole, expected)

    counts = [trace.first_below(1e-10) for _, trace in whole]
    figure = go.Figure(go.Scatter(x=[settings["gamma"] for settings, _ in whole], y=counts))
    assert list(figure.data[0].x) == GAMMAS
    assert list(figure.data[0].y) == [trace.first_below(1e-10) for trace in expected]
    assert counts[-1] is not None


def test_a_large_problem_goes_to_each_worker_once(client):
    """Its tasks hold a name for it, and its data stay here."""
    A = np.random.default_rng(0).standard_normal((1500, 400))
    problem = pc.least_squares(A, A[:, 0], representation="G")
    keywords = {"method": "restart", "gamma": [1.0, 5.0], "iterations": 20}
    for (settings, trace), gamma in zip(
        pc.sweep(problem, executor=client.get_executor(), **keywords), keywords["gamma"], strict=True
    ):
        single = pc.solve(problem, **{**keywords, "gamma": gamma})
        assert settings["gamma"] == gamma
        np.testing.assert_array_equal(trace.gap, single.gap)
        assert trace.message == single.message


def test_a_task_that_kills_every_worker_is_a_failure_and_the_cluster_goes_on(client):
    def deadly(problem, x0):
        yield os.kill(os.getpid(), signal.SIGKILL)

    class Deadly(WorkerPlugin):
        """Each worker, those that replace others too, knows the method."""

        def setup(self, worker):
            pc.register("deadly", deadly)

    client.register_plugin(Deadly(), name="deadly")
    pc.register("deadly", deadly)
    keywords = {"executor": client.get_executor(pure=False), "iterations": 5}
    try:
        ((_, failure),) = pc.sweep(PROBLEM, method=["deadly"], **keywords)
    finally:
        pc.METHODS.pop("deadly")
        client.unregister_worker_plugin("deadly")
    assert failure.message.startswith("KilledWorker: ")
    ((_, trace),) = pc.sweep(PROBLEM, method=["pgd"], **keywords)
    assert len(trace) == 6
