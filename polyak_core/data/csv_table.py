"""From the cells of a table to features and labels: names, decimal commas, columns that number the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
Column = str | int
"""By its name, or by its number from 0 on; negative ones count from the end."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """The cells of a file, and what its columns are for.

    Attributes:
        names: of the columns, "" each where there are none.
        rows: lists of as many cells as there are names.
        lines: the number of each row's line in the file.
        label: the column of the labels, from 0 on.
        left_out: columns that somebody has left out.
        unnamed: whether the first column was left out since it alone has no name.
        notes: what was done to the table, in words.
    """

    names: list[str]
    rows: list[list[str]]
    lines: list[int]
    label: int
    left_out: frozenset[int]
    unnamed: bool
    notes: list[str]

    @property
    def features(self) -> list[int]:
        """The columns of the features."""
        gone = self.left_out | {self.label} | ({0} if self.unnamed else set())
        return [j for j in range(len(self.names)) if j not in gone]


def read_table(text: str, name: str, label: Column | None = None, leave_out: Sequence[Column] = ()) -> Table:
    """The cells of a file, and which of its columns are labels and features.

    Args:
        text: of the file.
        name: of the file, for messages.
        label: the column of the labels; the last one by default.
        leave_out: columns that are neither.

    Raises:
        ValueError: what is wrong, with its line and column.
    """
    rows, lines, notes = split_cells(text, name)
    at = len(rows[0]) - 1 if label is None else _column(rows[0], label, "label", name)
    left_out = frozenset(_column(rows[0], column, "leave_out", name) for column in leave_out)
    if at in left_out:
        raise ValueError(f"column {at} of {name} is left out and cannot be the label: choose another one")
    header = has_names(rows, at, left_out)
    for column in (label, *leave_out):
        if isinstance(column, str) and not header:
            raise ValueError(f"{name} has no row of names, so column {column!r} is unknown: give a number")
        if isinstance(column, str) and rows[0].count(column) > 1:
            raise ValueError(
                f"{name} has several columns {column!r}: give the number of the one that is meant"
            )
    notes = [*_about_first_row(rows[0], at, header), *notes]
    names = rows[0] if header else [""] * len(rows[0])
    rows, lines = rows[header:], lines[header:]
    if not rows:
        raise ValueError(f"{name} has a row of names and no other: give a row per observation")
    alone = header and not names[0] and at != 0 and len(names) > 2 and all(names[1:])
    table = Table(
        names=names,
        rows=rows,
        lines=lines,
        label=at,
        left_out=left_out,
        unnamed=alone and 0 not in left_out,
        notes=notes,
    )
    if not table.features:
        raise ValueError(f"{name} has no column left but the labels: leave out fewer columns")
    return table


def read_csv(
    text: str, name: str, label: Column | None = None, leave_out: Sequence[Column] = ()
) -> tuple[Array, list[str], list[str]]:
    """Features, labels as they stand, and what was done in words; arguments as of `read_table`.

    Raises:
        ValueError: what is wrong, with its line and column.
    """
    table = read_table(text, name, label, leave_out)
    names, rows, lines, at, notes = table.names, table.rows, table.lines, table.label, table.notes
    features = table.features
    _read_marks(rows, sorted([*features, at]), name, notes)
    columns = [list(column) for column in zip(*rows, strict=True)]
    _require_labels(columns[at], lines, name)
    if table.left_out:
        notes.append(f"left out: {', '.join(_title(names, j) for j in sorted(table.left_out))}")
    if table.unnamed:
        notes.append("the first column has no name and was left out: it numbers or names the rows")
    X = np.empty((len(rows), len(features)))
    for place, j in enumerate(features):
        X[:, place] = _numbers(columns[j], (name, lines[0], j, names[j]), notes)
    _require_finite(X, columns, features, lines, name)
    for j in sorted([*features, at]):
        notes += _counting(columns[j], _title(names, j))
    return X, columns[at], notes


def _title(names: list[str], j: int) -> str:
    return f"column {names[j]!r}" if names[j] else f"column {j + 1}"


def _column(first: list[str], column: Column, role: str, name: str) -> int:
    width = len(first)
    if isinstance(column, str):
        if column not in first:
            raise ValueError(
                f"{name} has no column {column!r}; its first row is {first!s:.200}: give one of these names"
            )
        return first.index(column)
    if type(column) is not int or not -width <= column < width:
        raise ValueError(
            f"{role} = {column!r} is not a column of {name}: give a name, or a number from 0 to {width - 1}"
        )
    return column % width


def _about_first_row(first: list[str], at: int, header: bool) -> list[str]:
    """Whether it was read as names, where there is something to say."""
    shown = ", ".join(first[:SHOWN]) + (", …" if len(first) > SHOWN else "")
    if header:
        which = f", {shown}," if any(map(is_value, first)) else ""
        return [f"the first row{which} was read as names; the labels are column {first[at]!r}"]
    if are_numbered(first):
        return [f"the first row, {shown}, was read as an observation: add a row of names if it is not one"]
    return []


def _read_marks(rows: list[list[str]], used: list[int], name: str, notes: list[str]) -> None:
    """Give numbers a decimal point where they have a comma, in the columns that are used."""
    if not any("," in row[j] for row in rows for j in used):
        return
    try:
        mark = decimal_mark(row[j] for row in rows for j in used)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if mark == ",":
        notes.append("commas in numbers were read as decimal commas")
        for row in rows:
            for j in used:
                row[j] = row[j].replace(",", ".") if is_value(row[j]) else row[j]


def _require_labels(labels: list[str], lines: list[int], name: str) -> None:
    for value, line in zip(labels, lines, strict=True):
        if is_missing(value):
            raise ValueError(f"{name} has no label in line {line} ({value!r}): drop the row or fill it")


def _numbers(cells: list[str], where: tuple[str, int, int, str], notes: list[str]) -> Array:
    """One feature, NaN or infinite where a cell is no finite number.

    `where` is the file, the line of its first cell, the number from 0 on and the name of its column.
    """
    if all(cell.lower() in TRUTHS for cell in cells):
        cells[:] = [TRUTHS[cell.lower()] for cell in cells]
        if (note := "true and false were read as 1 and 0") not in notes:
            notes.append(note)
    if not any(is_value(cell) or is_missing(cell) for cell in cells):
        name, line, j, title = where
        how = f" ({UNCLEAR})" if all(map(is_marked, cells)) else ""
        raise ValueError(
            f"{_place(name, line, j)} is {cells[0]!r:.40}, not a number, and so are all below: code it as "
            f"numbers{how}, leave it out by leave_out=[{title or j!r}], or say load_dataset(path, "
            f"label={title or j!r}) if it holds the labels"
        )
    return np.array([float(cell) if is_number(cell) else np.nan for cell in cells])


def _require_finite(X: Array, columns: TextColumns, features: list[int], lines: list[int], name: str) -> None:
    """Count the cells that are no finite numbers; the first is named by line and column of the file."""
    wrong = np.argwhere(~np.isfinite(X))
    if not wrong.size:
        return
    row, j = int(wrong[0, 0]), features[wrong[0, 1]]
    cell = columns[j][row]
    what = "missing or not finite"
    if not is_number(cell) and not is_missing(cell):
        what = f"not a number; {UNCLEAR}" if is_marked(cell) else "not a number"
    more, places = len(wrong) - 1, np.unique(wrong[:, 0]).size
    others = f". {more + 1} cells in {places} row{'s' * (places > 1)} are so" if more else ""
    raise ValueError(
        f"{_place(name, lines[row], j)} (counted from 1) is {cell!r:.40}, {what}: features must be finite "
        f"numbers; drop or fill such rows{others}"
    )


def _place(name: str, line: int, j: int) -> str:
    return f"{name}, row in line {line}, column {j + 1}"


def _counting(cells: list[str], title: str) -> list[str]:
    """A word on a column that goes up by one from row to row."""
    if len(cells) < FEWEST_COUNTED or not all(map(WHOLE.fullmatch, cells)):
        return []
    if any(int(after) - int(before) != 1 for before, after in pairwise(cells)):
        return []
    return [
        f"{title} counts the rows from {int(cells[0])} on: leave it out of the file if it only numbers them"
    ]
