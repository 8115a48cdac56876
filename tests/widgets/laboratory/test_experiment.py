"""Experiments: the numbers are the core's, runs grow in turns, only what changed is computed again."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory import experiment as module
from polyak_widgets.laboratory.experiment import Laboratory, run_experiment
from polyak_widgets.settings.settings import Settings

import polyak_core as pc

SHORT = Settings(iterations=200)


def test_the_runs_are_those_of_the_core():
    result = run_experiment(SHORT)
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    for run in result.runs:
        keywords = {"adapt_apg": {"mu0": 0.5}, "restart": {"gamma": 2.0}}.get(run.method, {})
        expected = pc.solve(problem, run.method, iterations=200, **keywords)
        np.testing.assert_array_equal(run.trace.gap, expected.gap)
        np.testing.assert_array_equal(run.trace.mu, expected.mu)


def test_sonar_is_the_papers():
    result = run_experiment(Settings(problem="least_squares", methods=("apg",), iterations=50))
    expected = pc.solve(pc.paper_problem("sonar", "least_squares"), "apg", iterations=50)
    np.testing.assert_array_equal(result.runs[0].trace.gap, expected.gap)


def test_all_curves_grow_in_turns():
    growing = Laboratory().begin(SHORT)
    assert not growing.advance(0.0)
    first = growing.snapshot()
    assert not first.finished
    assert all(0 < len(run.trace) < 201 for run in first.runs)
    while not growing.advance(0.0):
        pass
    assert growing.snapshot().finished
    assert all(len(run.trace) == 201 for run in growing.snapshot().runs)


def finish(laboratory, settings):
    growing = laboratory.begin(settings)
    while not growing.advance():
        pass


def methods_computed(laboratory, monkeypatch, settings):
    """The methods of which runs were begun."""
    started = []
    task = module.method_task

    def noting(problem, settings, method):
        started.append(method)
        return task(problem, settings, method)

    monkeypatch.setattr(module, "method_task", noting)
    finish(laboratory, settings)
    monkeypatch.undo()
    return started


@pytest.mark.parametrize(
    ("change", "computed"),
    [
        ({}, []),
        ({"gamma": 5.0}, ["restart"]),
        ({"mu0": 0.1}, ["adapt_apg"]),
        ({"estimator": "certified"}, ["adapt_apg_v2", "adapt_apg"]),
        ({"methods": ("apg", "adapt_apg_free")}, ["adapt_apg_free"]),
        ({"condition_number": 1e3}, list(SHORT.methods)),
        ({"iterations": 201}, list(SHORT.methods)),
        ({"target": 1e-3}, list(SHORT.methods)),
        ({"L_factor": 2.0}, list(SHORT.methods)),
        ({"start": "gaussian"}, list(SHORT.methods)),
        ({"mu_factor": 2.0}, ["apg"]),
        ({"guard": "none"}, []),
        ({"f_star": "too_low"}, ["adapt_apg_v2", "adapt_apg", "restart"]),
        ({"f_star_delta": 1e-3}, []),
        ({"f_star": "dual"}, []),
        ({"seed": 7, "rows": 12, "data": "musk", "lam": 3.0, "C": 2.0, "scaling": "none"}, []),
    ],
)
def test_only_what_depends_on_a_change_is_computed_again(monkeypatch, change, computed):
    laboratory = Laboratory()
    finish(laboratory, SHORT)
    assert methods_computed(laboratory, monkeypatch, replace(SHORT, **change)) == computed


def finished_bytes(settings):
    return sum(run.bytes for run in run_experiment(settings).runs)


def test_the_laboratory_forgets_the_oldest_runs(monkeypatch):
    one = finished_bytes(replace(SHORT, methods=("restart",)))
    monkeypatch.setattr(module, "KEPT_BYTES", int(2.5 * one))
    laboratory = Laboratory()
    for gamma in (1.0, 2.0, 3.0):
        finish(laboratory, replace(SHORT, methods=("restart",), gamma=gamma))
    oldest = replace(SHORT, methods=("restart",), gamma=1.0)
    assert methods_computed(laboratory, monkeypatch, oldest) == ["restart"]


def test_a_method_that_cannot_run_says_why_and_the_others_go_on():
    result = run_experiment(
        Settings(spectrum="own", eigenvalues="1 0.1 0", methods=("apg", "fista"), iterations=50)
    )
    refused, drawn = result.runs
    assert refused.trace is None
    assert "μ = 0" in refused.refusal
    assert len(drawn.trace) == 51


def test_a_value_that_a_method_cannot_use_is_refused_in_the_signs_of_the_page():
    (run,) = run_experiment(Settings(mu_factor=1e6, condition_number=3.0, methods=("apg",))).runs
    assert run.refusal == "μ = 3.33 × 10⁵ is not allowed: give a number in (0, L] with L = 1."


def test_looking_for_x_star_ends_when_it_is_not_wanted_any_more():
    laboratory, settings = Laboratory(), Settings(problem="lasso")
    with pytest.raises(pc.Cancelled):
        laboratory.problem(settings, stale=lambda: True)
    assert not laboratory.knows(settings)
    assert laboratory.problem(settings, stale=lambda: False).f_star == pytest.approx(69.3331296060721)


def test_data_are_made_and_problems_solved_where_no_thread_can_start(monkeypatch):
    settings = Settings(problem="lasso", data="synthetic", n=30, iterations=50)
    expected = run_experiment(settings)

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    for run, same in zip(run_experiment(settings).runs, expected.runs, strict=True):
        assert len(run.trace) > 1
        np.testing.assert_array_equal(run.trace.gap, same.trace.gap)
    with pytest.raises(pc.Cancelled):
        Laboratory().problem(settings, lambda: True)
