"""Numbers as people write them: the one place where a number becomes text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from polyak_core.data.written_numbers import decimal_mark, is_number

THIN = "\u202f"
MINUS = "\u2212"
MOST_NINES = 7
NUMBER = re.compile(r"(?<![\w.*^-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
SIGNS = {
    r"\bmu_k\b": "μₖ",
    r"\bmu\b": "μ",
    r"\blam\b": "λ",
    r"\bf_star\b": "f*",
    ">=": "≥",
    "<=": "≤",
}
WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
MOST_PARTS = 100
"""Parts of a quantity are written as a quotient up to here."""
EQUAL = 1e-9
DIGITS = 6
MOST_COUNTED = 1e15
"""Whole numbers below are written out."""
RAISED = "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
SUPERSCRIPTS, LOWERED = str.maketrans("-0123456789", RAISED), str.maketrans(RAISED, "-0123456789")
POWER = re.compile(
    rf"(^[+-]?|[\u00d7x*\u00b7])10(?:(?:\^|\*\*)([+-]?\d+)|([{RAISED}]+))", re.ASCII | re.IGNORECASE
)
"""A power of ten as people write it, at the start of a number or after its digits and a times sign."""


def count_text(number: int) -> str:
    """A whole number in groups of three.

    >>> count_text(1038) == "1\u202f038"
    True
    """
    return f"{number:,}".replace(",", THIN).replace("-", MINUS)


def power_text(exponent: int) -> str:
    """A power of ten.

    >>> power_text(-10)
    '10⁻¹⁰'
    """
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def number_text(value: float, digits: int = 2) -> str:
    """A number with so many digits; a power of ten where it is far from 1.

    >>> number_text(0.5), number_text(1.26e-15), number_text(1e-4), number_text(float("nan"))
    ('0.5', '1.3 × 10⁻¹⁵', '10⁻⁴', 'none')
    """
    if math.isnan(value):
        return "none"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = math.floor(math.log10(abs(rounded))) if rounded else 0
    if rounded and abs(rounded) >= 1e3 and rounded == int(rounded) and exponent < 5:
        return count_text(int(rounded))
    if -3 <= exponent < 4:
        return f"{rounded:g}".replace("-", MINUS)
    mantissa = (
        f"{rounded / 10.0**exponent:.{digits - 1}g}"
        if digits == 1
        else f"{float(f'{rounded:e}'.split('e')[0]):g}"
    )
    power = power_text(exponent)
    return power if mantissa == "1" else f"{mantissa} × {power}".replace("-", MINUS)


def given_text(value: object) -> str:
    """What somebody has given, with all its digits if it is a number: for messages that refuse it.

    >>> given_text(-1), given_text(1.25e-9), given_text(100_000.5), given_text("x")
    ('−1', '1.25 × 10⁻⁹', '100000.5', "'x'")
    >>> given_text(2.0**31) == count_text(2**31)
    True
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return repr(value)
    if value == int(value) and abs(value) < MOST_COUNTED:
        return count_text(int(value))
    short = float(f"{value:.{DIGITS - 1}e}") == value
    return number_text(value, DIGITS) if short else repr(value).replace("-", MINUS)


def rate_text(rate: float) -> str:
    """What something is multiplied by in each step, with two digits of how far it is from 1.

    >>> rate_text(0.98), rate_text(0.9999), rate_text(0.5), rate_text(1 - 3e-9)
    ('0.980', '0.99990', '0.50', '1 − 3 × 10⁻⁹')
    """
    if not 0 < rate < 1:
        return number_text(rate)
    digits = 1 - int(f"{1 - rate:.1e}".split("e")[1])
    return f"{rate:.{digits}f}" if digits <= MOST_NINES else f"1 {MINUS} {number_text(1 - rate)}"


def iterations_text(k: int) -> str:
    """So many iterations.

    >>> iterations_text(1), iterations_text(20)
    ('1 iteration', '20 iterations')
    """
    return f"{count_text(k)} iteration{'' if k == 1 else 's'}"


def multiple_text(factor: float, symbol: str) -> str:
    """So many times a quantity, as people write it.

    >>> multiple_text(0.5, "μ"), multiple_text(2, "L"), multiple_text(0.03, "μ"), multiple_text(1, "L")
    ('μ/2', '2 L', '0.03 μ', 'L')
    """
    if factor == 1:
        return symbol
    parts = round(1 / factor) if factor < 1 and 1 / factor <= MOST_PARTS else 0
    if parts > 1 and abs(parts * factor - 1) < EQUAL:
        return f"{symbol}/{parts}"
    return f"{number_text(factor, 3)} {symbol}"


