"""The pages of docs/ say what is true: their Python gives what they show, their links lead somewhere."""

import doctest
import re
from itertools import pairwise
from pathlib import Path

import pytest
from polyak_widgets.panels.both import PANELS
from polyak_widgets.stories.stories import STORIES

import polyak_core as pc

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TESTED = [page for page in PAGES if ">>>" in page.read_text()]
LOCAL = "http://localhost:8866/"


def blocks(page):
    return "\n".join(re.findall(r"```python\n(>>>.*?)```", page.read_text(), flags=re.DOTALL))


@pytest.fixture
def tables():
    """What a page adds to the tables of the packages is taken out again."""
    before = [(table, dict(table)) for table in (pc.METHODS, PANELS)]
    yield
    for table, entries in before:
        table.clear()
        table.update(entries)


def test_there_are_pages_with_python():
    assert {"estimate.md", "extending.md", "rounding.md"} <= {page.name for page in TESTED}


@pytest.mark.parametrize("page", TESTED, ids=lambda page: page.stem)
def test_the_python_gives_what_is_shown(page, tables):
    examples = doctest.DocTestParser().get_doctest(blocks(page), {}, page.name, str(page), 0)
    assert len(examples.examples) == page.read_text().count(">>> ")
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(examples, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_the_python_about_sweeps_runs(capsys):
    """All of it but the cluster, which test_cluster.py has, and what needs a button."""
    found = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "sweeps.md").read_text(), flags=re.DOTALL)
    gammas = [0.5, 1, 2, 5, 10]
    names = {}
    for code in found:
        if "distributed" not in code and "stop_button" not in code:
            exec(compile(code.replace("iterations=20_000)", "iterations=200)"), "sweeps.md", "exec"), names)
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    problem = pc.paper_problem("sonar", "lasso")
    for gamma, steps in printed:
        assert int(steps) == pc.solve(problem, "restart", 20_000, gamma=float(gamma)).first_below(1e-10)
    assert len(printed) == len(gammas)
    assert list(names["figure"].data[0].x) == gammas


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if link.startswith(LOCAL):
            story = link.removeprefix(LOCAL).removeprefix("?story=")
            assert story == "" or story in STORIES, link
        elif "://" not in link:
            assert (page.parent / link.split("#")[0]).exists(), link


def test_every_page_is_linked_from_the_readme():
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES if f"(docs/{page.name})" not in readme] == []


def test_the_lecture_shows_every_story_within_45_minutes():
    text = (ROOT / "docs" / "lecture.md").read_text()
    predicted = [name for name, story in STORIES.items() if story.prediction is not None]
    assert len(predicted) == 8
    assert [name for name in predicted if f"?story={name})" not in text] == []
    spans = [tuple(map(int, each)) for each in re.findall(r"^\| (\d+) to (\d+) \|", text, flags=re.MULTILINE)]
    assert spans[0][0] == 0
    assert spans[-1][1] == 45
    assert all(stop == start for (_, stop), (start, _) in pairwise(spans))
