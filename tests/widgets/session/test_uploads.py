"""Own data on the page, without a browser: a message brings a file, and the page shows it or says why not."""

import hashlib
import threading

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings
from polyak_widgets.laboratory.datasets import KEPT, Shelf
from polyak_widgets.laboratory.upload import read_upload
from polyak_widgets.settings.fields import SettingsError

import polyak_core as pc
from polyak_core.data.madelon import UnfetchedError

PATIENCE = 30
RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 4)) * [1, 2, 5, 1]
CLASSES = np.where(X @ [1, 1, 0, 0] > 0, 1, -1)
SHORT = Settings(iterations=60, methods=("adapt_apg_v2", "fista"))


def csv(labels, features=X):
    return "\n".join(
        ",".join(map(repr, [*row, y])) for row, y in zip(features.tolist(), labels.tolist(), strict=True)
    ).encode()


TWO, THREE = csv(CLASSES), csv(np.arange(40) % 3)


@pytest.fixture
def explorer():
    made = Explorer(SHORT, show=("gap", "mu"))
    assert made.wait(PATIENCE)
    yield made
    made.close()


def bring(explorer, name, content):
    """As the rail does it."""
    explorer.controls._handle_custom_msg({"do": "upload", "name": name}, [memoryview(content)])
    assert explorer.wait(PATIENCE)


def fields(explorer):
    return {f["name"]: f for group in explorer.controls.spec for f in group["fields"]}


def test_a_file_is_shown_at_once(explorer):
    bring(explorer, "mine.csv", TWO)
    assert explorer.stage.status["kind"] == "done"
    settings = explorer.settings
    assert (settings.problem, settings.data) == ("logistic", "own")
    assert settings.own == hashlib.sha256(TWO).hexdigest()
    data = pc.dataset(X, CLASSES)
    expected = pc.solve(pc.logistic(data.X, data.y, settings.lam), "fista", iterations=60)
    run = next(run for run in explorer.experiment.runs if run.method == "fista")
    np.testing.assert_allclose(run.trace.gap, expected.gap, rtol=1e-9)
    assert expected.gap[-1] < expected.gap[0] / 10, "the usual weight makes a picture worth looking at"
    assert dict(fields(explorer)["upload"]["card"])["File"] == "mine.csv"
    assert [settings.lam, "usual"] in fields(explorer)["lam"]["landmarks"]


def test_numbers_go_to_a_problem_that_takes_them(explorer):
    bring(explorer, "three.csv", THREE)
    assert explorer.settings.problem == "least_squares"
    explorer.controls.value = explorer.controls.value | {"problem": "svm_dual"}
    assert explorer.wait(PATIENCE)
    words = explorer.stage.status["text"]
    assert "labels of three.csv are of 3 classes (0, 1, 2)" in words
    assert "least squares or LASSO" in words
    assert explorer.controls.problems == {"problem": words}
    assert not fields(explorer)["kernel"]["hidden"], "the rail shows what is asked for"
    assert explorer.settings.problem == "least_squares"
    explorer.controls.value = explorer.controls.value | {"problem": "lasso"}
    assert explorer.wait(PATIENCE)
    assert explorer.stage.status["kind"] == "done"


def test_a_wrong_file_is_said_at_its_control_and_changes_nothing(explorer):
    before, frame = explorer.controls.value, explorer.stage.frame
    bring(explorer, "mine.csv", b"1,2\n3\n")
    assert explorer.stage.status["kind"] == "error"
    assert explorer.controls.problems == {"upload": explorer.stage.status["text"]}
    assert explorer.controls.value == before
    assert explorer.stage.frame is frame
    bring(explorer, "mine.csv", TWO)
    assert explorer.controls.problems == {}


def test_another_file_is_another_problem_and_the_first_one_comes_back(explorer):
    bring(explorer, "a.csv", TWO)
    first = explorer.experiment.problem
    bring(explorer, "b.csv", csv(CLASSES, 2 * X))
    second = explorer.experiment.problem
    assert second.L > 2 * first.L
    bring(explorer, "a.csv", TWO)
    assert explorer.experiment.problem is first


