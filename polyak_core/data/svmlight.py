"""The text format of LIBSVM and SVMlight: lines of ``label index:value index:value # remark``."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import islice

import numpy as np
import scipy

from polyak_core.data.labels import MISSING
from polyak_core.data.written_numbers import is_number
from polyak_core.matrices.kinds import Matrix

JUDGED, LOOKED_AT = 50, 1_000_000
"""How many lines, and letters, are read to recognise the format."""
ALWAYS_TAKEN, PER_ENTRY = 2**22, 10
"""The most columns that are taken, or the most for each entry; more would be nearly empty and cost memory."""
LONGEST_INDEX = 15
"""Digits; no file has so many columns."""


def is_svmlight(text: str) -> bool:
    """Whether most of the first lines with several fields are a label and pairs."""
    several = [fields for _, fields in islice(_lines(text[:LOOKED_AT]), JUDGED) if len(fields) > 1]
    return 2 * sum(map(_is_example, several)) > len(several)


def _is_example(fields: list[str]) -> bool:
    label, *pairs = fields
    parts = [pair.partition(":") for pair in pairs]
    fit = all((index.isdecimal() or index == "qid") and is_number(value) for index, _, value in parts)
    return fit and ":" not in label and label[-1] not in ",;"


def parse_svmlight(text: str, name: str) -> tuple[Matrix, list[str], list[str]]:
    """X as a `csr_array` of shape (m, n), the labels as they stand, and notes in words.

    Indices count from 1; if one is 0, from 0. n is the largest index. ``qid:`` is left out.

    Raises:
        ValueError: a field that is not index:value, a value that is not finite, an index twice in a line or
            far beyond what entries there are, no label, no line or no feature at all.
    """
    labels: list[str] = []
    indices, values, ends = array("q"), array("d"), array("q", [0])
    for number, (label, *fields) in _lines(text):
        if ":" in label:
            raise ValueError(f"{name}, line {number} begins with {label!r:.40}: put the label first")
        if label.lower() in MISSING:
            raise ValueError(f"{name} has no label in line {number} ({label!r}): drop the line or fill it")
        labels.append(label)
        pairs = [_pair(field, name, number) for field in fields if not field.startswith("qid:")]
        here = [index for index, _ in pairs]
        if len(set(here)) < len(here):
            raise ValueError(f"{name}, line {number} has an index twice: give each feature once")
        indices.extend(here)
        values.extend(value for _, value in pairs)
        ends.append(len(indices))
    if not labels:
        raise ValueError(f"{name} is empty: give a line per observation, label index:value ...")
    if not indices:
        raise ValueError(f"{name} has no features in any line: give index:value after the label")
    columns, from_zero = np.array(indices), min(indices) == 0
    if not from_zero:
        columns -= 1
    n = int(columns.max()) + 1
    if n > max(ALWAYS_TAKEN, PER_ENTRY * len(indices)):
        raise ValueError(
            _size_error(name, str(max(indices)), f", but only {np.unique(columns).size} different ones")
        )
    X = scipy.sparse.csr_array((np.array(values), columns, np.array(ends)), shape=(len(labels), n))
    X.sort_indices()
    return X, labels, ["indices count from 0"] if from_zero else []


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that has some, without its remark, and its number."""
    for number, line in enumerate(re.split(r"\r\n?|\n", text), start=1):
        if fields := line.partition("#")[0].split():
            yield number, fields


def _size_error(place: str, index: str, more: str = "") -> str:
    return (
        f"{place} has the index {index:.40}{more}, as if it were hashed: a matrix with so many columns takes "
        "too much memory; number those that occur 1, 2, 3, ..."
    )


def _pair(field: str, name: str, line: int) -> tuple[int, float]:
    index, _, value = field.partition(":")
    if not re.fullmatch(r"-?\d+", index, re.ASCII) or not (is_number(value) or value.lower() == "nan"):
        raise ValueError(
            f"{name}, line {line} has {field!r:.40}, which is not index:value, a whole number and a number"
        )
    if index.startswith("-"):
        raise ValueError(f"{name}, line {line} has the index {index:.40}: indices count from 1 (or 0)")
    if len(index.lstrip("0")) > LONGEST_INDEX:
        raise ValueError(_size_error(f"{name}, line {line}", index))
    if not np.isfinite(float(value)):
        raise ValueError(
            f"{name}, row in line {line}, column {index} is {value!r}, not finite: drop or fill such rows"
        )
    return int(index), float(value)
