"""The findings: what they say follows from the runs, and docs/findings.md says what comes out."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import refusal
from polyak_widgets.numbers import count_text
from polyak_widgets.paper import comparisons, findings, paper_runs
from polyak_widgets.paper.comparisons import (
    EVERYWHERE,
    PAPER_PROBLEMS,
    QUADRATIC,
    SMOOTH,
    fixed_mu_tasks,
    momentum_tasks,
    mu0_tasks,
    rival_tasks,
)
from polyak_widgets.paper.findings_page import (
    HOW,
    RIVALS_HOW,
    START,
    claim_row,
    findings_text,
)
from polyak_widgets.paper.paper_panels import estimate_tasks, gamma_tasks, name_of
from polyak_widgets.paper.paper_runs import DEEPER, PaperRun, Summary, comparison, missing, run_task

import polyak_core as pc
from polyak_core.runs.trace import TOLERANCES

PAGE = (Path(__file__).parents[3] / "docs" / "findings.md").read_text()
LASSO = ("sonar", "lasso")
NEARLY = 0.03
"""The last bits of a processor decide so much of what the Polyak heavy ball takes."""
COMPLETION = ("matrix_completion", None)


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def number(text):
    """A count with its thin spaces."""
    return int(re.sub(r"\D", "", text))


@cache
def costs(loss, method):
    """Products of an iteration, as they are on Sonar, and calls of a run of so many iterations."""
    key = COMPLETION if loss is None else ("sonar", loss)
    return run_task(PaperRun(key, method, 200, gamma=5.0 if method == "restart" else None)).products


def calls(method, k):
    """Gradient calls up to iteration k."""
    return 2.0 * k + 1 if method.startswith("adapt") else float(k)


@cache
def page_runs():
    """The runs behind the page's table of iterations, as far as that table has them."""
    lines = PAGE[PAGE.index(HOW) + len(HOW) : PAGE.index(RIVALS_HOW)].strip().splitlines()
    methods = {method.label: name for name, method in pc.METHODS.items()}
    names = [methods[label] for label in cells(lines[0])[1:]]
    rows = {cells(line)[0]: cells(line)[1:] for line in lines[2:] if line.startswith("|")}
    runs = {}
    for problem in PAPER_PROBLEMS:
        texts = dict(zip(names, rows[name_of(problem)], strict=True))
        for task in comparison(problem):
            steps, _, gamma = texts[task.method].partition(" (")
            mine = task.gamma is None or f"{task.gamma:g}" == gamma.rstrip(")")
            runs[task] = summary(task, steps if mine else f"> {task.iterations}", mine)
    return runs


def summary(task, text, best):
    """What a cell says of a run."""
    parts = text.split(" / ")
    reached = [None if ">" in part else number(part) for part in parts]
    reached = dict(zip(TOLERANCES, reached + [None] * 3, strict=False)) | {DEEPER: None}
    last = number(parts[-1])
    gap = np.array([1.0, 1e-3 if best else 1.0])
    method = task.method
    gradients = {t: None if k is None else calls(method, k) for t, k in reached.items()}
    products = costs(task.problem[1], method) if method in ("restart", "adapt_apg_v2") else np.nan
    return Summary(
        task=task, k=gap, gap=gap, reached=reached, gradients=gradients, products=products, last_k=last,
        outcome="", L=1.0, mu=1.0, f_star_error=1e-30,
    )  # fmt: skip


@cache
def few_runs():
    """Those that are not in the table, and are run here: what claims are held against, and figure 1."""
    far = [PaperRun(COMPLETION, m, paper_runs.BUDGETS[COMPLETION]) for m in ("adapt_apg", "adapt_apg_v2")]
    tasks = [*mu0_tasks(), *fixed_mu_tasks(), *momentum_tasks(), *estimate_tasks(), *gamma_tasks(), *far]
    return {task: run_task(task) for task in tasks if not missing(task.problem[0])}


@cache
def lines():
    """The findings by their claims, from the table of iterations and the few runs."""
    return {line.claim: line for line in findings.findings(page_runs() | few_runs())}


def test_the_table_of_claims_on_the_page_is_what_comes_out():
    """All but data sets that are not there, and the error of f*, for which every problem must be solved."""
    table = PAGE[PAGE.index(START) : PAGE.index(HOW)]
    on_page = {cells(line)[0]: line for line in table.splitlines() if line.startswith("| ")}
    assert list(on_page) == ["the paper", *lines()]
    for claim, line in lines().items():
        written = claim_row(line)
        if "is local" in claim and missing("madelon"):
            written = written[: written.index(". There unknowns")]
        if "machine precision" in claim:
            written = written[: written.index(" Here f*")]
        assert on_page[claim].startswith(written)
        assert f" | {line.rule} |" in on_page[claim]


def test_what_the_table_is_read_as_is_what_it_says():
    """The stand-ins make the page's table of iterations again."""
    text = findings_text(page_runs())
    lines = [line for line in text[text.index(HOW) :].splitlines() if line.startswith("| ")]
    assert len(lines) == 1 + len(PAPER_PROBLEMS)
    assert [line for line in lines if line not in PAGE] == []


