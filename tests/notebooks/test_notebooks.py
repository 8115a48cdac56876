"""The notebooks as files: their links lead somewhere, each idea ends in questions, the launcher runs."""

import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from polyak_widgets.stories.questions import QUESTIONS

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted([*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "app").glob("*.ipynb")])


def test_there_are_notebooks():
    assert ROOT / "app" / "explore.ipynb" in NOTEBOOKS
    assert any(path.parent.name == "notebooks" for path in NOTEBOOKS)


def test_the_launcher_runs_and_says_nothing():
    """Those that draw run to their end in tests/browser/notebooks/test_notebooks_served.py."""
    path = ROOT / "notebooks" / "00_start.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=path.parent)
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert [out for out in outputs if out.get("name") == "stderr" or out.output_type == "error"] == []


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
    for path in sorted({*(ROOT / "notebooks").glob("*.ipynb")} - {ROOT / "notebooks" / "00_start.ipynb"}):
        last = nbformat.read(path, as_version=4).cells[-1].source
        assert last.startswith("**Three questions**"), path
        assert re.findall(r"^(\d)\. ", last, flags=re.MULTILINE) == ["1", "2", "3"], path


def test_make_lab_opens_on_it():
    dry = subprocess.run(["make", "--dry-run", "lab"], cwd=ROOT, capture_output=True, text=True, check=True)
    (path,) = re.findall(r"--LabApp.default_url=/lab/tree/(\S+)", dry.stdout)
    assert (ROOT / path).samefile(ROOT / "notebooks" / "00_start.ipynb")


ANSWERED_BY = {
    "gradient descent": "Explorer(",
    "momentum": "first_below",
    "after 100": "mu_k / mu",
    "ten mu": "Explorer(",
    "schedule": "the admitted one",
    "small gamma": "Explorer(",
    "best gamma": "pc.sweep(",
    "too low": "Explorer(low",
    "too high": "Explorer(high",
    "two digits": "paper_figure(3",
    "ten digits": "paper_figure(3",
    "heavy ball": "pc.solve(",
    "jagged": "pc.sweep(",
    "one direction": "add_scatter",
    "A_k": "gap(y)",
    "4 mu": "stay below",
    "half the curvature": "Explorer(",
    "growth": "Explorer(",
    "silver steps": "Explorer(",
}
"""What stands in the first cell that shows what a question asks; no cell shows what the others ask."""


def test_no_cell_above_a_question_has_its_answer():
    for path in sorted((ROOT / "notebooks").glob("[01][0-9]*.ipynb")):
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
        for at, cell in enumerate(cells):
            for name in re.findall(r'Predict\.named\("([^"]+)"\)', cell):
                if name in ANSWERED_BY:
                    (first, *_) = (i for i, each in enumerate(cells) if ANSWERED_BY[name] in each)
                    assert at < first, (path.stem, name)


def test_each_idea_asks_two_questions():
    questions = []
    for path in sorted({*(ROOT / "notebooks").glob("*.ipynb")} - {ROOT / "notebooks" / "00_start.ipynb"}):
        code = "".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
        names = re.findall(r'Predict\.named\("([^"]+)"\)', code)
        assert len(names) == 2, path
        questions += names
    assert sorted(questions) == sorted(QUESTIONS)
