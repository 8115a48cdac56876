"""After the answer: a sentence of one's own, a goal that is checked by the drawn runs, the picture before."""

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.settings.settings import FIELDS
from polyak_widgets.stories.goals import EXPLANATIONS, GOALS
from polyak_widgets.stories.stories import STORIES

REACHED = {
    "misprint": 100.0,
    "v2_or_theorem": 1e-4,
    "gamma": 5.9,
    "mu0": 1e-4,
    "f_star_too_low": 1e-11,
    "f_star_too_high": 1e-11,
    "below_rounding": 10.0,
    "wrong_L": 0.6,
    "six_estimates": 10_000,
    "silver": 2.0,
    "cg": "clusters",
}
"""A value of its setting that meets each goal."""
WITH_A_PICTURE_BEFORE = {
    "v2_or_theorem",
    "gamma",
    "mu0",
    "f_star_too_low",
    "f_star_too_high",
    "wrong_L",
    "six_estimates",
}
"""In the others the curves before are the beginnings of those after."""


def grey(state):
    return {
        curve["uid"].split(":")[-1]
        for panel in state["frame"]["panels"]
        for curve in panel["curves"]
        if curve["uid"].startswith("pin0:") and curve["colour"] == "#7F7F7F"
    }


def test_every_question_has_a_goal_and_a_model_of_the_sentence():
    asking = {name for name, story in STORIES.items() if story.prediction}
    assert set(GOALS) == set(EXPLANATIONS) == set(REACHED) == asking


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_is_open_at_first_and_can_be_reached(name, reader):
    goal = GOALS[name]
    state = reader.answer(name)
    assert state["story"]["explain"] == EXPLANATIONS[name]
    assert state["story"]["goal"]["text"] == goal.text
    assert not state["story"]["goal"]["is_met"]
    assert not state["story"]["goal"]["has_changed"]
    assert bool(grey(state)) == (name in WITH_A_PICTURE_BEFORE)
    state = reader.press("set", values={goal.setting: REACHED[name]})
    assert state["story"]["goal"]["is_met"], state["story"]["goal"]
    assert state["story"]["goal"]["has_changed"]
    state = reader.press("back")
    assert state["value"] == STORIES[name].after.values()
    assert state["story"]["goal"]["is_met"], "what has been met stays met"


def test_the_goal_on_fista_as_printed_is_what_fista_needs():
    traces = {run.method: run.trace for run in run_experiment(STORIES["misprint"].after).runs}
    assert f"fewer than {traces['fista'].first_below(1e-6)} iterations" in GOALS["misprint"].text


def test_another_control_does_not_count(reader):
    reader.answer("gamma")
    goal = reader.press("set", values={"gamma": 5.9, "condition_number": 100.0})["story"]["goal"]
    assert not goal["is_met"]
    assert FIELDS["condition_number"].metadata["label"] in goal["words"]
    assert reader.press("set", values={"condition_number": 1e4})["story"]["goal"]["is_met"]


def test_the_picture_before_is_grey_and_no_pin_of_the_reader(reader):
    reader.press("story", name="f_star_too_low")
    assert grey(reader.press("pin")) == set()
    state = reader.press("predict", value="slow")
    assert grey(state) == {"adapt_apg_v2"}
    assert [pin["name"] for pin in state["frame"]["pins"]] == ["A"]
    assert [pin.letter for pin in reader.session.board.pins] == ["A"]
    state = reader.press("pin")
    assert [pin["name"] for pin in state["frame"]["pins"]] == ["A", "B"]
    assert "before" in [group["name"] for group in state["frame"]["rows"]["groups"]]
    state = reader.press("leave")
    assert grey(state) == set()
    assert [pin["name"] for pin in state["frame"]["pins"]] == ["A", "B"]
    for number in (1, 2):
        reader.press("unpin", id=number)
    reader.press("unpin", id=0)
    assert "no pin" in reader.session.state["status"]["text"]


def test_there_is_nothing_to_go_back_to_before_an_answer(reader):
    reader.press("story", name="gamma")
    reader.press("back")
    assert "predict first" in reader.session.state["status"]["text"]
    reader.press("leave")


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("f_star_too_high", {"before": 3, "with a guard": 1, "as printed": 2}),
        ("below_rounding", {"as a difference": 1}),
    ],
)
def test_more_pictures_stay_beside_an_answer(name, beside, reader):
    state = reader.press("story", name=name)
    assert not state["frame"]["rows"].get("groups")
    state = reader.answer(name)
    assert {each["name"]: len(each["body"]) for each in state["frame"]["rows"]["groups"]} == beside
    curves = [c for c in state["frame"]["panels"][0]["curves"] if c["uid"].startswith("pin")]
    assert {c["label"] for c in curves} - {""} == set(beside)
    assert len({c["uid"] for c in curves}) == len(curves) >= sum(beside.values())
    assert not reader.session.board.pins
    state = reader.press("leave")
    assert not state["frame"]["rows"].get("groups")


def test_two_stored_numbers_lose_the_gap_where_the_story_says():
    """Near 10^-16 of the initial gap both numbers agree, but for the last digit."""
    story = STORIES["below_rounding"]
    (picture,) = story.beside
    exact = run_experiment(picture.settings)
    (run,), (other,) = exact.runs, picture.redrawn(exact).runs
    naive = other.trace.relative_gap
    assert 1e-17 < naive.min() < 5e-16
    far = run.trace.relative_gap < 1e-17
    assert far.sum() > 1000
    assert (naive[far] < 2e-15).all()
    assert (naive[far] == naive.min()).mean() > 0.9, "no more than the last digit of f* is left"
    near = run.trace.relative_gap > 1e-8
    np.testing.assert_allclose(naive[near], run.trace.relative_gap[near], rtol=1e-6)
