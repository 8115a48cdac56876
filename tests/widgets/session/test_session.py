"""A session lives on messages alone: with a thread, a plain loop, or widgets, it gives the same pictures."""

import ast
import gzip
import json
import pkgutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings, session
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.session.worker import LatestWins

PATIENCE = 60
FIRST = Settings(iterations=300, n=20, condition_number=100.0)
MODULES = [f"polyak_widgets.session.{each.name}" for each in pkgutil.iter_modules(session.__path__)]


def test_a_session_loads_no_widget_and_starts_no_thread():
    program = f"""
import importlib, sys, threading
for name in {MODULES}:
    importlib.import_module(name)
print([name for name in ("ipywidgets", "anywidget", "traitlets") if name in sys.modules])
print(threading.active_count())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["[]", "1"]


def test_the_worker_alone_knows_threads():
    modules = set()
    for path in Path(session.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            modules |= {path.stem for name in names if "thread" in name or "page.widgets" in name}
    assert modules == {"worker"}


class Carrier:
    """A page without a browser: all that it is told, and what its reader does."""

    def __init__(self, **options):
        self.session = Session(FIRST, **options)
        self.state, self.sent, self.repeated = dict(self.session.state), [], []

    def show(self, name, value):
        self.state[name] = value

    def repeat(self, names):
        self.repeated.append(set(names))

    def send(self, content, buffers=()):
        self.sent.append((content, [bytes(each) for each in buffers]))

    def write(self, name, **values):
        content = self.state[name] | values
        self.state[name] = content
        self.session.take(name, content)

    def press(self, do, *buffers, **more):
        self.session.act({"do": do, **more}, [memoryview(each) for each in buffers])


class ByLoop(Carrier):
    """A plain loop steps the work."""

    def __init__(self, **options):
        super().__init__(**options)
        self.slices = Slices(self.session.work, self.session.report)
        self.session.start(self, self.slices.submit)

    def settle(self):
        for _ in self.slices.steps():
            pass

    def close(self):
        assert not list(self.slices.steps()), "nothing is left to do"


class ByThread(Carrier):
    """A thread steps the work."""

    def __init__(self, **options):
        super().__init__(**options)
        self.worker = LatestWins(self.session.work, self.session.report)
        self.session.start(self, self.worker.submit)

    def settle(self):
        assert self.worker.wait(PATIENCE)

    def close(self):
        self.worker.close()


class ByWidgets:
    """The Explorer."""

    def __init__(self, **options):
        self.explorer = Explorer(FIRST, **options)
        self.sent = []
        self.explorer.stage.send = lambda content, buffers: self.sent.append((content, buffers))

    @property
    def state(self):
        widgets = (self.explorer.stage, self.explorer.controls)
        return {name: getattr(widget, name) for widget in widgets for name in widget.keys if name[0] != "_"}

    def write(self, name, **values):
        widget = self.explorer.controls if name == "value" else self.explorer.stage
        setattr(widget, name, getattr(widget, name) | values)

    def press(self, do, *buffers, **more):
        self.explorer.stage._handle_custom_msg({"do": do, **more}, [memoryview(each) for each in buffers])

    def settle(self):
        assert self.explorer.wait(PATIENCE)

    def close(self):
        self.explorer.close()


def timeless(value):
    """The same without what differs from run to run: seconds, and the number of a frame."""
    if isinstance(value, dict):
        rest = {name: timeless(each) for name, each in value.items() if name not in ("seconds", "serial")}
        return rest | ({"data": timeless_numbers(value)} if "data" in value and "panels" in value else {})
    return [timeless(each) for each in value] if isinstance(value, list | tuple) else value


def timeless_numbers(frame):
    """The bytes of a frame, 0 for each second."""
    numbers = np.frombuffer(frame["data"]).copy()
    for panel in frame["panels"]:
        for curve in (*panel["curves"], *panel["lines"]):
            if "seconds" in curve["units"]:
                begin = curve["units"]["seconds"]
                numbers[begin : begin + curve["count"]] = 0
    return numbers.tobytes()


STEPS = {
    "first": lambda page: None,
    "changed": lambda page: page.write("value", gamma=5.0),
    "pinned": lambda page: page.press("pin"),
    "changed beside a pin": lambda page: page.write("value", gamma=1.0),
    "bounds": lambda page: page.write("view", bounds=True),
    "opened": lambda page: page.press("open", query="v=1&gamma=3&colour=red"),
    "asked": lambda page: page.press("story", name="v2_or_theorem"),
    "revealed": lambda page: page.press("predict", value="restart"),
    "locked": lambda page: page.press("predict", value="restart"),
    "left": lambda page: page.press("leave"),
    "unpinned": lambda page: page.press("unpin", id=1),
    "exported": lambda page: page.press("export", kind="json"),
    "wrong kind": lambda page: page.press("export", kind="exe"),
    "wrong file": lambda page: page.press("upload", b"1,2\n3\n", name="mine.csv"),
    "wrong value": lambda page: page.write("value", gamma=-1.0),
    "wrong view": lambda page: page.write("view", x="miles"),
    "wrong button": lambda page: page.press("explode"),
    "reset": lambda page: (page.write("view", x="iterations"), page.press("reset")),
}
AT_ONCE = ("frame", "status", "story", "opened", "notice", "view", "value", "problems", "usual")
"""What is there as soon as the picture is; the closer look, and what the rail knows from it, come later."""


def journey(page, last=None):
    """What the page shows after each thing that its reader does, and what it was sent.

    The closer look comes when there is time for it: it is waited for until it is the `last`, if that is
    known.
    """
    shown = {}
    for name, step in STEPS.items():
        step(page)
        page.settle()
        shown[name] = timeless({part: page.state[part] for part in AT_ONCE})
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        third = page.state["third"]
        if third.get("settled") and last in (None, (third["panel"], third["data"])):
            break
        time.sleep(0.01)
    shown["third"] = third["panel"], third["data"]
    page.close()
    messages = [timeless(content) for content, buffers in page.sent if not buffers]
    ((answer, (file,)),) = [(content, buffers) for content, buffers in page.sent if buffers]
    return shown, messages, answer, timeless(json.loads(gzip.decompress(file)))


@pytest.fixture(scope="module")
def by_loop():
    """The journey where no thread can be started at all."""
    before = threading.active_count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda self: pytest.fail(f"{self.name} was started"))
        travelled = journey(ByLoop())
    assert threading.active_count() == before
    return travelled


def test_a_loop_gets_all_that_a_reader_asks_for(by_loop):
    shown, messages, answer, file = by_loop
    kinds = {name: state["status"]["kind"] for name, state in shown.items() if name != "third"}
    refused = {name for name, kind in kinds.items() if kind == "error"}
    assert refused == {"locked", "wrong file", "wrong value", "wrong view", "wrong button"}
    assert set(kinds.values()) == {"done", "error"}
    assert all(shown[name]["frame"]["settled"] for name in kinds)
    assert "γ = 5" in str(shown["changed"]["frame"]["rows"])
    assert shown["changed beside a pin"]["frame"]["pins"][0]["what"] == "γ = 5"
    assert shown["bounds"]["frame"]["panels"][0]["lines"]
    assert shown["opened"]["frame"]["opened"] == "v=1&gamma=3&colour=red"
    assert "colour" in shown["opened"]["notice"]
    assert shown["opened"]["value"]["gamma"] == 3.0
    assert [shown[name]["story"].get("stage") for name in ("asked", "revealed", "left")] == [
        *("asked", "revealed"),
        None,
    ]
    assert shown["unpinned"]["frame"]["pins"] == []
    assert answer["download"]["name"].startswith("polyak-clusters-quadratic-iterations-2500")
    assert set(file["traces"]) == {run["method"] for run in file["manifest"]["runs"]}
    assert any("csv" in content.get("said", "") for content in messages)
    assert set(shown["wrong file"]["problems"]) == {"upload"}
    assert set(shown["wrong value"]["problems"]) == {"gamma", "upload"}, "a file stays refused"
    assert shown["wrong view"]["frame"]["data"] == shown["exported"]["frame"]["data"]
    assert shown["reset"]["value"] == FIRST.values()


@pytest.mark.parametrize("kind", [ByThread, ByWidgets])
def test_whoever_steps_the_work_and_whatever_carries_it_the_pictures_are_the_same(by_loop, kind):
    expected, *expected_sent = by_loop
    shown, *sent = journey(kind(), expected["third"])
    for name in shown:
        assert shown[name] == expected[name], name
    assert sent == expected_sent


def test_a_loop_leaves_what_nobody_wants_any_more():
    page = ByLoop()
    steps = page.slices.steps()
    assert next(steps) is False
    assert page.state["frame"]["settled"] is False, "the first picture is there after one slice"
    page.write("value", gamma=7.0)
    list(steps)
    assert page.session.settings.gamma == 7.0
    assert page.state["frame"]["settled"]
    assert page.state["third"]["settled"]


def test_a_loop_can_be_cancelled_between_two_slices():
    page = ByLoop(show=("gap", "mu"))
    page.settle()
    page.write("value", condition_number=1e10, iterations=100_000, methods=["pgd"])
    steps = page.slices.steps()
    next(steps)
    page.press("cancel")
    list(steps)
    assert page.state["status"]["kind"] == "cancelled"
    assert page.state["frame"]["settled"]
    page.press("pin")
    page.settle()
    assert page.state["frame"]["pins"]


def test_a_page_that_comes_late_is_sent_what_it_missed():
    page = ByLoop()
    page.settle()
    page.press("here", frame=page.state["frame"]["serial"], third=None)
    page.settle()
    (missed,) = page.repeated
    assert {"third", "spec", "status", "value", "view"} <= missed
    assert not {"frame", "states", "guide"} & missed


def test_a_fault_of_the_work_is_said_and_the_loop_goes_on(monkeypatch):
    page = ByLoop()
    page.settle()
    monkeypatch.setattr("polyak_widgets.session.session.make_frame", lambda *arguments: 1 / 0)
    page.write("value", gamma=3.0)
    page.settle()
    assert page.state["status"]["kind"] == "error"
    monkeypatch.undo()
    page.write("value", gamma=4.0)
    page.settle()
    assert page.state["status"]["kind"] == "done"
