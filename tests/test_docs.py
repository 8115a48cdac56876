"""All pages say what is true: links lead somewhere, Python gives what is shown, made parts are not old."""

import doctest
import re
import runpy
from pathlib import Path

import pytest
from polyak_widgets.panels import PANELS
from polyak_widgets.share.address import read_query
from polyak_widgets.share.lecture.page import ADDRESS
from polyak_widgets.stories.stories import STORIES

import polyak_core as pc

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
LINKING = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "RELEASING", "SECURITY", "CODE_OF_CONDUCT")),
    ROOT / "benchmarks" / "README.md",
    *(ROOT / "polyak_core" / name for name in ("README.md", "data/README.md")),
    *PAGES,
]
MADE = runpy.run_path(str(ROOT / "tests" / "pages.py"))
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
TESTED = [page for page in PAGES if ">>>" in page.read_text()]
STATES = {name: (story.before, story.first_view) for name, story in STORIES.items()}


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
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "sweeps.md").read_text(), flags=re.DOTALL)
    gammas = [0.5, 1, 2, 5, 10]
    names = {}
    for code in blocks:
        if "distributed" not in code and "stop_button" not in code:
            exec(compile(code.replace("iterations=20_000)", "iterations=200)"), "sweeps.md", "exec"), names)
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    problem = pc.paper_problem("sonar", "lasso")
    for gamma, steps in printed:
        assert int(steps) == pc.solve(problem, "restart", 20_000, gamma=float(gamma)).first_below(1e-10)
    assert len(printed) == len(gammas)
    assert list(names["figure"].data[0].x) == gammas


def headings(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    lines = re.findall(r"^#+ (.*)", page.read_text(), flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines]


def dead_links(page):
    """The links of a page that lead nowhere; addresses of other servers are taken as they are."""
    dead = []
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if link.startswith(ADDRESS):
            there = read_query(link.removeprefix(ADDRESS), STATES).message == ""
        elif "://" in link:
            there = True
        else:
            path, _, anchor = link.partition("#")
            file = page.parent / path if path else page
            there = file.exists() and (not anchor or anchor in headings(file))
        if not there:
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_a_dead_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    links = (
        "#here-it-is",
        "#nowhere",
        "page.md#here-it-is",
        "page.md#nowhere",
        "none.md",
        f"{ADDRESS}?story=none",
        f"{ADDRESS}?gama=5",
    )
    page.write_text("# Here it is\n" + "".join(f"[link]({link})\n" for link in links))
    assert dead_links(page) == ["#nowhere", "page.md#nowhere", "none.md", *links[-2:]]


def test_every_page_is_linked_from_the_index_and_that_from_the_readme():
    assert "(docs/index.md)" in (ROOT / "README.md").read_text()
    index = (ROOT / "docs" / "index.md").read_text()
    assert [page.name for page in PAGES if page.name != "index.md" and f"({page.name})" not in index] == []


def test_stories_and_notebooks_are_as_many_as_pages_say():
    words = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen")
    stories = sum(story.prediction is not None for story in STORIES.values())
    notebooks = len(list((ROOT / "notebooks").glob("[0-9]*.ipynb"))) - 1  # the first is a list of the others
    counts = {"stories": stories, "questions": stories, "notebooks": notebooks}
    pages = "".join((ROOT / name).read_text() for name in ("README.md", "docs/why.md")).lower()
    pairs = re.findall(rf"({'|'.join(words)})\s({'|'.join(counts)})", pages)
    assert len(pairs) == 4
    assert [(word, noun) for word, noun in pairs if words.index(word) + 10 != counts[noun]] == []


def test_named_tests_exist():
    named = {name for page in LINKING for name in re.findall(r"`(test_\w+)`", page.read_text())}
    assert "test_the_missing_4_costs_the_acceleration" in named
    assert [name for name in sorted(named) if f"def {name}(" not in TESTS] == []


def test_every_misprint_has_a_test():
    text = (ROOT / "docs" / "misprints.md").read_text()
    table = text.split("## Where the print is wrong")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 5
    assert [row for row in rows if not re.search(r"`test_\w+` \|$", row)] == []


def test_the_lines_to_change_are_there():
    text = (ROOT / "docs" / "extending.md").read_text()
    rows = re.findall(r"`([A-Z_]+)` of \[[\w./\\]+\]\(\.\./([\w/.]+)\)", text)
    assert {"METHODS", "METHOD_LOOKS", "PANELS", "PRESETS", "STORIES"} <= {name for name, _ in rows}
    for name, path in rows:
        assert re.search(rf"^{name}\b.*=", (ROOT / path).read_text(), flags=re.MULTILINE), (name, path)


def written(page, part):
    """A part of a page that tests/pages.py has written."""
    return MADE["part_of"]((ROOT / "docs" / page).read_text(), part)[1].rstrip("\n")


@pytest.mark.parametrize(
    ("page", "part"), [key for key in MADE["PARTS"] if not key[1].startswith(("walk", "key"))]
)
def test_what_is_made_of_the_code_is_new(page, part):
    """If not: `.venv/bin/python tests/pages.py`."""
    assert written(page, part) == MADE["PARTS"][page, part]()


def test_every_room_of_the_front_end_has_its_sentence():
    text = (ROOT / "docs" / "architecture.md").read_text()
    front = ROOT / "app" / "polyak_widgets" / "front"
    rooms = {path.parent.relative_to(front).as_posix() for path in front.rglob("*.js")}
    listed = re.findall(
        r"^\| \[([\w/]+)/\]\(\.\./app/polyak_widgets/front/\1/\) \| [A-Z].*\. \|$", text, re.MULTILINE
    )
    assert sorted(listed) == sorted(rooms)


@pytest.mark.parametrize(
    ("part", "folder", "measured"),
    [
        ("walk of a run", "polyak_core", "way_of_a_run"),
        ("walk of a slider", "app/polyak_widgets", "way_of_a_slider"),
    ],
)
def test_a_walk_passes_the_files_that_it_lists(part, folder, measured):
    """If not: `.venv/bin/python tests/pages.py`."""
    road, _, others = written("architecture.md", part).partition("\n\n")
    link = re.compile(rf"\]\(\.\./{folder}/([\w./]+)\)")
    way = MADE[measured]()
    assert 5 < len(way.road) < 16
    assert link.findall(road) == way.road
    assert set(link.findall(others)) <= set(way.beside)


def test_what_the_lecture_says_of_itself_holds():
    """Its timetables and its key are tested where they are made."""
    text = " ".join((ROOT / "docs" / "lecture.md").read_text().split())
    page = (ROOT / "benchmarks" / "README.md").read_text().split("make bench-page writes below")[1]
    assert (
        re.search(r"content is there ([\d.]+) s", text)[1]
        == re.search(r"\| Explorer \| ([\d.]+) \|", page)[1]
    )
    methods, iterations = re.search(
        r"figure 4, which runs (\d+) methods for (\d+ \d+) iterations", text
    ).groups()
    figure = STORIES["figure_4"].after
    assert (len(figure.methods), figure.iterations) == (int(methods), int(iterations.replace(" ", "")))
    runs = re.search(r"needs\s(\d+) runs, and that on f\\\* too high needs (\d+)\.", text)
    counts = [len(STORIES[name].measured) for name in ("gamma", "f_star_too_high")]
    assert counts == [int(number) for number in runs.groups()]
    seconds = sum(map(int, re.findall(r"\((\d+) s\)", text))) + 60 * int(re.search(r"\((\d) min\)", text)[1])
    assert 240 < seconds <= 300, "a story in five minutes, with some seconds for the reveal"
