"""The address is the state: every state comes back, and nothing that stands in an address can do harm."""

from __future__ import annotations

from dataclasses import fields, replace
from urllib.parse import urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polyak_widgets.laboratory.datasets import Shelf
from polyak_widgets.laboratory.experiment import Laboratory, run_experiment
from polyak_widgets.laboratory.problems import acts, build_problem
from polyak_widgets.laboratory.upload import from_notebook
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import SCALES, View
from polyak_widgets.share.address import FOREIGN, LONGEST, OURS, AddressError, Opened, read_query, write_query
from polyak_widgets.share.sharing import shared

import polyak_core as pc

DEFAULTS = (Settings(), View())


def values_of(each):
    """What a field allows, and its default more often than chance would have it."""
    metadata = each.metadata
    if metadata["kind"] == "choice":
        return st.sampled_from(sorted(metadata["options"]))
    if metadata["kind"] == "switch":
        return st.booleans()
    if metadata["kind"] == "slider":
        bounds = metadata["bounds"]
        if bounds.whole:
            return st.integers(int(bounds.low), int(bounds.high))
        return st.floats(bounds.low, bounds.high, exclude_min=bounds.above_low)
    if metadata["kind"] == "text":
        return st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=5).map(lambda v: ", ".join(map(repr, v)))
    return st.lists(st.sampled_from(sorted(pc.METHODS)), min_size=1).map(tuple)


def states(kind):
    optional = {each.name: values_of(each) for each in fields(kind)}
    if kind is Settings:
        numbers = st.lists(st.integers(0, 999).map(str), max_size=3).map(",".join)
        optional |= {"label": st.integers(0, 999).map(str), "leave_out": numbers}
    if kind is View:
        optional["other_scales"] = st.lists(st.sampled_from(SCALES)).map(tuple)
    return st.fixed_dictionaries({}, optional=optional).map(lambda values: (kind, values))


def valid(drawn):
    kind, values = drawn
    try:
        return kind(**values)
    except SettingsError:
        assume(False)


def acting(settings):
    """What has a part in the picture: the rest has no place in a link."""
    return {name: value for name, value in settings.values().items() if acts(name, settings)}


def assert_opens(opened, settings, view, **more):
    """The same, but for the projector: whoever opens a link is somewhere else."""
    assert acting(opened.settings) == acting(settings)
    assert opened == Opened(opened.settings, replace(view, present=False), **more)


@given(states(Settings), states(View))
def test_every_state_comes_back(settings, view):
    state = valid(settings), valid(view)
    query = write_query(*state)
    assert len(query) <= LONGEST
    assert_opens(read_query(query), *state)
    assert read_query("?" + query) == read_query(query)
    assert write_query(read_query(query).settings, state[1]) == query


@given(states(Settings), states(Settings), states(View))
def test_every_state_comes_back_on_top_of_a_story(base, settings, view):
    story = valid(base), View(differences=True)
    state = valid(settings), valid(view)
    query = write_query(*state, story="mine", base=story)
    assert_opens(read_query(query, {"mine": story}), *state, story="mine")


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("lam=100", "v=1"),
        ("data=madelon&scaling=standardize", "v=1"),
        ("problem=lasso&data=musk&C=3&condition_number=100", "v=1&problem=lasso&data=musk"),
        ("f_star_delta=0.1", "v=1"),
    ],
)
def test_what_means_nothing_here_has_no_place_in_a_link(query, meant):
    opened = read_query(query)
    assert not opened.message
    assert write_query(opened.settings, View()) == meant


def test_a_projector_is_not_passed_on_and_switched_axes_are():
    view = View(present=True, other_scales=("mu-x", "gap-y"))
    assert write_query(Settings(), view) == "v=1&other_scales=gap-y,mu-x"
    assert read_query("present=on").view.present, "who writes it means it"
    assert read_query("present=true").view.present
    assert not read_query("present=false").view.present


def test_only_what_differs_stands_in_it():
    assert write_query(*DEFAULTS) == "v=1"
    settings = Settings(problem="lasso", data="musk", gamma=5, methods=("apg", "fista"))
    assert write_query(settings, View(x="gradients")) == (
        "v=1&problem=lasso&data=musk&gamma=5&methods=apg,fista&x=gradients"
    )


def test_the_weight_follows_the_problem_unless_it_was_chosen():
    usual = Settings(problem="lasso", data="musk")
    assert "lam" not in write_query(usual, View())
    lighter = replace(usual, lam=usual.lam / 2)
    assert read_query(write_query(lighter, View())).settings == lighter
    assert read_query("problem=lasso&data=musk").settings == usual


def test_a_story_alone_is_its_own_state():
    story = Settings(problem="lasso", lam=3.0), View(third="path")
    assert write_query(*story, story="mine", base=story) == "v=1&story=mine"
    assert read_query("v=1&story=mine", {"mine": story}) == Opened(*story, story="mine")


def test_names_of_settings_and_view_differ():
    assert not {each.name for each in fields(Settings)} & {each.name for each in fields(View)}
    assert not {"v", "story"} & {each.name for each in (*fields(Settings), *fields(View))}


@pytest.mark.parametrize(
    "query", ["", "?", "v=1", "?v=1", "voila-theme=dark", "?template=x&theme=y&token=z&v=1"]
)
def test_nothing_asked_is_the_defaults_without_a_word(query):
    assert read_query(query) == Opened(*DEFAULTS)


