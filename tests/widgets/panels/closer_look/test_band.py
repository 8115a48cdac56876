"""The closer look's band: quantiles of twenty runs of the core, of other starts or values."""

import re
from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.laboratory.problems import build_problem
from polyak_widgets.panels.closer_look.band.band import RUNS, BandStudy, band_of
from polyak_widgets.panels.closer_look.band.panel import band_panel, band_studies
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import even_ratios
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

SMALL = Settings(n=20, condition_number=100.0, iterations=200, methods=("apg", "restart", "adapt_apg"))
WIDE = Settings(problem="least_squares", data="synthetic", rows=8, n=12, iterations=60, methods=("fista",))
"""With fewer rows than unknowns: mu = 0, and minimisers are many."""
LASSO = Settings(
    problem="lasso", data="synthetic", rows=8, n=12, lam=1e-3, iterations=60, methods=("apg", "fista")
)
TOO_LOW = replace(SMALL, f_star="too_low", f_star_delta=1e-3, methods=("restart",), target=1e-2)


def panel_of(settings, spread="starts"):
    experiment = run_experiment(settings)
    bands = band_studies(experiment, spread, Studies(np.inf))
    for study in bands.studies.values():
        while not study.advance(0.001):
            pass
    panel = band_panel(experiment, bands)
    return experiment, panel, {curve.uid: curve for curve in panel["curves"]}


def bands_of(settings):
    studies = band_studies(run_experiment(settings), "starts", Studies(np.inf)).studies.values()
    for study in studies:
        study.advance()
    return [study.band() for study in studies]


def sorted_rows(gaps):
    longest = max(map(len, gaps))
    rows = [np.concatenate([gap, np.full(longest - len(gap), gap[-1])]) / gap[0] for gap in gaps]
    return np.sort(rows, axis=0)


