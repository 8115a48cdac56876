"""A page that comes while the kernel works gets what was sent before it could listen."""

import pytest
from polyak_widgets import Explorer, Settings

PATIENCE = 30
SMALL = Settings(iterations=50, methods=("apg", "pgd"))


@pytest.fixture
def explorer():
    page = Explorer(SMALL)
    assert page.wait(PATIENCE)
    yield page
    page.close()


def sent(explorer, monkeypatch, **serials):
    """The names of what is sent to a page that has seen these frames, for each widget."""
    names_of = {}
    for widget in (explorer.stage, explorer.controls):

        def note(key, widget=widget):
            if isinstance(key, list):  # else it is one part, such as a closer look that is still to come
                names_of[widget] = set(key)

        monkeypatch.setattr(widget, "send_state", note)
    explorer.session.act({"do": "here", **serials})
    assert explorer.wait(PATIENCE)
    return names_of[explorer.stage], names_of[explorer.controls]


def test_a_page_that_has_the_newest_frames_gets_words_and_controls_only(explorer, monkeypatch):
    stage, controls = sent(explorer, monkeypatch, frame=explorer.stage.frame["serial"], third=-1)
    assert {"status", "story", "stories", "opened", "notice", "mismatch", "third", "view"} == stage
    assert {"spec", "presets", "usual", "problems", "value"} == controls


@pytest.mark.parametrize("frame", [None, 0, "x", [1], {"serial": 1}])
def test_a_page_that_has_none_of_them_gets_them(explorer, monkeypatch, frame):
    stage, _ = sent(explorer, monkeypatch, frame=frame, third=None)
    assert {"frame", "third", "status"} <= stage
    assert "plotly_js" not in stage


def test_nothing_is_computed_again(explorer, monkeypatch):
    before = explorer.stage.frame
    sent(explorer, monkeypatch)
    assert explorer.stage.frame is before
