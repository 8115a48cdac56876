"""Every notebook runs from top to bottom, says nothing on stderr, and its Explorer settles."""

import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted([*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "app").glob("*.ipynb")])
DOWNLOAD = "Downloading data from"
"""What is said where Madelon is not there yet; whether it comes or not, the notebook goes on."""
LAST_CELL = """
import gc
from polyak_widgets import Explorer
found = [each for each in gc.get_objects() if type(each) is Explorer]  # a dead weak proxy has no class
settled = all(each.wait(60) for each in found)
print(len(found), settled, *{each.stage.status["kind"] for each in found})
"""


def test_there_are_notebooks():
    assert ROOT / "app" / "explore.ipynb" in NOTEBOOKS
    assert any(path.parent.name == "notebooks" for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path):
    notebook = nbformat.read(path, as_version=4)
    explorers = sum(cell.source.count("Explorer(") for cell in notebook.cells if cell.cell_type == "code")
    notebook.cells.append(nbformat.v4.new_code_cell(LAST_CELL))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=path.parent)
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    said = [out for out in outputs if out.get("name") == "stderr" or out.output_type == "error"]
    assert [out for out in said if not out.get("text", "").startswith(DOWNLOAD)] == []
    assert outputs[-1].text.split() == [str(explorers), "True", *["done"][:explorers]]


def test_the_first_one_leads_to_all_others():
    notebook = nbformat.read(ROOT / "notebooks" / "00_start.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    others = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} - {"00_start.ipynb"}
    assert others | {"../app/explore.ipynb"} <= set(links)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_idea_ends_in_three_questions():
    for path in sorted((ROOT / "notebooks").glob("0[1-9]*.ipynb")):
        last = nbformat.read(path, as_version=4).cells[-1].source
        assert last.startswith("**Three questions**"), path
        assert re.findall(r"^(\d)\. ", last, flags=re.MULTILINE) == ["1", "2", "3"], path


def test_make_lab_opens_on_it():
    told = subprocess.run(["make", "--dry-run", "lab"], cwd=ROOT, capture_output=True, text=True, check=True)
    (path,) = re.findall(r"--LabApp.default_url=/lab/tree/(\S+)", told.stdout)
    assert (ROOT / path).samefile(ROOT / "notebooks" / "00_start.ipynb")


def test_the_first_notebook_prints_numbers_that_hold():
    notebook = nbformat.read(ROOT / "notebooks" / "01_known_mu.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=ROOT / "notebooks")
    printed = "".join(
        out.text for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "stream"
    )
    assert printed.count("everywhere: True") == 3
    assert "kappa  10000:  373 iterations" in printed
