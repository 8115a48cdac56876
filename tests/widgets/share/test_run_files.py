"""Runs from elsewhere beside the page's own: exported files, traces of a notebook, and what is refused."""

import gzip

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.view import View
from polyak_widgets.share.export import make_file
from polyak_widgets.share.manifest import manifest
from polyak_widgets.share.run_files import holds_runs, runs_beside, runs_of_file

import polyak_core as pc

SMALL = Settings(n=20, condition_number=100.0, iterations=40, gamma=5.0, methods=("restart", "cg"))
PATIENCE = 30


@pytest.fixture(scope="module")
def experiment():
    return run_experiment(SMALL)


def exported(experiment, kind):
    return gzip.decompress(make_file(kind, experiment, manifest(experiment, View()), {}).data)


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_what_a_page_exports_is_read_back(experiment, kind):
    content = exported(experiment, kind)
    assert holds_runs(content)
    again = runs_of_file(f"mine.{kind}", content, experiment.problem)
    assert again.settings == experiment.settings
    for run, was in zip(again.runs, experiment.runs, strict=True):
        assert run.method == was.method
        for name in ("gap", "mu", "gradients", "restarted", "distance"):
            np.testing.assert_array_equal(getattr(run.trace, name), getattr(was.trace, name))
        assert (run.trace.outcome, run.trace.floor) == (was.trace.outcome, was.trace.floor)


def test_a_trace_that_was_written_alone_is_named_by_its_file(experiment, tmp_path):
    experiment.runs[0].trace.to_csv(tmp_path / "my run.csv")
    content = (tmp_path / "my run.csv").read_bytes()
    assert holds_runs(content)
    (run,) = runs_of_file("my run.csv", content, experiment.problem).runs
    assert run.method == "my run"
    np.testing.assert_array_equal(run.trace.gap, experiment.runs[0].trace.gap)


def test_what_is_no_file_of_runs_is_left_to_the_data_or_refused_in_words(experiment):
    assert not holds_runs(b"a,b,label\n1,2,0\n")
    assert not holds_runs(b'{"a": 1}')
    content = exported(experiment, "json")
    csv = exported(experiment, "csv").decode()
    bad = [
        (b'{"traces": 3}', "no object"),
        (b'{"traces": {}}', "0 runs"),
        (b'{"traces": {"apg": {"k": [0]}}}', "missing or unknown"),
        (content[: len(content) // 2], "cannot be read"),
        (csv[: len(csv) // 2].rpartition(",")[0].encode(), "cells where the first has"),
        (csv.replace("restart,3.0", "restart,7.0", 1).encode(), "does not count"),
        (csv.replace("restart,3.0", "restart,three", 1).encode(), "three"),
        (b'{"traces"\xff', "cannot be read"),
    ]
    for each, words in bad:
        assert holds_runs(each)
        with pytest.raises(SettingsError, match=words):
            runs_of_file("bad", each, experiment.problem)


def test_beside_takes_traces_and_says_what_is_none(experiment):
    problem = experiment.problem
    trace = pc.lbfgs(problem, 30)
    assert [run.method for run in runs_beside(trace, problem).runs] == ["L-BFGS"]
    assert [run.method for run in runs_beside({"a": trace, "b": trace}, problem).runs] == ["a", "b"]
    for beside, words in ((3, "no trace"), ([trace, trace], "both of L-BFGS"), ({"a": 3}, "beside has 3")):
        with pytest.raises(ValueError, match=words):
            runs_beside(beside, problem)


@pytest.fixture
def trace(experiment):
    return pc.lbfgs(experiment.problem, 30)


@pytest.fixture
def page(trace):
    page = Explorer(SMALL, show=("gap", "mu"), beside=trace)
    assert page.wait(PATIENCE)
    yield page
    page.close()


def test_a_trace_is_drawn_as_a_pin_is(page, trace):
    (pin,) = page.stage.frame["pins"]
    assert (pin["name"], pin["what"], pin["value"], pin["words"]) == ("A", "L-BFGS", None, "")
    curves = {curve["uid"]: curve for curve in page.stage.frame["panels"][0]["curves"]}
    line = curves["pin1:gap:L-BFGS"]
    assert line["label"] == "A: L-BFGS"
    numbers = np.frombuffer(page.stage.frame["data"])
    begin = line["start"] + line["count"]
    np.testing.assert_array_equal(numbers[begin : begin + line["count"]], trace.relative_gap)
    (group,) = page.stage.frame["rows"]["groups"]
    assert group["words"] == "L-BFGS"
    assert "(" not in group["body"][0][4], "no rate of theory"


def test_a_file_becomes_a_pin_that_can_be_removed(page):
    other = exported(run_experiment(Settings(n=20, condition_number=50.0, iterations=30)), "csv")
    send = page.controls._handle_custom_msg
    send({"do": "upload", "name": "other.csv"}, [memoryview(other)])
    assert page.wait(PATIENCE)
    assert [pin["what"] for pin in page.stage.frame["pins"]] == ["L-BFGS", "other.csv"]
    assert page.settings == SMALL, "what is drawn stays"
    page.stage._handle_custom_msg({"do": "narrow", "id": 2, "only": "pgd"}, [])
    assert page.wait(PATIENCE)
    assert {uid for uid in (c["uid"] for c in page.stage.frame["panels"][0]["curves"]) if "pin2" in uid} == {
        "pin2:gap:pgd"
    }
    send({"do": "upload", "name": "bad.csv"}, [memoryview(other[: len(other) // 2].rpartition(b",")[0])])
    assert page.wait(PATIENCE)
    assert "bad.csv is meant to hold runs" in page.controls.problems["upload"]
    page.stage._handle_custom_msg({"do": "unpin", "id": 1}, [])
    assert page.wait(PATIENCE)
    assert [pin["what"] for pin in page.stage.frame["pins"]] == ["other.csv"]
