"""What people call the two kinds of their observations, made -1 and +1; or a real-valued target, as it is."""

from __future__ import annotations

import numbers
from decimal import Decimal

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import Given, shown, visible
from polyak_core.data.written_numbers import is_number

MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "<na>", "nat"}
"""What people and programs write where they have nothing, in small letters."""
KINDS = "biufUSO"
"""Of NumPy's types, those that labels can have."""


def read_labels(y: Given, rows: int) -> tuple[Array, list[str]]:
    """The target as float64 of shape (rows,), and what was done to it in words.

    Two values of any kind become -1 (the smaller one) and +1. Numbers of more kinds, or of one, stay. Text
    that is a number counts as one; bytes count as text.

    Raises:
        ValueError: wrong length, missing, hidden by a mask, not finite, neither number nor text, or text of
            one kind or of more than two.
    """
    labelled = visible(y, "y")
    try:
        values = np.asarray(labelled)
    except MemoryError:
        raise
    except Exception:  # ragged, or an object that does not know how
        raise ValueError(f"y must have one label per row; got {shown(y)}") from None
    if values.ndim != 1 or values.size != rows:
        raise ValueError(f"y has shape {values.shape}, but X has {rows} rows: give one label per row")
    if values.dtype.kind not in KINDS:
        raise ValueError(f"y holds {values.dtype}, but labels are real numbers or text: give one of these")
    if values.dtype.kind in "biuf":
        return _from_numbers(_finite(np.array(values, dtype=np.float64)))
    labels = [_plain(value, row) for row, value in enumerate(values.tolist(), start=1)]
    numbers = _finite(np.array([0.0 if isinstance(label, str) else label for label in labels]))
    if not any(isinstance(label, str) for label in labels):
        return _from_numbers(numbers)
    return _from_text([label if isinstance(label, str) else f"{label:g}" for label in labels])


def _plain(value: Given, row: int) -> float | str:
    """A label as a number, NaN among them, or as text."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        word = value.strip()
        if is_number(word) or word.lower() == "nan":
            return float(word)
        value = None if word.lower() in MISSING else word
    elif isinstance(value, numbers.Real | Decimal):
        return float(value)
    if value is None or _is_missing(value):
        raise ValueError(f"y has no label in row {row} (counted from 1): drop the row or fill it")
    if isinstance(value, str):
        return value
    raise ValueError(
        f"y is {value!r:.40} in row {row} (counted from 1), but labels are real numbers or text: give these"
    )


def _is_missing(value: Given) -> bool:
    """Whether a value stands for none: then it does not equal itself."""
    try:
        return bool(value != value)  # noqa: PLR0124 - this tells NaN and NaT
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different
        return True


def _finite(values: Array) -> Array:
    wrong = np.flatnonzero(~np.isfinite(values))
    if not wrong.size:
        return values
    row = int(wrong[0]) + 1
    missing = f", so there is no label in row {row}" if np.isnan(values[wrong[0]]) else ""
    raise ValueError(
        f"y is not finite in row {row} (counted from 1){missing}: drop or fill the rows without a label"
    )


def _from_numbers(target: Array) -> tuple[Array, list[str]]:
    kinds = np.unique(target)
    if kinds.size == 1:
        return target, [f"every label is {kinds[0]:g}: fine for regression, not for two classes"]
    if kinds.size > 2:
        return target, [f"y takes {kinds.size} values and is kept as the target of a regression"]
    if kinds[0] == -1 and kinds[1] == 1:
        return target, []
    return np.where(target == kinds[0], -1.0, 1.0), [
        f"labels: {kinds[0]:g} became -1, {kinds[1]:g} became +1"
    ]


def _from_text(words: list[str]) -> tuple[Array, list[str]]:
    kinds = sorted(set(words))
    if len(kinds) != 2:
        shown = ", ".join(map(repr, kinds[:5])) + (", ..." if len(kinds) > 5 else "")
        raise ValueError(
            f"the labels are text of {len(kinds)} kinds ({shown}), but there must be two: keep the rows of "
            "two kinds, or give numbers"
        )
    return np.array([-1.0 if word == kinds[0] else 1.0 for word in words]), [
        f"labels: {kinds[0]!r} became -1, {kinds[1]!r} became +1"
    ]
