"""From settings to the core: every problem is the one that the core makes of the same numbers."""

from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory import experiment as module
from polyak_widgets.laboratory.datasets import Shelf
from polyak_widgets.laboratory.experiment import Laboratory, run_experiment
from polyak_widgets.laboratory.problems import (
    build_problem,
    fields_in_use,
    kernel_width,
    method_keywords,
    problem_key,
)
from polyak_widgets.laboratory.synthetic import synthetic_data, typical_distance
from polyak_widgets.settings.presets import usual_lam
from polyak_widgets.settings.settings import PROBLEMS, Settings
from scipy import sparse

import polyak_core as pc

LOSSES = ("least_squares", "logistic", "lasso", "svm_dual")


def problem_of(**values):
    settings = Settings.from_values(values)
    return build_problem(settings, Shelf().data(settings))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("data", ["sonar", "musk"])
def test_with_usual_weights_a_problem_is_the_papers(data, loss):
    ours, papers = problem_of(problem=loss, data=data), pc.paper_problem(data, loss)
    point = np.random.default_rng(0).random(papers.x0.size)
    assert ours.f(point) == papers.f(point)
    assert (ours.L, ours.mu) == (papers.L, papers.mu)


def test_matrix_completion_is_the_papers_under_any_weight():
    papers = pc.paper_problem("matrix_completion")
    X = np.random.default_rng(0).standard_normal(papers.shape)
    assert problem_of(problem="matrix_completion").f(X) == papers.f(X)
    nuclear = np.linalg.svd(X, compute_uv=False).sum()
    heavier = problem_of(problem="matrix_completion", lam=1.01).f(X)
    assert heavier == pytest.approx(papers.f(X) + nuclear, rel=1e-12)


def test_every_weight_kernel_and_scaling_is_used():
    point = np.linspace(0, 1, 208)
    data = pc.load_dataset("sonar", scaling="standardize")
    settings = Settings(
        problem="svm_dual", scaling="standardize", C=3.0, svm_loss="squared_hinge", kernel="rbf", width=0.3
    )
    width = kernel_width(settings, data)
    expected = pc.svm_dual(data.X, data.y, 3.0, "squared_hinge", "rbf", width)
    assert build_problem(settings, data).f(point) == expected.f(point)
    pairs = data.X[:, None] - data.X
    assert width == pytest.approx(0.3 * np.sqrt((pairs**2).sum(axis=-1).mean()))
    lasso = problem_of(problem="lasso", lam=7.0, scaling="none")
    raw = pc.load_dataset("sonar", scaling="none")
    assert lasso.f(point[:60]) == pc.lasso(raw.X, raw.y, 7.0).f(point[:60])


def test_the_typical_distance_is_the_same_for_sparse_data():
    X = sparse.random_array((30, 8), density=0.3, rng=np.random.default_rng(1))
    dense = typical_distance(X.toarray())
    assert typical_distance(sparse.csr_array(X)) == pytest.approx(dense)
    assert typical_distance(pc.dataset(X, np.arange(30) % 2).X) == pytest.approx(dense)
    assert typical_distance(np.ones((3, 2))) == 1


@pytest.mark.parametrize("rows", [40, 300])
@pytest.mark.parametrize("scaling", ["none", "center"])
def test_synthetic_data_have_the_spectrum_that_was_asked_for(rows, scaling):
    eigenvalues = pc.spectrum("log", 100, 1e3)
    data = synthetic_data(eigenvalues, rows, 5, scaling)
    squares = np.linalg.svd(data.X, compute_uv=False)[: min(100, rows - 1)] ** 2
    np.testing.assert_allclose(squares, rows * eigenvalues[: squares.size], rtol=1e-8)
    assert set(data.y) == {-1.0, 1.0}
    again = synthetic_data(eigenvalues, rows, 5, scaling)
    np.testing.assert_array_equal(data.X, again.X)
    assert not np.array_equal(data.X, synthetic_data(eigenvalues, rows, 6, scaling).X)


