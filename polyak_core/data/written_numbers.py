"""Numbers as people write them: 2.5, 1e-3, and 2,5 where a decimal comma is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

EXPONENT = r"(?:e[+-]?\d+)?"
NUMBER = re.compile(rf"[+-]?(?:(?:\d+\.?\d*|\.\d+){EXPONENT}|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
WITH_COMMA = re.compile(rf"[+-]?\d*,\d+{EXPONENT}", re.ASCII | re.IGNORECASE)
IN_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
UNCLEAR = "write numbers with a decimal point, and with no mark between thousands"


class UnclearNumberError(ValueError):
    """A comma in a number may mean two things."""


def is_number(word: str) -> bool:
    """Whether a word is a number with a decimal point, or infinite; NaN is none."""
    return NUMBER.fullmatch(word) is not None


def decimal_mark(words: Iterable[str]) -> str:
    """What numbers among these words have before their decimals: a point, or a comma where one is meant.

    >>> decimal_mark(["1.5", "2"]), decimal_mark(["1,5", "2"])
    ('.', ',')

    Raises:
        UnclearNumberError: it is unclear, since there are both, or each comma may stand between thousands.
    """
    numbers = [word for word in words if is_number(word) or WITH_COMMA.fullmatch(word)]
    commas = [word for word in numbers if "," in word]
    if not commas:
        return "."
    points = [word for word in numbers if "." in word]
    if points:
        raise UnclearNumberError(
            f"{commas[0]!r} has a decimal comma and {points[0]!r} a decimal point, so it is unclear what a "
            f"comma means: {UNCLEAR}"
        )
    if all(IN_THOUSANDS.fullmatch(word) for word in commas):
        raise UnclearNumberError(
            f"{commas[0]!r} is unclear, since its comma may be a decimal comma or stand between thousands: "
            f"{UNCLEAR}"
        )
    return ","
