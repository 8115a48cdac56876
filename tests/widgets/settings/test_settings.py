"""Settings: defaults, the values that are refused and how, round trips."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polyak_widgets.laboratory.problems import build_problem
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings, parse_eigenvalues


def test_defaults_are_the_first_picture():
    settings = Settings()
    assert settings.problem == "quadratic"
    assert (settings.spectrum, settings.n, settings.condition_number, settings.seed) == ("log", 100, 1e4, 0)
    assert settings.methods == ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd")
    assert (settings.mu0, settings.gamma, settings.iterations, settings.estimator) == (
        0.5,
        2.0,
        1500,
        "polyak",
    )


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("condition_number", 0.5, "from 1 to 10¹²"),
        ("condition_number", float("nan"), "from 1 to 10¹²"),
        ("condition_number", float("inf"), "from 1 to 10¹²"),
        ("condition_number", "abc", "from 1 to 10¹²"),
        ("condition_number", True, "from 1 to 10¹²"),
        ("gamma", "", "Restart γ is empty: give a number above 0, at most 100."),
        ("gamma", "two", "Restart γ = “two” is no number: give a number above 0, at most 100."),
        ("mu0", 0, "above 0, at most 1"),
        ("mu0", -0.1, "above 0, at most 1"),
        ("mu0", 1.01, "above 0, at most 1"),
        ("gamma", 0, "γ = 0 is not allowed: give a number above 0, at most 100"),
        ("gamma", -2, "γ = −2 is not allowed"),
        ("iterations", 0, "from 1 to 100\u202f000"),
        ("iterations", 10**9, "from 1 to 100\u202f000"),
        ("iterations", 1.5, "from 1 to 100\u202f000"),
        ("n", 0, "from 1 to 10\u202f000"),
        ("n", None, "from 1 to 10\u202f000"),
        ("seed", -1, "Seed = −1 is not allowed: give a whole number from 0 to 2\u202f147\u202f483\u202f647"),
        ("methods", ["newton"], "'apg'"),
        ("methods", [], "at least one"),
        ("methods", "apg", "list of names"),
        ("problem", "chess", "'quadratic'"),
        ("spectrum", "wild", "'log'"),
        ("spectrum", [], "'log'"),
        ("estimator", "oracle", "'polyak'"),
        ("eigenvalues", 3, "text"),
        ("colour", 1, "not a setting"),
    ],
)
def test_what_is_not_allowed_is_refused_in_words(name, value, allowed):
    with pytest.raises(SettingsError) as refused:
        Settings.from_values(Settings().values() | {name: value})
    assert refused.value.name == name
    assert allowed in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" , ;", "empty"),
        ("1, -0.1", "'-0.1'"),
        ("1, x", "'x'"),
        ("nan", "nan"),
        ("inf 1", "inf"),
        ("0 0", "All eigenvalues are 0"),
        ("1 " * 10_001, "10\u202f001"),
    ],
)
def test_an_own_spectrum_is_checked(text, words):
    with pytest.raises(SettingsError, match=words) as refused:
        Settings(spectrum="own", eigenvalues=text)
    assert refused.value.name == "eigenvalues"


def test_an_own_spectrum_is_only_judged_where_it_is_used():
    assert Settings(spectrum="log", eigenvalues="").eigenvalues == ""


def test_an_own_spectrum_is_used():
    problem = build_problem(Settings(spectrum="own", eigenvalues="2; 0.5, 1e-2"))
    assert (problem.L, problem.mu) == (2.0, 0.01)


def test_methods_keep_the_order_of_the_page():
    assert Settings(methods=("pgd", "apg", "pgd")).methods == ("apg", "pgd")


@given(
    condition_number=st.floats(1, 1e12),
    mu0=st.floats(0, 1, exclude_min=True),
    gamma=st.floats(0, 100, exclude_min=True),
    iterations=st.integers(1, 100_000),
    n=st.integers(1, 10_000),
    seed=st.integers(0, 2**31 - 1),
)
def test_allowed_values_come_back_as_they_were(**values):
    settings = Settings.from_values(values)
    assert Settings.from_values(settings.values()) == settings
    assert {name: getattr(settings, name) for name in values} == values


@given(st.text())
def test_no_text_breaks_the_parser(text):
    try:
        values = parse_eigenvalues(text)
    except SettingsError:
        return
    assert values
    assert np.isfinite(values).all()


def test_every_setting_says_what_it_is():
    for each in fields(Settings):
        assert each.metadata["label"]
        assert each.metadata["help"].endswith(".")
