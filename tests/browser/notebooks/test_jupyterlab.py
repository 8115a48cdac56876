"""Page, single panel and plain figure in JupyterLab, and in a notebook of one's own that Voila serves."""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright.sync_api import Page, expect

import polyak_core as pc

pytestmark = [pytest.mark.browser, pytest.mark.notebooks]

PATIENCE = 240_000
"""JupyterLab and three cells take their time on a busy machine."""
KNOWN = ("page error: r.setData is not a function",)
"""What plotly's extension says in every Voila: it wants to keep a picture of a figure in the notebook."""
CURVES = """index => Object.fromEntries(document.querySelectorAll('.js-plotly-plot')[index]._fullData
    .filter(trace => trace.mode === 'lines' && trace.name)
    .map(trace => [trace.name, [...trace.y]]))"""
ALL_SETTLED = """after => { const stages = [...document.querySelectorAll('.pk-stage')];
    return stages.length === 2 && stages.every(({ dataset }) => dataset.drawnWhole === 'true')
        && Number(stages[0].dataset.drawnSerial) > after }"""
FIRST_SERIAL = "() => Number(document.querySelector('.pk-stage').dataset.drawnSerial)"
COMMAND = "([name, values]) => { jupyterapp.commands.execute(name, values) }"
RESTART = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"


NOTEBOOK = (
    "from polyak_widgets import Explorer, Settings, compare\nimport polyak_core as pc",
    "Explorer()",
    "Explorer(Settings(methods=('apg', 'pgd')), show=('gap',))",
    "compare(pc.quadratic([1, 0.1, 0.01]), ['apg', 'fista'], iterations=50)",
)


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """A notebook with the whole page, a single panel, and a plain figure of plotly."""
    cells = [nbformat.v4.new_code_cell(source) for source in NOTEBOOK]
    path = tmp_path / "shown" / "shown.ipynb"
    path.parent.mkdir()
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "voila": {"template": "polyak"}}  # else Lab asks, and Voila asks a CDN
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=about), path)
    return path


def log_quadratic(condition_number: float) -> pc.Problem:
    return pc.quadratic(pc.spectrum("log", 100, condition_number))


def check(page: Page, index: int, problem: pc.Problem, iterations: int, **names: str) -> None:
    """The curves of a chart are the core's."""
    drawn = page.evaluate(CURVES, index)
    for method, name in names.items():
        gap = pc.solve(problem, method, iterations=iterations).relative_gap
        np.testing.assert_allclose(np.asarray(drawn[name], dtype=float), gap, rtol=1e-7)


def check_all(page: Page) -> int:
    """All three cells of the notebook have drawn what they should; the number of the first picture."""
    page.wait_for_function(ALL_SETTLED, arg=0, timeout=PATIENCE)
    stages = page.locator(".pk-stage")
    whole = stages.first.locator(".js-plotly-plot").count()
    expect(stages.nth(1).locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".js-plotly-plot")).to_have_count(whole + 2)
    check(page, 0, log_quadratic(1e4), 1500, apg="APG, true μ", fista="FISTA")
    check(page, whole, log_quadratic(1e4), 1500, apg="APG, true μ", pgd="Proximal gradient")
    check(page, whole + 1, pc.quadratic([1, 0.1, 0.01]), 50, apg="APG, true μ", fista="FISTA")
    return int(page.evaluate(FIRST_SERIAL))


def drag(page: Page, label: str) -> None:
    """Half way along a slider."""
    slider = page.get_by_label(label, exact=True).first
    slider.scroll_into_view_if_needed()
    place = slider.bounding_box()
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + place["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.75 * place["width"], middle, steps=8)
    page.mouse.up()


def ink(page: Page) -> int:
    """How light the text of the first stage is."""
    colour = page.locator(".pk-sentence").first.evaluate("node => getComputedStyle(node).color")
    return sum(int(part) for part in colour.strip("rgb()").split(", ")[:3])


def forgive(complaints: list[str]) -> None:
    """Take out what is not ours: JupyterLab warns where it starts slowly, and what is known."""
    complaints[:] = [
        line
        for line in complaints
        if not line.startswith("console warning: Plugin @jupyterlab") and line not in KNOWN
    ]


def test_in_jupyterlab(jupyterlab, page, complaints):
    page.set_viewport_size({"width": 1280, "height": 4000})  # JupyterLab shows no output that is out of sight
    page.goto(jupyterlab)
    page.locator(".jp-NotebookPanel-notebook .jp-CodeCell").first.wait_for()
    page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.ready")
    page.evaluate(COMMAND, ["runmenu:run-all", {}])
    before = check_all(page)
    drag(page, "Condition number L/μ")
    page.wait_for_function(ALL_SETTLED, arg=before)
    page.wait_for_timeout(300)
    page.wait_for_function(ALL_SETTLED, arg=before)
    assert page.evaluate(CURVES, 0)["FISTA"] != list(
        pc.solve(log_quadratic(1e4), "fista", iterations=1500).relative_gap
    )
    dark_ink = ink(page)
    page.evaluate(COMMAND, ["apputils:change-theme", {"theme": "JupyterLab Dark"}])
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    page.wait_for_function(
        "old => getComputedStyle(document.querySelector('.pk-sentence')).color !== old", arg=""
    )
    assert ink(page) > dark_ink + 300
    forgive(complaints)
    assert not complaints
    lost = page.get_by_role("alert").filter(has_text="Run the cell again")
    expect(lost).to_have_count(0)
    page.evaluate(RESTART)
    expect(lost.first).to_be_visible(timeout=20_000)
    complaints.clear()  # the restart may be lamented


def test_in_a_served_notebook(served_notebook, page, complaints):
    page.goto(served_notebook)
    check_all(page)
    forgive(complaints)
