"""Numbers and lists as people type them, with decimal points and decimal commas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polyak_widgets.numbers import number_text, typed_number
from polyak_widgets.settings.settings import Settings, SettingsError, parse_eigenvalues


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2,5", 2.5),
        ("2.5", 2.5),
        (" 2,5 ", 2.5),
        (",5", 0.5),
        ("0,125", 0.125),
        ("1,5e1", 15),
        ("10 000", 10_000),
        ("1\u202f000", 1000),
        ("1e+01", 10),
        ("7", 7),
        ("10^1", 10),
        ("10**-2", 0.01),
        ("10⁻³", 1e-3),
        ("10⁴", 1e4),
        ("−10⁴", -1e4),
        ("2.5 × 10¹", 25),
        ("2,5·10^-2", 0.025),
        ("3x10^1", 30),
        ("3*10¹⁰", 3e10),
        ("1 × 10^+1", 10),
    ],
)
def test_a_typed_number_is_read(text, number):
    assert typed_number(text) == number
    if 0 < number <= 100:
        assert Settings.from_values({"gamma": text}).gamma == number


@given(st.floats(-1e300, 1e300), st.integers(1, 6))
def test_what_the_page_writes_it_reads(number, digits):
    assert typed_number(number_text(number, digits)) == pytest.approx(
        float(f"{number:.{digits - 1}e}"), rel=1e-12, abs=1e-320
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,000", "'1,000' is unclear"),
        ("1.234,5", "“1.234,5” is no number"),
        ("1,2,3", "is no number"),
        ("five", "“five” is no number"),
        ("10⁴⁻", "is no number"),
        ("10^", "is no number"),
        ("2⁴", "is no number"),
        ("1.5.10^2", "is no number"),
        ("nan", "is no number"),
        ("", "is empty"),
        (" ", "is empty"),
        ("250,5", "at most 100"),
    ],
)
def test_what_is_unclear_or_no_number_is_said(text, words):
    with pytest.raises(SettingsError, match="Restart γ") as refused:
        Settings.from_values({"gamma": text})
    assert words in str(refused.value)
    assert refused.value.name == "gamma"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1; 0,5; 0,25", [1, 0.5, 0.25]),
        ("1;0,5;0,25", [1, 0.5, 0.25]),
        ("1 ; ,5 ; 2,5e-1", [1, 0.5, 0.25]),
        ("1,5, 2,5; 3", [1.5, 2.5, 3]),
        ("1; 0.5; 0.25", [1, 0.5, 0.25]),
        ("2; 0.5, 1e-2", [2, 0.5, 0.01]),
        ("2; 0.5,0.01", [2, 0.5, 0.01]),
        ("1, 0.1, 0.01", [1, 0.1, 0.01]),
        ("1,0.1,0.01", [1, 0.1, 0.01]),
        ("1,2,3", [1, 2, 3]),
        ("1, 2", [1, 2]),
        ("1 0.5\n0.25\t3", [1, 0.5, 0.25, 3]),
        ("5", [5]),
    ],
)
def test_a_typed_list_is_read(text, values):
    assert parse_eigenvalues(text) == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,5", "“0,5” may be 0.5, or 0 and 5"),
        ("1 0,5 0,25", "may be 0.5, or 0 and 5"),
        ("1, 0,5, 0,25", "may be 0.5, or 0 and 5"),
        ("1;2,5;0.5", "'2,5' has a decimal comma and '0.5' a decimal point"),
        ("1,000; 2,500", "'1,000' is unclear"),
        ("1;2,5;3,4,5", "'3,4,5' is not an eigenvalue"),
    ],
)
def test_a_list_that_is_unclear_is_refused_in_words(text, words):
    with pytest.raises(SettingsError) as refused:
        parse_eigenvalues(text)
    assert words in str(refused.value)
    assert refused.value.name == "eigenvalues"


numbers = st.decimals(0, 1000, places=3).map(lambda value: format(value.normalize(), "f"))


@given(
    st.lists(numbers, min_size=1, max_size=6),
    st.sampled_from([",", ", ", ";", "; ", " ", "\n"]),
    st.sampled_from(".,"),
)
def test_a_list_comes_back_or_is_refused(texts, separator, mark):
    values = [float(text) for text in texts]
    written = separator.join(text.replace(".", mark) for text in texts)
    refused = False
    try:
        eigenvalues = parse_eigenvalues(written)
    except SettingsError:
        refused = True
    if refused:
        clear = mark == "." and (
            ";" in separator or separator.isspace() or any("." in text for text in texts)
        )
        assert max(values) == 0 or not clear
    elif mark == "." or separator != ",":  # without a space, commas are all alike
        np.testing.assert_array_equal(eigenvalues, values)
