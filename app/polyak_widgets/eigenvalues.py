"""The spectrum of a synthetic problem: a list that people type, or one of the core's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import polyak_core as pc

from .fields import SettingsError
from .numbers import count_text

if TYPE_CHECKING:
    from .settings import Settings

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
    words = text.replace(",", " ").replace(";", " ").split()
    if not words:
        raise SettingsError(
            "eigenvalues", "The list of eigenvalues is empty: give at least one, like 1, 0.1, 0.01."
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


def _eigenvalue(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise SettingsError(
            "eigenvalues", f"{word[:40]!r} is no eigenvalue here: give finite numbers, none negative."
        )
    return number