def test_starts():
    ones = problem_of()
    drawn = problem_of(start="gaussian", seed=3)
    np.testing.assert_array_equal(ones.x0, 1)
    np.testing.assert_array_equal(drawn.x0, np.random.default_rng(3).standard_normal(100))
    for loss, high in (("hinge", 1), ("squared_hinge", np.inf)):
        dual = problem_of(problem="svm_dual", svm_loss=loss, start="gaussian")
        assert 0 <= dual.x0.min()
        assert dual.x0.max() <= high
    flat = problem_of(start="no_slow", spectrum="own", eigenvalues="1 0.1 0.1 0")
    np.testing.assert_array_equal(flat.x0, [1, 0, 0, 1])


@pytest.mark.parametrize("data", ["sonar", "synthetic"])
def test_a_start_without_the_slowest_direction_has_none_of_it(data):
    usual, without = (
        problem_of(problem="least_squares", data=data, start=start) for start in ("default", "no_slow")
    )
    settings = Settings(problem="least_squares", data=data)
    slowest = np.linalg.svd(Shelf().data(settings).X, full_matrices=False)[2][-1]
    scale = np.linalg.norm(usual.x0 - usual.x_star)
    assert abs(slowest @ (usual.x0 - usual.x_star)) > 1e-3 * scale
    assert abs(slowest @ (without.x0 - without.x_star)) < 1e-10 * scale
    assert without.mu == usual.mu


def test_a_start_that_a_problem_does_not_have_is_the_usual_one():
    np.testing.assert_array_equal(problem_of(problem="lasso", start="no_slow").x0, np.zeros(60))
    lasso = Settings(problem="lasso")
    assert problem_key(replace(lasso, start="no_slow")) == problem_key(lasso)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_L_is_told_wrong_by_a_factor(problem):
    right, wrong = problem_of(problem=problem), problem_of(problem=problem, L_factor=0.5)
    assert wrong.L == right.L / 2
    assert wrong.true_L == right.true_L == right.L
    np.testing.assert_array_equal(wrong.x0, right.x0)


def test_keywords_are_those_of_the_method_and_only_where_they_differ():
    problem = problem_of()
    plain = Settings()
    assert method_keywords(plain, "adapt_apg", problem) == {"mu0": 0.5, "estimator": "polyak"}
    assert method_keywords(plain, "pgd", problem) == {}
    assert method_keywords(plain, "apg", problem) == {}
    assert method_keywords(replace(plain, mu_factor=10), "apg", problem) == {"mu": 10 * problem.mu}
    first = problem.gap(problem.x0)
    for f_star, shift in {"too_low": -0.25 * first, "too_high": 0.25 * first}.items():
        changed = replace(plain, f_star=f_star, f_star_delta=0.25)
        assert method_keywords(changed, "restart", problem) == {"gamma": 2.0, "f_star": shift}
        assert "f_star" not in method_keywords(changed, "fista", problem)
    printed, guarded = (replace(plain, f_star="too_high", guard=guard) for guard in ("none", "all"))
    assert method_keywords(printed, "adapt_apg_v2", problem)["guard"] is False
    assert method_keywords(guarded, "restart", problem)["guard"] is True
    others = [(printed, "restart"), (guarded, "adapt_apg"), (printed, "adapt_apg_free"), (printed, "fista")]
    assert not any("guard" in method_keywords(settings, method, problem) for settings, method in others)
    assert "guard" not in method_keywords(replace(printed, f_star="too_low"), "adapt_apg", problem)
    dual = Settings(problem="lasso", f_star="dual")
    assert method_keywords(dual, "adapt_apg_v2", problem_of(problem="lasso"))["f_star"] == "dual"
    assert "f_star" not in method_keywords(replace(plain, f_star="dual"), "restart", problem)


def test_a_target_ends_the_runs():
    run = run_experiment(Settings(methods=("apg",), target=1e-3)).runs[0]
    assert run.trace.outcome is pc.Outcome.TARGET
    assert len(run.trace) == 89


