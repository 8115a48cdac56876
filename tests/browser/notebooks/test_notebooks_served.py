"""Every notebook that draws, served by Voila: it runs to its end, its curves are drawn, nothing complains."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.notebooks]
NOTEBOOKS = sorted((Path(__file__).parents[3] / "notebooks").glob("*.ipynb"))
KNOWN = "page error: r.setData is not a function"
"""What plotly's extension says in every Voila beside a plain figure: it would keep a picture of it."""


SAID = """() => [...document.querySelectorAll(
    '[data-mime-type="application/vnd.jupyter.stderr"], [data-mime-type="application/vnd.jupyter.error"]')]
    .map(node => node.textContent)"""
DOWNLOAD = "Downloading data from"
"""What is said where Madelon is not there yet; whether it comes or not, the notebook goes on."""
ABOUT_CODE = (
    "07_your_own_data",
    "08_your_own_method",
    "09_sweeps",
    "10_one_direction_at_a_time",
    "11_the_estimate_sequence",
)
MEASURE = """() => [...document.querySelectorAll('.jp-MarkdownCell')]
    .map(cell => cell.getBoundingClientRect().width)"""
EXTENSIONS = """() => JSON.parse(document.getElementById('jupyter-config-data').textContent)
    .federated_extensions.map(({ name }) => name)"""
ENDS = """() => [...document.querySelectorAll('.pk-stage')]
    .filter(stage => stage.dataset.drawnWhole === 'true')
    .map(stage => stage.querySelector('.pk-status').dataset.kind)"""


def code_of(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def draws(path: Path) -> str:
    """What a curve of this notebook is found by, "" if it draws none."""
    source = code_of(path)
    if "Explorer(" in source:
        return ".pk-stage[data-drawn-serial] .js-line"
    return ".js-plotly-plot .js-line" if "figure" in source else ""


DRAWING = [path for path in NOTEBOOKS if draws(path)]


def test_all_but_the_launcher_draw():
    assert [path.stem for path in NOTEBOOKS if path not in DRAWING] == ["00_start"]


@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_it_runs_and_its_curves_are_drawn(page, complaints, served_notebooks, path):
    page.goto(f"{served_notebooks}voila/render/{path.name}", timeout=120_000)
    page.wait_for_selector(draws(path), state="attached", timeout=120_000)
    expect(page.locator("h1").first).to_contain_text(path.name[1], timeout=5000)
    assert "error when executing" not in page.content().lower()
    explorers = ["done"] * code_of(path).count("Explorer(")
    page.wait_for_function(f"ends => `${{({ENDS})()}}` === `${{ends}}`", arg=explorers)
    assert [text for text in page.evaluate(SAID) if not text.strip().startswith(DOWNLOAD)] == []
    if path.stem == "01_known_mu":
        printed = page.locator("body").inner_text()
        assert printed.count("everywhere: True") == 3
        assert "kappa  10000:  373 iterations" in printed
    assert (page.locator(".pk-code").count() > 0) == (path.stem in ABOUT_CODE)
    assert max(page.evaluate(MEASURE)) <= 720
    assert "jupyterlab-plotly" in page.evaluate(EXTENSIONS)
    assert page.locator("a[href$='.md']").count() == 0, "the documents are not served"
    if path.stem == "02_estimating_mu":
        assert "(docs/estimate.md)" in page.locator("body").inner_text()
    assert not page.get_by_role("alert").filter(has_text="could not").count()
    complaints[:] = [each for each in complaints if each != KNOWN]


def test_the_page_brings_its_own_plotly_alone(page, served):
    page.goto(served)
    names = page.evaluate(EXTENSIONS)
    assert "anywidget" in names
    assert "jupyterlab-plotly" not in names
    page.wait_for_selector(".pk-stage[data-drawn-serial]", state="attached", timeout=120_000)


def test_a_solution_unfolds_in_the_column_of_the_text(page, served_notebooks):
    page.goto(f"{served_notebooks}voila/render/08_your_own_method.ipynb", timeout=120_000)
    last = page.locator("details").last
    last.locator("summary").click(timeout=120_000)
    expect(last.get_by_text("The accelerated methods put the momentum before the prox step")).to_be_visible()
    page.wait_for_selector(".pk-stage[data-drawn-serial]", state="attached", timeout=120_000)
