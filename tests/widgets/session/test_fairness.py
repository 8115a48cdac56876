"""What one reader's work may take from others: seconds of a processor for a picture and in a minute."""

import os
import sys
import threading
import time
from itertools import count

import pytest
from polyak_widgets import Budget, Settings
from polyak_widgets.laboratory import budget
from polyak_widgets.laboratory.budget import Minute
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.session.worker import LatestWins
from polyak_widgets.settings.view import View


class Page:
    """A page that takes everything, and its session, which works in slices."""

    def __init__(self, settings, **options):
        self.session = Session(settings, **options)
        slices = Slices(self.session.work, self.session.report)
        self.session.start(self, slices.submit)
        self.slices = slices

    def show(self, name, value):
        pass

    repeat = send = show


def test_a_study_draws_from_the_seconds_of_its_picture_and_says_where_they_end(monkeypatch):
    monkeypatch.setattr(budget, "process_time", count().__next__)
    settings = Settings(iterations=20_000, methods=("adapt_apg_v2",), condition_number=1e6)
    page = Page(settings, budget=Budget(picture_seconds=40), view=View(third="sensitivity"))
    for _ in page.slices.steps():
        pass
    state = page.session.state
    assert page.session.experiment.finished
    assert state["third"]["settled"]
    assert "stopped" in str(state["third"]["panel"])
    assert state["status"]["kind"] == "done"
    assert state["status"]["text"].endswith(
        "The closer look was stopped at the limit of 40 seconds of processor time for a picture. "
        "In a notebook Explorer(budget=Budget(...)) allows more."
    )


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux alone")
def test_what_is_asked_for_comes_at_once_and_all_else_after_the_work_of_others(monkeypatch):
    monkeypatch.setenv("POLYAK_NICE", "3")

    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    usual, turns = priority(), []

    def work(request, stale):
        yield from (turns.append((request, "asked for", priority())) or False for _ in range(2))
        yield True
        for _ in range(2):
            turns.append((request, "beside", priority()))
            yield True

    worker = LatestWins(work, pytest.fail)
    for request in "ab":
        worker.submit(request)
        assert worker.wait(20)
        while turns.count((request, "beside", usual + 3)) < 2:
            time.sleep(0.01)
    worker.close()
    assert turns == [
        (request, what, priority)
        for request in "ab"
        for what, priority in (*[("asked for", usual)] * 2, *[("beside", usual + 3)] * 2)
    ]


def test_long_work_is_left_to_the_patient_thread_though_nothing_is_there_yet(monkeypatch):
    monkeypatch.setattr("polyak_widgets.session.worker.PROMPT_SECONDS", 0.0)
    names = []

    def work(request, stale):
        for _ in range(3):
            names.append(threading.current_thread().name)
            yield False
        raise ValueError("and what goes wrong there is said")

    failures = []
    worker = LatestWins(work, failures.append)
    worker.submit("a")
    assert worker.wait(20)
    worker.close()
    assert names == ["polyak-explorer", "polyak-explorer-long", "polyak-explorer-long"]
    assert str(failures) == "[ValueError('and what goes wrong there is said')]"


def test_who_has_used_up_the_seconds_of_a_minute_goes_on_at_their_rate(monkeypatch):
    clock = {"monotonic": 100.0, "process_time": 7.0}
    monkeypatch.setattr(budget, "monotonic", lambda: clock["monotonic"])
    monkeypatch.setattr(budget, "process_time", lambda: clock["process_time"])
    minute = Minute(30)

    def work(seconds):
        for name in clock:
            clock[name] += seconds
        return minute.wait()

    assert work(50) == 0, "50 seconds at full speed draw 50 and bring 25"
    assert work(20) == pytest.approx(2 * 5)
    clock["monotonic"] += 10
    assert minute.wait() == 0
    assert work(100) == pytest.approx(2 * Minute.DEBT), (
        "one long step is not held against the reader for ever"
    )
    clock["monotonic"] += 1000
    assert minute.wait() == 0
    assert work(59.9) == 0, "no more is saved up than a minute's"
    assert work(0.4) > 0
    assert Minute(float("inf")).wait() == 0
