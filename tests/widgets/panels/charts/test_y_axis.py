"""What the first panel shows where it shows no gap: the numbers, the words, and what is not there."""

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import gap_panel
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.pin import Pin
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import Y_AXES, View

import polyak_core as pc

SMALL = Settings(n=20, condition_number=100.0, iterations=60, methods=("apg", "adapt_apg_v2", "item", "pgd"))


@pytest.fixture(scope="module")
def experiment():
    return run_experiment(SMALL)


def heights(experiment, **view):
    panel = gap_panel(experiment, View(**view))
    return {
        curve.uid.removeprefix("gap:"): curve.y for curve in panel["curves"] if curve.uid.startswith("gap:")
    }


def test_each_axis_shows_its_quantity(experiment):
    traces = {run.method: run.trace for run in experiment.runs}
    for method, trace in traces.items():
        np.testing.assert_allclose(
            heights(experiment, y="distance")[method], trace.distance / trace.distance[0]
        )
        other = traces["pgd"].gap[: len(trace)]
        np.testing.assert_allclose(heights(experiment, y="ratio", beside="pgd")[method], trace.gap / other)
    np.testing.assert_array_equal(heights(experiment, y="ratio")["apg"], 1.0)
    steps = [step.y for step, _ in zip(pc.iterates(experiment.problem, "pgd"), range(61), strict=False)]
    gradients = [np.linalg.norm(experiment.problem.loss.grad(y)) for y in steps]
    np.testing.assert_allclose(heights(experiment, y="gradient")["pgd"], gradients, rtol=1e-9)


@pytest.mark.parametrize("f_star", ["too_low", "too_high", "dual"])
def test_the_gradient_is_that_of_the_iterates_whatever_f_star_is_given(f_star):
    problem = "logistic" if f_star == "dual" else "lasso"
    settings = Settings(
        problem=problem, n=10, rows=30, iterations=20, f_star=f_star, methods=("adapt_apg_v2",)
    )
    experiment = run_experiment(settings)
    shown = heights(experiment, y="gradient")["adapt_apg_v2"]
    run = experiment.runs[0].trace
    L, prox = experiment.problem.L, experiment.problem.penalty
    y = run.y
    step = y - experiment.problem.loss.grad(y) / L
    mapped = L * (y - (step if prox is None else prox.prox(step, 1 / L)))
    assert shown[-1] == pytest.approx(np.linalg.norm(mapped), rel=1e-6)


def test_what_belongs_to_gaps_is_drawn_with_gaps_alone(experiment):
    wrong = run_experiment(Settings(f_star="too_low", n=20, iterations=40, methods=("adapt_apg_v2", "item")))
    for y in Y_AXES:
        panel = gap_panel(wrong, View(y=y, bounds=True))
        has_error = any(curve.uid == "f_star_error" for curve in panel["curves"])
        assert has_error == (y == "gap")
        toggles = {each["name"] for each in panel["toggles"]}
        assert "bounds" in toggles
        assert {line.uid for line in panel["lines"]} >= {"gap": {"rate:0"}, "distance": {"bound:item"}}.get(
            y, set()
        )
        assert not panel["bands"] or y == "gap"
        ends = {each["uid"]: each["y"] for each in panel["marks"]}
        for curve in panel["curves"]:
            if f"end:{curve.uid.removeprefix('gap:')}" in ends and np.isfinite(curve.y[-1]):
                assert ends[f"end:{curve.uid.removeprefix('gap:')}"] == curve.y[-1]


def test_nobody_comes_below_what_is_promised_of_item(experiment):
    (line,) = gap_panel(experiment, View(y="distance", bounds=True))["lines"]
    assert np.all(heights(experiment, y="distance")["item"] <= line.y * (1 + 1e-9))


def test_what_does_not_exist_is_said(experiment):
    certified = run_experiment(
        Settings(n=20, iterations=20, methods=("adapt_apg_v2",), estimator="certified")
    )
    words = gap_panel(certified, View(y="gradient"))["summary"]
    assert "No curve for Adaptive v2" in words
    gone = gap_panel(experiment, View(y="ratio", beside="fista"))
    assert "is not drawn" in gone["title"]
    assert "choose another" in gone["summary"]
    assert all(np.isnan(values).all() for values in heights(experiment, y="ratio", beside="fista").values())
    short = run_experiment(Settings(n=2, condition_number=2.0, iterations=50, methods=("cg", "pgd")))
    words = gap_panel(short, View(y="ratio", beside="cg"))["summary"]
    assert "stops where CG" in words


def test_the_menu_offers_what_is_drawn_and_the_words_name_it(experiment):
    menus = gap_panel(experiment, View(y="ratio"))["choices"]
    assert [each["name"] for each in menus] == ["y", "beside"]
    assert [value for value, _ in menus[1]["options"]] == list(SMALL.methods)
    assert menus[1]["value"] == "apg"
    panel = gap_panel(experiment, View(y="ratio"))
    assert panel["title"].endswith("APG, true μ")
    assert panel["summary"].startswith("ITEM, true μ ends with")
    assert "Proximal gradient with" in panel["summary"]
    assert "nearest to x*" in gap_panel(experiment, View(y="distance"))["summary"]


def test_pins_are_divided_by_the_same_method(experiment):
    other = run_experiment(Settings(n=20, condition_number=50.0, iterations=60, methods=("pgd", "fista")))
    frame = make_frame(experiment, View(y="ratio"), ("gap",), 1, (Pin(1, other),))
    numbers = np.frombuffer(frame["data"])
    old = [curve for curve in frame["panels"][0]["curves"] if curve["uid"].startswith("pin1")]
    assert old
    for curve in old:
        begin = curve["start"] + curve["count"]
        assert np.isnan(numbers[begin : begin + curve["count"]]).all(), "it has no run of APG"


def test_a_typed_line_is_drawn_with_the_bounds_and_what_is_wrong_with_it_is_said(experiment):
    panel = gap_panel(experiment, View(bounds=True, line="0,5 * 0.9^k"))
    line = panel["lines"][-1]
    assert line.label == "0.5 · 0.9ᵏ"
    np.testing.assert_allclose(line.y, 0.5 * 0.9**line.x)
    assert panel["fields"][0]["problem"] == ""
    assert panel["y"] == gap_panel(experiment, View(bounds=True, line="1e9/k"))["y"], "it moves no axis"
    assert gap_panel(experiment, View(line="0.9^k"))["lines"] == gap_panel(experiment)["fields"] == []
    wrong = gap_panel(experiment, View(bounds=True, line="0.9^n"))
    assert "give C*rho^k" in wrong["fields"][0]["problem"]
    assert len(wrong["lines"]) == len(panel["lines"]) - 1
