"""Every file is read back and compared with the core."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from time import monotonic, sleep

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings, View
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.share import export
from polyak_widgets.share.band_columns import BAND_COLUMNS
from polyak_widgets.share.export import traces_csv, traces_json
from polyak_widgets.share.manifest import data_hash, manifest
from polyak_widgets.share.run_files import runs_of_file
from polyak_widgets.share.sharing import file_stem
from polyak_widgets.share.texts import COLUMN_UNITS

import polyak_core as pc
from polyak_core.runs.trace import COLUMNS, FLAGS

SETTINGS = Settings(problem="lasso", iterations=60, methods=("apg", "adapt_apg_v2", "restart"), gamma=0.7)
STEM = file_stem(SETTINGS)
KWARGS = {"restart": {"gamma": 0.7}}


@pytest.fixture(scope="module")
def explorer():
    page = Explorer(SETTINGS, show=("gap", "mu"))
    assert page.wait(30)
    yield page
    page.close()


def exported(explorer, kind):
    """Name, type and text of the file that the page would save, as the button asks for it."""
    sent = []
    send, explorer.stage.send = (
        explorer.stage.send,
        lambda content, buffers=None: sent.append((content, buffers)),
    )
    try:
        explorer.stage._handle_custom_msg({"do": "export", "kind": kind}, [])
    finally:
        explorer.stage.send = send
    ((content, buffers),) = sent
    if "said" in content:
        return content["said"]
    content = content["download"]
    assert content["gzip"]
    return content["name"], content["type"], gzip.decompress(buffers[0]).decode()


def solved():
    problem = pc.lasso(*_data(), 1.0)
    return {m: pc.solve(problem, m, iterations=60, **KWARGS.get(m, {})) for m in SETTINGS.methods}


def _data():
    data = pc.load_dataset("sonar", scaling="center")
    return data.X, data.y


def test_csv_holds_every_number(explorer):
    name, kind, text = exported(explorer, "csv")
    assert (name, kind) == (f"{STEM}.csv", "text/csv;charset=utf-8")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    head = json.loads(comments[0].removeprefix("# "))
    assert Settings.from_values(head["settings"]) == SETTINGS
    sentences = [f"# {head[name]}" for name in ("words", "unusual") if head[name]]
    assert comments[1 : 1 + len(sentences)] == sentences
    assert comments[1].startswith("# LASSO on Sonar, 208 × 60, λ = ")
    assert {line.split(":")[0].removeprefix("# ") for line in comments[1 + len(sentences) :]} == {
        "method",
        *COLUMNS,
    }
    records = list(csv.DictReader(io.StringIO("\n".join(text.splitlines()[len(comments) :]))))
    for method, trace in solved().items():
        mine = [record for record in records if record["method"] == method]
        for column in COLUMNS:
            if column == "seconds":
                continue
            texts = [record[column] for record in mine]
            got = [text == "True" for text in texts] if column in FLAGS else [float(text) for text in texts]
            np.testing.assert_array_equal(got, getattr(trace, column))
    assert len(records) == 3 * 61


def test_json_gives_the_traces_back(explorer):
    name, kind, text = exported(explorer, "json")
    assert (name, kind) == (f"{STEM}.json", "application/json")
    content = json.loads(text, parse_constant=pytest.fail)
    assert set(content) == {"manifest", "traces"}
    for method, trace in solved().items():
        back = pc.Trace.from_dict(content["traces"][method])
        for column in COLUMNS:
            if column != "seconds":
                np.testing.assert_array_equal(getattr(back, column), getattr(trace, column))
        assert back.outcome == trace.outcome


def test_the_manifest_is_enough_to_do_it_again(explorer):
    head = json.loads(exported(explorer, "json")[2])["manifest"]
    assert set(head["versions"]) == {"polyak_explorer", "numpy", "scipy", "python"}
    assert head["versions"]["numpy"] == np.__version__
    assert Settings.from_values(head["settings"]) == SETTINGS
    assert View.from_values(head["view"]) == View()
    assert head["query"] == "v=1&problem=lasso&gamma=0.7&iterations=60&methods=apg,adapt_apg_v2,restart"
    data = pc.load_dataset("sonar", scaling="center")
    assert head["data"]["sha256"] == data_hash(data)
    assert head["data"]["shape"] == [208, 60]
    problem = pc.lasso(data.X, data.y, 1.0)
    assert head["problem"]["f_star"] == problem.f_star
    assert head["problem"]["f_star_error"] == problem.f_star_error
    assert head["problem"]["f_star_source"] == problem.f_star_source
    assert {"OPENBLAS_NUM_THREADS", "cores"} <= set(head["threads"])
    assert set(head["units"]) == {"method", *COLUMNS} == set(COLUMN_UNITS)
    assert [run["outcome"] for run in head["runs"]] == ["budget"] * 3
    assert head["seed"] is None


def test_what_has_no_number_in_json_comes_back():
    settings = Settings(iterations=400, methods=("fista",), L_factor=0.1)
    experiment = run_experiment(settings)
    assert not np.isfinite(experiment.runs[0].trace.gap).all() or experiment.runs[0].trace.gap[-1] > 1e3
    head = manifest(experiment, View())
    back = pc.Trace.from_dict(
        json.loads(traces_json(experiment, head), parse_constant=pytest.fail)["traces"]["fista"]
    )
    np.testing.assert_array_equal(back.gap, experiment.runs[0].trace.gap)
    np.testing.assert_array_equal(back.mu_hat, experiment.runs[0].trace.mu_hat)


class Text(HTMLParser):
    """Cells of the table, scripts by id, everything that a browser would ask for."""

    def __init__(self):
        super().__init__()
        self.cells, self.addresses, self.scripts, self.inside = [], [], {}, None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[name] for name in ("src", "href") if name in values]
        self.inside = (tag, values.get("id", ""))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside and self.inside[0] in ("td", "th"):
            self.cells.append(data)
        if self.inside and self.inside[0] == "script":
            self.scripts[self.inside[1]] = self.scripts.get(self.inside[1], "") + data


def test_the_page_stands_alone(explorer):
    name, kind, text = exported(explorer, "html")
    assert (name, kind) == (f"{STEM}.html", "text/html;charset=utf-8")
    page = Text()
    page.feed(text)
    assert page.addresses == ["data:,"]
    assert not re.search(r"url\((?!data:)|@import", text.partition("</style>")[0])
    frame = json.loads(page.scripts["frame"])
    assert [panel["name"] for panel in frame["frame"]["panels"]] == ["gap", "mu"]
    assert Settings.from_values(json.loads(page.scripts["manifest"])["settings"]) == SETTINGS
    assert "APG, true μ" in page.cells
    assert "plotly.js v" in text
    heading, imprint = (re.search(f"<{tag}.*</{tag.split()[0]}>", text)[0] for tag in ("h1 ", "footer "))
    assert "<mi>f</mi>" in heading
    assert "||" not in heading
    head = json.loads(page.scripts["manifest"])
    for line in (head["words"], head["unusual"], date.today().isoformat()):
        assert line in imprint


def test_nothing_of_a_file_can_become_markup(explorer, monkeypatch):
    evil = "</script><script>alert(1)</script>"
    state = explorer.session.state
    monkeypatch.setitem(state, "frame", state["frame"] | {"sentence": [[evil, None]]})
    text = exported(explorer, "html")[2]
    assert "alert(1)" in text
    assert "<script>alert" not in text


def test_the_link_of_a_page_is_in_its_files_and_nothing_else_is():
    experiment = run_experiment(Settings(iterations=5, methods=("pgd",)))
    for link in ("http://localhost/?v=1", "https://example.org/a?gamma=5"):
        assert manifest(experiment, View(), link=link)["link"] == link
    for link in ("", None, 7, "javascript:alert(1)", "http://a b", "http://" + "x" * 4000):
        assert manifest(experiment, View(), link=link)["link"] is None


@pytest.mark.parametrize("kind", ["exe", None, 7, "CSV", ["csv"]])
def test_unknown_kinds_are_refused_in_words(explorer, kind):
    assert "csv" in exported(explorer, kind)


def test_files_that_are_too_large_are_refused_in_words(explorer, monkeypatch):
    monkeypatch.setattr(export, "LARGEST", 1000)
    assert "more than the 0 MB" in exported(explorer, "csv")
    assert "trace.to_csv" in exported(explorer, "json")


def test_csv_is_read_by_pandas_in_a_line(tmp_path):
    import pandas

    experiment = run_experiment(Settings(iterations=5, methods=("pgd", "fista")))
    path = tmp_path / "file.csv"
    path.write_text(traces_csv(experiment, manifest(experiment, View())), encoding="utf-8")
    table = pandas.read_csv(path, comment="#")
    assert list(table.columns) == ["method", *COLUMNS]
    assert len(table) == 12


def until(there):
    """A closer look comes after the curves."""
    end = monotonic() + 30
    while not there():
        assert monotonic() < end
        sleep(0.02)


@pytest.fixture(scope="module")
def page_with_bands():
    settings = Settings(n=20, condition_number=100.0, iterations=120, methods=("apg", "fista"), target=1e-3)
    page = Explorer(settings, view=View(third="band"))
    assert page.wait(30)
    until(lambda: page.stage.third.get("settled"))
    yield page
    page.close()


def band_drawn(page):
    """The band of FISTA as the core makes it: twenty seeds, each ended run counting on with its last gap."""
    settings, gaps = page.session.settings, []
    for seed in range(20):
        own = replace(settings, start="gaussian", seed=seed, methods=("fista",))
        gap = run_experiment(own).runs[0].trace.gap
        gaps.append(gap / gap[0])
    longest = max(map(len, gaps))
    return np.array([np.pad(gap, (0, longest - gap.size), "edge") for gap in gaps])


def test_the_numbers_of_a_band_that_is_drawn_are_in_the_files(page_with_bands):
    import pandas

    head, rows = page_with_bands.session.experiment, np.sort(band_drawn(page_with_bands), axis=0)
    content = json.loads(exported(page_with_bands, "json")[2], parse_constant=pytest.fail)
    band = content["bands"]["fista"]
    about = content["manifest"]["band"]
    assert (about["over"], about["values"], about["methods"]["fista"]["runs"]) == ("starts", [], 20)
    assert set(content["manifest"]["units"]) == {"method", *COLUMNS, *BAND_COLUMNS}
    expected = {"band_low": rows[2], "band_median": np.median(rows, axis=0), "band_high": rows[-3]}
    for name, values in expected.items():
        np.testing.assert_allclose(band[name], values, rtol=1e-6, atol=1e-12)
    text = exported(page_with_bands, "csv")[2]
    table = pandas.read_csv(io.StringIO(text), comment="#")
    mine = table[table.method == "fista"]
    assert len(mine) == max(len(head.runs[1].trace), rows.shape[1])
    for name in BAND_COLUMNS:
        np.testing.assert_allclose(mine[name].dropna(), band[name], rtol=1e-14)
    again = runs_of_file("bands.csv", text.encode(), head.problem)
    for run, was in zip(again.runs, head.runs, strict=True):
        np.testing.assert_array_equal(run.trace.gap, was.trace.gap)


def test_a_band_that_is_not_drawn_is_in_no_file(page_with_bands):
    page_with_bands.stage.view = {**page_with_bands.stage.view, "third": "momentum"}
    assert page_with_bands.wait(30)
    until(lambda: page_with_bands.session.closer_look.bands is None)
    content = json.loads(exported(page_with_bands, "json")[2])
    assert "bands" not in content
    assert content["manifest"]["band"] is None
    assert "band_low" not in exported(page_with_bands, "csv")[2]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({}, "polyak-log-quadratic"),
        ({"problem": "svm_dual", "data": "musk"}, "polyak-musk-svm-dual"),
        ({"problem": "matrix_completion"}, "polyak-matrix-completion"),
    ],
)
def test_names_of_files_say_what_they_hold(values, name):
    assert file_stem(Settings(**values)) == name


def in_words(settings):
    """What a file says of its picture."""
    head = manifest(run_experiment(settings), View())
    return head["words"] + head["unusual"]


def test_every_setting_that_has_a_part_in_the_picture_is_in_the_words_and_in_the_name():
    base = Settings(start="gaussian", f_star="too_low", methods=tuple(pc.METHODS), iterations=5)
    changed = {
        "condition_number": 77.0, "n": 77, "seed": 7, "mu0": 0.077, "gamma": 7.7, "target": 0.077,
        "iterations": 777, "f_star_delta": 0.077, "L_factor": 7.7, "mu_factor": 7.7, "estimator": "model",
        "f_star": "dual", "start": "default", "spectrum": "linear",
    }  # fmt: skip
    high = Settings.from_values({**base.values(), "f_star": "too_high"})
    guards = [Settings.from_values({**high.values(), "guard": guard}) for guard in ("usual", "all", "none")]
    assert len({in_words(each) for each in guards}) == len({file_stem(each) for each in guards}) == 3
    sentences = {in_words(base)}
    names = {file_stem(base)}
    for name, value in changed.items():
        other = Settings.from_values({**base.values(), name: value})
        sentences.add(in_words(other))
        names.add(file_stem(other))
    fewer = Settings.from_values({**base.values(), "methods": ["apg", "fista"]})
    names.add(file_stem(fewer))
    assert len(sentences) == len(changed)  # gamma stands in the name of its method
    assert len(names) == 2 + len(changed)
    assert all(re.fullmatch(r"[\w.-]{1,100}", name) for name in names)


def test_settings_that_have_no_part_in_the_picture_are_not_in_its_words():
    base = Settings(methods=("fista",), iterations=5)
    for name, value in {
        "gamma": 7,
        "mu0": 0.1,
        "mu_factor": 2,
        "lam": 7,
        "data": "musk",
        "f_star_delta": 0.1,
    }.items():
        other = Settings.from_values({**base.values(), name: value})
        assert (in_words(other), file_stem(other)) == (in_words(base), file_stem(base))
