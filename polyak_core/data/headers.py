"""Whether the first row of a table holds names: told by what it holds and by what is below."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from polyak_core.data.cells import is_value, is_word

WHOLE = re.compile(r"\d{1,15}", re.ASCII)
MOSTLY = 0.9
"""The part of the cells that decides what kind a column is."""


def has_names(rows: Sequence[Sequence[str]], at: int, left_out: Set[int] = frozenset()) -> bool:
    """Whether the first row holds names.

    Words where features stand are names, unless there are numbers too. Then, and where there are numbers
    alone, a label decides that is no label elsewhere: a word above numbers, or another word than those below.

    Args:
        rows: of as many cells each.
        at: the column of the labels.
        left_out: columns that are neither features nor labels.
    """
    first, labels = rows[0], [row[at] for row in rows[1:]]
    corner = [0] if not first[0] else []  # a column of row numbers has no name
    features = [j for j in range(len(first)) if j not in {at, *corner, *left_out}]
    words = [first[j] for j in features if is_word(first[j])]
    if words and not any(is_value(first[j]) for j in features):
        return True
    if not labels or not (is_value(first[at]) or is_word(first[at])):
        return False
    if is_word(first[at]) and not any(map(is_word, labels)):
        return True
    new = first[at] not in labels and len(set(labels)) < len(labels)
    if words:
        return new and is_word(first[at])
    return _are_numbers_as_names(rows, features, at, new)


def _are_numbers_as_names(rows: Sequence[Sequence[str]], features: Sequence[int], at: int, new: bool) -> bool:
    """Whether whole numbers in the first row, each once, are names and no observation.

    They are if a number stands above labels that are words. They also are if two of these three hold: the
    numbers go up by equal steps; the columns below them do not hold whole numbers; the label is `new`, that
    is, different from all labels below, which repeat.
    """
    columns = [*features, at] if is_value(rows[0][at]) else features
    first = [rows[0][j] for j in columns]
    if not first or not all(map(WHOLE.fullmatch, first)) or len(set(first)) < len(first):
        return False
    if is_value(rows[0][at]) and all(is_word(row[at]) for row in rows[1:]):
        return True
    unlike = [_is_mostly_unlike(rows, j) for j in columns]
    others = all(unlike[: len(features)])
    if are_numbered(first):
        return others or (new and len(features) > 1)
    return len(features) > 1 and others and (new or all(unlike))


def are_numbered(first: Sequence[str]) -> bool:
    """Whether cells count from 0, or are three whole numbers or more that go up by equal steps, as years do.

    >>> are_numbered(["0", "1"]), are_numbered(["1990", "2000", "2010"]), are_numbered(["5", "3", "1"])
    (True, True, False)
    """
    if not all(map(WHOLE.fullmatch, first)):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(first)}
    return len(steps) == 1 and min(steps) > 0 and (len(first) > 2 or list(first) == ["0", "1"])


def _is_mostly_unlike(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether the column has other things than whole numbers below the first row."""
    below = [row[column] for row in rows[1:]]
    return sum(WHOLE.fullmatch(cell) is None for cell in below) >= MOSTLY * len(below)
