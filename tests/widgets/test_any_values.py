"""Whatever a client sends: a valid state, or a SettingsError in words and nothing changed."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets import Explorer
from polyak_widgets.fields import SettingsError
from polyak_widgets.settings import Settings
from polyak_widgets.view import View

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
    @settings(max_examples=300)
    @given(states(kind))
    def holds(values):
        found = judged(kind, values)
        if isinstance(found, SettingsError):
            assert found.name in {*values, "eigenvalues", "rows"}
            assert str(found)
            assert len(str(found)) < 1000, "nobody reads so much"
        else:
            assert kind.from_values(found.values()) == found
            assert hash(found) == hash(kind.from_values(found.values()))

    holds()


def test_what_comes_back_is_of_its_own_type():
    @settings(max_examples=200)
    @given(states(Settings))
    def holds(values):
        found = judged(Settings, values)
        if isinstance(found, Settings):
            for name, first in Settings().values().items():
                assert type(found.values()[name]) is type(first), name

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
