"""A story has an address of its own: it asks again, and never gives the answer away."""

from time import monotonic, sleep

import pytest
from polyak_widgets import Explorer
from polyak_widgets.stories.stories import STORIES


@pytest.fixture
def explorer():
    page = Explorer(show=("gap",))
    assert page.wait(120)
    yield page
    page.close()


def press(explorer, do, **more):
    explorer.stage._handle_custom_msg({"do": do, **more}, [])
    assert explorer.wait(120)


def query(explorer):
    return explorer.stage.frame["share"]["query"]


def test_a_link_to_a_story_asks_its_question(explorer):
    press(explorer, "open", query="v=1&story=v2_or_theorem")
    assert explorer.stage.story["stage"] == "asked"
    assert explorer.settings == STORIES["v2_or_theorem"].before
    assert query(explorer) == "v=1&story=v2_or_theorem"


def test_the_link_of_an_answered_story_asks_again(explorer):
    press(explorer, "story", name="v2_or_theorem")
    press(explorer, "predict", value="restart")
    assert explorer.stage.story["stage"] == "revealed"
    assert explorer.settings == STORIES["v2_or_theorem"].after
    assert query(explorer) == "v=1&story=v2_or_theorem"
    explorer.controls.value = explorer.controls.value | {"gamma": 5.0}
    assert explorer.wait(120)
    assert "story" not in query(explorer), "another picture than the story's has an address of its own"
    assert "gamma=5" in query(explorer)
    press(explorer, "leave")
    assert explorer.stage.story == {}


@pytest.mark.parametrize("name", [name for name, story in STORIES.items() if story.prediction is None])
def test_each_figure_of_the_paper_has_an_address(explorer, name):
    explorer.stage._handle_custom_msg({"do": "open", "query": f"v=1&story={name}"}, [])
    stop = monotonic() + 120
    while explorer.settings != STORIES[name].after and monotonic() < stop:
        sleep(0.01)
    explorer.cancel()  # the address is there with the first points
    assert explorer.wait(120)
    assert explorer.settings == STORIES[name].after
    assert explorer.view == STORIES[name].view
    assert query(explorer) == f"v=1&story={name}"


def test_an_unknown_story_gives_the_defaults_and_a_word(explorer):
    press(explorer, "open", query="v=1&story=nosuch")
    assert "no story 'nosuch'" in explorer.stage.notice
    assert explorer.stage.story == {}
