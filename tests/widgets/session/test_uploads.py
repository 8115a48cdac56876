"""Own data on the page, without a browser: a message brings a file, and the page shows it or says why not."""

import hashlib
import threading

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings
from polyak_widgets.laboratory.datasets import KEPT, Shelf
from polyak_widgets.laboratory.upload import own_file, read_upload
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
    page = Explorer(SHORT, show=("gap", "mu"))
    assert page.wait(PATIENCE)
    yield page
    page.close()


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
    assert settings.scaling == "standardize", "columns have units of their own"
    data = pc.dataset(X, CLASSES, scaling="standardize")
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
    explorer.controls.value = explorer.controls.value | {"scaling": "center"}
    assert explorer.wait(PATIENCE)
    first = explorer.experiment.problem
    bring(explorer, "b.csv", csv(CLASSES, 2 * X))
    explorer.controls.value = explorer.controls.value | {"scaling": "center"}
    assert explorer.wait(PATIENCE)
    second = explorer.experiment.problem
    assert second.L > 2 * first.L
    bring(explorer, "a.csv", TWO)
    explorer.controls.value = explorer.controls.value | {"scaling": "center"}
    assert explorer.wait(PATIENCE)
    assert explorer.experiment.problem is first


def test_own_data_before_there_are_any(explorer):
    explorer.controls.value = explorer.controls.value | {"problem": "lasso", "data": "own"}
    assert explorer.wait(PATIENCE)
    assert "have not uploaded a file yet" in explorer.stage.status["text"]
    lost = {"problem": "lasso", "data": "own", "own": "0" * 64}
    explorer.controls.value = explorer.controls.value | lost
    assert explorer.wait(PATIENCE)
    assert "upload it" in explorer.stage.status["text"]


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
    with pytest.raises(SettingsError, match="not uploaded a file"):
        Explorer(Settings(problem="lasso", data="own"))


def test_the_shelf_keeps_the_newest_files():
    shelf = Shelf()
    uploads = [read_upload("a.csv", [csv(CLASSES, X + shift)]) for shift in range(KEPT + 1)]
    for each in (*uploads, uploads[1]):
        shelf.put(each)
    assert list(shelf.own) == [each.sha256 for each in (*uploads[2:], uploads[1])]
    assert shelf.newest is uploads[1]


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


WDBC = "\n".join(f"{842000 + 7 * i * i},{'MB'[i % 3 == 0]},{i % 5},{i * i % 7}" for i in range(12)).encode()
"""As the breast cancer data come: a number of the patient, the diagnosis, features, and no names."""


def upload_field(explorer):
    return fields(explorer)["upload"]


def choose(explorer, **columns):
    """As the preview does it."""
    own = upload_field(explorer)["preview"]["own"]
    explorer.controls._handle_custom_msg({"do": "columns", "own": own, **columns}, [])
    assert explorer.wait(PATIENCE)


def test_labels_that_are_words_are_found_and_columns_are_left_out(explorer):
    bring(explorer, "wdbc.data", WDBC)
    settings, shown = explorer.settings, upload_field(explorer)
    assert (settings.problem, settings.label, settings.leave_out) == ("logistic", "1", "")
    assert shown["preview"]["columns"][1] == [1, "column 2", ["B", "M", "M"]]
    assert "column 1 has a different whole number in each row" in str(shown["card"])
    choose(explorer, label="1", leave_out="0")
    assert (explorer.settings.label, explorer.settings.leave_out) == ("1", "0")
    assert explorer.data.X.shape == (12, 2)
    assert upload_field(explorer)["preview"]["leave_out"] == [0]
    share = explorer.stage.frame["share"]
    assert "label=1&leave_out=0" in share["query"]
    assert share["code"].count("label=1, leave_out=[0])") == 2, "the problem and the page in a notebook"
    explorer.controls.value = explorer.controls.value | {"leave_out": "", "scaling": "center"}
    assert explorer.wait(PATIENCE)
    assert explorer.data.X.shape == (12, 3), "who goes back finds the columns of then"
    choose(explorer, label="", leave_out="0,1")
    assert explorer.settings.problem == "least_squares", "the last column, of many numbers"
    assert explorer.settings.scaling == "center", "what is chosen stays"


def test_a_link_reads_the_file_by_its_columns(explorer):
    own = hashlib.sha256(WDBC).hexdigest()
    lost = {"problem": "lasso", "data": "own", "own": own, "label": "2", "leave_out": "0,1", "lam": 1.0}
    explorer.controls.value = explorer.controls.value | lost
    assert explorer.wait(PATIENCE)
    assert "upload it" in explorer.stage.status["text"]
    bring(explorer, "wdbc.data", WDBC)
    assert (explorer.settings.label, explorer.settings.leave_out) == ("2", "0,1")
    assert explorer.settings.problem == "lasso"
    assert explorer.data.X.shape == (12, 1)


def test_a_table_that_cannot_be_read_yet_is_shown_to_choose_by(explorer):
    names = b"who,kind,age,sick\nAnn,a,1,no\nBob,b,2,yes\nEve,c,5,no\n"
    before = explorer.stage.frame
    bring(explorer, "people.csv", names)
    assert "not a number, and so are all below" in explorer.controls.problems["upload"]
    preview = upload_field(explorer)["preview"]
    assert [title for _, title, _ in preview["columns"]] == ["who", "kind", "age", "sick"]
    explorer.controls.value = explorer.controls.value | {"gamma": 3.0}
    assert explorer.wait(PATIENCE)
    assert "upload" in explorer.controls.problems, "it stays until another file or choice"
    choose(explorer, label="", leave_out="0")
    assert "'kind'" in explorer.controls.problems["upload"]
    assert upload_field(explorer)["preview"]["leave_out"] == [0], "the choice stays too"
    choose(explorer, label="", leave_out="0,1")
    assert explorer.controls.problems == {}
    assert explorer.stage.frame is not before
    assert explorer.data.X.shape == (3, 1)
    choose(explorer, label="x", leave_out="")
    assert "give numbers of columns" in explorer.controls.problems["upload"]


def test_the_condition_numbers_stand_at_the_scalings(explorer):
    bring(explorer, "mine.csv", csv(CLASSES, X * [1, 1e4, 1, 1]))
    field = fields(explorer)["scaling"]
    as_they_are, centred, standardised = field["facts"].values()
    assert "10" in as_they_are
    assert "10" in centred
    assert "×" not in standardised
    assert "standardised at first" in field["note"]
    explorer.controls.value = explorer.controls.value | {"data": "sonar"}
    assert explorer.wait(PATIENCE)
    assert fields(explorer)["scaling"]["facts"] == {}


def test_every_column_can_be_reached_that_a_reader_may_have_to_leave_out():
    wide = [*(f"f{j}" for j in range(700)), "y"]
    cells = ["who" if name == "f650" else "1" for name in wide]
    rows = [",".join([*cells[:-1], label]) for label in ("1", "2", "1")]
    table = own_file("wide.csv", ["\n".join([",".join(wide), *rows]).encode()])
    preview = table.preview()
    names = [title for _, title, _ in preview["columns"]]
    assert names == [*(f"f{j}" for j in range(500)), "f650", "y"], "words are no feature"
    assert preview["more"] == 199
