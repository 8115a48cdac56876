"""Cancelled runs: they keep what there is, it is said at once, and they stay ended until asked for again."""

import time

import pytest
from polyak_widgets import Explorer, Settings

PATIENCE = 30


def press(explorer, name, **more):
    """As the page does when a button is pressed."""
    explorer.stage._handle_custom_msg({"do": name, **more}, [])


@pytest.fixture
def cancelled():
    """A page whose only run was cancelled."""
    page = Explorer(Settings(iterations=100_000, methods=("pgd",), condition_number=1e10), show=("gap",))
    while not page.stage.frame:
        time.sleep(0.001)
    press(page, "cancel")
    assert page.wait(PATIENCE)
    yield page
    page.close()


def test_cancel_keeps_what_there_is():
    explorer = Explorer(Settings(iterations=100_000, methods=("pgd",), condition_number=1e10), show=("gap",))
    while not explorer.stage.frame:
        time.sleep(0.001)
    press(explorer, "cancel")
    assert explorer.wait(5)
    assert explorer.stage.status["kind"] == "cancelled"
    assert "cancelled; the curve so far is kept" in explorer.stage.status["text"]
    frame = explorer.stage.frame
    assert frame["settled"]
    assert 0 < frame["panels"][0]["curves"][0]["count"]
    explorer.close()


def test_what_was_cancelled_is_drawn_with_pins_and_views_and_not_run_again(cancelled):
    trace = cancelled.experiment.runs[0].trace
    press(cancelled, "pin")
    assert cancelled.wait(PATIENCE)
    cancelled.stage.view = cancelled.stage.view | {"bounds": True}
    assert cancelled.wait(PATIENCE)
    assert cancelled.experiment.runs[0].trace is trace
    assert cancelled.stage.frame["pins"][0]["what"] == "what is drawn now"
    assert cancelled.stage.frame["panels"][0]["lines"]
    assert cancelled.stage.status["kind"] == "cancelled"


def test_reset_runs_again_what_was_cancelled(cancelled):
    assert cancelled.stage.status["text"].endswith("Change a setting to go on, or press Reset.")
    before = cancelled.stage.frame["serial"]
    press(cancelled, "reset")
    while cancelled.stage.frame["serial"] == before:
        time.sleep(0.001)
    assert not cancelled.stage.frame["settled"]
    press(cancelled, "cancel")
    assert cancelled.wait(PATIENCE)


def test_that_it_was_cancelled_is_said_before_the_picture_and_other_settings_run():
    explorer = Explorer(Settings(iterations=100_000, methods=("pgd", "fista")), show=("gap",))
    while not explorer.stage.frame:
        time.sleep(0.001)
    order = []
    explorer.stage.observe(lambda change: order.append(change.name), ["frame", "status"])
    press(explorer, "cancel")
    assert explorer.wait(5)
    assert order[-2:] == ["status", "frame"], "somebody waits for the word"
    explorer.controls.value = explorer.controls.value | {"iterations": 300}
    assert explorer.wait(PATIENCE)
    assert explorer.stage.status["kind"] == "done"
    assert {len(run.trace) for run in explorer.experiment.runs} == {301}
    explorer.close()


def test_a_link_runs_again_what_was_cancelled(cancelled):
    before = cancelled.stage.frame["serial"]
    press(cancelled, "open", query="condition_number=1e10&methods=pgd&iterations=100000")
    while cancelled.stage.frame["serial"] == before:
        time.sleep(0.001)
    assert not cancelled.stage.frame["settled"]
    press(cancelled, "cancel")
    assert cancelled.wait(PATIENCE)


def test_a_prediction_whose_answer_was_cancelled_can_be_gone_on_with(cancelled):
    cancelled.stage._handle_custom_msg({"do": "story", "name": "misprint"}, [])
    assert cancelled.wait(PATIENCE)
    press(cancelled, "predict", value=1000)
    press(cancelled, "cancel")
    assert cancelled.wait(PATIENCE)
    story = cancelled.stage.story
    assert story["stage"] == "cancelled", "the card does not say that it measures"
    press(cancelled, "go_on")
    assert cancelled.wait(PATIENCE)
    assert cancelled.stage.story["stage"] == "revealed"
    assert cancelled.stage.story["given"] == story["given"] == 1000
