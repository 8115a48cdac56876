"""Every benchmark runs from end to end at small size and has its place on the page; no time is asserted."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
SECTIONS = ("floor", "peers", "quadratics", "sparse", "stacks", "growth", "sizes", "sweep_efficiency")


def run(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_runs():
    before = (FOLDER / "README.md").read_text()
    printed = run(FOLDER / "run.py", "--quick")
    assert tuple(re.findall(r"^## (\w+)$", printed, re.MULTILINE)) == SECTIONS
    for section in printed.split("\n## ")[1:]:
        assert section.count("\n| ") >= 3, section  # a head, a line, and a row at least
    assert "one thread" in printed
    assert (FOLDER / "README.md").read_text() == before


def test_the_page_has_a_place_for_each_section():
    page = (FOLDER / "README.md").read_text()
    for section in (*SECTIONS, "machine"):
        assert page.count(f"<!-- {section} -->") == page.count(f"<!-- end of {section} -->") == 1


def test_a_section_is_written_to_its_place(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", os.environ.get("OPENBLAS_NUM_THREADS", "1"))
    from run import written

    page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n<!-- y -->\n<!-- end of y -->\n"
    assert written(page, "x", "new") == page.replace("old", "new")


def test_two_revisions_are_compared():
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    rows = [line.split(" | ") for line in run(FOLDER / "compare.py", "HEAD", "--quick").splitlines()[2:]]
    ratios = {row[0].strip("| "): float(row[3].strip("| ")) for row in rows}
    assert {"quadratic, n = 100, pgd", "logistic, adapt_apg_v2", "LASSO, G, restart"} <= set(ratios)
    assert all(math.isfinite(ratio) and ratio > 0 for ratio in ratios.values())


def test_a_revision_that_is_not_there_leaves_nothing_behind():
    command = [sys.executable, FOLDER / "compare.py", "no-such-revision"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    listed = subprocess.run(
        ["git", "worktree", "list"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "/base" not in listed.stdout
