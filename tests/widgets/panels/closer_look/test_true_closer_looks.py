"""What is said of momentum, directions and paths against the runs, on random settings."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.closer_look.directions.components_panel import component_studies, components_panel
from polyak_widgets.panels.closer_look.directions.directions import NoDirectionsError
from polyak_widgets.panels.closer_look.directions.path_panel import path_panel
from polyak_widgets.panels.closer_look.momentum_panel import momentum_panel
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.frame import beginning
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

METHODS = ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd")
CHOSEN = st.fixed_dictionaries(
    {
        "problem": st.sampled_from(["quadratic", "quadratic", "least_squares", "lasso"]),
        "data": st.just("synthetic"),
        "rows": st.just(15),
        "spectrum": st.sampled_from(["log", "linear", "clusters", "outlier"]),
        "condition_number": st.sampled_from([1.0, 2.0, 5.0, 100.0, 1e4]),
        "n": st.sampled_from([1, 2, 3, 8, 90]),
        "methods": st.lists(st.sampled_from(METHODS), min_size=1, unique=True).map(tuple),
        "iterations": st.integers(1, 300),
        "start": st.sampled_from(["default", "gaussian", "no_slow"]),
        "target": st.sampled_from([0.0, 0.0, 1e-3]),
        "L_factor": st.sampled_from([1.0, 1.0, 0.6]),
    }
)


def whole(text):
    return int(text.replace("\u202f", ""))


@settings(max_examples=30, deadline=None)
@given(CHOSEN.map(Settings.from_values), st.sampled_from(["slow", "tenfold", "ends"]))
def test_closer_looks_say_what_the_runs_do(settings, plane):
    experiment = run_experiment(settings)
    check_momentum(experiment)
    try:
        basis, runs = component_studies(experiment, Studies(np.inf))
    except NoDirectionsError:
        return
    for run in runs.values():
        while not run.advance():
            pass
    results = {method: run.result() for method, run in runs.items()}
    if results:
        check_components(experiment, basis, components_panel(experiment, basis, results), results)
        check_path(experiment, basis, path_panel(experiment, basis, results, plane), plane)


def check_momentum(experiment):
    text = momentum_panel(experiment).get("sentence", "")
    traces = {run.method: run.trace for run in experiment.runs if run.trace is not None}
    if passed := re.search(r"FISTA passes it after ([\d\u202f]+) iteration", text):
        fista, k = traces["fista"], whole(passed[1])
        assert (fista.beta[k:] >= fista.beta[k]).all(), "it goes on towards 1"
        rises = any(later > one for one, later in zip(fista.gap[k:-1], fista.gap[k + 1 :], strict=True))
        assert ("ripples" in text) <= rises, text
    if again := re.search(r"method restarts (once|twice|[\d\u202f]+)", text):
        count = {"once": 1, "twice": 2}.get(again[1]) or whole(again[1])
        assert traces["restart"].restarted.sum() == count


def check_components(experiment, basis, panel, results):
    text = panel.get("sentence", "")
    claim = re.search(
        r"After ([\d\u202f]+) iterations? the (?:(\d+) slowest directions hold|slowest direction holds) "
        r"this share [^:]*: "
        r"(.*?%(?: \(at k = [^)]*\))?)\.(?: In .*)?$",
        text,
    )
    if not claim:
        assert "No error" in text or "one direction" in text or "empty" in panel, text
        return
    k, slow = whole(claim[1]), int(claim[2] or 1)
    assert f"summed over the {basis.eigenvalues.size} directions" in text
    assert k <= beginning(experiment)
    for part in claim[3].split("; "):
        name, share, at = re.fullmatch(r"(.*?): (\d+)\u202f%(?: \(at k = (.*)\))?", part).groups()
        method = next(m for m in results if label(m, experiment.settings) == name)
        iteration = whole(at) if at else k
        (row,) = np.flatnonzero(results[method].iterations == iteration)
        squares = results[method].components[row] ** 2
        assert abs(100 * squares[:slow].sum() / squares.sum() - int(share)) <= 0.5


def check_path(experiment, basis, panel, plane):
    if "sentence" not in panel:
        return
    values, text = basis.eigenvalues, panel["sentence"]
    claim = re.search(r"one (.*) times as fast", panel["subtitle"])
    assert bool(claim) == (plane == "tenfold" and basis.n != 2)
    if claim and "×" not in claim[1] and "10" not in claim[1]:
        ratios = values / values[0]
        assert np.abs(ratios / float(claim[1].replace("\u202f", "")) - 1).min() < 0.06, panel["subtitle"]
    start = next(curve for curve in panel["curves"] if curve.uid == "begin")
    without = abs(start.x[0]) <= 1e-6 * abs(start.y[0])
    assert ("no part in the slowest" in text) == without, (text, start)
    for curve in panel["curves"]:
        if not curve.uid.startswith("path:") or without:
            continue
        x = [value for value in curve.x if np.isfinite(value) and abs(value) > 1e-6 * abs(curve.x[0])]
        crossings = sum(one * later < 0 for one, later in pairwise(x))
        claim = re.search(rf"{re.escape(curve.label)} (once|twice|[\d\u202f]+ times)", text)
        count = {"once": 1, "twice": 2}.get(claim[1]) or whole(claim[1].split()[0]) if claim else 0
        assert count == crossings, (text, curve.label)


def test_a_summary_names_curves_as_their_legend_does():
    """Whoever hears a chart knows no name of a program."""
    frames = []
    look = CloserLook(frames.append)
    for _ in look.grow(run_experiment(Settings(n=10)), View(), lambda: False, lambda: False):
        pass
    assert frames[-1]["panel"]["summary"].startswith(
        "Iterations to 10⁻¹⁰ of the initial gap. Restart: γ = 0.1:"
    )