def test_own_data_before_there_are_any(explorer):
    explorer.controls.value = explorer.controls.value | {"problem": "lasso", "data": "own"}
    assert explorer.wait(PATIENCE)
    assert "no file of yours yet" in explorer.stage.status["text"]
    lost = {"problem": "lasso", "data": "own", "own": "0" * 64}
    explorer.controls.value = explorer.controls.value | lost
    assert explorer.wait(PATIENCE)
    assert "bring it again" in explorer.stage.status["text"]


def test_the_fingerprint_must_be_one():
    for own in ("abc", "G" * 64, 3):
        with pytest.raises(SettingsError) as refused:
            Settings.from_values({"own": own})
        assert refused.value.name == "own"


def test_data_from_a_notebook():
    data = pc.dataset(X, CLASSES, scaling="none", name="wine")
    explorer = Explorer(Settings(problem="lasso", data="own", lam=3.0, iterations=30), data=data)
    assert explorer.wait(PATIENCE)
    assert explorer.stage.status["kind"] == "done"
    scaled = pc.dataset(X, CLASSES)
    np.testing.assert_array_equal(
        explorer.experiment.problem.x_star, pc.lasso(scaled.X, scaled.y, 3.0).x_star
    )
    explorer.close()
    short = Explorer(data=(X, CLASSES))
    assert (short.settings.problem, short.settings.data) == ("logistic", "own")
    short.close()
    with pytest.raises(SettingsError, match="no file"):
        Explorer(Settings(problem="lasso", data="own"))


def test_the_shelf_keeps_the_newest_files():
    shelf = Shelf()
    brought = [read_upload("a.csv", [csv(CLASSES, X + shift)]) for shift in range(KEPT + 1)]
    for each in (*brought, brought[1]):
        shelf.put(each)
    assert list(shelf.own) == [each.sha256 for each in (*brought[2:], brought[1])]
    assert shelf.newest is brought[1]


def test_madelon_that_cannot_be_fetched_is_said_and_the_page_goes_on(explorer, monkeypatch):
    def unreachable():
        raise UnfetchedError(
            "Madelon could not be fetched from far away", "Without a network, put it somewhere"
        )

    monkeypatch.setattr("polyak_core.data.datasets.load_madelon", unreachable)
    explorer.controls.value = explorer.controls.value | {"problem": "lasso", "data": "madelon"}
    assert explorer.wait(PATIENCE)
    assert explorer.controls.problems["data"].endswith("Without a network, put it somewhere.")
    assert not fields(explorer)["data"]["hidden"]
    explorer.controls.value = explorer.controls.value | {"data": "sonar", "lam": 1.0}
    assert explorer.wait(PATIENCE)
    assert explorer.stage.status["kind"] == "done"


def test_a_slow_download_can_be_left(explorer, monkeypatch):
    entered = threading.Event()
    release = threading.Event()

    def slow():
        entered.set()
        release.wait(PATIENCE)
        raise ValueError("too late")

    monkeypatch.setattr("polyak_core.data.datasets.load_madelon", slow)
    explorer.controls.value = explorer.controls.value | {"problem": "lasso", "data": "madelon"}
    assert entered.wait(PATIENCE)
    explorer.controls.value = explorer.controls.value | {"problem": "quadratic"}
    assert explorer.wait(PATIENCE), "the page does not wait for the network"
    assert explorer.stage.status["kind"] == "done"
    release.set()


def test_numbers_out_of_scale_are_said(explorer):
    before = explorer.stage.frame
    bring(explorer, "huge.csv", b"1e308,1e308,1\n-1e308,1e308,-1\n1e308,-1e308,1\n")
    assert "huge.csv are too large" in explorer.stage.status["text"]
    assert explorer.stage.frame is before
