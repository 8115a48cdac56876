"""However a search is left, Python ends as it should: no crash, no hang, its own code, all it printed."""

import os
import subprocess
import sys

import pytest

from polyak_core.progress import threads

PROCESSES = 20
LEFT_IN_LAPACK = """
import os, sys
import numpy as np
import polyak_core as pc
from polyak_core.progress import threads
from polyak_core.progress.background import Background

threads.PATIENCE = 0.05
A = np.random.default_rng(0).standard_normal((1000, 1000))

def search():
    while True:
        np.linalg.svd(A)

for i in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        try:
            with pc.watched(seconds=0.03 + 0.002 * i):
                Background(search, long=True).result()
        except pc.Cancelled:
            print("left")
        sys.exit(3)
    print("code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork, which is quick")
def test_a_process_that_leaves_a_thread_in_lapack_ends_with_its_own_code():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LEFT_IN_LAPACK, str(PROCESSES)],
        capture_output=True, text=True, timeout=300, check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert run.stdout.split("\n")[:-1] == ["left", "code 3"] * PROCESSES
    assert run.stderr == ""


LEFT_BETWEEN_STEPS = """
import time
import polyak_core as pc
from polyak_core.progress import threads
from polyak_core.progress.background import Background
from polyak_core.progress.watch import step

def search():
    try:
        while True:
            step("search", 0)
            time.sleep(0.001)
    finally:
        print("ended by itself")

threads.PATIENCE = threads.LONG_PATIENCE = 60
ticket = Background(search, long=True).begin()
"""


def test_work_that_takes_steps_is_asked_to_leave_and_ends():
    run = subprocess.run(
        [sys.executable, "-c", LEFT_BETWEEN_STEPS], capture_output=True, text=True, timeout=60, check=True
    )
    assert (run.stdout, run.stderr) == ("ended by itself\n", "")


class Stuck:
    """A thread that does not end, and counts how often it is waited for."""

    def __init__(self, target, **more):
        self.run, self.waited = target, 0

    def start(self):
        pass

    def is_alive(self):
        return True

    def join(self, timeout):
        self.waited += 1
        raise KeyboardInterrupt


@pytest.mark.parametrize("abrupt", [True, False])
def test_an_interrupt_ends_the_wait_and_a_thread_that_goes_on_is_no_hindrance(monkeypatch, abrupt):
    requests, registered = [], []
    monkeypatch.setattr(threads, "Thread", Stuck)
    stuck = threads.begin(lambda: None, "stuck", lambda: requests.append("leave"))
    exit_of = (lambda: registered.append("exit")) if abrupt else None
    monkeypatch.setattr(threads, "abrupt_exit", lambda: exit_of)
    threads.end_threads()
    stuck.run()  # it ends after all, and nothing is left of it for an exit
    assert (requests, stuck.waited, registered) == (["leave"], 1, ["exit"] if abrupt else [])
