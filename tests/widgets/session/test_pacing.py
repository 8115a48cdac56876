"""Frames are paced by what has come to the page, have as many points as it can show, and one unit."""

import numpy as np
import pytest
from polyak_widgets import Settings
from polyak_widgets.session import streaming
from polyak_widgets.session.actions import whole_state
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.session.streaming import AHEAD, Line

LONG = 400
"""Slices in which all would be drawn if there were room for it."""
SETTINGS = Settings(iterations=900, methods=("apg", "restart"))


class Page:
    """A page that acknowledges nothing by itself."""

    def __init__(self, **options):
        self.session = Session(SETTINGS, **options)
        self.frames, self.words = [], []
        self.slices = Slices(self.session.work, self.session.report)
        self.steps = self.slices.steps()
        self.session.start(self, self.slices.submit)
        self.work()

    def show(self, name, value):
        if name == "frame":
            self.frames.append(value)

    def repeat(self, names):
        if "frame" in names:
            self.frames.append(self.session.state["frame"])

    def send(self, content, buffers=()):
        self.words.append(content)

    def work(self):
        """So many slices, of as many requests as there are; what is not done by then goes on next time."""
        for _ in range(LONG):
            self.step()

    def step(self):
        if next(self.steps, None) is None:
            self.steps = self.slices.steps()

    def write(self, name, **values):
        self.session.take(name, self.session.state[name] | values)

    def acknowledge(self, serial, **more):
        self.session.act({"do": "arrived", "frame": serial, **more})

    @property
    def newest(self):
        return self.frames[-1]


@pytest.fixture
def page(monkeypatch):
    """A page that has the first picture, and has said so; however slow the machine is, it counts as there."""
    monkeypatch.setattr(streaming, "PATIENCE", float("inf"))
    session = Page(show=("gap",))
    assert session.newest["settled"], "before anybody listens nobody waits"
    session.session.act({"do": "here", "frame": session.newest["serial"], "third": None})
    session.work()
    session.frames.clear()
    return session


def settle(page):
    """Acknowledge whatever comes, until all is there; all frames."""
    for _ in range(100 * LONG):
        page.step()
        if page.frames:
            page.acknowledge(page.newest["serial"])
            if page.newest["settled"]:
                break
    return page.frames


def test_a_line_takes_so_many_and_no_more_until_one_has_come():
    line = Line()
    for serial in range(9):
        line.sent(serial)
        assert line.has_room(), "nobody listens yet"
    line.arrived(8)
    for serial in range(9, 9 + AHEAD):
        assert line.has_room()
        line.sent(serial)
    assert not line.has_room()
    line.arrived(9)
    assert line.has_room()
    line.sent(20)
    line.arrived(20)
    assert [line.sent(serial) or line.has_room() for serial in (21, 22)] == [True, False]


def test_a_page_that_is_gone_keeps_nobody_waiting(monkeypatch):
    line = Line()
    line.arrived(None)
    for serial in range(AHEAD):
        line.sent(serial + 1)
    assert not line.has_room()
    monkeypatch.setattr(streaming, "PATIENCE", -1.0)
    assert line.has_room()
    for serial in range(9):
        line.sent(serial)
    assert line.has_room()


def test_two_frames_are_on_their_way_and_a_third_waits_for_a_word(page):
    page.write("value", condition_number=1e6)
    page.work()
    assert len(page.frames) == AHEAD
    page.write("value", condition_number=1e5)
    page.work()
    assert len(page.frames) == AHEAD, "there is still no room"


def test_what_waited_and_is_stale_is_never_sent(page):
    page.write("value", condition_number=1e6)
    page.work()
    begun = len(page.frames)
    for kappa in (1e5, 1e3, 1e2):
        page.write("value", condition_number=kappa)
        page.work()
    page.acknowledge(page.newest["serial"])
    frames = settle(page)
    answered = [frame["answers"]["condition_number"] for frame in frames]
    assert set(answered[:begun]) == {1e6}
    assert set(answered[begun:]) == {1e2}
    assert frames[-1]["settled"]
    serials = [frame["serial"] for frame in frames]
    assert serials == sorted(set(serials))


def test_a_picture_that_is_there_waits_for_room_too(page):
    page.write("value", condition_number=1e6)
    settle(page)
    page.frames.clear()
    for bounds in (True, False, True, False):
        page.write("view", bounds=bounds)
        page.work()
    assert len(page.frames) == AHEAD
    page.acknowledge(page.newest["serial"])
    page.write("view", bounds=True)
    page.work()
    assert len(page.frames) == AHEAD + 1
    assert page.newest["panels"][0]["lines"]


def test_a_change_that_draws_nothing_is_answered_in_words(page):
    page.words.clear()
    page.write("value", gamma="nonsense")
    page.work()
    assert not page.frames
    (answers,) = [each["answers"] for each in page.words if "answers" in each]
    assert answers["gamma"] == "nonsense"
    page.words.clear()
    page.write("view", third="momentum")
    page.work()
    assert not [each for each in page.words if "answers" in each], "the rail has not moved"


def counts(frame):
    return [curve["count"] for curve in frame["panels"][0]["curves"] if curve["run"]]


def test_a_narrow_chart_gets_fewer_points_and_a_wide_one_all_anew(page):
    page.acknowledge(0, pixels=90)
    page.work()
    assert not page.frames, "what is finer than needed stays"
    page.write("value", condition_number=1e6)
    settle(page)
    assert max(counts(page.newest)) <= 401, "of 901"
    page.frames.clear()
    page.acknowledge(0, pixels=900)
    page.work()
    (finer,) = page.frames
    assert max(counts(finer)) == 901


@pytest.mark.parametrize("pixels", [None, "wide", -3, 0, float("nan"), [1], {}])
def test_a_width_that_is_none_changes_nothing(page, pixels):
    page.acknowledge(0, pixels=pixels)
    page.work()
    assert not page.frames


def test_a_frame_has_the_unit_that_is_shown_and_a_file_has_all(page):
    page.write("view", x="seconds")
    page.work()
    (settled,) = page.frames
    curves = [curve for curve in settled["panels"][0]["curves"] if curve["run"]]
    assert {tuple(curve["units"]) for curve in curves} == {("seconds",)}
    whole = whole_state(page.session)["frame"]
    assert {tuple(curve["units"]) for curve in whole["panels"][0]["curves"] if curve["run"]} == {
        ("gradients", "seconds")
    }
    sent, all_of_it = (np.frombuffer(each["data"]) for each in (settled, whole))
    assert sent.size < all_of_it.size
    assert whole["share"] == settled["share"]


def test_a_chart_that_has_grown_is_asked_for_once_and_a_long_run_comes_to_its_end(page):
    """Each frame says how wide the charts are; asking again would begin the runs again, for ever."""
    page.acknowledge(page.session.state["frame"]["serial"], pixels=290)
    page.write("value", gamma=3.0)
    settle(page)
    page.write("value", condition_number=1e6, iterations=20_000)
    requests = []
    for _ in range(100 * LONG):
        page.step()
        if len(page.frames) > len(requests):
            requests.append(page.newest["serial"])
            page.acknowledge(page.newest["serial"], pixels=9000)
            if page.newest["settled"] and len(requests) > 3:
                break
    assert page.newest["settled"]
    assert page.session.experiment.finished
