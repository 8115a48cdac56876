"""While a question is open nothing that a page gets tells its answer: a session is asked, by messages."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.closer_look.panel import HELD_BACK
from polyak_widgets.settings.view import SWEPT, TELLING, View
from polyak_widgets.stories.stories import STORIES

ASKING = [name for name, story in STORIES.items() if story.prediction is not None]
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = re.compile(r"(?:(\d[\d\u202f]*(?:\.\d+)?)\s×\s)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\d[\d\u202f]*(?:\.\d+)?)")
UNSEEN = {"states", "plotly_js", "value", "view", "stories", "usual"}
"""Parts of a state that say where buttons lead and what is set, and the list of all titles."""


class States(NamedTuple):
    """What a page gets while a question is open, and when it is answered."""

    before: dict
    revealed: dict


@pytest.fixture(scope="module")
def states_of(reader):
    """All stories one after the other, by a reader whose page has swept γ before."""
    assert "best" in set(texts(reader.session.state["spec"]))
    states = {}
    for name in ASKING:
        before = reader.press("story", name=name)
        states[name] = States(before, reader.answer(name))
    return states


COLOUR = re.compile("#[0-9A-F]{6}")


def texts(part):
    """All texts in a part of a state; a colour is none."""
    if isinstance(part, str):
        yield from [] if COLOUR.fullmatch(part) else [part]
    elif isinstance(part, dict):
        for each in part.values():
            yield from texts(each)
    elif isinstance(part, list | tuple):
        for each in part:
            yield from texts(each)


def numbers(text):
    """The numbers in a text of which two digits or more, or a power of ten, are told."""
    values = set()
    for factor, power, plain in NUMBER.findall(text):
        digits = (factor or plain).replace("\u202f", "")
        if power:
            values.add(float(digits or 1) * 10.0 ** int(power.translate(RAISED)))
        elif len(digits.strip("0").replace(".", "").strip("0")) > 1:
            values.add(float(digits))
    return values


def answer_numbers(name, revealed):
    """What the answer prints and neither the question nor a run that it shows does."""
    story, card = STORIES[name], revealed["story"]
    open_ones = numbers(" ".join([story.title, story.question, *texts(card.get("options", []))]))
    open_ones |= {1e-3, 1e-6, 1e-10}  # the tolerances of every picture
    for run in run_experiment(story.before).runs:
        open_ones |= {run.trace.first_below(10.0**-digits) for digits in (3, 6, 10)} - {None}
        open_ones |= {float(mu) for mu in run.trace.mu[-1:] if np.isfinite(mu)}
    answer = numbers(f"{card['happened']} {card['why']}")
    answer |= {card["right"]} if isinstance(card["right"], float) else set()
    return {each for each in answer if not any(near(each, other) for other in open_ones)}


def near(number, other, by=0.005):
    return abs(number - other) <= by * abs(other)


def test_numbers_are_read_as_the_page_writes_them():
    text = "13\u202f323 iterations, 2 × 10⁻²⁷ of it, γ = 0.1, 7.1 times, 10⁻⁶, λ₂, t⁺, 24."
    assert numbers(text) == {13_323, 2e-27, 7.1, 1e-6, 24}


@pytest.mark.parametrize("name", ASKING)
def test_no_number_of_the_answer_is_there_while_its_question_is_open(name, states_of):
    before, revealed = states_of[name]
    assert (before["story"]["stage"], revealed["story"]["stage"]) == ("asked", "revealed")
    assert before["value"] == STORIES[name].before.values()
    answer = answer_numbers(name, revealed)
    assert answer, "an answer has a number of its own"
    for part in before.keys() - UNSEEN:
        for text in texts(before[part]):
            given_away = {each for each in numbers(text) if any(near(each, other) for other in answer)}
            assert not given_away, (part, text)


@pytest.mark.parametrize("name", ASKING)
def test_the_third_panel_runs_nothing_that_is_asked_while_a_question_is_open(name, states_of):
    third = states_of[name].before["third"]["panel"]
    assert third["kind"] not in TELLING
    answer = answer_numbers(name, states_of[name].revealed)
    shown = numbers(" ".join(texts({**third, "curves": [], "marks": []})))
    assert not {each for each in shown if any(near(each, other, 0.03) for other in answer)}
    assert states_of[name].revealed["third"]["panel"]["kind"] == STORIES[name].view.third


@pytest.mark.parametrize("name", ASKING)
def test_the_rail_knows_no_best_value_while_a_question_is_open(name, states_of):
    assert "best" not in set(texts(states_of[name].before["spec"]))


def test_six_estimates_wait_for_the_prediction(reader):
    reader.press("story", name="six_estimates")
    reader.session.take("view", View(third="estimates").values())
    reader.settle()
    panel = reader.session.state["third"]["panel"]
    assert panel["empty"] == HELD_BACK
    assert not panel.get("curves")


@pytest.mark.parametrize("swept", SWEPT)
@pytest.mark.parametrize("name", ["gamma", "mu0"])
def test_a_sweep_waits_for_the_prediction(name, swept, reader):
    """Whoever turns to one while a question is open reads why it is empty; later it holds the answer."""
    before = reader.press("story", name=name)
    reader.session.take("view", View(third="sensitivity", swept=swept).values())
    reader.settle()
    waiting = dict(reader.session.state)
    assert waiting["story"] == before["story"]
    panel = waiting["third"]["panel"]
    assert panel["empty"] == HELD_BACK
    assert not panel.get("curves")
    assert "best" not in set(texts(waiting["spec"]))
    panel = reader.press("leave")["third"]["panel"]
    assert "empty" not in panel or panel["empty"] != HELD_BACK
    if swept == name == "gamma":
        answer = answer_numbers(name, reader.answer(name))
        shown = numbers(" ".join(texts({**panel, "curves": [], "marks": []})))
        assert any(near(each, other, 0.03) for each in shown for other in answer), (
            "a sweep would be a spoiler"
        )


def test_each_story_has_its_own_view():
    views = {name: (STORIES[name].view.third, STORIES[name].view.swept) for name in ASKING}
    assert views["misprint"][0] == views["f_star_too_low"][0] == views["f_star_too_high"][0] == "momentum"
    assert views["gamma"] == ("sensitivity", "gamma")
    assert views["mu0"] == ("sensitivity", "mu0")
    assert views["v2_or_theorem"][0] == views["wrong_L"][0] == "components"
    assert views["six_estimates"][0] == "estimates"
    assert STORIES["misprint"].view.other_scales == ("gap-x",)
