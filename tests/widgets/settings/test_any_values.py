"""Whatever a client sends: a valid state, or a SettingsError in words and nothing changed."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets import Explorer
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(
    sorted(
        {word for kind in (Settings, View) for f in fields(kind) for word in f.metadata.get("options", ())}
    )
)
METHODS = st.lists(st.sampled_from([*pc.METHODS, "newton"]) | JSON, max_size=4)
VALUES = (
    JSON
    | WORDS
    | METHODS
    | st.sampled_from([0, 1, -1, 10**400, 10**5000, 1e308, 5e-324, 2**31, "0" * 64, "x" * 10**6])
)


def states(kind):
    names = [each.name for each in fields(kind)]
    return st.dictionaries(st.sampled_from([*names, "other"]), VALUES, max_size=4)


def judged(kind, values):
    try:
        return kind.from_values(values)
    except SettingsError as error:
        return error


@pytest.mark.parametrize("kind", [Settings, View])
def test_any_json_gives_a_state_or_words(kind):
    @settings(max_examples=100)
    @given(states(kind))
    def holds(values):
        outcome = judged(kind, values)
        if isinstance(outcome, SettingsError):
            assert outcome.name in {*values, "eigenvalues", "rows"}
            assert str(outcome)
            assert len(str(outcome)) < 1000, "nobody reads so much"
        else:
            assert kind.from_values(outcome.values()) == outcome
            assert hash(outcome) == hash(kind.from_values(outcome.values()))

    holds()


def test_what_comes_back_is_of_its_own_type():
    @settings(max_examples=100)
    @given(states(Settings))
    def holds(values):
        outcome = judged(Settings, values)
        if isinstance(outcome, Settings):
            for name, first in Settings().values().items():
                assert type(outcome.values()[name]) is type(first), name

    holds()


@pytest.mark.parametrize(
    "values",
    [None, 3, "problem", ["problem"], {"methods": {"apg": 1}}, {"problem": ["lasso"]}, {1: 2}, {"lam": True}],
)
def test_what_is_no_state_is_said_and_the_picture_stays(values):
    explorer = Explorer(Settings(iterations=20, methods=("pgd",)))
    assert explorer.wait(30)
    frame = explorer.stage.frame
    explorer.controls.set_trait("value", values) if isinstance(values, dict) else None
    for kind in (Settings, View):
        with pytest.raises(SettingsError):
            kind.from_values(values)
    assert explorer.wait(30)
    assert explorer.stage.frame is frame
    assert explorer.settings == Settings(iterations=20, methods=("pgd",))
    explorer.close()


WRITTEN = {
    "what Python alone writes": {"frame": {"serial": 10**9}, "problems": {}, "status": {"kind": "done"}},
    "code": {"_esm": "alert(1)"},
    "no dictionary": {"view": "bounds", "value": [1]},
    "too long": {"view": {"x": "x" * 10**6}, "value": {"eigenvalues": "1 " * 10**6}},
    "bytes": {"view": {"x": memoryview(b"x" * 10)}, "value": {"n": memoryview(b"x")}},
}


@pytest.mark.parametrize("sent", WRITTEN.values(), ids=WRITTEN)
def test_a_page_writes_what_it_may_and_no_more(sent):
    explorer = Explorer(Settings(iterations=20, methods=("pgd",)))
    assert explorer.wait(30)
    for widget, place in ((explorer.stage, "status"), (explorer.controls, "problems")):
        for name in set(sent) & set(widget.keys):
            before = widget.get_state(sorted(set(widget.keys) - {place}))
            widget._handle_msg({"content": {"data": {"method": "update", "state": {name: sent[name]}}}})
            assert explorer.wait(30)
            assert widget.get_state(sorted(before)) == before
            words = widget.status["text"] if place == "status" else widget.problems["problem"]
            assert "reload" in words or "shorten" in words
    explorer.close()


def test_what_a_page_may_write_arrives():
    explorer = Explorer(Settings(iterations=20, methods=("pgd",)))
    for widget, state in (
        (explorer.controls, {"value": {"gamma": 7}}),
        (explorer.stage, {"view": {"x": "seconds"}}),
    ):
        widget._handle_msg({"content": {"data": {"method": "update", "state": state}}})
    assert explorer.wait(30)
    assert (explorer.settings.gamma, explorer.view.x) == (7.0, "seconds")
    explorer.close()
