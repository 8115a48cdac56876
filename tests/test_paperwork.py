"""The files around the code agree: one version, one list of authors, a workflow that calls .ci/run."""

import re
from pathlib import Path

import yaml

import polyak_core as pc

ROOT = Path(__file__).parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
HEAD = yaml.safe_load(PAPER.split("---\n")[1])
SECTIONS = [
    *("Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"),
    *("AI usage disclosure", "Acknowledgements", "References"),
]


def test_there_is_one_version():
    assert CITATION["version"] == pc.__version__
    assert f"version = {{{pc.__version__}}}" in (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    assert f"## {pc.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_paper_has_all_its_sections_and_the_authors_of_the_citation():
    assert re.findall(r"^# (.*)", PAPER, re.MULTILINE) == SECTIONS
    named = [author["name"] for author in CITATION["authors"]]
    assert [author["name"] for author in HEAD["authors"]] == named
    assert [entry.get("affiliation") for entry in HEAD["authors"]] == [
        entry.get("affiliation") for entry in CITATION["authors"]
    ]


def test_the_paper_cites_what_its_list_has():
    cited = set(re.findall(r"\[@(\w+)\]", PAPER))
    listed = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(), re.MULTILINE)
    assert len(cited) > 5
    assert cited == set(listed)
    assert len(PAPER.split()) < 1750, "the journal takes up to 1750 words"


def test_the_workflow_only_starts_ci_run():
    steps = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["run"]["steps"]
    assert steps[-1]["run"] == "bash .ci/run"
    assert (ROOT / ".ci" / "run").is_file()


def test_the_readme_shows_no_badge():
    """None would be true while nothing is published and no service runs the tests."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[[^\]]*\]\((?!docs/)[^)]*\)|shields\.io|badge", readme) == []
