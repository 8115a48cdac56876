"""The copied code really runs, and gives the numbers that are drawn."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings, View
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.laboratory.upload import read_upload
from polyak_widgets.share.code import explorer_code, notebook_code

import polyak_core as pc

SHORT = {"iterations": 40}
SMALL = {"n": 12, "rows": 30}
STATES = [
    {},
    {"spectrum": "linear", "n": 7, "condition_number": 123.456, "start": "gaussian", "seed": 3},
    {"spectrum": "own", "eigenvalues": "1; 0.25, 1e-3"},
    {"spectrum": "own", "eigenvalues": " ".join(str(1 / k) for k in range(1, 60))},
    {"spectrum": "clusters", "start": "no_slow"},
    {"spectrum": "outlier", "L_factor": 2.5, "mu_factor": 3.0, "target": 1e-3},
    {"f_star": "too_low", "f_star_delta": 1e-3},
    {"f_star": "too_high", "estimator": "certified", "mu0": 0.03, "gamma": 0.7},
    {"problem": "least_squares", "scaling": "standardize", "start": "no_slow"},
    {"problem": "least_squares", "data": "synthetic", **SMALL, "L_factor": 0.6},
    {"problem": "logistic", "estimator": "model", "f_star": "dual"},
    {"problem": "logistic", "data": "synthetic", **SMALL, "start": "gaussian", "seed": 5, "lam": 0.1},
    {"problem": "lasso", "scaling": "none", "f_star": "dual"},
    {"problem": "lasso", "data": "synthetic", **SMALL, "spectrum": "own", "eigenvalues": "1 0.5 0.1"},
    {"problem": "svm_dual"},
    {"problem": "svm_dual", "kernel": "rbf", "width": 0.7, "C": 3.0, "start": "gaussian"},
    {"problem": "svm_dual", "svm_loss": "squared_hinge", "start": "gaussian", "data": "synthetic", **SMALL},
    {"problem": "matrix_completion", "methods": ("adapt_apg_v2", "pgd")},
    {"problem": "matrix_completion", "lam": 0.5, "L_factor": 2.0, "methods": ("apg", "pgd")},
    {"methods": tuple(pc.METHODS)},
]


def run_code(code, **names):
    """What is defined once the code has run, and the part for the page, which has not run."""
    solving, _, page = code.partition("# or the page")
    exec(compile(solving, "copied", "exec"), names)
    return names, page


def same(traces, runs):
    drawn = {run.method: run.trace for run in runs if run.trace is not None}
    assert set(traces) == set(drawn)
    for method, trace in drawn.items():
        for column in ("k", "gap", "mu", "mu_hat", "mu_loc", "beta", "gradients"):
            np.testing.assert_array_equal(getattr(traces[method], column), getattr(trace, column))
        assert traces[method].outcome == trace.outcome


@pytest.mark.parametrize("values", STATES, ids=lambda values: "-".join(map(str, values.values()))[:60])
def test_it_gives_what_is_drawn(values, capsys):
    settings = Settings(**(SHORT | values))
    experiment = run_experiment(settings)
    names, page = run_code(notebook_code(experiment, View()))
    same(names["traces"], experiment.runs)
    output = capsys.readouterr().out
    assert all(method in output for method in names["traces"])
    stand_in = {"Explorer": lambda settings: settings, "Settings": Settings}
    assert eval(page.splitlines()[-1], stand_in) == settings


def test_the_line_for_the_page_opens_the_page():
    experiment = run_experiment(Settings(gamma=5, methods=("restart",), **SHORT))
    page = notebook_code(experiment, View(x="gradients")).partition("# or the page")[2]
    names = {}
    exec(page.partition("\n")[2].replace("\nExplorer(", "\nmade = Explorer("), names)
    explorer = names["made"]
    assert explorer.wait(30)
    assert (explorer.settings, explorer.view) == (experiment.settings, View(x="gradients"))
    same({"restart": explorer.experiment.runs[0].trace}, experiment.runs)
    explorer.close()


def test_the_view_goes_along():
    line = explorer_code(Settings(gamma=5), View(x="gradients", bounds=True))
    assert line.endswith('Explorer(Settings(gamma=5.0), view=View(x="gradients", bounds=True))')


def test_the_usual_weight_is_not_written():
    assert "lam" not in explorer_code(Settings(problem="lasso", data="musk"), View())
    assert "lam=3.0" in explorer_code(Settings(problem="lasso", data="musk", lam=3), View())


def test_a_method_that_cannot_run_is_named_in_a_comment():
    code = notebook_code(run_experiment(Settings(problem="svm_dual", iterations=5)), View())
    assert "# apg is not run: " in code
    assert '"apg":' not in code


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """A file beside the notebook, and the same brought to a page."""
    rng = np.random.default_rng(0)
    A = np.column_stack([rng.standard_normal((20, 3)), np.where(rng.random(20) < 0.5, -1, 1)])
    path = tmp_path / "wine.csv"
    np.savetxt(path, A, delimiter=",")
    monkeypatch.chdir(tmp_path)
    return path, read_upload("wine.csv", [path.read_bytes()])


def test_own_data_are_found_beside_the_notebook_and_checked(own_file):
    path, data = own_file
    settings = Settings(problem="lasso", data="own", own=data.sha256, lam=0.1, **SHORT)
    explorer = Explorer(settings, show=("gap",), data=(data.X, data.y))
    explorer.session.laboratory.shelf.put(data)
    explorer.controls.value = settings.values()
    assert explorer.wait(30)
    code = explorer.stage.frame["share"]["code"]
    explorer.close()
    assert hashlib.sha256(path.read_bytes()).hexdigest() in code
    names, page = run_code(code)
    same(names["traces"], explorer.experiment.runs)
    assert 'data=pc.load_dataset(path, scaling="none")' in page
    path.write_text(path.read_text() + "\n1,2,3,1")
    with pytest.raises(AssertionError, match="another file"):
        run_code(code)


def test_own_numbers_of_a_notebook_stay_in_their_names(own_file):
    _, data = own_file
    explorer = Explorer(Settings(problem="lasso", data="own", **SHORT), data=(data.X, data.y))
    assert explorer.wait(30)
    code = explorer.stage.frame["share"]["code"]
    explorer.close()
    names, page = run_code(code, X=data.X, y=data.y)
    same(names["traces"], explorer.experiment.runs)
    assert "data=(X, y)" in page