def list_text(names: Sequence[str]) -> str:
    """Names in a row; semicolons keep apart those that hold commas.

    >>> list_text(["APG"]), list_text(["APG", "v2", "FISTA"]), list_text(["APG", "Restart, γ = 2", "FISTA"])
    ('APG', 'APG, v2 and FISTA', 'APG; Restart, γ = 2; and FISTA')
    >>> list_text(["APG, true μ", "FISTA"])
    'APG, true μ and FISTA'
    """
    if len(names) < 2:
        return "".join(names)
    if len(names) > 2 and any("," in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def count_word(number: int) -> str:
    """A small number as a word.

    >>> count_word(6), count_word(20)
    ('six', '20')
    """
    return WORDS[number] if number < len(WORDS) else count_text(number)


def comparison_text(ratio: float, time: bool = False) -> str:
    """A ratio as a change against something that follows.

    >>> comparison_text(1.26) == "26\u202f% more than", comparison_text(0.9) == "10\u202f% fewer than"
    (True, True)
    >>> comparison_text(1.0), comparison_text(7.0), comparison_text(7.0, time=True)
    ('just as many as', '7 times as many as', '7 times as long as')
    """
    change = _per_cent(ratio)
    return f"{change_text(ratio, time)} {'than' if 0 != change < 100 else 'as'}"


def change_text(ratio: float, time: bool = False) -> str:
    """A ratio of counts, or of times, as a change.

    >>> change_text(1.26) == "26\u202f% more", change_text(2.52), change_text(2.52, time=True)
    (True, '2.5 times as many', '2.5 times as long')
    """
    change, much = _per_cent(ratio), "long" if time else "many"
    if change == 0:
        return f"just as {much}"
    if change >= 100:
        return f"{number_text(ratio)} times as {much}"
    return f"{abs(change)}{THIN}% {'more' if change > 0 else 'less' if time else 'fewer'}"


def _per_cent(ratio: float) -> int:
    return round(100 * (ratio - 1))


def typeset(sentence: str) -> str:
    r"""A sentence of the core with the signs and the numbers of the page; what it says is not looked at.

    >>> typeset("mu_k fell below 5.6e-06 after 8000 steps: give L >= 0.5.")
    'μₖ fell below 5.6 × 10⁻⁶ after 8\u202f000 steps: give L ≥ 0.5.'
    >>> typeset("mu = -0.1 is not allowed: give a number in (0, L] with L = 1.")
    'μ = −0.1 is not allowed: give a number in (0, L] with L = 1.'
    >>> typeset("lam = 0 and a plane separates the classes; give lam > 0.")
    'λ = 0 and a plane separates the classes; give λ > 0.'
    """
    for plain, sign in SIGNS.items():
        sentence = re.sub(plain, sign, sentence)
    return NUMBER.sub(lambda match: _retold(match[0]), sentence)


def _retold(text: str) -> str:
    return count_text(int(text)) if text.isdecimal() else number_text(float(text), 3)


def typed_number(text: str) -> float:
    """The number that somebody has typed, with a decimal point or a decimal comma, or as the page writes it.

    >>> typed_number("2,5"), typed_number("10 000"), typed_number("−1e-3")
    (2.5, 10000.0, -0.001)
    >>> typed_number("10⁴"), typed_number("10^4"), typed_number("2,5 × 10⁻³")
    (10000.0, 10000.0, 0.0025)

    Raises:
        UnclearNumberError: it is unclear what its comma means.
        ValueError: it is no number.
    """
    bare = re.sub(r"\s", "", text).replace(MINUS, "-")
    if power := POWER.search(bare):
        bare = bare[: power.start()] + _ten_to(*power.groups("")) + bare[power.end() :]
    if decimal_mark([bare]) == ",":
        bare = bare.replace(",", ".")
    if not is_number(bare):
        raise ValueError(f"“{text:.40}” is no number")
    return float(bare)


def _ten_to(before: str, exponent: str, raised: str) -> str:
    """A power of ten behind what stands before it: nothing, a sign, or a times sign."""
    first = f"{before}1" if before in ("", "+", "-") else ""
    return f"{first}e{exponent or raised.translate(LOWERED)}"