@pytest.mark.parametrize("data", ["sonar", "synthetic"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_problem_of_the_page_draws(problem, data):
    result = run_experiment(Settings(problem=problem, data=data, iterations=30))
    for run in result.runs:
        if run.trace is None:
            assert "μ = 0" in run.refusal
        else:
            assert run.trace.gap[-1] < run.trace.gap[0]


OTHER = {
    "problem": "lasso", "data": "musk", "scaling": "none", "lam": 0.5, "C": 2.0, "svm_loss": "squared_hinge",
    "kernel": "rbf", "width": 2.0, "spectrum": "linear", "condition_number": 10.0, "n": 12, "rows": 30,
    "seed": 4, "start": "gaussian", "L_factor": 2.0,
}  # fmt: skip
STATES = [
    Settings(),
    Settings(spectrum="own"),
    Settings(start="gaussian"),
    Settings(problem="matrix_completion"),
    Settings(problem="svm_dual", kernel="rbf"),
    *(Settings(problem=loss, data=data) for loss in LOSSES for data in ("sonar", "synthetic")),
]


@pytest.mark.parametrize("settings", STATES)
def test_a_key_changes_exactly_with_what_the_problem_depends_on(settings):
    changing = set(fields_in_use(settings)) - {"eigenvalues"}
    others = {name: value for name, value in OTHER.items() if getattr(settings, name) != value}
    assert len(others) > 10
    for name, value in others.items():
        changed = problem_key(replace(settings, **{name: value})) != problem_key(settings)
        assert changed == (name in changing), name


def test_a_weight_that_is_not_given_is_the_usual_one():
    assert Settings(problem="logistic").lam == 0.004
    assert Settings(problem="lasso", data="musk").lam == 100
    assert Settings(problem="matrix_completion").lam == 0.01
    assert Settings.from_values({"problem": "lasso", "data": "madelon", "lam": None}).lam == 800
    assert replace(Settings(problem="logistic"), problem="lasso").lam == 0.004
    assert usual_lam([], {}) == usual_lam("quadratic", "own") == Settings().lam


def test_a_data_set_is_loaded_once(monkeypatch):
    loads = []
    real = pc.load_dataset
    monkeypatch.setattr(pc, "load_dataset", lambda *a, **k: loads.append(a) or real(*a, **k))
    laboratory = Laboratory()
    for loss in ("lasso", "least_squares"):
        laboratory.problem(Settings(problem=loss))
    assert len(loads) == 1


MAKE = {
    "quadratic": lambda data, L: pc.quadratic(pc.spectrum("log", 100, 1e4), L=L),
    "least_squares": lambda data, L: pc.least_squares(data.X, data.y, L=L),
    "logistic": lambda data, L: pc.logistic(data.X, data.y, 1.0, L=L),
    "lasso": lambda data, L: pc.lasso(data.X, data.y, 1.0, L=L),
    "svm_dual": lambda data, L: pc.svm_dual(data.X, data.y, 1.0, L=L),
}
"""Of the core, with an L of one's own."""


@pytest.mark.parametrize("problem", PROBLEMS)
def test_another_L_is_told_of_the_same_problem_without_looking_for_x_star_again(problem, monkeypatch):
    right = Settings(problem=problem, methods=("apg", "fista", "adapt_apg_v2"), iterations=40, lam=1.0)
    laboratory = Laboratory()
    known = laboratory.problem(right)
    monkeypatch.setattr(module, "build_problem", lambda *arguments: pytest.fail("it was made again"))
    changed = replace(right, L_factor=1.5)
    assert laboratory.knows(changed)
    growing = laboratory.begin(changed)
    while not growing.advance():
        pass
    drawn = growing.snapshot()
    assert drawn.problem.reference is known.reference
    assert (drawn.problem.L, drawn.problem.true_L) == (1.5 * known.L, known.true_L)
    if problem in MAKE:
        expected = MAKE[problem](laboratory.shelf.data(changed), 1.5 * known.L)
        for run in drawn.runs:
            if run.trace is not None:
                keywords = method_keywords(changed, run.method, expected)
                trace = pc.solve(expected, run.method, iterations=40, **keywords)
                np.testing.assert_array_equal(run.trace.gap, trace.gap)
