"""Every notebook served by Voila, as anyone may do it: to its first drawn curve, with no complaint."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
KNOWN = "page error: r.setData is not a function"
"""What plotly's extension says in every Voila beside a plain figure: it would keep a picture of it."""


def draws(path: Path) -> str:
    """What a curve of this notebook is found by, "" if it draws none."""
    cells = nbformat.read(path, as_version=4).cells
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    if "Explorer(" in source:
        return ".pk-stage[data-drawn-serial] .js-line"
    return ".js-plotly-plot .js-line" if "figure" in source else ""


DRAWING = [path for path in NOTEBOOKS if draws(path)]


def test_all_but_the_launcher_draw():
    assert [path.stem for path in NOTEBOOKS if path not in DRAWING] == ["00_start"]


@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_it_is_served_to_its_first_curve(page, complaints, served_notebooks, path):
    page.goto(f"{served_notebooks}voila/render/{path.name}", timeout=120_000)
    page.wait_for_selector(draws(path), state="attached", timeout=120_000)
    expect(page.locator("h1").first).to_contain_text(path.name[1], timeout=5000)
    assert "error when executing" not in page.content().lower()
    assert not page.get_by_role("alert").filter(has_text="could not").count()
    complaints[:] = [each for each in complaints if each != KNOWN]
