"""The still picture of an Explorer: it shows the computed numbers, and stands where no kernel runs."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from polyak_widgets import Explorer, Settings
from polyak_widgets.figures.plotly_axes import pixel_scale
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.page import explorer as explorers
from polyak_widgets.panels import PANELS
from polyak_widgets.settings.view import View
from polyak_widgets.share.still import still_html

SVG = "{http://www.w3.org/2000/svg}"
SHORT = Settings(methods=("apg", "fista", "restart"), iterations=300)


def charts(html):
    """For each chart its size, its curves by name as pixels, its texts."""
    figure = ET.fromstring(html)
    pictures = []
    for group in figure.find(f"{SVG}svg").findall(f"{SVG}g"):
        inner = group.find(f"{SVG}svg")
        size = float(inner.get("width")), float(inner.get("height"))
        curves = {
            path.find(f"{SVG}title").text: np.array(
                re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path.get("d")), float
            )
            for path in inner.findall(f"{SVG}path")
            if path.find(f"{SVG}title") is not None
        }
        pictures.append((size, curves, [text.text for text in group.findall(f"{SVG}text")]))
    return pictures


@pytest.mark.parametrize("view", [View(), View(x="gradients"), View(bounds=True)])
def test_curves_are_where_the_numbers_are(view):
    experiment = run_experiment(SHORT)
    ((width, height), curves, texts), _ = charts(still_html(experiment, view, ("gap", "mu")))
    axis = PANELS["gap"](experiment, view)
    x_axis = axis["x"] | axis["x"]["units"][view.x]
    to_x, to_y = pixel_scale(x_axis, width), pixel_scale(axis["y"], height)
    labels = {curve.uid: curve.label for curve in axis["curves"]}
    for run in experiment.runs:
        trace = run.trace
        label = labels[f"gap:{run.method}"]
        assert label in texts
        counted = trace.k if view.x == "iterations" else trace.gradients
        whole = np.column_stack([to_x(counted), height - to_y(trace.relative_gap)])
        np.testing.assert_allclose(curves[label], whole, atol=0.051)
    assert ("Prop. 2.3 for APG" in texts) == view.bounds


def test_long_curves_are_thinned_and_gaps_stay_gaps():
    experiment = run_experiment(Settings(methods=("adapt_apg",), iterations=6000))
    html = still_html(experiment, View(differences=True), ("gap", "mu"))
    assert len(html) < 60_000
    for _, curves, texts in charts(html):
        assert curves
        assert all(text for text in texts)


def test_the_sentence_and_titles_are_there_and_nothing_is_fetched():
    html = still_html(run_experiment(SHORT), View(), ("gap",))
    assert "Relative gap" in html
    assert "<figcaption>" in html
    assert "<script" not in html
    assert re.findall(r"https?://[^\"]+", html) == ["http://www.w3.org/2000/svg"]


def kernel(allow_stdin):
    return lambda: SimpleNamespace(get_parent=lambda: {"content": {"allow_stdin": allow_stdin}})


@pytest.fixture
def explorer():
    page = Explorer(SHORT, show=("gap",))
    yield page
    page.close()


def test_a_watched_notebook_has_the_widget_and_the_picture(explorer, monkeypatch):
    monkeypatch.setattr(explorers, "running_kernel", kernel(True))
    monkeypatch.setattr(explorers, "LIVE_PATIENCE", 30)
    bundle = explorer._repr_mimebundle_()
    assert bundle[explorers.WIDGET]["model_id"] == explorer.model_id
    assert "<svg" in bundle["text/html"]
    assert bundle["text/plain"] == repr(explorer)


def test_a_notebook_that_nobody_watches_has_the_picture_alone(explorer, monkeypatch):
    monkeypatch.setattr(explorers, "running_kernel", kernel(False))
    bundle = explorer._repr_mimebundle_()
    assert sorted(bundle) == ["text/html", "text/plain"]
    assert len(charts(bundle["text/html"])) == 1


def test_voila_and_a_terminal_have_what_they_had(explorer, monkeypatch):
    assert "text/html" not in explorer._repr_mimebundle_()
    monkeypatch.setattr(explorers, "running_kernel", kernel(False))
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    assert sorted(explorer._repr_mimebundle_()) == [explorers.WIDGET, "text/plain"]


def test_what_is_not_there_yet_is_said(explorer, monkeypatch):
    monkeypatch.setattr(explorers, "running_kernel", kernel(True))
    monkeypatch.setattr(explorer, "wait", lambda timeout: False)
    monkeypatch.setattr(explorer.session, "experiment", None)
    assert "run the cell again" in explorer._repr_mimebundle_()["text/html"]


def test_an_exported_notebook_shows_the_curves():
    source = f"from polyak_widgets import Explorer, Settings\nExplorer({SHORT!r})"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    html, _ = HTMLExporter().from_notebook_node(notebook)
    picture = html[html.index('<figure class="polyak-still"') : html.index("</figure>")]
    for words in ("APG, true μ", "FISTA", "Relative gap", "Estimates of μ"):
        assert words in picture
    assert picture.count("<path") > 10
    assert '<script type="application/vnd.jupyter.widget-view+json">' not in html
    assert "Explorer Settings" not in html


def test_a_page_without_a_notebook_loads_no_more_than_before():
    program = "import sys, polyak_widgets; print('scipy.optimize' in sys.modules, 'nbconvert' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["False", "False"]
