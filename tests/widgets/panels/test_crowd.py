"""Of many methods eight are drawn, until all are asked for; an estimate that is no bound sets no axis."""

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import make_panel, mu_panel
from polyak_widgets.panels.crowd import FIRST, MOST_DRAWN, first_drawn
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

ALL = View(all_runs=True)


@pytest.fixture(scope="module")
def crowd():
    return run_experiment(Settings(methods=tuple(pc.METHODS), n=20, condition_number=100, iterations=60))


def runs_of(panel, kind):
    return [curve.uid.split(":")[1] for curve in panel["curves"] if curve.uid.startswith(f"{kind}:")]


def test_eight_are_drawn_until_all_are_asked_for(crowd):
    few, all_of_them = (make_panel("gap", crowd, view) for view in (View(), ALL))
    assert set(runs_of(few, "gap")) == set(FIRST)
    assert len(FIRST) == MOST_DRAWN
    assert set(runs_of(all_of_them, "gap")) == set(crowd.settings.methods)
    buttons = [
        next(each for each in panel["toggles"] if each["name"] == "all_runs") for panel in (few, all_of_them)
    ]
    assert [each["on"] for each in buttons] == [False, True]
    assert [each["value"] for each in buttons] == [True, False]
    assert {each["label"] for each in buttons} == {f"all {len(pc.METHODS)}"}
    assert f"Eight of {len(pc.METHODS)} methods are drawn" in few["summary"]
    assert "are drawn" not in all_of_them["summary"]


def test_marks_names_and_cursor_are_of_those_that_are_drawn_and_the_table_is_of_all(crowd):
    frame = make_frame(crowd, View(), ("gap", "mu"), 1)
    gap, mu = frame["panels"]
    assert {each["uid"].split(":")[1] for each in gap["marks"]} <= set(FIRST)
    assert {curve["uid"].split(":")[-1] for curve in mu["curves"]} <= {*FIRST, "mu_loc", "mu_hat", "true_mu"}
    assert len(frame["rows"]["body"]) == len(pc.METHODS)
    longest = max(len(run.trace) - 1 for run in first_drawn(crowd, View()).runs)
    assert frame["cursor"]["last"] <= longest


def test_one_that_cannot_run_takes_no_place():
    settings = Settings(problem="lasso", data="sonar", methods=tuple(pc.METHODS), iterations=30)
    experiment = run_experiment(settings)
    refused = {run.method for run in experiment.runs if run.refusal}
    assert refused & set(FIRST)
    few = first_drawn(experiment, View())
    assert len(few.runs) == MOST_DRAWN
    assert not {run.method for run in few.runs} & refused


def test_eight_and_fewer_are_drawn_as_they_are():
    few = run_experiment(Settings(iterations=5, methods=FIRST))
    assert first_drawn(few, View()) is few
    assert not [each for each in make_panel("gap", few, View())["toggles"] if each["name"] == "all_runs"]


def test_methods_of_ones_own_come_first(crowd, monkeypatch):
    monkeypatch.setitem(pc.METHODS, "mine", pc.METHODS["pgd"])
    settings = Settings(methods=tuple(pc.METHODS), n=5, iterations=5)
    assert "mine" in {run.method for run in first_drawn(run_experiment(settings), View()).runs}


def test_an_estimate_that_is_no_bound_sets_no_axis_and_is_thin():
    methods = ("adapt_apg_v2", "adgd_accel")
    both, without, alone = (
        mu_panel(run_experiment(Settings(methods=each, iterations=400)))
        for each in (methods, methods[:1], methods[1:])
    )
    assert both["y"]["range"] == without["y"]["range"]
    look = {curve.uid: curve for curve in both["curves"]}
    assert look["mu:adgd_accel"].look.width < look["mu:adapt_apg_v2"].look.width
    low, high = alone["y"]["range"]
    own = next(curve.y for curve in alone["curves"] if curve.uid == "mu:adgd_accel")
    assert low <= np.nanmin(own)
    assert np.nanmax(own) <= high


def test_names_in_a_legend_stand_under_what_their_methods_must_be_given(crowd):
    few, all_of_them = (make_panel("gap", crowd, view) for view in (View(), ALL))
    assert all(not curve.group for curve in few["curves"])
    lines = [curve for curve in all_of_them["curves"] if curve.uid.startswith("gap:")]
    order = [curve.group for curve in lines]
    assert len(set(order)) > 4
    assert [group for group, before in zip(order, [None, *order], strict=False) if group != before] == list(
        dict.fromkeys(order)
    ), "each heading once"
    assert {curve.group for curve in lines if curve.uid == "gap:apg"} == {"Given L and μ"}