BAD = [
    ("v=0&gamma=5", "of version '0'"),
    ("v=2", "of version '2'"),
    ("v=", "of version ''"),
    ("gamma=5&gamma=6", "'gamma' stands in it more than once"),
    ("gamma", "gamma = '' is no number"),
    ("gamma=", "gamma = '' is no number"),
    ("gamma=five", "gamma = 'five' is no number"),
    ("gamma=nan", "Restart γ"),
    ("gamma=inf", "Restart γ"),
    ("gamma=-1", "Restart γ"),
    ("gamma=1e999", "Restart γ"),
    ("iterations=1.5", "Iterations"),
    ("iterations=" + "9" * 300, "Iterations"),
    ("problem=chess", "'quadratic'"),
    ("problem=%3Cscript%3Ealert(1)%3C/script%3E", "<script>"),
    ("methods=newton", "'apg'"),
    ("methods=", "at least one"),
    ("methods=apg,", "'apg'"),
    ("spectrum=own&eigenvalues=1,-1", "'-1' is not an eigenvalue"),
    ("spectrum=own&eigenvalues=", "empty"),
    ("present=1", "on or off"),
    ("x=miles", "'iterations'"),
    ("story=none", "no story 'none'"),
    ("%zz", "two digits"),
    ("gamma=%", "two digits"),
    ("gamma=%ff%fe", "no UTF-8"),
    ("a" * (LONGEST + 1), f"{LONGEST} is the limit"),
    ("&".join(f"k{i}=1" for i in range(300)), "limit"),
    (None, "no text"),
    (7, "no text"),
]


@pytest.mark.parametrize(("query", "words"), BAD)
def test_what_is_not_understood_gives_the_defaults_and_a_sentence(query, words):
    opened = read_query(query)
    assert (opened.settings, opened.view) == DEFAULTS
    assert opened.message.startswith("This address was not understood: ")
    assert opened.message.endswith(" The page shows its defaults.")
    assert words in opened.message
    assert len(opened.message) < 400


@given(st.text() | st.binary() | st.none() | st.integers())
def test_nothing_raises(query):
    opened = read_query(query)
    assert opened.message == "" or (opened.settings, opened.view) == DEFAULTS


def test_a_list_that_is_too_long_for_an_address_is_said():
    long = Settings(spectrum="own", eigenvalues=" ".join(["0.123456"] * 400))
    with pytest.raises(AddressError, match="'eigenvalues' alone takes 3599 letters"):
        write_query(long, View())


LASSO = Settings(problem="lasso", gamma=5)


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("?v=1&problem=lasso&gamma=5&fbclid=x", []),
        ("utm_source=mail&v=1&problem=lasso&utm_medium=x&gamma=5", []),
        ("v=1&problem=lasso&gamma=5&gclid=a&gclid=b&=&&", []),
        ("v=1&problem=lasso&gamma=5&fbclid=%ff", []),
        ("v=1&problem=lasso&gamma=5&mc_cid=1&colour=red&msclkid=2&size=%ff", ["colour", "size"]),
        ("v=1&problem=lasso&gamma=5&gama=7", ["gama"]),
        ("v=1&problem=lasso&gamma=5&voila-theme=dark", []),
        ("v=1&amp;problem=lasso&amp;gamma=5", []),
        ("v=1&amp;amp;problem=lasso&amp;amp;gamma=5", []),
        ("v=1&amp%3Bproblem=lasso&amp%3Bgamma=5", []),
        ("v=1&amp;problem=lasso&amp;gamma=5&amp;colour=x", ["colour"]),
        ("problem=lasso&gamma=5e+00", []),
        ("problem=lasso&gamma=+5", []),
        ("problem=lasso&gamma=0.5e%2B1", []),
        ("problem=lasso&gamma=5,0", []),
    ],
)
def test_what_others_do_to_a_link_does_no_harm_and_is_said(query, left_out):
    opened = read_query(query)
    assert (opened.settings, opened.view) == (LASSO, View())
    assert bool(opened.message) == bool(left_out)
    for name in left_out:
        assert repr(name) in opened.message
    assert opened.message.endswith(" left out.") or not left_out


def test_a_plus_in_a_number_stays():
    assert read_query("condition_number=1e+06").settings.condition_number == 1e6
    opened = read_query("spectrum=own&eigenvalues=1e+03,+1e-2").settings
    assert build_problem(opened).L == 1e3
    assert "unclear" in read_query("condition_number=1,000").message


@given(states(Settings), st.dictionaries(st.text(), st.text(max_size=9), max_size=4), st.booleans())
def test_every_state_comes_back_from_a_link_that_others_have_changed(settings, added, escaped):
    settings = valid(settings)
    query = write_query(settings, View())
    foreign = {name: text for name, text in added.items() if name not in OURS and not name.startswith("amp;")}
    query = "&".join(filter(None, [query, urlencode(foreign)]))
    assume(len(query) <= LONGEST // 2)
    opened = read_query(query.replace("&", "&amp;") if escaped else query)
    assert acting(opened.settings) == acting(settings)
    assert all(
        repr(name[:40]) in opened.message
        for name in list(foreign)[:2]
        if name and not FOREIGN.fullmatch(name)
    )


def test_a_link_to_a_file_says_that_it_does_not_hold_it():
    data = pc.dataset([[1, 2], [3, 5], [2, 2]], [0, 1, 1], scaling="none")
    own = from_notebook(data)
    settings = Settings(problem="lasso", data="own", own=own.sha256, iterations=5)
    laboratory = Laboratory()
    laboratory.shelf.put(own)
    growing = laboratory.begin(settings)
    while not growing.advance():
        pass
    link = shared(growing.snapshot(), View(), own)
    assert "does not contain your file: whoever opens it needs " in link["note"]
    assert shared(run_experiment(Settings(problem="lasso", iterations=5)), View())["note"] == ""
    with pytest.raises(SettingsError, match="does not have this file: upload it"):
        Shelf().data(read_query(link["query"]).settings)
