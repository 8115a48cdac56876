"""The spectrum of a synthetic problem: a list that people type, or one of the core's."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import polyak_core as pc
from polyak_core.data.written_numbers import WITH_COMMA, decimal_mark
from polyak_widgets.numbers import count_text
from polyak_widgets.settings.fields import SettingsError

if TYPE_CHECKING:
    from polyak_widgets.settings.settings import Settings

MOST_EIGENVALUES = 10_000


def eigenvalues_of(settings: Settings) -> npt.NDArray[np.float64]:
    """Those that the settings describe, shape (n,).

    Raises:
        SettingsError: an own list that is none.
    """
    if settings.spectrum == "own":
        return np.array(parse_eigenvalues(settings.eigenvalues))
    return pc.spectrum(settings.spectrum, settings.n, settings.condition_number)


def spectrum_key(settings: Settings) -> tuple[object, ...]:
    """The settings that the spectrum depends on."""
    if settings.spectrum == "own":
        return ("own", tuple(parse_eigenvalues(settings.eigenvalues)))
    return (settings.spectrum, settings.n, settings.condition_number)


def parse_eigenvalues(text: str) -> list[float]:
    """The numbers of an own spectrum.

    Raises:
        SettingsError: nothing given, too many, not a number, negative, or all zero.
    """
    words = _split(text)
    if not words:
        raise SettingsError(
            "eigenvalues", "The list of eigenvalues is empty: give at least one, such as 1, 0.1, 0.01."
        )
    if len(words) > MOST_EIGENVALUES:
        raise SettingsError(
            "eigenvalues",
            f"{count_text(len(words))} eigenvalues are more than the {count_text(MOST_EIGENVALUES)} that "
            "this page draws.",
        )
    values = [_eigenvalue(word) for word in words]
    if max(values) == 0:
        raise SettingsError("eigenvalues", "All eigenvalues are 0: f is constant; give at least one above 0.")
    return values


def _split(text: str) -> list[str]:
    """The numbers of a list as words, with decimal points.

    A comma splits the list; in one that is split by semicolons it is a decimal comma.

    Raises:
        SettingsError: it is unclear what commas mean.
    """
    parts = re.split(r"[;\s]+", text)
    words = [word for part in parts if (word := part.rstrip(",") if ";" in text else part.strip(","))]
    commas = [word for word in words if WITH_COMMA.fullmatch(word)]
    if ";" in text:
        try:
            mark = decimal_mark(words)
        except ValueError as error:
            raise SettingsError("eigenvalues", f"In the list of eigenvalues {error}.") from None
        if mark == ",":
            return [word.replace(",", ".") if word in commas else word for word in words]
    elif commas and "." not in text and not any(word.count(",") > 1 for word in words):
        first, second = commas[0].split(",")
        raise SettingsError(
            "eigenvalues",
            f"“{commas[0]}” may be {first or 0}.{second}, or {first or 0} and {second}: write a decimal "
            "point, or separate the numbers by semicolons.",
        )
    return [number for word in words for number in word.split(",") if number]


def _eigenvalue(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise SettingsError(
            "eigenvalues", f"{word[:40]!r} is not an eigenvalue: give finite numbers, none negative."
        )
    return number
