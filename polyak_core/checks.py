"""Entries of what people hand in: numbers in objects, tables and masks, as float64 or refused in words."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

REAL = (numbers.Real, Decimal, np.bool_)
LONGEST_SHOWN = 80
"""Characters of what was given that a message repeats."""
NAMED = 5
"""Places that a message names."""
TITLES = ("row", "column", "layer")
"""What axes are called."""


def shown(value: Any) -> str:
    """What was given, for a message: short, on one line, whatever it is."""
    try:
        words = " ".join(repr(value).split())
    except Exception:
        words = f"an object of type {type(value).__name__}"
    return words if len(words) <= LONGEST_SHOWN else f"{words[: LONGEST_SHOWN - 3]}..."


def real_array(value: Any, name: str) -> npt.NDArray[Any]:
    """An array of booleans, integers or float64 of any shape; of a table with nullable columns its values.

    Raises:
        ValueError: entries are hidden by a mask, missing, or no real numbers; ragged rows; sparse.
    """
    value = visible(value, name)
    if hasattr(value, "toarray"):
        raise ValueError(f"{name} is sparse, and is needed dense; call its toarray() first.")
    try:
        array = np.asarray(value)
    except MemoryError:
        raise
    except Exception:  # ragged, or an object that does not know how
        array = np.array("")
    if array.dtype.kind == "O" and array.ndim:
        _require_real(array, name)
        return _in_float64(array, name)
    if array.dtype.kind not in "buif":
        raise ValueError(
            f"{name} must be an array of real numbers, with rows of equal length; got {shown(value)}."
        )
    return _in_float64(array, name) if array.dtype.itemsize > np.float64().itemsize else array


def _in_float64(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    """What float64 cannot hold is infinite, and refused as that where it matters; whole numbers at once."""
    try:
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
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
        f"{name} must be an array of real numbers, but holds {shown(array[at])}, {_places(np.array([at]))}: "
        "code or fill such entries, or drop their rows."
    )


def _places(found: npt.NDArray[np.intp]) -> str:
    """Rows and columns in words, counted from 1."""
    named = [
        " ".join(f"{title} {index + 1}" for title, index in zip(TITLES, place.tolist(), strict=False))
        for place in found[:NAMED]
    ]
    return "in " + ", ".join(named) + (" and more" if len(found) > NAMED else "") + " (counted from 1)"
