"""Every widget notebook served by Voila, as anyone may do it: to its first drawn curve, with no complaint."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

KNOWN = "page error: r.setData is not a function"
"""What plotly's extension says in every Voila beside a plain figure: it wants to keep a picture in the "
"notebook."""


def sources(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


WITH_PAGE = [path for path in NOTEBOOKS if "Explorer(" in sources(path)]


def test_most_notebooks_show_the_page():
    assert len(WITH_PAGE) >= 6


@pytest.mark.parametrize("path", WITH_PAGE, ids=lambda path: path.stem)
def test_it_is_served_to_its_first_curve(page, complaints, served_notebooks, path):
    page.goto(f"{served_notebooks}voila/render/{path.name}")
    page.wait_for_selector(".pk-stage[data-drawn-serial] .js-line", state="attached")
    expect(page.locator("h1").first).to_contain_text(path.name[1], timeout=5000)
    assert "error when executing" not in page.content().lower()
    assert not page.get_by_role("alert").filter(has_text="could not").count()
    if "compare(" in sources(path):
        complaints[:] = [each for each in complaints if each != KNOWN]
