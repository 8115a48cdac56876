"""Questions of notebooks: locked before they are measured, judged as in stories, and never a traceback."""

import pytest
from polyak_widgets import Predict


def card(options=(10, 1e5), answer=lambda: 373, **more):
    return Predict("How many?", options, answer, why="So it is.", **more)


def press(widget, value):
    widget._handle_custom_msg({"do": "predict", "value": value}, [])


def test_nothing_is_measured_before_the_prediction_is_locked():
    calls = []
    widget = card(answer=lambda: calls.append("measured") or 373)
    assert widget.story["stage"] == "asked"
    assert not {"verdict", "happened", "why"} & set(widget.story)
    assert not calls
    press(widget, 500)
    assert calls == ["measured"]
    assert widget.story["stage"] == "revealed"
    assert widget.story["verdict"] == "You said 500 iterations: close."
    assert widget.story["happened"] == "373 iterations."
    assert widget.story["why"] == "So it is."


def test_a_prediction_is_given_once():
    widget = card()
    press(widget, 20)
    first = widget.story
    press(widget, 373)
    assert widget.story == first
    assert widget.story["verdict"] == "You said 20 iterations: too low by a factor of 19."


@pytest.mark.parametrize(("prediction", "verdict"), [("APG", "Right."), ("FISTA", "Not this time.")])
def test_options(prediction, verdict):
    widget = card(("FISTA", "APG"), lambda: "APG")
    assert widget.story["options"] == [["FISTA", "FISTA", ""], ["APG", "APG", ""]]
    press(widget, prediction)
    assert widget.story["verdict"].endswith(verdict)
    assert widget.story["happened"] == "APG."


def test_a_number_with_a_fraction_says_so():
    widget = card((1, 100), lambda: 7.17, unit="times")
    assert widget.story["guess"]["integer"] is False
    press(widget, 8)
    assert widget.story["happened"] == "7.2 times."


@pytest.mark.parametrize("value", ["many", 5, None, True, 1e9])
def test_what_is_no_prediction_is_refused_in_words(value):
    widget = card()
    press(widget, value)
    assert "prediction" in widget.story["happened"] or "is not allowed" in widget.story["happened"]
    assert "Traceback" not in str(widget.story)


def test_a_measurement_that_fails_is_said():
    widget = card(answer=lambda: 1 / 0)
    press(widget, 100)
    assert widget.story["stage"] == "revealed"
    assert "ZeroDivisionError" in widget.story["happened"]


@pytest.mark.parametrize("options", ["abc", ("one",), ("a", "a"), (5, 5), (0, 1), (3, 1), (1, "b"), 7])
def test_options_that_are_none_are_refused(options):
    with pytest.raises(ValueError, match="options"):
        card(options)


def test_a_page_may_write_nothing():
    widget = card()
    before = widget.story
    widget.set_state({"story": {"stage": "revealed"}})
    assert widget.story["question"] == before["question"]
    assert "may not write" in widget.story["happened"]
