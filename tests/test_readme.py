"""The README is short and true: its Python runs and prints what it says, the verbs that pages name exist."""

import re
import tomllib
from pathlib import Path

import polyak_core as pc

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


def test_v2_needs_as_many_more_iterations_as_it_says():
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    v2, apg = (pc.solve(problem, method, 2000, target=1e-10) for method in ("adapt_apg_v2", "apg"))
    percent = re.search(r"needs (\d+) %\s+more iterations", README)
    assert round(100 * (v2.k[-1] / apg.k[-1] - 1)) == int(percent.group(1))


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


def test_the_task_runner_hands_every_verb_on_to_make():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]
    assert hatch["envs"]["default"]["scripts"] == {
        verb: f"make {verb} {{args}}" for verb in targets() - {"help"}
    }