def test_the_rivals_of_a_problem_are_all_that_take_it():
    for key in (
        COMPLETION,
        *(("sonar", loss) for loss in ("least_squares", "logistic", "lasso", "svm_dual")),
    ):
        problem = paper_runs.problem_of(key)
        able = {m for m in (*EVERYWHERE, *SMOOTH, *QUADRATIC) if not refusal(problem, m)}
        assert {task.method for task in rival_tasks() if task.problem == key} == able


def test_the_rivals_on_the_page_are_what_comes_out():
    """Of them those that take a second: the whole table is made by `make figures`."""
    table = PAGE[PAGE.index(RIVALS_HOW) :]
    head, *rows = [cells(line) for line in table.splitlines() if line.startswith("| ")]
    assert {row[0] for row in rows} == {name_of(key) for key in comparisons.RIVAL_PROBLEMS}
    quick = {"lasso": EVERYWHERE, "least_squares": ("cg", "heavy_ball_polyak")}
    for loss, methods in quick.items():
        (row,) = (row for row in rows if row[0] == name_of(("sonar", loss)))
        for task in (t for t in rival_tasks() if t.problem == ("sonar", loss) and t.method in methods):
            page = row[head.index(pc.METHODS[task.method].label)].split(" / ")
            mine = run_task(task).reached
            assert [number(text) for text in page] == pytest.approx([mine[t] for t in TOLERANCES], rel=NEARLY)


def test_gradient_calls_are_counted_as_the_stand_ins_have_them():
    for method in ("adapt_apg_v2", "restart"):
        trace = pc.solve(pc.paper_problem(*LASSO), method, 50)
        assert list(trace.gradients[1:]) == [calls(method, k) for k in range(1, 51)]


@pytest.mark.parametrize("data", ["musk", pytest.param("madelon", marks=pytest.mark.madelon)])
def test_products_of_an_iteration_are_those_on_sonar(data):
    """Whether v2 needs more than the restarted method depends on the loss."""
    problem = pc.paper_problem(data, "least_squares")
    for method in ("adapt_apg_v2", "restart"):
        trace = pc.solve(problem, method, 200)
        assert trace.products[-1] / 200 == pytest.approx(costs("least_squares", method))


def test_the_largest_constant_of_figure_5_lies_where_it_is_said():
    squares, dual = (few_runs()[task] for task in estimate_tasks() if task.method == "adapt_apg")
    for each, below in ((squares, squares.mu), (dual, dual.columns["mu_loc"][1:])):
        needed = (each.columns["mu"][:-1] - below) * np.arange(2, each.last_k + 2) ** 2.0
        k = 1 + int(np.nanargmax(needed))
        place = f"at k = {count_text(k)} of {count_text(each.last_k)}"
        assert place in next(line.finding for line in lines().values() if "Figure 5" in line.claim)


def test_the_lasso_is_more_curved_along_the_unknowns_that_are_not_0():
    problem, data = pc.paper_problem(*LASSO), pc.load_dataset("sonar", scaling="center")
    support = np.flatnonzero(problem.x_star)
    assert support.size < 0.5 * data.X.shape[1]
    assert np.linalg.svd(data.X[:, support])[1].min() ** 2 > 100 * problem.mu


def verdict(runs, words):
    (line,) = (line for line in findings.findings(runs) if words in line.claim)
    return line.verdict


def faster(run, factor):
    """As it would be if each tolerance were reached in so many times the iterations."""
    reached = {t: None if k is None else max(1, round(factor * k)) for t, k in run.reached.items()}
    return Summary(**{**vars(run), "reached": reached})


@pytest.mark.parametrize(
    ("words", "method", "factor", "before", "after"),
    [
        ("outperforms", "adapt_apg_v2", 0.5, comparisons.IN_PART, comparisons.HOLDS),
        ("outperforms", "adapt_apg_v2", 5.0, comparisons.IN_PART, comparisons.NOT),
        ("is local", "adapt_apg_v2", 0.5, comparisons.IN_PART, comparisons.HOLDS),
        ("is local", "adapt_apg_v2", 9.0, comparisons.IN_PART, comparisons.NOT),
        ("did not prove robustness", "adapt_apg", 0.5, comparisons.HOLDS, comparisons.NOT),
        ("low accuracy", "adapt_apg_v2", 0.5, comparisons.IN_PART, comparisons.HOLDS),
    ],
)
def test_verdicts_turn_with_the_numbers(words, method, factor, before, after):
    runs = page_runs() | few_runs()
    assert verdict(runs, words) == before
    changed = {t: faster(s, factor) if t.method == method else s for t, s in runs.items()}
    assert verdict(changed, words) == after


def test_what_was_not_run_is_not_judged():
    assert findings.findings({}) == []
    tasks = [*mu0_tasks(), *estimate_tasks()]
    runs = {task: few_runs()[task] for task in tasks}
    assert len(findings.findings(runs)) == 2
    assert len(findings.findings({t: s for t, s in runs.items() if t.mu0 != (1.0, "mu")})) == 1
