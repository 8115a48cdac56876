"""The README is short and true: its Python runs and prints what it says, the verbs that pages name exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MOST_CHARACTERS = 6000


def test_it_is_short():
    assert len(README) <= MOST_CHARACTERS


def test_the_python_runs_and_prints_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    promised = re.search(r"# (Reached .*)", code)
    assert promised.group(1) in printed
    assert "f(x) = 1/2 ||Ax - b||^2, n = 60" in printed


def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def test_the_verbs_that_pages_name_exist():
    named = set()
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
        ROOT / "Makefile",
    ):
        verbs = re.findall(r"`make ([a-z-]+)|^(?:#  )? ?make ([a-z-]+)", page.read_text(), flags=re.MULTILINE)
        named |= {first or second for first, second in verbs}
    assert {"app", "lab", "test", "lint", "figures", "bench"} <= named
    assert named <= targets()


def test_every_verb_is_run_by_the_script_that_runs_them_all():
    listed = re.findall(
        r'^    "([a-z-]+)": Verb\(', (ROOT / "tests" / "verbs.py").read_text(), flags=re.MULTILINE
    )
    assert set(listed) == targets()
