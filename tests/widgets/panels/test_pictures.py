"""From runs to panels, words and frames."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import decades, gap_panel, mu_panel
from polyak_widgets.panels.closer_look.momentum_panel import momentum_panel
from polyak_widgets.panels.curves import clocks
from polyak_widgets.panels.frame import LIVE_POINTS, make_frame, thin
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.panels.words.table import rows
from polyak_widgets.panels.words.words import status
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View


@pytest.fixture(scope="module")
def default():
    return run_experiment(Settings())


def text_of(parts):
    return "".join(text for text, _ in parts)


def test_the_first_sentence_is_derived_from_the_runs(default):
    assert text_of(sentence(default)) == (
        "APG, true μ is first at 10⁻¹⁰ of the initial gap, in 824 iterations. "
        "Adaptive v2, which does not know μ, takes 1\u202f038: 26\u202f% more. "
        "Three methods have not got there after 1\u202f500."
    )


def test_the_sentence_of_a_short_run_names_what_is_left():
    short = run_experiment(Settings(iterations=5, methods=("adapt_apg",)))
    ratio = short.runs[0].trace.gap[-1] / short.runs[0].trace.gap[0]
    assert f"AdaptAPG is at {ratio:.2g} of the initial gap" in text_of(sentence(short))


def test_the_table_counts_what_the_core_counts(default):
    table = rows(default)
    needed = {row[0]["text"]: [cell["units"] for cell in row[1:4]] for row in table["body"]}
    steps = {name: [cell["iterations"] for cell in cells] for name, cells in needed.items()}
    assert steps["APG, true μ"] == ["88", "373", "824"]
    assert steps["Adaptive v2"][2] == "1\u202f038"
    assert steps["AdaptAPG"][2] == "1\u202f237"
    assert steps["FISTA"] == ["53", "551", "> 1\u202f500"]
    assert needed["AdaptAPG"][2]["gradients"] == "2\u202f475"
    assert needed["FISTA"][2]["gradients"] == "> 1\u202f500"
    assert all(len(row) == len(table["head"]) == len(table["align"]) for row in table["body"])


def test_the_status_counts_runs_that_ended_as_usual(default):
    text = status(default)["text"]
    assert text == "All six stopped at 1\u202f500 iterations."


def test_the_status_tells_ends_apart():
    settings = Settings(spectrum="own", eigenvalues="1 0.1 0", methods=("apg", "fista"), iterations=50)
    text = status(run_experiment(settings))["text"]
    assert "APG, true μ: for μ > 0 only, and here μ = 0." in text
    assert "FISTA stopped at 50 iterations." in text


def test_the_gap_panel_shows_the_gaps_and_the_restarts(default):
    curves = {curve.uid: curve for curve in gap_panel(default)["curves"]}
    for run in default.runs:
        np.testing.assert_array_equal(curves[f"gap:{run.method}"].y, run.trace.relative_gap)
        assert curves[f"gap:{run.method}"].label
    restart = next(run.trace for run in default.runs if run.method == "restart")
    rings, restarts = curves["restarts:restart"].x, restart.k[restart.restarted]
    assert rings[0] == restarts[0]
    assert set(rings) <= set(restarts), "of those that would lie on each other only the first"
    assert set(restarts[-5:]) <= set(rings), "those that have room are all there"


def test_the_mu_panel_shows_estimates_mu_loc_and_the_true_mu(default):
    curves = {curve.uid: curve for curve in mu_panel(default)["curves"]}
    v2 = next(run.trace for run in default.runs if run.method == "adapt_apg_v2")
    np.testing.assert_array_equal(curves["mu:adapt_apg_v2"].y, v2.mu)
    np.testing.assert_array_equal(curves["mu_hat"].y, v2.mu_hat)
    np.testing.assert_array_equal(curves["mu_loc"].y, v2.mu_loc)
    assert set(curves["true_mu"].y) == {1e-4}
    assert "mu:adapt_apg" in curves


def test_where_mu_is_zero_the_line_does_not_claim_to_be_it():
    panel = mu_panel(run_experiment(Settings(spectrum="own", eigenvalues="1 0.1 0", iterations=50)))
    label = next(curve.label for curve in panel["curves"] if curve.uid == "true_mu")
    assert "true" not in label
    assert "0.1" in label


@pytest.mark.parametrize("show", [("gap",), ("mu",), ("gap", "mu")])
def test_a_frame_carries_the_numbers_in_one_buffer(default, show):
    frame = make_frame(default, View(), show, serial=7)
    assert [panel["name"] for panel in frame["panels"]] == list(show)
    assert frame["settled"]
    numbers = np.frombuffer(frame["data"], "<f8")
    used = 0
    for panel in frame["panels"]:
        for curve in panel["curves"]:
            assert curve["start"] == used
            used += (2 + len(curve["units"])) * curve["count"]
    assert used == numbers.size
    if "gap" in show:
        curve = next(c for c in frame["panels"][0]["curves"] if c["uid"] == "gap:apg")
        apg = next(run.trace for run in default.runs if run.method == "apg")
        drawn = numbers[curve["start"] + curve["count"] :][: curve["count"]]
        np.testing.assert_array_equal(drawn, apg.relative_gap)


@given(arrays(np.float64, st.integers(1, 5000), elements=st.floats(1e-300, 1e300) | st.just(np.nan)))
def test_thinning_keeps_ends_extremes_and_the_beginning(y):
    points = thin(y, LIVE_POINTS)
    assert points.size <= LIVE_POINTS + 1
    assert (np.diff(points) > 0).all()
    assert points[0] == 0
    assert points[-1] == y.size - 1
    if not np.isnan(y).all():
        assert np.nanmin(y[points]) == np.nanmin(y)
        assert np.nanmax(y[points]) == np.nanmax(y)
    assert set(range(min(y.size, 10))) <= set(points)


@pytest.mark.parametrize(
    ("values", "lowest", "exponents"),
    [
        ([0.5, 3e-6, np.nan, 0.0, -1.0], 0.0, [-6.0, 0.0]),
        ([1.0, 1e-4], 0.0, [-4.5, 0.5]),
        ([2.0, 1e-80], 1e-30, [-30.0, 1.0]),
        ([0.5], 0.0, [-2.0, 0.0]),
        ([np.nan], 0.0, [-1.75, 0.25]),
    ],
)
def test_ranges_leave_a_little_room_around_what_is_drawn(values, lowest, exponents):
    assert np.log10(decades([np.array(values)], lowest)) == pytest.approx(exponents)


def test_runs_at_the_floor_are_named_together_and_refused_estimates_are_not_drawn():
    methods = ("adapt_apg_v2", "adapt_apg")
    floor = run_experiment(Settings(problem="lasso", methods=methods, iterations=2000))
    text = status(floor)["text"]
    words = "Both reached the precision floor: below it, the gap is only rounding error"
    assert text.startswith(words)
    curves = {curve.uid: curve.y for curve in mu_panel(floor)["curves"]}
    trace = floor.runs[0].trace
    assert trace.frozen.any()
    np.testing.assert_array_equal(np.isnan(curves["mu_hat"]), trace.frozen)
    below = trace.gap <= trace.floor
    assert below.any()
    np.testing.assert_array_equal(np.isnan(curves["mu_loc"]), below | np.isnan(trace.mu_loc))


def test_so_many_restarts_that_rings_would_hide_the_curve():
    """A ring stands for all restarts where it is: two in a row are never in one place of the chart."""
    many = run_experiment(Settings(methods=("restart",), gamma=0.05, iterations=3000))
    restarted = many.runs[0].trace.restarted
    assert restarted.sum() > 120
    panel = gap_panel(many)
    rings = {curve.uid: curve for curve in panel["curves"]}["restarts:restart"]
    assert 15 < rings.x.size < restarted.sum()
    assert restarted[rings.x.astype(int)].all()
    (low, high), last = panel["y"]["range"], panel["x"]["range"][1]
    across, down = rings.x / last, np.log(rings.y / low) / np.log(high / low)
    places = np.floor(25 * np.stack([across, down]))
    assert (np.diff(places) != 0).any(axis=0).all()
    assert {"symbol": "ring", "text": "some of the restarts"} in panel["key"]
    assert "some of the restarts" in momentum_panel(many)["subtitle"]
    few = gap_panel(run_experiment(Settings(methods=("restart",), gamma=2)))
    assert {"symbol": "ring", "text": "restart"} in few["key"]


ENDINGS = [
    ({"L_factor": 0.3}, "all diverge"),
    ({"condition_number": 1.43}, "all fall below what the axis shows"),
    ({"target": 1e-3}, "all reach the target"),
    ({"methods": ("pgd",), "target": 1e-3}, "one reaches the target at a third of the budget"),
    ({"condition_number": 1.0}, "one step solves it"),
    ({}, "the budget ends them"),
]


@pytest.mark.parametrize(("values", "case"), ENDINGS)
def test_the_axis_ends_a_little_after_the_last_curve_and_the_cursor_begins_on_the_leading_one(values, case):
    experiment = run_experiment(Settings(**values))
    traces = {run.method: run.trace for run in experiment.runs}
    ends = {method: np.flatnonzero(trace.gap > 1e-30 * trace.gap[0])[-1] for method, trace in traces.items()}
    last = max(1, *ends.values())
    for panel in (gap_panel(experiment), mu_panel(experiment)):
        end = panel["x"]["range"][1]
        assert last <= end <= max(2, 1.4 * last), case
        for unit in ("gradients", "seconds"):
            cost = max(clocks(traces[method])[unit][k] for method, k in ends.items())
            assert cost <= panel["x"]["units"][unit]["range"][1]
    cursor = make_frame(experiment, View(), ("gap",), 1)["cursor"]
    assert last <= cursor["last"] <= end
    lead = "adapt_apg_v2" if "adapt_apg_v2" in traces else "pgd"
    assert cursor["start"] <= max(1, ends[lead]), "the curve has ended where the cursor begins"
