"""The paper's figures: their own data and parameters, runs kept on disk, words for what is missing.

That figure 4 and its lines of docs/findings.md come out is in tests/test_newcomer.py, what the page says of
the paper's claims in test_findings.py.
"""

import csv
import os
import threading

import numpy as np
import pytest
from polyak_widgets import paper_figure
from polyak_widgets.paper import figure_files, findings_page, paper_runs
from polyak_widgets.paper.paper_panels import (
    PAPER_LOSSES,
    estimate_tasks,
    excess,
    panels_of,
    problems_of,
    tasks_of,
)
from polyak_widgets.paper.paper_runs import PaperRun, comparison, run_task, run_tasks, tuned

import polyak_core as pc
from polyak_core.data.datasets import load_dataset
from polyak_core.runs.trace import TOLERANCES

LASSO = ("sonar", "lasso")


@pytest.fixture(autouse=True)
def one_core(monkeypatch):
    """No worker processes."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def no_madelon(monkeypatch):
    """As on a computer without Madelon and without a network."""

    def load(name, *args, **keywords):
        if name == "madelon":
            raise ValueError("Madelon is not on this machine. Put the file madelon.npz into a folder.")
        return load_dataset(name, *args, **keywords)

    monkeypatch.setattr(paper_runs.pc, "load_dataset", load)
    paper_runs.missing.cache_clear()
    yield
    paper_runs.missing.cache_clear()


def test_every_figure_has_its_problems():
    assert problems_of(1) == [("matrix_completion", None)]
    assert problems_of(2) == [(data, loss) for loss in PAPER_LOSSES for data in ("musk", "madelon")]
    assert problems_of(3) == [LASSO]
    assert problems_of(4) == [("sonar", loss) for loss in PAPER_LOSSES]
    assert {task.problem for task in tasks_of(5)} == {("sonar", "least_squares"), ("sonar", "svm_dual")}
    for number in (1, 2, 4):
        for problem in problems_of(number):
            methods = {task.method for task in tasks_of(number) if task.problem == problem}
            knows_mu = problem[1] in ("least_squares", "logistic")
            assert methods == {"adapt_apg", "adapt_apg_v2", "fista", "pgd", "restart"} | (
                {"apg"} if knows_mu else set()
            )


def test_a_figure_draws_what_solve_finds(tmp_path):
    figure = paper_figure(4, iterations=60, gammas=[2.0], folder=tmp_path, progress=False)
    curves = [curve for curve in figure.data if curve.name == "AdaptAPG"]
    assert len(curves) == len(PAPER_LOSSES)
    assert "<b>Figure 4: Sonar</b>" in figure.layout.title.text
    for loss, curve in zip(PAPER_LOSSES, curves, strict=True):
        trace = pc.solve(pc.paper_problem("sonar", loss), "adapt_apg", 60)
        np.testing.assert_array_equal(curve.x, trace.k)
        np.testing.assert_array_equal(curve.y, trace.gap)
        assert curve.line.simplify is False  # plotly would draw a polygon
    assert {"Restart, γ = 2", "APG, true μ"} <= {curve.name for curve in figure.data}
    with pytest.raises(ValueError, match="number = 6 is not allowed: give a whole number from 1 to 5"):
        paper_figure(6)


def test_a_figure_of_some_losses(tmp_path):
    figure = paper_figure(
        4, iterations=30, gammas=[2.0], losses=["lasso", "logistic"], folder=tmp_path, progress=False
    )
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert texts.index("Sonar, logistic") < texts.index("Sonar, LASSO")
    assert "least squares" not in texts
    assert "<b>Figure 4: Sonar, logistic and LASSO</b>" in figure.layout.title.text
    for losses in ("lasso", [], ["hinge"]):
        with pytest.raises(ValueError, match=r"least_squares"):
            paper_figure(4, losses=losses)


def test_finished_runs_are_kept_until_the_solver_changes(tmp_path, monkeypatch):
    tasks = comparison(LASSO, 20, [2.0])
    first = run_tasks(tasks, folder=tmp_path, progress=False)
    assert list(first) == tasks or set(first) == set(tasks)
    calls = []
    monkeypatch.setattr(paper_runs, "run_task", lambda task: calls.append(task) or run_task(task))
    again = run_tasks(tasks, folder=tmp_path, progress=False)
    assert calls == []
    for task in tasks:
        np.testing.assert_array_equal(again[task].gap, first[task].gap)
    run_tasks(comparison(LASSO, 21, [2.0])[:1], folder=tmp_path, progress=False)
    assert len(calls) == 1
    monkeypatch.setattr(paper_runs, "solver_hash", lambda: "edited")
    run_tasks(tasks, folder=tmp_path, progress=False)
    assert len(calls) == 1 + len(tasks)


def test_the_tuned_gamma_is_the_fastest():
    runs = [run_task(PaperRun(LASSO, "restart", 1000, gamma=gamma)) for gamma in (1.0, 5.0, 20.0)]
    steps = [
        pc.solve(pc.paper_problem(*LASSO), "restart", 1000, gamma=g).first_below(1e-10)
        for g in (1.0, 5.0, 20.0)
    ]
    assert [run.reached[1e-10] for run in runs] == steps
    assert tuned(runs).task.gamma == (1.0, 5.0, 20.0)[int(np.nanargmin([k or np.nan for k in steps]))]
    unfinished = [run_task(PaperRun(LASSO, "restart", 50, gamma=gamma)) for gamma in (1.0, 5.0)]
    assert tuned(unfinished).gap.min() == min(run.gap.min() for run in unfinished)


def test_figure_5_has_the_paper_s_index():
    """mu_k forms x_k, and mu_loc is taken there."""
    squares, dual = (run_task(task) for task in estimate_tasks() if task.method == "adapt_apg")
    for summary, local in ((squares, False), (dual, True)):
        problem = pc.paper_problem(*summary.task.problem)
        k, difference = excess(summary, local)
        trace = pc.solve(problem, "adapt_apg", 50)
        below = trace.mu_loc[1:] if local else problem.mu
        assert k[0] == 1
        np.testing.assert_array_equal(difference[:50], trace.mu[:-1] - below)
    assert (excess(squares, False)[1] >= 0).all()


def test_what_is_missing_is_said(no_madelon, tmp_path, capsys, monkeypatch):
    figure = paper_figure(2, iterations=20, gammas=[2.0], folder=None, progress=False)
    notes = " ".join(note.text.replace("<br>", " ") for note in figure.layout.annotations)
    assert notes.count("Madelon is missing, so this was not run.") == len(PAPER_LOSSES)
    assert "Put the file madelon.npz into a folder" in notes
    monkeypatch.setattr(figure_files, "tasks_of", lambda n: tasks_of(n, 20, [2.0]) if n == 4 else [])
    monkeypatch.setattr(figure_files, "more_tasks", list)
    monkeypatch.setattr(figure_files, "write_figures", lambda runs, numbers, folder: folder.mkdir() or [])
    page = tmp_path / "page.md"
    figure_files.main(["4", "--folder", str(tmp_path / "out"), "--cache", str(tmp_path), "--page", str(page)])
    assert "stays as it is" in capsys.readouterr().out
    assert not page.exists()
    assert "| Sonar, LASSO |" in (tmp_path / "out" / "findings.md").read_text()


def test_a_browser_that_never_says_it_has_closed_keeps_nobody_waiting(tmp_path, monkeypatch):
    kaleido, closed = pytest.importorskip("kaleido"), threading.Event()
    monkeypatch.setattr(kaleido, "start_sync_server", lambda **options: None)
    monkeypatch.setattr(kaleido, "stop_sync_server", lambda **options: closed.wait())
    monkeypatch.setattr(figure_files, "CLOSING", 0.05)
    try:
        assert figure_files.write_figures({}, (), tmp_path) == []
    finally:
        closed.set()


def test_the_table_has_a_line_for_each_run(tmp_path):
    runs = {task: run_task(task) for task in comparison(LASSO, 150, [2.0])}
    findings_page.write_table(runs, tmp_path / "runs.csv")
    with (tmp_path / "runs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["method"] for line in lines] == [task.method for task in runs]
    trace = pc.solve(pc.paper_problem(*LASSO), "adapt_apg_v2", 150)
    assert lines[0]["iterations to 1e-04"] == str(trace.first_below(1e-4))
    assert lines[0]["iterations to 1e-10"] == "> 150"
    assert lines[0]["gradient calls to 1e-10"] == "not reached"
    assert float(lines[0]["gradient calls to 1e-04"]) == trace.gradients[trace.first_below(1e-4)]


def test_what_no_method_reaches_is_said_in_words():
    runs = {task: run_task(task) for task in comparison(LASSO, 150, [2.0])}
    (sentence,) = (line for line in findings_page.findings_text(runs).splitlines() if "no method" in line)
    assert "On Sonar, LASSO **no method reaches 10⁻⁸ within 150 iterations**; the best is" in sentence
    best = min(runs.values(), key=lambda summary: summary.gap.min())
    assert pc.METHODS[best.task.method].label in sentence
    longer = {task: run_task(task) for task in comparison(LASSO, 500, [6.0])}
    assert "no method" not in findings_page.findings_text(longer)
    unfinished = findings_page.cell(next(run for task, run in runs.items() if task.method == "pgd"))
    assert unfinished == "> 150"


def test_findings_go_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{findings_page.START}\nold\n{findings_page.END}\nafter\n")
    for text in ("first\n", "second\n"):
        findings_page.put_into(page, text)
    assert page.read_text() == f"before\n{findings_page.START}\n\nsecond\n\n{findings_page.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="once each: put them where the findings go"):
        findings_page.put_into(page, "text")


def test_panels_are_named_in_words():
    runs = {task: run_task(task) for task in tasks_of(4, 30, [2.0])}
    panels = panels_of(4, runs)
    assert [panel["title"] for panel in panels] == [
        "Sonar, least squares",
        "Sonar, logistic",
        "Sonar, LASSO",
        "Sonar, SVM dual",
    ]
    assert all(f"k = {30}" in panel["summary"] for panel in panels)
    assert min(TOLERANCES) == 1e-10
