"""Entries of what people hand in: numbers in objects, tables and masks, as float64 or refused in words."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

REAL = (numbers.Real, Decimal, np.bool_)
NAMED = 5
"""Places that a message names."""
TITLES = ("row", "column", "layer")
"""What axes are called."""


def real_entries(value: Any, name: str) -> npt.NDArray[np.float64]:
    """A float64 array, as it is where it is one; of a table with boolean or nullable columns its values.

    Raises:
        ValueError: entries are hidden by a mask, missing, or no real numbers; rows of different length.
    """
    value = visible(value, name)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array("")
    if array.dtype.kind == "O" and array.ndim:
        _require_real(array, name)
    elif array.dtype.kind not in "buif":
        raise ValueError(
            f"{name} must be an array of real numbers, with rows of equal length; got {value!r:.80}."
        )
    try:
        with np.errstate(over="ignore"):  # what float64 cannot hold is infinite then, and refused as that
            return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a whole number that float64 cannot hold; scale it first.") from None


def visible(value: Any, name: str) -> Any:
    """What was given, if no entry of it is hidden by a mask.

    Raises:
        ValueError: hidden entries, with their places.
    """
    if isinstance(value, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in value):
        value = np.ma.array(value)  # NumPy's asarray would bring out what the rows hide
    if not isinstance(value, np.ma.MaskedArray):
        return value
    hidden = np.argwhere(np.ma.getmaskarray(value))
    if len(hidden):
        what = "1 entry" if len(hidden) == 1 else f"{len(hidden)} entries"
        raise ValueError(
            f"{name} hides {what} behind a mask, {_places(hidden)}: fill them or drop their rows."
        )
    return value.data


def _require_real(array: npt.NDArray[Any], name: str) -> None:
    """Refuse objects that are not all real numbers."""
    wrong = {kind for kind in set(map(type, array.flat)) if not issubclass(kind, REAL)}
    if not wrong:
        return
    at = next(place for place, entry in np.ndenumerate(array) if type(entry) in wrong)
    raise ValueError(
        f"{name} must be an array of real numbers, but holds {array[at]!r:.40}, {_places(np.array([at]))}: "
        "code or fill such entries, or drop their rows."
    )


def _places(found: npt.NDArray[np.intp]) -> str:
    """Rows and columns in words, counted from 1."""
    named = [
        " ".join(f"{title} {index + 1}" for title, index in zip(TITLES, place.tolist(), strict=False))
        for place in found[:NAMED]
    ]
    return "in " + ", ".join(named) + (" and more" if len(found) > NAMED else "") + " (counted from 1)"
