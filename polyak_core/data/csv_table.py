"""From the cells of a table to features and labels: names, decimal commas, columns that number the rows."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from polyak_core.arrays import Array
from polyak_core.data.cells import TRUTHS, is_marked, is_missing, is_value, split_cells
from polyak_core.data.headers import are_numbered, has_names
from polyak_core.data.written_numbers import UNCLEAR, decimal_mark, is_number

SHOWN = 8
"""Cells of a row in a note."""
FEWEST_COUNTED = 3
WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)
TextColumns = list[list[str]]


def read_csv(text: str, name: str, label: str | int | None) -> tuple[Array, list[str], list[str]]:
    """Features, labels as they stand, and what was done in words.

    Args:
        text: of the file.
        name: of the file, for messages.
        label: the column of the labels by name or number; the last one by default.

    Raises:
        ValueError: what is wrong, with its line and column.
    """
    rows, lines, notes = split_cells(text, name)
    at = _label_column(rows[0], label, name)
    header = has_names(rows, at)
    if isinstance(label, str) and not header:
        raise ValueError(f"{name} has no row of names, so label = {label!r} is unknown: give a number")
    if isinstance(label, str) and rows[0].count(label) > 1:
        raise ValueError(f"{name} has several columns {label!r}: give the number of the one that is meant")
    notes = [*_about_first_row(rows[0], at, header), *notes]
    names = rows[0] if header else [""] * len(rows[0])
    rows, lines = rows[header:], lines[header:]
    if not rows:
        raise ValueError(f"{name} has a row of names and no other: give a row per observation")
    _read_marks(rows, name, notes)
    columns = [list(column) for column in zip(*rows, strict=True)]
    _require_labels(columns[at], lines, name)
    others = [j for j in range(len(columns)) if j != at]
    if header and not names[0] and at != 0 and len(others) > 1 and all(names[1:]):
        others.remove(0)
        notes.append("the first column has no name and was left out: it numbers or names the rows")
    X = np.empty((len(rows), len(others)))
    for place, j in enumerate(others):
        X[:, place] = _numbers(columns[j], lines, (name, j + 1, names[j]), notes)
    for j in sorted([*others, at]):
        notes += _counting(columns[j], f"column {names[j]!r}" if names[j] else f"column {j + 1}")
    return X, columns[at], notes


def _label_column(first: list[str], label: str | int | None, name: str) -> int:
    width = len(first)
    if label is None:
        return width - 1
    if isinstance(label, str):
        if label not in first:
            raise ValueError(
                f"{name} has no column {label!r}; its first row is {first!s:.200}: give one of these names"
            )
        return first.index(label)
    if type(label) is not int or not -width <= label < width:
        raise ValueError(
            f"label = {label!r} is not a column of {name}: give a name, or a number from 0 to {width - 1}"
        )
    return label % width


def _about_first_row(first: list[str], at: int, header: bool) -> list[str]:
    """Whether it was read as names, where there is something to say."""
    shown = ", ".join(first[:SHOWN]) + (", …" if len(first) > SHOWN else "")
    if header:
        which = f", {shown}," if any(map(is_value, first)) else ""
        return [f"the first row{which} was read as names; the labels are column {first[at]!r}"]
    if are_numbered(first):
        return [f"the first row, {shown}, was read as an observation: give a row of names if it is none"]
    return []


def _read_marks(rows: list[list[str]], name: str, notes: list[str]) -> None:
    """Give numbers a decimal point where they have a comma."""
    if not any("," in cell for row in rows for cell in row):
        return
    try:
        mark = decimal_mark(cell for row in rows for cell in row)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if mark == ",":
        notes.append("commas in numbers were read as decimal commas")
        for row in rows:
            row[:] = [cell.replace(",", ".") if is_value(cell) else cell for cell in row]


def _require_labels(labels: list[str], lines: list[int], name: str) -> None:
    for value, line in zip(labels, lines, strict=True):
        if is_missing(value):
            raise ValueError(f"{name} has no label in line {line} ({value!r}): drop the row or fill it")


def _numbers(cells: list[str], lines: list[int], where: tuple[str, int, str], notes: list[str]) -> Array:
    """One feature; `where` is the file, the number and the name of its column.

    The first cell that is no finite number is named by line and column of the file.
    """
    if all(cell.lower() in TRUTHS for cell in cells):
        cells = [TRUTHS[cell.lower()] for cell in cells]
        if (note := "true and false were read as 1 and 0") not in notes:
            notes.append(note)
    if not any(is_value(cell) or is_missing(cell) for cell in cells):
        label = repr(where[2]) if where[2] else where[1] - 1
        raise ValueError(
            f"{_place(where, lines[0])} is {cells[0]!r:.40}, not a number, and so are all below: code it as "
            f"numbers, leave it out, or say load_dataset(path, label={label}) if it holds the labels"
        )
    numbers = np.array([float(cell) if is_number(cell) else np.nan for cell in cells])
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if not wrong.size:
        return numbers
    cell, line = cells[wrong[0]], lines[wrong[0]]
    what = "missing or not finite"
    if not is_number(cell) and not is_missing(cell):
        what = f"not a number; {UNCLEAR}" if is_marked(cell) else "not a number"
    raise ValueError(
        f"{_place(where, line)} (counted from 1) is {cell!r:.40}, {what}: features must be finite numbers; "
        "drop or fill such rows"
    )


def _place(where: tuple[str, int, str], line: int) -> str:
    return f"{where[0]}, row in line {line}, column {where[1]}"


def _counting(cells: list[str], title: str) -> list[str]:
    """A word on a column that goes up by one from row to row."""
    if len(cells) < FEWEST_COUNTED or not all(map(WHOLE.fullmatch, cells)):
        return []
    if any(int(after) - int(before) != 1 for before, after in pairwise(cells)):
        return []
    return [
        f"{title} counts the rows from {int(cells[0])} on: leave it out of the file if it only numbers them"
    ]
