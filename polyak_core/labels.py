"""What people call the two kinds of their observations, made -1 and +1; or a real-valued target, as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Given


def read_labels(y: Given, rows: int) -> tuple[Array, list[str]]:
    """The target as float64 of shape (rows,), and what was done to it in words.

    Two values of any kind become -1 (the smaller one) and +1. Numbers of more kinds, or of one, stay.

    Raises:
        ValueError: wrong length, not finite, or text of one kind or of more than two.
    """
    try:
        values = np.asarray(y)
    except ValueError:
        raise ValueError(f"y must be one label a row; got {y!r:.80}") from None
    if values.ndim != 1 or values.size != rows:
        raise ValueError(f"y has shape {values.shape}, but X has {rows} rows: give one label a row")
    if values.dtype.kind in "biuf":
        numbers = np.array(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            first = int(np.flatnonzero(~np.isfinite(numbers))[0]) + 1
            raise ValueError(
                f"y is not finite in row {first} (counted from 1): drop or fill the rows without a label"
            )
        return _from_numbers(numbers)
    return _from_text(values)


def _from_numbers(numbers: Array) -> tuple[Array, list[str]]:
    kinds = np.unique(numbers)
    if kinds.size == 1:
        return numbers, [f"every label is {kinds[0]:g}: fine for regression, not for two classes"]
    if kinds.size > 2:
        return numbers, [f"y takes {kinds.size} values and is kept as the target of a regression"]
    if kinds[0] == -1 and kinds[1] == 1:
        return numbers, []
    return np.where(numbers == kinds[0], -1.0, 1.0), [
        f"labels: {kinds[0]:g} became -1, {kinds[1]:g} became +1"
    ]


def _from_text(values: npt.NDArray[np.generic]) -> tuple[Array, list[str]]:
    words = [str(value).strip() for value in values]
    try:
        return read_labels(np.array(words, dtype=np.float64), len(words))
    except ValueError as error:
        if "not finite" in str(error):
            raise
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
