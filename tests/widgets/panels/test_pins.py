"""Pins: what was drawn stays beside what comes, paler, with a letter, compared in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets import Explorer, Settings
from polyak_widgets.laboratory.experiment import Experiment, run_experiment
from polyak_widgets.look import METHOD_LOOKS
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.pins import description, listed, short_names
from polyak_widgets.settings.view import View

import polyak_core as pc

PATIENCE = 30


@pytest.fixture
def explorer():
    page = Explorer(Settings(iterations=1500, methods=("apg", "adapt_apg_v2", "restart")), show=("gap", "mu"))
    assert page.wait(PATIENCE)
    yield page
    page.close()


def press(explorer, name, **more):
    explorer.stage._handle_custom_msg({"do": name, **more}, [])
    assert explorer.wait(PATIENCE)


def change(explorer, **values):
    explorer.controls.value = explorer.controls.value | values
    assert explorer.wait(PATIENCE)


def old(explorer, panel=0):
    curves = explorer.stage.frame["panels"][panel]["curves"]
    return {curve["uid"]: curve for curve in curves if curve["uid"].startswith("pin")}


def numbers(explorer, curve):
    data = np.frombuffer(explorer.stage.frame["data"], dtype="<f8")
    middle = curve["start"] + curve["count"]
    return data[curve["start"] : middle].astype(int), data[middle : middle + curve["count"]]


def test_only_what_has_changed_stays_and_keeps_its_hue(explorer):
    value = explorer.settings.values()
    press(explorer, "pin")
    assert old(explorer) == {}
    (shown,) = explorer.stage.frame["pins"]
    assert shown == {"id": 1, "name": "A", "what": "what is drawn now", "words": "", "value": value} | {
        "only": "",
        "methods": [["apg", "APG, true μ"], ["adapt_apg_v2", "Adaptive v2"], ["restart", "Restart, γ = 2"]],
    }
    change(explorer, gamma=5.0)
    ((uid, curve),) = old(explorer).items()
    assert (uid, curve["label"], curve["dash"]) == ("pin1:gap:restart", "A: γ = 2", "dashdot")
    assert (curve["marker"], curve["faint"]) == ("A", True)
    assert curve["colour"] == METHOD_LOOKS["restart"].colour
    k, gap = numbers(explorer, curve)
    expected = pc.solve(pc.quadratic(pc.spectrum("log", 100, 1e4)), "restart", iterations=1500, gamma=2.0)
    np.testing.assert_array_equal(gap, expected.relative_gap[k])


def test_the_words_compare_now_and_pinned(explorer):
    press(explorer, "pin")
    change(explorer, condition_number=1e3)
    now = pc.solve(pc.quadratic(pc.spectrum("log", 100, 1e3)), "adapt_apg_v2", iterations=1500)
    (pin,) = explorer.stage.frame["pins"]
    assert (pin["name"], pin["what"]) == ("A", "κ = 10\u202f000")
    assert (
        pin["words"]
        == f"Adaptive v2 to 10⁻¹⁰: 1\u202f038 iterations, now {now.first_below(1e-10)} iterations."
    )
    assert {curve["label"] for curve in old(explorer).values()} == {"A: κ = 10\u202f000", ""}
    assert len(old(explorer)) == 3
    assert "pin1:mu:adapt_apg_v2" in old(explorer, 1)


def test_the_table_has_a_group_for_each_pin(explorer):
    press(explorer, "pin")
    change(explorer, gamma=5.0)
    rows = explorer.stage.frame["rows"]
    assert len(rows["body"]) == 3
    (group,) = rows["groups"]
    assert (group["name"], group["words"]) == ("A", "γ = 2")
    ((first, *cells),) = group["body"]
    assert (first["text"], first["marker"]) == ("Restart, γ = 2", "A")
    assert len(cells) == len(rows["head"]) - 1


def test_three_at_most_and_each_can_go(explorer):
    for gamma in (1.0, 3.0, 5.0):
        press(explorer, "pin")
        change(explorer, gamma=gamma)
    press(explorer, "pin")
    assert explorer.stage.status["kind"] == "error"
    assert "remove one first" in explorer.stage.status["text"]
    press(explorer, "unpin", id=2)
    assert [pin["id"] for pin in explorer.stage.frame["pins"]] == [1, 3]
    press(explorer, "pin")
    assert sorted(pin["id"] for pin in explorer.stage.frame["pins"]) == [1, 2, 3]
    for which in (1, 2, 3):
        press(explorer, "unpin", id=which)
    assert explorer.stage.frame["pins"] == []
    assert old(explorer) == {}


def test_the_same_curves_are_not_pinned_twice(explorer):
    press(explorer, "pin")
    press(explorer, "pin")
    assert explorer.stage.status["kind"] == "error"
    assert "pinned already" in explorer.stage.status["text"]
    assert len(explorer.stage.frame["pins"]) == 1


def test_a_longer_pinned_run_is_seen_whole(explorer):
    press(explorer, "pin")
    change(explorer, iterations=500, gamma=5.0)
    for panel in explorer.stage.frame["panels"]:
        assert panel["x"]["range"][1] == 1500
        assert panel["x"]["units"]["iterations"]["range"][1] == 1500
        ends = [each.trace.gradients[-1] for each in explorer.pins[0].experiment.runs]
        assert panel["x"]["units"]["gradients"]["range"][1] >= max(ends)


def test_a_pinned_run_that_came_lower_is_seen_whole(explorer):
    press(explorer, "pin")
    change(explorer, condition_number=1e7)
    gap, mu = (panel["y"]["range"] for panel in explorer.stage.frame["panels"])
    lowest = min(run.trace.relative_gap.min() for run in explorer.pins[0].experiment.runs)
    assert gap[0] <= lowest < 1e-12 < min(run.trace.relative_gap.min() for run in explorer.experiment.runs)
    assert mu[0] <= 1e-7


def closer_look(experiment, kind, *pins):
    frames = []
    for _ in CloserLook(frames.append, pins=lambda: pins).grow(experiment, View(third=kind), lambda: False):
        pass
    return frames[-1]


def test_the_closer_look_draws_pinned_momentum_and_says_where_it_draws_none():
    before = run_experiment(Settings(iterations=300, methods=("adapt_apg", "restart")))
    now = run_experiment(replace(before.settings, gamma=5.0))
    frame = closer_look(now, "momentum", Pin(1, before))
    (curve,) = [each for each in frame["panel"]["curves"] if each["uid"].startswith("pin")]
    assert (curve["label"], curve["faint"], curve["dash"]) == ("A: γ = 2", True, "dashdot")
    drawn = np.frombuffer(frame["data"], dtype="<f8")[curve["start"] + curve["count"] :][: curve["count"]]
    beta = next(run.trace.beta for run in before.runs if run.method == "restart")
    np.testing.assert_allclose(drawn, 1 / (1 - beta))
    for kind in ("path", "components"):
        assert "pinned runs are not drawn" in closer_look(now, kind, Pin(1, before))["panel"]["subtitle"]
        assert "pinned" not in closer_look(now, kind)["panel"]["subtitle"]


def test_one_method_of_a_pin_is_kept_alone_and_all_again(explorer):
    press(explorer, "pin")
    change(explorer, condition_number=1e3)
    whole = old(explorer), old(explorer, 1), explorer.stage.frame["rows"]["groups"]
    assert len(whole[0]) == len(whole[2][0]["body"]) == 3
    assert explorer.stage.frame["pins"][0]["words"].startswith("Adaptive v2 to")
    press(explorer, "narrow", id=1, only="restart")
    assert list(old(explorer)) == ["pin1:gap:restart"]
    assert old(explorer)["pin1:gap:restart"]["label"] == "A: κ = 10\u202f000", "it names what was set"
    assert old(explorer, 1) == {}
    (group,) = explorer.stage.frame["rows"]["groups"]
    assert len(group["body"]) == 1
    (shown,) = explorer.stage.frame["pins"]
    assert (shown["only"], len(shown["methods"])) == ("restart", 3)
    assert shown["words"].startswith("Restart, γ = 2 to"), "the words speak of it too"
    change(explorer, condition_number=1e4)
    press(explorer, "pin")
    assert [pin.letter for pin in explorer.pins] == ["A", "B"], "the others can still be pinned"
    press(explorer, "unpin", id=2)
    change(explorer, condition_number=1e3)
    press(explorer, "narrow", id=1, only="")
    assert old(explorer).keys() == whole[0].keys()
    for only in ("fista", None, ["restart"]):
        press(explorer, "narrow", id=1, only=only)
        assert "Pin A has no method" in explorer.stage.status["text"]


@pytest.mark.parametrize("which", [1, "1", None, True, [1], 10**20])
def test_a_pin_that_is_not_there_is_refused_in_words(explorer, which):
    press(explorer, "unpin", id=which)
    assert explorer.stage.status["kind"] == "error"
    assert "There is no pin" in explorer.stage.status["text"]


def pin_of(number, **values):
    """A pin without curves: its words are made of its settings alone."""
    return Pin(number, Experiment(Settings(**values), None, ()))


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ({"problem": "lasso"}, {}, "LASSO"),
        ({}, {"problem": "lasso"}, "Quadratic"),
        ({"problem": "lasso", "data": "musk"}, {"problem": "lasso"}, "Musk, λ = 100"),
        ({"problem": "lasso", "data": "musk"}, {"data": "sonar"}, "LASSO"),
        ({"gamma": 1, "mu0": 0.25, "iterations": 20}, {}, "μ₀/L = 0.25, γ = 1, iterations = 20"),
        ({"methods": ("pgd",)}, {}, "Proximal gradient"),
        ({"methods": ("pgd", "apg")}, {}, "2 methods"),
        ({"spectrum": "linear"}, {}, "evenly spaced"),
        ({"f_star_delta": 1e-3}, {}, "what is drawn now"),
        ({}, {}, "what is drawn now"),
    ],
)
def test_differences_in_words(before, now, words):
    pin = pin_of(1, **before)
    assert description((pin,), pin, Settings(**now)) == words


@pytest.mark.parametrize(
    ("before", "now", "unit", "words"),
    [
        ({}, {"mu_factor": 0.5}, "iterations", "APG to 10⁻¹⁰: 824 iterations, now 1\u202f085 iterations."),
        (
            {},
            {"mu_factor": 0.5},
            "gradients",
            "APG to 10⁻¹⁰: 824 gradient calls, now 1\u202f085 gradient calls.",
        ),
        ({}, {"L_factor": 0.1}, "iterations", "APG, true μ to 10⁻¹⁰: 824 iterations, now never."),
        (
            {"iterations": 9},
            {"iterations": 10},
            "iterations",
            "APG, true μ ends at 0.038 of the initial gap, now at 0.034.",
        ),
    ],
)
def test_a_comparison_counts_in_the_unit_and_in_parts_of_the_initial_gap(before, now, unit, words):
    first, second = (run_experiment(Settings(methods=("apg",), **each)) for each in (before, now))
    assert listed((Pin(1, first),), second, unit)[0]["words"] == words


def test_pins_are_told_from_each_other_where_all_differ_from_the_present_picture():
    pins = tuple(pin_of(i + 1, condition_number=10.0**power) for i, power in enumerate((4, 3, 5)))
    now = Settings(problem="lasso")
    assert [description(pins, pin, now) for pin in pins] == [
        "Quadratic, κ = 10\u202f000",
        "Quadratic, κ = 1\u202f000",
        "Quadratic, κ = 10⁵",
    ]
    ends = ["A: κ = 10\u202f000, …", "B: κ = 1\u202f000, …", "C: κ = 10⁵, …"]
    assert list(short_names(pins, now).values()) == ends
    assert list(short_names(pins[:2], now).values()) == ends[:2]