@pytest.mark.parametrize("settings", [SMALL, WIDE, LASSO, TOO_LOW])
def test_starts_are_those_of_twenty_seeds(settings):
    experiment, panel, curves = panel_of(settings)
    for run in experiment.runs:
        if run.trace is None:
            continue
        gaps = []
        for seed in range(RUNS):
            own = replace(settings, start="gaussian", seed=seed, methods=(run.method,))
            if settings.problem == "quadratic":  # of data the seed would change them too
                gaps.append(run_experiment(own).runs[0].trace.gap)
                continue
            start = np.random.default_rng(seed).standard_normal(experiment.problem.x0.shape)
            there = experiment.problem.starting_at(start)
            gaps.append(pc.solve(there, run.method, settings.iterations).gap)
        rows = sorted_rows(gaps)
        middle = curves[f"median:{run.method}"].y
        np.testing.assert_allclose(middle, np.median(rows, axis=0), rtol=1e-6, atol=1e-12)
        area = curves[f"band:{run.method}"]
        half = area.x.size // 2
        k = area.x[:half].astype(int)
        np.testing.assert_array_equal(area.x[half:], k[::-1])
        np.testing.assert_allclose(area.y[:half], rows[-3][k], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(area.y[half:][::-1], rows[2][k], rtol=1e-6, atol=1e-12)
    assert f"band: the middle {RUNS - 4} of {RUNS} gaps" in panel["subtitle"]
    assert "The band is no bound" in panel["sentence"]


@pytest.mark.parametrize(("spread", "method"), [("gamma", "restart"), ("mu0", "adapt_apg")])
def test_a_parameter_spreads_the_runs_of_the_method_that_has_it_and_leaves_the_others(spread, method):
    experiment, panel, curves = panel_of(SMALL, spread)
    low, high, scale = (0.1, 20.0, 1.0) if spread == "gamma" else (1e-8, 1.0, experiment.problem.L)
    values = even_ratios(low, high, RUNS)
    gaps = [pc.solve(experiment.problem, method, 200, **{spread: scale * value}).gap for value in values]
    middle = np.median(sorted_rows(gaps), axis=0)
    np.testing.assert_allclose(curves[f"median:{method}"].y, middle, rtol=1e-9, atol=1e-14)
    assert [uid for uid in curves if uid.startswith("band:")] == [f"band:{method}"]
    traces = {run.method: run.trace for run in experiment.runs}
    for other in set(SMALL.methods) - {method}:
        np.testing.assert_array_equal(curves[f"median:{other}"].y, traces[other].relative_gap)
    assert f"{RUNS} values of" in panel["subtitle"]


def test_a_band_ends_where_it_leaves_the_chart():
    _, panel, curves = panel_of(replace(SMALL, methods=("apg", "pgd"), iterations=900, condition_number=20.0))
    lowest = panel["y"]["range"][0]
    for method in ("apg", "pgd"):
        area, middle = curves[f"band:{method}"], curves[f"median:{method}"].y
        half = area.x.size // 2
        ends_at = int(np.flatnonzero(middle > 1e-30)[-1])
        assert (area.y[:half] > 1e-30).all(), "else a strip would run along the foot of the chart"
        assert abs(area.x[half - 1] - ends_at) < 0.2 * ends_at
        assert (area.y[half:] > 0).all()
    assert lowest >= 1e-32


def test_the_sentence_says_when_most_runs_are_there():
    _, panel, _ = panel_of(replace(SMALL, methods=("apg",), iterations=400))
    problem = build_problem(SMALL)
    starts = [np.random.default_rng(seed).standard_normal(20) for seed in range(RUNS)]
    firsts = sorted(
        pc.solve(problem.starting_at(x0), "apg", 400).first_below(1e-10) for x0 in starts
    )  # a gap of APG may rise again, so that counts of the band and of runs may differ by a few
    assert "10⁻¹⁰ of the initial gap" in panel["sentence"]
    words = re.search(r"APG, true μ (\d+) \((\d+) to (\d+)\)", panel["sentence"])
    middle, early, late = map(int, words.groups())
    assert early <= middle <= late
    assert abs(early - firsts[2]) <= 3
    assert abs(late - firsts[-3]) <= 3


def test_what_is_not_there_in_time_is_said_and_none_is_made_up():
    problem = build_problem(SMALL)
    tasks = [(problem, {"method": "apg", "iterations": 50}) for _ in range(4)]
    study = BandStudy(tasks, seconds=-1.0)
    assert study.band() is None
    assert study.advance(0.0)
    assert study.band() is None
    frames = []
    look = CloserLook(frames.append, seconds=0.0)
    for _ in look.grow(run_experiment(SMALL), View(third="band"), lambda: False):
        pass
    assert "sentence" not in frames[-1]["panel"] or "had ended" in frames[-1]["panel"]["sentence"]


def test_the_chart_ends_where_rounding_errors_dominate_and_says_so():
    settings = replace(LASSO, iterations=4000, target=0.0, methods=("restart",))
    _, panel, curves = panel_of(settings)
    floor = max(band.floor for band in bands_of(settings))
    assert curves["band:restart"].y.min() < floor, "runs go on below it"
    assert floor / 10 < panel["y"]["range"][0] <= floor
    assert "rounding" in panel["subtitle"]
    assert "rounding" not in panel_of(SMALL)[1]["subtitle"]


def test_a_run_that_ends_with_no_number_lies_above_all_others():
    band = band_of([np.array([1.0, np.nan]), np.array([1.0, 0.5]), np.array([2.0, 0.2])])
    assert band.high[1] == np.inf
    assert band.median[1] == 0.5


@pytest.mark.parametrize(
    ("settings", "spread", "words"),
    [
        (replace(SMALL, methods=("apg",)), "gamma", "which alone has γ, is not drawn"),
        (replace(WIDE, methods=("apg",)), "starts", "no method can run here"),
    ],
)
def test_where_there_is_no_band_it_says_why(settings, spread, words):
    frames = []
    look = CloserLook(frames.append)
    for _ in look.grow(run_experiment(settings), View(third="band", spread=spread), lambda: False):
        pass
    assert words in frames[-1]["panel"]["empty"]
    assert frames[-1]["settled"]


def test_a_stopped_band_goes_on_where_it_was():
    frames = []
    look = CloserLook(frames.append)
    experiment, view = run_experiment(SMALL), View(third="band")
    for _ in look.grow(experiment, view, lambda: False, lambda: True):
        pass
    assert look.was_stopped
    for _ in look.grow(experiment, view, lambda: False):
        pass
    assert not look.was_stopped
    bands = [curve for curve in frames[-1]["panel"]["curves"] if curve["mode"] == "band"]
    assert [curve["uid"] for curve in bands] == ["band:apg", "band:adapt_apg", "band:restart"]
