"""The six estimates of the closer look: the core's numbers, each said to be a bound only where it is one."""

import re
from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.closer_look.estimates_panel import estimates_panel, estimates_study
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.words.estimates import NAMES, is_bound
from polyak_widgets.settings.settings import Settings

import polyak_core as pc
from polyak_core.runs.six_estimates import SIX, six_estimates

SMALL = Settings(n=20, condition_number=100.0, iterations=200, methods=("apg", "adapt_apg_v2", "fista"))
ON_DATA = Settings(
    problem="lasso", data="synthetic", rows=40, n=10, iterations=150, methods=("adapt_apg_v2",)
)


def panel_of(settings, along="lead"):
    experiment = run_experiment(settings)
    study = estimates_study(experiment, along, Studies(np.inf))
    work = study.work
    while not work.advance(0.001):
        pass
    panel = estimates_panel(experiment, study)
    return experiment, panel, {curve.uid.removeprefix("estimate:"): curve for curve in panel["curves"]}


@pytest.mark.parametrize(("along", "method"), [("lead", "adapt_apg_v2"), ("fista", "fista"), ("pgd", "pgd")])
def test_the_curves_are_the_estimates_of_the_core(along, method):
    experiment, panel, curves = panel_of(SMALL, along)
    expected = six_estimates(experiment.problem, method, 200)
    for name in set(SIX) - {"growth"}:
        np.testing.assert_array_equal(curves[name].y, expected[name])
    restarts = pc.solve(experiment.problem, "auto_restart", 200)
    np.testing.assert_array_equal(curves["growth"].y, restarts.mu)
    assert pc.METHODS[method].label in panel["subtitle"]
    low, high = panel["y"]["range"]
    assert low <= experiment.problem.mu <= high


@pytest.mark.parametrize(
    "settings", [SMALL, ON_DATA, replace(SMALL, L_factor=0.6), replace(ON_DATA, L_factor=0.6)]
)
@pytest.mark.parametrize("along", ["lead", "pgd"])
def test_what_is_said_to_be_a_bound_is_never_below_mu(settings, along):
    experiment, _, curves = panel_of(settings, along)
    problem = experiment.problem
    assert problem.mu > 0
    names = [name for name in SIX if curves[name].label.endswith("≥ μ")]
    assert names == [name for name in SIX if is_bound(problem, name)]
    assert "local" not in names
    for name in names:
        assert np.nanmin(curves[name].y) >= problem.mu * (1 - 1e-9), name
    assert all(curves[name].label.endswith("no bound") for name in set(SIX) - set(names))


def test_with_a_penalty_or_too_small_an_L_fewer_are_bounds():
    kinds = {
        "smooth": {"polyak", "certified", "decrease", "curvature", "growth"},
        "penalty": {"certified", "decrease", "growth"},
        "short L": {"polyak", "decrease", "curvature"},
        "both": set(),
    }
    states = dict(
        zip(
            kinds, (SMALL, ON_DATA, replace(SMALL, L_factor=0.6), replace(ON_DATA, L_factor=0.6)), strict=True
        )
    )
    for kind, names in kinds.items():
        problem = run_experiment(replace(states[kind], iterations=1)).problem
        assert {name for name in SIX if is_bound(problem, name)} == names, kind


def test_the_sentence_counts_what_the_curves_show():
    experiment, panel, curves = panel_of(replace(SMALL, methods=("fista",)), "pgd")
    mu = experiment.problem.mu
    words = panel["sentence"]
    local = curves["local"].y
    below = int((local < mu * (1 - 1e-9)).sum())
    assert below > 0
    assert f"(below it at {below} iterations)" in words
    lows = {name: float(re.search(rf"{re.escape(NAMES[name])} (\d+(?:\.\d+)?)", words)[1]) for name in SIX}
    for name, low in lows.items():
        assert low == pytest.approx(np.nanmin(curves[name].y) / mu, rel=5e-3), name
