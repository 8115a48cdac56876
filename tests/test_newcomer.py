"""What a reader new to the project does with the pages that the README links: five things, by their lines.

To serve the page, to open the notebooks, to draw figure 4, to load a CSV, to add a method.
"""

import csv
import os
import re
import shlex
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from places import fetched
from polyak_widgets.paper import figure_files, paper_runs
from polyak_widgets.paper.findings_page import cell
from polyak_widgets.paper.paper_panels import best_of_each, name_of, problems_of, tasks_of

import polyak_core as pc

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
INSTALL, FILES, METHODS, FINDINGS = (
    (DOCS / f"{name}.md").read_text() for name in ("install", "files", "methods", "findings")
)
FIRST = "import polyak_core as pc\nfrom polyak_widgets import Explorer, Settings\n"


def line_with(words):
    """The line of the commands without make that has these words."""
    commands = "\n".join(re.findall(r"```\n(.*?)```", INSTALL, flags=re.DOTALL))
    (line,) = (line for line in commands.splitlines() if line.startswith(".venv/bin/") and words in line)
    return shlex.split(line)


def block_with(words, page):
    """The Python of a page that has these words."""
    (block,) = (code for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL) if words in code)
    return block


def command_of(target, *variables):
    """The last command of a verb of the Makefile."""
    process = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target, *variables],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return shlex.split(process.stdout.replace("\\\n", " ").splitlines()[-1].split("&&")[-1])


@contextmanager
def started(tmp_path, line, *flags):
    """The address of the server that this line starts; without a browser, at a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (program, *arguments) = line
    program = Path(sys.executable).with_name(Path(program).name)
    environment = os.environ | {"JUPYTER_CONFIG_DIR": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [program, *arguments, "--no-browser", f"--port={port}", *flags],
            cwd=ROOT, env=environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(20)


def test_serve_the_page(tmp_path):
    line = line_with("voila app/explore.ipynb")
    assert command_of("app")[: len(line)] == line
    with started(tmp_path, line) as address:
        page = fetched(address)
    assert "<title>Polyak Explorer</title>" in page
    assert "application/vnd.jupyter.widget-view+json" in page


def test_open_the_notebooks(tmp_path):
    line = line_with("jupyter lab")
    flags = ["--IdentityProvider.token="] + ["--allow-root"] * (hasattr(os, "geteuid") and os.geteuid() == 0)
    with started(tmp_path, line, *flags) as address:
        launcher = fetched(f"{address}/api/contents/notebooks/00_start.ipynb")
        links = re.findall(r"\]\(([\w./]+)(?:#[\w-]+)?\)", launcher)
        assert len(links) > 10
        for link in links:  # all of them lie within the folder that is served
            assert fetched(f"{address}/api/contents/{os.path.normpath(f'notebooks/{link}')}?content=0")
    assert command_of("lab")[0].endswith("jupyter-lab")
    assert "--notebook-dir=." in command_of("lab")


@pytest.mark.browser
def test_draw_figure_4(tmp_path, monkeypatch, capsys):
    assert "make figures FIGURES=4" in INSTALL
    assert command_of("figures", "FIGURES=4")[1:] == ["-m", "polyak_widgets.paper.figure_files", "4"]
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(figure_files, "more_tasks", list)
    figure_files.main(["4", "--folder", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")])
    assert "findings.md stays as it is" in capsys.readouterr().out
    assert (tmp_path / "out" / "figure-4.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "out" / "figure-4.svg").read_text()
    runs = paper_runs.run_tasks(tasks_of(4), folder=tmp_path / "cache", progress=False)
    for problem in problems_of(4):
        assert name_of(problem) in svg
        row = next(line for line in FINDINGS.splitlines() if line.startswith(f"| {name_of(problem)} |"))
        assert [f" {cell(run)} " for run in best_of_each(problem, runs)] == [
            text for text in row.split("|")[2:-1] if text != " – "
        ]
    with (tmp_path / "out" / "iterations.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(tasks_of(4))


def test_load_a_csv(tmp_path, monkeypatch):
    code = block_with("wine.csv", FILES)
    rng = np.random.default_rng(1)
    wine = rng.standard_normal((40, 4)) * [1, 3, 10, 30]
    table = np.column_stack([wine, wine @ [1, -1, 0, 0.1]])
    np.savetxt(tmp_path / "wine.csv", table, delimiter=",", header="a,b,c,d,quality", comments="")
    monkeypatch.chdir(tmp_path)
    page = shown(code)
    assert page.wait(60)
    X = (wine - wine.mean(axis=0)) / wine.std(axis=0)
    problem = page.experiment.problem
    expected = pc.lasso(X, table[:, -1], lam=1)
    assert problem.L == pytest.approx(expected.L)
    assert problem.f_star == pytest.approx(expected.f_star)


def test_add_a_method():
    code = block_with("pc.register", METHODS)
    try:
        page = shown(code)
        assert page.wait(60)
        (mine,) = (run for run in page.experiment.runs if run.method == "half_steps")
        direct = pc.solve(page.experiment.problem, "half_steps", mine.trace.k.size - 1)
    finally:
        pc.METHODS.pop("half_steps", None)
    np.testing.assert_array_equal(mine.trace.gap, direct.gap)
    d = np.sqrt(direct.gap[:3] / direct.gap[0])
    assert (np.diff(d) < 0).all()


def shown(code):
    """What the last line of a block shows in a notebook."""
    names = {}
    *lines, last = code.strip().splitlines()
    exec(FIRST + "\n".join(lines), names)
    return eval(last, names)
