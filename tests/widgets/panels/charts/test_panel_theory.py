"""What lies beside the curves: bounds hold, marks stand at the right record, bands at the floor."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import gap_panel, mu_panel
from polyak_widgets.panels.charts.captions import difference_caption, gap_caption, mu_caption
from polyak_widgets.panels.charts.formulas import ESTIMATE_FORMULAS
from polyak_widgets.panels.charts.marks import frozen_from
from polyak_widgets.panels.charts.theory_lines import bound_lines
from polyak_widgets.panels.curves import clocks
from polyak_widgets.panels.frame import SETTLED_POINTS, make_frame, stopping_places, thin
from polyak_widgets.panels.words.rates import observed_rate, theoretical_rate
from polyak_widgets.panels.words.table import needed_texts
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

BOUNDS, DIFFERENCES = View(bounds=True), View(differences=True)
CASES = {
    "quadratic": Settings(iterations=700),
    "clusters": Settings(spectrum="clusters", iterations=400, seed=3),
    "told another mu0": Settings(mu0=0.01, iterations=400),
    "logistic": Settings(problem="logistic", data="sonar", iterations=300),
    "lasso": Settings(problem="lasso", data="sonar", iterations=400),
    "known mu too small": Settings(mu_factor=0.1, iterations=400),
}


@pytest.fixture(scope="module")
def default():
    return run_experiment(Settings())


@pytest.fixture(scope="module")
def lasso():
    methods = ("adapt_apg_v2", "adapt_apg", "restart")
    return run_experiment(Settings(problem="lasso", data="sonar", methods=methods, iterations=2000))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_drawn_bound_lies_above_its_curve(case):
    experiment = run_experiment(case)
    lines = {line.uid: line for line in gap_panel(experiment, BOUNDS)["lines"]}
    gaps = {run.method: run.trace for run in experiment.runs if run.trace is not None}
    bounds = [uid for uid in lines if uid.startswith("bound:")]
    assert "bound:fista" in bounds
    for uid in bounds:
        trace = gaps[uid.removeprefix("bound:")]
        is_drawn = np.isfinite(lines[uid].y)
        assert is_drawn.any()
        assert (lines[uid].y[is_drawn] >= trace.relative_gap[is_drawn] * (1 - 1e-9)).all()


def test_bounds_are_drawn_only_where_their_hypotheses_hold():
    def names(**values):
        return {line.uid for line in bound_lines(run_experiment(Settings(iterations=300, **values)))}

    assert {"bound:apg", "bound:adapt_apg", "bound:fista", "rate:0", "rate:1"} == names()
    assert "bound:apg" not in names(mu_factor=3.0)
    assert "bound:adapt_apg" not in names(mu0=1e-5)
    assert names(L_factor=0.6) == set()
    assert names(spectrum="own", eigenvalues="1 0.1 0") == {"bound:fista"}


def test_bounds_wait_for_the_button_and_for_the_end(default):
    assert gap_panel(default, View())["lines"] == []
    assert gap_panel(default, BOUNDS)["lines"] != []
    running = replace(default, runs=tuple(replace(run, finished=False) for run in default.runs))
    assert gap_panel(running, BOUNDS)["lines"] == []


def test_a_run_ends_with_a_mark_that_says_why(default):
    marks = gap_panel(default)["marks"]
    assert len(marks) == len(default.runs)
    v2 = next(run.trace for run in default.runs if run.method == "adapt_apg_v2")
    mark = next(m for m in marks if m["text"].startswith("Adaptive v2"))
    assert mark["x"] == {
        "iterations": 1500.0,
        "gradients": v2.gradients[-1],
        "seconds": clocks(v2)["seconds"][-1],
    }
    assert mark["y"] == v2.relative_gap[-1]
    assert mark["symbol"] == "budget"
    assert {"symbol": "ring", "text": "restart"} in gap_panel(default)["key"]


def test_floor_and_freeze_are_marked_where_they_are(lasso):
    panel = gap_panel(lasso)
    trace = lasso.runs[0].trace
    assert [band["to"] for band in panel["bands"]] == [trace.floor / trace.gap[0]]
    frozen = next(m for m in panel["marks"] if m["symbol"] == "frozen")
    k = int(frozen["x"]["iterations"])
    assert trace.frozen[k:].all()
    assert not trace.frozen[k - 1]
    assert frozen["y"] == trace.relative_gap[k]
    assert next(m for m in mu_panel(lasso)["marks"])["y"] == trace.mu[k]
    assert {m["symbol"] for m in panel["marks"]} >= {"frozen", "floor"}
    assert "grey band" in gap_caption(lasso)


def test_a_run_that_never_froze_or_was_frozen_from_the_start(default, lasso):
    trace = lasso.runs[0].trace
    assert frozen_from(default.runs[1].trace) is None
    assert frozen_from(replace(trace, frozen=np.ones(len(trace), dtype=bool))) == 0


def test_the_difference_view_with_its_envelope(default):
    panel = mu_panel(default, DIFFERENCES)
    v2 = next(run.trace for run in default.runs if run.method == "adapt_apg_v2")
    curves = {curve.uid: curve for curve in panel["curves"]}
    above = curves["above:adapt_apg_v2"].y
    is_drawn = np.isfinite(above)
    np.testing.assert_allclose(above[is_drawn], (v2.mu - 1e-4)[is_drawn])
    lead = next(run.trace for run in default.runs if run.method == "adapt_apg")
    np.testing.assert_allclose(curves["above_loc"].y[10:200], (lead.mu - lead.mu_loc)[10:200])
    assert curves["above_loc"].label.endswith("AdaptAPG"), "proposition 2.8 speaks of it"
    above = curves["above:adapt_apg"].y
    envelope, admitted = (line.y for line in panel["lines"])
    both = np.isfinite(above) & np.isfinite(envelope)
    assert (envelope[both] >= above[both] * (1 - 1e-12)).all()
    assert np.isclose(envelope[both] / above[both], 1).any(), "the smallest C touches"
    assert np.nanmax(admitted) < 1e-3 * np.nanmax(envelope)
    assert panel["x"]["type"] == panel["y"]["type"] == "log"
    assert "Prop. 2.8" in panel["summary"]


def test_where_nothing_lies_above_mu_the_values_are_shown():
    low = run_experiment(Settings(mu0=1e-5, methods=("adapt_apg",), iterations=100))
    panel = mu_panel(low, DIFFERENCES)
    assert panel["title"] == "Estimates of μ"
    assert panel["subtitle"] == "values, since no μₖ lies above μ or above μ_loc(xₖ)"
    assert panel["formula"] == ESTIMATE_FORMULAS["polyak"], "the values' formula"
    assert panel["toggles"][0]["on"], "the button is still pressed"
    assert any(np.isfinite(curve.y).any() for curve in panel["curves"])


def test_where_mu_is_zero_no_envelope_and_no_claim():
    zero = run_experiment(Settings(spectrum="own", eigenvalues="1 0.1 0", iterations=200))
    panel = mu_panel(zero, DIFFERENCES)
    assert panel["lines"] == []
    assert "μ = 0" in panel["summary"]
    assert "μ = 0" in mu_caption(zero)


def test_an_estimate_that_stays_above_mu_has_no_envelope_for_ever(lasso):
    text = difference_caption(lasso, "adapt_apg_v2", lasso.runs[0].trace)
    assert "larger C" in text
    assert mu_panel(lasso, DIFFERENCES)["lines"][0].label.endswith("so far")


def test_captions_name_a_wrong_f_star():
    low = run_experiment(Settings(f_star="too_low", f_star_delta=1e-6, methods=("adapt_apg_v2",)))
    assert "too low" in gap_caption(low)
    assert "stalled, with hardly any progress." in gap_caption(low)
    high = run_experiment(Settings(f_star="too_high", f_star_delta=1e-6, methods=("adapt_apg_v2",)))
    assert "negative" in gap_caption(high)
    assert "f*" not in gap_caption(run_experiment(Settings(methods=("adapt_apg_v2",))))
    k = int(np.flatnonzero(high.runs[0].trace.gap_seen < 0)[0])
    assert f"k = {k}" in gap_caption(high)
    for wrong in (low, high):  # a line at the error, which the gap that is seen and the true one differ by
        line = next(curve for curve in gap_panel(wrong)["curves"] if curve.uid == "f_star_error")
        trace = wrong.runs[0].trace
        np.testing.assert_allclose(line.y, np.abs(trace.gap_seen - trace.gap)[:3] / trace.gap[0], rtol=1e-9)
        assert line.label == "error of f*: 10⁻⁶"
    for harmless in (Settings(methods=("adapt_apg_v2",)), Settings(f_star="too_low", methods=("apg",))):
        small = run_experiment(replace(harmless, n=5, iterations=5))
        assert [curve.uid for curve in gap_panel(small)["curves"]] == [f"gap:{harmless.methods[0]}"]


def test_captions_name_runs_that_do_not_get_on():
    bad = run_experiment(Settings(L_factor=0.5, methods=("pgd", "fista"), iterations=400))
    text = gap_caption(bad)
    assert "bouncing" in text
    assert "diverged" in text


def trace_of(gap, **values):
    """A trace of these gaps."""
    trace = pc.solve(pc.quadratic([1.0, 0.1]), "pgd", iterations=len(gap) - 1)
    return replace(trace, gap=np.array(gap, dtype=float), **values)


@given(st.floats(0.2, 0.97))
@settings(max_examples=20)
def test_a_geometric_gap_has_its_rate(rate):
    assert observed_rate(trace_of(rate ** np.arange(400.0))) == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_gap_that_falls_like_a_power_has_none(power):
    assert observed_rate(trace_of((np.arange(3000.0) + 1) ** -power)) is None


def test_no_rate_where_nothing_falls_and_none_below_the_floor():
    assert observed_rate(trace_of(np.ones(100))) is None
    assert observed_rate(trace_of(0.9 ** np.arange(200.0), floor=1.0)) is None


def test_rates_of_theory(default):
    by_name = {run.method: run.trace for run in default.runs}
    rates = {name: theoretical_rate(default.problem, name, trace) for name, trace in by_name.items()}
    assert rates["apg"] == rates["adapt_apg"] == pytest.approx(0.99)
    assert rates["pgd"] == pytest.approx((1 - 1e-4) ** 2, abs=1e-9)
    assert rates["adapt_apg_v2"] is rates["fista"] is rates["restart"] is None
    rate = observed_rate(by_name["apg"])
    assert rate is not None
    assert rate < rates["apg"]


def test_first_below_and_last_above():
    trace = trace_of([1.0, 0.5, 0.04, 0.2, 0.05, 0.01])
    assert needed_texts(trace, 0.1)["iterations"] == "2 / 3"
    assert needed_texts(trace, 0.01)["iterations"] == "5"
    assert needed_texts(trace, 1e-3)["iterations"] == "> 5"
    up = trace_of([1.0, 0.05, 0.2])
    assert needed_texts(up, 0.1)["gradients"] == "1 / > 2"


@pytest.mark.parametrize("last", [3000, 20_001])
def test_all_curves_keep_the_records_where_the_cursor_stops(last):
    stops = stopping_places(last, SETTLED_POINTS)
    for n in (last + 1, last // 2, 2100):
        y = np.sin(np.arange(n) / 7.0)
        points = thin(y, SETTLED_POINTS, stops)
        assert points.size <= SETTLED_POINTS + 1
        assert set(stops[stops < n]) <= set(points)
        assert points[-1] == n - 1


def test_a_frame_has_the_core_s_gradient_counts_and_seconds(default):
    frame = make_frame(default, View(), ("gap",), serial=1)
    numbers = np.frombuffer(frame["data"], "<f8")
    for run in default.runs:
        curve = next(c for c in frame["panels"][0]["curves"] if c["uid"] == f"gap:{run.method}")
        for unit in ("gradients", "seconds"):
            sent = numbers[curve["units"][unit] :][: curve["count"]]
            np.testing.assert_array_equal(sent, clocks(run.trace)[unit])
        np.testing.assert_array_equal(clocks(run.trace)["gradients"], run.trace.gradients)
        step = np.median(np.diff(run.trace.seconds))
        np.testing.assert_allclose(clocks(run.trace)["seconds"], step * run.trace.k, rtol=1e-12)
    assert frame["cursor"]["last"] == 1500
    assert frame["cursor"]["stops"] is None
    assert frame["cursor"]["start"] == 465


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (1.005, "within 1 % of it from k = 1 on"),
        (1.2, "20 % above"),
        (7, "7 times"),
        (0.5, "below it, at 0.5 of it"),
    ],
)
def test_how_an_estimate_ends_is_said(default, end, words):
    v2 = default.runs[1]
    mu = np.full(len(v2.trace), end * 1e-4)
    mu[0] = 1.0
    ended = replace(default, runs=(replace(v2, trace=replace(v2.trace, mu=mu)),))
    assert words in mu_caption(ended)


def test_no_panel_claims_that_mu_k_stays_above_mu_where_it_does_not():
    """kappa < 2: mu_0 = L/2 lies below mu, and no bound or envelope of a theorem is drawn for AdaptAPG."""
    near = run_experiment(Settings(condition_number=1.5, methods=("adapt_apg", "apg"), iterations=30))
    panel = mu_panel(near)
    assert panel["subtitle"] == "μ₀ lies below μ, so μₖ of AdaptAPG does too"
    assert "upper bounds" not in panel["subtitle"]
    assert not [line for line in mu_panel(near, DIFFERENCES).get("lines", []) if "Prop. 2.8" in line.label]
    alone = run_experiment(Settings(condition_number=1.5, methods=("apg", "adapt_apg_v2"), iterations=30))
    assert "upper bounds" in mu_panel(alone)["subtitle"]
