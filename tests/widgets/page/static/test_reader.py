"""The session of a reader's browser, stepped by a plain loop: no thread, no widget, SciPy later."""

import json
import subprocess
import sys
from base64 import b64decode

import pytest
from polyak_widgets.page.static.reader import Reader
from polyak_widgets.page.static.recorded import recorded_state
from polyak_widgets.settings.settings import Settings

BARE = """
import os, sys, subprocess, _thread
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    NAMES = ("multiprocessing", "_multiprocessing", "concurrent.futures.process", "concurrent.futures.thread",
             "ipywidgets", "traitlets", "plotly", "voila")
    def find_spec(self, name, path=None, target=None):
        if name in self.NAMES:
            raise ModuleNotFoundError(f"{name} is absent, as in a browser", name=name)

def none(*arguments, **keywords):
    raise RuntimeError("there are neither threads nor processes")

sys.meta_path.insert(0, Absent())
os.fork = subprocess._fork_exec = _thread.start_new_thread = none
import threading
threading._start_new_thread = none
threading._HAVE_THREAD_NATIVE_ID = False
del threading.get_native_id
if hasattr(threading, "_start_joinable_thread"):
    threading._start_joinable_thread = none
"""
CORE = """
import numpy as np, pkgutil, importlib
import polyak_core as pc
for each in pkgutil.walk_packages(pc.__path__, "polyak_core."):
    if "rebuild" not in each.name and "__main__" not in each.name:
        importlib.import_module(each.name)
trace = pc.solve(pc.quadratic(np.geomspace(1e-4, 1, 100)), "adapt_apg_v2", iterations=1500)
print(trace.first_below(1e-10))
print(len(pc.solve(pc.paper_problem("sonar", "logistic"), "apg", iterations=20)))
"""
PAGE = """
from polyak_widgets.page.static.scipy_later import wait_for_scipy
scipy = wait_for_scipy()
import json
from polyak_widgets.page.static.reader import Reader
from polyak_widgets.settings.settings import Settings

messages = []
reader = Reader(lambda text, buffers: messages.append(json.loads(text)), scipy)
def settle():
    while reader.step(0.05):
        pass
    return reader.session.state["status"]["text"]
def choose(**values):
    content = Settings.from_values({"iterations": 50, **values}).values()
    reader.take(json.dumps({"write": "value", "content": content}))
    return settle()
print(settle())
print({"need": "scipy"} in messages, "scipy.linalg" in __import__("sys").modules)
choose(problem="lasso", data="sonar")
reader.take(json.dumps({"act": {"do": "cancel"}}))
print(reader.session.state["status"]["kind"], settle(), "/", reader.session.state["mismatch"]["text"])
choose(problem="lasso", data="sonar", gamma=4)
print(messages.count({"need": "scipy"}))
reader.arrived("scipy", "SciPy did not come.")
print(settle(), "/", reader.session.state["mismatch"]["text"])
choose(problem="lasso", data="sonar", gamma=3)
print(messages.count({"need": "scipy"}))
reader.arrived("scipy")
settle()
print(reader.session.experiment.settings.problem, reader.session.state["mismatch"])
reader.take(json.dumps({"act": {"do": "export", "kind": "csv"}}))
print([each["send"].get("download") for each in messages if "send" in each][-1]["name"])
"""


def printed(program):
    run = subprocess.run(
        [sys.executable, "-c", BARE + program], capture_output=True, text=True, check=False
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_the_core_works_where_there_are_neither_threads_nor_processes():
    assert printed(CORE) == ["1038", "21"]


def test_a_quadratic_needs_no_scipy_and_lasso_asks_for_it():
    first, before, cancelled, once, refused, twice, drawn, file = printed(PAGE)
    assert first.startswith("All six stopped at 1")
    assert before == "False False"
    words = "Cancelled; the picture shown is the previous one. Change a setting to go on, or press Reset."
    assert cancelled == f"cancelled {words} / {words}"
    assert once == "1"
    assert refused == "SciPy did not come. / SciPy did not come."
    assert twice == "2"
    assert drawn == "lasso {}"
    assert file == "polyak-sonar-lasso-gamma-3-iterations-50.csv"


@pytest.fixture(scope="module")
def recorded():
    return recorded_state()


def test_the_recorded_state_is_the_first_picture_and_older_than_any_other(recorded):
    json.dumps(recorded, allow_nan=False)
    assert recorded["value"] == Settings().values() == recorded["frame"]["answers"]
    assert recorded["frame"]["serial"] == recorded["third"]["serial"] == 0
    assert recorded["frame"]["settled"]
    assert recorded["third"]["settled"]
    assert recorded["status"]["kind"] == "done"
    assert "1\N{NARROW NO-BREAK SPACE}038" in "".join(text for text, _ in recorded["frame"]["sentence"])


def test_messages_carry_bytes_beside_their_words(recorded):
    messages = []
    reader = Reader(lambda text, buffers: messages.append((json.loads(text), buffers)))
    while reader.step(1.0):
        pass
    words, buffers = [each for each in messages if each[0].get("show") == "frame"][-1]
    assert words["bytes"] == ["data"]
    assert "data" not in words["value"]
    assert buffers[0] == b64decode(recorded["frame"]["data"])


def test_a_message_between_two_slices_is_heard_and_the_newest_wins():
    reader = Reader(lambda text, buffers: None)
    reader.step(0.0)
    for kappa in (10.0, 100.0, 1000.0):
        content = Settings(condition_number=kappa, iterations=30_000).values()
        reader.take(json.dumps({"write": "value", "content": content}))
        assert reader.step(0.0), "there is work left"
    reader.take(json.dumps({"act": {"do": "cancel"}}))
    while reader.session.state["status"]["kind"] != "cancelled":
        assert reader.step(0.0)
    assert reader.session.experiment.settings.condition_number == 1000.0


def newest(messages, part, had):
    """The number of its last frame that a page has which `had` one of that number when it came."""
    return max([had, *(each["value"].get("serial", 0) for each in messages if each.get("show") == part)])


def test_a_session_that_begins_anew_knows_what_the_page_has_and_draws_what_it_wants():
    messages = []
    reader = Reader(lambda text, buffers: messages.append(json.loads(text)))
    before, after = (Settings(condition_number=kappa, iterations=60) for kappa in (50.0, 70.0))
    pin = {"id": 1, "value": before.values(), "only": "apg"}
    for message in (
        {"act": {"do": "here", "frame": 40, "third": 12}},
        {"act": {"do": "open", "query": "v=1", "kept": {"value": before.values()}, "pins": [pin]}},
        {"write": "value", "content": after.values()},
    ):
        reader.take(json.dumps(message))
    while reader.step(1.0):
        has = {name: newest(messages, name, had) for name, had in (("frame", 40), ("third", 12))}
        reader.take(json.dumps({"act": {"do": "arrived", **has}}))
    drawn = {
        name: [each["value"] for each in messages if each.get("show") == name and "data" in each["bytes"]]
        for name in ("frame", "third")
    }
    assert min(frame["serial"] for frame in drawn["frame"]) > 40
    assert min(frame["serial"] for frame in drawn["third"]) > 12
    assert all(frame["answers"] == after.values() for frame in drawn["frame"]), "nothing else is begun"
    assert [pin["id"] for pin in drawn["frame"][-1]["pins"]] == [1]
