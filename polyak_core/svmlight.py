"""The text format of LIBSVM and SVMlight: lines of ``label index:value index:value # remark``."""

from __future__ import annotations

import numpy as np
import scipy

from polyak_core.sparse import Matrix


def parse_svmlight(text: str, name: str) -> tuple[Matrix, list[str], list[str]]:
    """X as a `csr_array` of shape (m, n), the labels as they stand, and notes in words.

    Indices count from 1; if one is 0, from 0. n is the largest index. ``qid:`` is left out.

    Raises:
        ValueError: a field that is not index:value, a value that is not finite, an index twice in a line,
            no line or no feature at all.
    """
    labels: list[str] = []
    indices: list[int] = []
    values: list[float] = []
    ends = [0]
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        if ":" in fields[0]:
            raise ValueError(f"{name}, line {number} begins with {fields[0]!r:.40}: put the label first")
        labels.append(fields[0])
        pairs = [_pair(field, name, number) for field in fields[1:] if not field.startswith("qid:")]
        here = [index for index, _ in pairs]
        if len(set(here)) < len(here):
            raise ValueError(f"{name}, line {number} has an index twice: give each feature once")
        indices += here
        values += [value for _, value in pairs]
        ends.append(len(indices))
    if not labels:
        raise ValueError(f"{name} is empty: give a line per observation, label index:value ...")
    if not indices:
        raise ValueError(f"{name} has no features in any line: give index:value after the label")
    from_zero = min(indices) == 0
    columns = np.array(indices) - (0 if from_zero else 1)
    X = scipy.sparse.csr_array((values, columns, ends), shape=(len(labels), int(columns.max()) + 1))
    X.sort_indices()
    return X, labels, ["indices count from 0"] if from_zero else []


def _pair(field: str, name: str, line: int) -> tuple[int, float]:
    index, colon, value = field.partition(":")
    try:
        if not colon:
            raise ValueError
        pair = int(index), float(value)
    except ValueError:
        raise ValueError(
            f"{name}, line {line} has {field!r:.40}, which is not index:value, a whole number and a number"
        ) from None
    if pair[0] < 0:
        raise ValueError(f"{name}, line {line} has the index {pair[0]}: indices count from 1 (or 0)")
    if not np.isfinite(pair[1]):
        raise ValueError(
            f"{name}, row in line {line}, column {pair[0]} is {value!r}, not finite: drop or fill such rows"
        )
    return pair
