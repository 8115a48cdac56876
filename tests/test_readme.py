"""The README says what is true: links lead somewhere, named tests exist, its Python runs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)]+)\)", README)
    local = [link.partition("#") for link in links if "://" not in link]
    assert len(local) > 20
    assert [link for link, _, _ in local if not (ROOT / link).exists()] == []
    anchors = [(link or "README.md", anchor) for link, _, anchor in local if anchor]
    assert anchors
    assert [pair for pair in anchors if pair[1] not in headings(ROOT / pair[0])] == []


def headings(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    lines = re.findall(r"^#+ (.*)", page.read_text(), flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines]


def test_the_lines_to_change_are_there():
    rows = re.findall(r"`([A-Z_]+)` of \[[\w./]+\]\(([\w/.]+)\)", README)
    assert {"METHODS", "METHOD_LOOKS", "PANELS", "PRESETS", "STORIES"} <= {name for name, _ in rows}
    for name, path in rows:
        assert re.search(rf"^{name}\b.*=", (ROOT / path).read_text(), flags=re.MULTILINE), (name, path)


def test_named_tests_exist():
    named = re.findall(r"`(test_\w+)`", README)
    assert named
    assert [name for name in named if f"def {name}(" not in TESTS] == []


def test_the_python_runs_and_prints_what_it_says(capsys):
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[0]  # test_newcomer.py has the others
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    promised = re.search(r"# (Reached .*)", code)
    assert promised.group(1) in printed
    assert "f(x) = 1/2 ||Ax - b||^2, n = 60" in printed


def test_make_verbs_exist():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    verbs = set(re.findall(r"`make (\w+)|^make (\w+)", README, flags=re.MULTILINE))
    named = {first or second for first, second in verbs}
    assert {"app", "test", "lab", "lint", "bench"} <= named
    assert named <= set(targets)
