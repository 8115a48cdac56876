"""Checks of what people hand in: numbers, arrays, texts, functions; taken as meant, or refused in words."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array

Given = Any
"""What people hand in, not checked yet."""
REAL = (numbers.Real, Decimal, np.bool_)
Kind = TypeVar("Kind")
LONGEST_SHOWN = 80
"""Characters of what was given that a message repeats."""
NAMED = 5
"""Places that a message names."""
SCALES = 1e-150, 1e150
"""The range of L in which squares of gradients neither overflow nor vanish."""
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


def _places(places: npt.NDArray[np.intp]) -> str:
    """Rows and columns in words, counted from 1."""
    named = [
        " ".join(f"{title} {index + 1}" for title, index in zip(TITLES, place.tolist(), strict=False))
        for place in places[:NAMED]
    ]
    return "in " + ", ".join(named) + (" and more" if len(places) > NAMED else "") + " (counted from 1)"


def finite_array(value: Given, name: str, ndim: int) -> Array:
    """A float64 copy-free view of what was given, or a ValueError in words.

    Raises:
        ValueError: not numeric, wrong number of axes, empty, or not finite.
    """
    array = np.asarray(real_array(value, name), dtype=np.float64)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes; got shape {array.shape}. Reshape it first.")
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}); give at least one entry.")
    if not np.isfinite(array).all():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} has {bad} entries that are NaN or infinite; remove or replace them.")
    return array


def signs(y: Given, rows: int, of: str) -> Array:
    """Labels +1 and -1, one for each row of the matrix `of`, a copy; or a ValueError in words."""
    labels = finite_array(y, "y", ndim=1).copy()
    if labels.size != rows:
        raise ValueError(f"y has {labels.size} entries but {of} has {rows} rows; give one label per row.")
    wrong = labels[np.abs(labels) != 1]
    if wrong.size:
        raise ValueError(
            f"y has {wrong.size} labels that are not +1 or -1 (the first is {wrong[0]:g}); "
            "map the two classes to +1 and -1, for instance with 2 * y - 1 for 0 and 1."
        )
    return labels


def real_number(value: Given, name: str, allowed: str) -> float:
    """A finite float, or a ValueError that says what is allowed."""
    number = math.nan
    with contextlib.suppress(Exception):  # an object that is no number may raise anything
        if not isinstance(value, np.ma.MaskedArray):
            array = np.asarray(value)
            number = float(value) if array.ndim == 0 and array.dtype.kind in "iufO" else math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} = {shown(value)} is not a number that can be used; allowed is {allowed}.")
    return number


def whole_number(value: Given, name: str, low: int, high: int) -> int:
    """An int between ``low`` and ``high``, both included, or a ValueError."""
    number = real_number(value, name, f"a whole number from {low} to {high}")
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{name} = {shown(value)} is not allowed: give a whole number from {low} to {high}.")
    return int(number)


def several(value: Given, name: str, what: str) -> list[Any]:
    """The entries of a list or the like, or a ValueError that says what to give; a text is none."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return list(value)
    except Exception:  # an object may raise anything when it is asked for its entries
        raise ValueError(f"{name} = {shown(value)} is not allowed: give a list of {what}.") from None


def of_kind(value: Given, kind: type[Kind], name: str, remedy: str) -> Kind:
    """The value itself if it is of this class, or a ValueError with the remedy."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is of type {type(value).__name__}: {remedy}.")
    return value


def called(value: Given, name: str, when: str) -> Callable[..., Any] | None:
    """A function or None, or a ValueError that says when it is called."""
    if value is not None and not callable(value):
        raise ValueError(
            f"{name} = {shown(value)} cannot be called; give a function that is {when}, or None."
        )
    return value  # type: ignore[no-any-return]


def text(value: Given, name: str) -> str:
    """A str, or a ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{name} = {shown(value)} is not allowed: give text.")
    return value


def checked_scale(L: float, remedy: str) -> float:
    """L, or a ValueError in words."""
    low, high = SCALES
    if not low <= L <= high:
        raise ValueError(
            f"L = {L:g} is not allowed: it must be from {low:g} to {high:g}, or squares overflow or vanish; "
            f"{remedy}."
        )
    return L


def one_of(value: Given, name: str, allowed: Sequence[str]) -> str:
    """A known name, or a ValueError that lists them."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} {shown(value)} is unknown; choose one of {', '.join(map(repr, allowed))}.")
    return str(value)


def checked_target(b: Given, rows: int) -> Array:
    """A copy of the right-hand side of least squares, or a ValueError in words."""
    target = finite_array(b, "b", ndim=1).copy()
    if target.size != rows:
        raise ValueError(f"b has {target.size} entries but A has {rows} rows; give one entry per row.")
    with np.errstate(over="ignore"):
        squared = float(target @ target)
    if not np.isfinite(squared):
        raise ValueError(
            f"b is so large (up to {np.abs(target).max():.1e}) that 1/2 ||b||^2 overflows; scale the data."
        )
    return target


def checked_weight(lam: Given, why: str) -> float:
    """lam >= 0, or a ValueError in words; `why` not below."""
    weight = real_number(lam, "lam", "a number >= 0")
    if weight < 0:
        raise ValueError(f"lam = {shown(lam)} is negative{why}; give a number >= 0.")
    return weight
