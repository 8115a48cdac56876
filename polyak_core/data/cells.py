"""From the text of a table to its cells: separators, quotes, lines and empty columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from polyak_core.data.labels import MISSING
from polyak_core.data.written_numbers import WITH_COMMA, is_number

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SPACE = " "
"""One or more, between cells of a table that has no other separator, as numpy.savetxt writes it."""
JUDGED = 1000
"""Rows that are looked at to find the separator of cells."""
DECLARED = re.compile(r"\s*\"?sep=([^\w\s\"]|\t)\"?[ \t]*(?:\r\n?|\n|$)", re.IGNORECASE)
"""A first line that says it, as Excel reads and writes it."""
MINUS = "\u2212"
TRUTHS = {"true": "1", "false": "0"}


class Cells(NamedTuple):
    """Rows of as many stripped cells each, the numbers of their lines, and what was done in words."""

    rows: list[list[str]]
    lines: list[int]
    notes: list[str]


def is_value(cell: str) -> bool:
    """Whether a cell holds what a feature can be: a number, with a comma too, or true or false."""
    return is_number(cell) or WITH_COMMA.fullmatch(cell) is not None or cell.lower() in TRUTHS


def split_cells(text: str, name: str) -> Cells:
    """The cells of a table.

    Raises:
        ValueError: no row, one column, rows of different length, or quotes that never end.
    """
    declared = DECLARED.match(text)
    candidates = declared[1] if declared else "".join(SEPARATORS)
    fitness = {mark: _fitness(text, mark, bool(declared)) for mark in candidates}
    separator = max(candidates, key=lambda mark: fitness[mark])
    if not declared and not fitness[separator][0] and _fitness(text, SPACE, False)[0]:
        separator = SPACE
    try:
        numbered = list(_rows(text, separator, bool(declared)))
    except csv.Error as error:
        raise ValueError(f"{name} cannot be cut into cells ({error}): close each quote") from None
    numbered, remarks = _without_remarks(numbered)
    if not numbered:
        raise ValueError(f"{name} is empty: give a row per observation")
    last = numbered[-1][1]
    if text.count('"') % 2 and (len(last) == 1 or any("\n" in cell for cell in last)):
        raise ValueError(
            f"{name} has an odd number of quotes, so one is not closed: close it, or leave it out"
        )
    lines, rows = [line for line, _ in numbered], [row for _, row in numbered]
    named = {**SEPARATORS, SPACE: "spaces"}.get(separator, repr(separator))
    notes = [] if separator == "," else [f"cells are separated by {named}"]
    if remarks:
        were = "1 line that begins with # was" if remarks == 1 else f"{remarks} lines that begin with # were"
        notes.append(f"{were} left out")
    if _drop_empty_end(rows):
        notes.append("an empty column at the end was left out")
    _require_table(rows, lines, name, separator)
    return Cells(rows, lines, notes)


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is nothing."""
    return cell.lower() in MISSING


def is_word(cell: str) -> bool:
    """Whether a cell is neither a value nor missing nor meant as a number."""
    return not (is_value(cell) or is_missing(cell) or is_marked(cell))


def is_marked(cell: str) -> bool:
    """Whether a cell is meant as a number or a date, be it written in another way than numbers are."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def _rows(text: str, separator: str, declared: bool) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the numbers of their lines."""
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=True)
    for row in islice(reader, int(declared), None):
        cells = [_with_hyphen(cell.strip()) for cell in row]
        if separator == SPACE and cells and not cells[-1]:
            cells.pop()  # spaces at the end of a line stand before nothing
        if any(cells):
            yield reader.line_num, cells


def _with_hyphen(cell: str) -> str:
    """The cell, a number with the hyphen that programs read where it has the sign that printers set."""
    if MINUS not in cell:
        return cell
    plain = cell.replace(MINUS, "-")
    return plain if is_value(plain) else cell


def _without_remarks(numbered: list[tuple[int, list[str]]]) -> tuple[list[tuple[int, list[str]]], int]:
    """The rows without those that begin with # and are not as long as most; and how many these are.

    A first row as long as the others holds names, as numpy.savetxt writes them.
    """
    width = Counter(len(row) for _, row in numbered).most_common(1)[0][0] if numbered else 0
    table = [(line, row) for line, row in numbered if len(row) == width or not row[0].startswith("#")]
    return table, len(numbered) - len(table)


def _fitness(text: str, separator: str, declared: bool) -> tuple[bool, float, float, bool, int]:
    """How well a separator explains a table, the first row left out: it may hold names.

    First several cells in most rows, then the share of cells that are values, of rows that are as long as
    most, whether the first row is so too, and how few other cells hold another separator.
    """
    nothing = False, 0.0, 0.0, False, 0
    try:
        numbered, _ = _without_remarks(list(islice(_rows(text, separator, declared), JUDGED)))
    except csv.Error:  # a long line is one cell where nothing is cut
        return nothing
    whole = [row for _, row in numbered]
    rows = whole[1:] or whole
    cells = [cell for row in rows for cell in row if cell]
    if not cells:
        return nothing
    width, count = Counter(map(len, rows)).most_common(1)[0]
    values = [is_value(cell) for cell in cells]
    others = set(SEPARATORS) - {separator}
    mixed = sum(not value and bool(others & set(cell)) for cell, value in zip(cells, values, strict=True))
    return width > 1, sum(values) / len(cells), count / len(rows), len(whole[0]) == width, -mixed


def _drop_empty_end(rows: list[list[str]]) -> bool:
    """Take away last columns that are empty in every row, the names too; whether there were any."""
    dropped = False
    first, rest = rows[0], rows[1:]
    while rest and len(widths := {len(row) for row in rest}) == 1:
        width = widths.pop()
        if len(first) == width + 1 and not first[-1]:  # a separator after the names alone
            first.pop()
        elif width > 1 and not any(row[-1] for row in rest) and (len(first) < width or not first[-1]):
            for row in rest:
                row.pop()
            del first[width - 1 :]
        else:
            break
        dropped = True
    return dropped


def _require_table(rows: list[list[str]], lines: list[int], name: str, separator: str) -> None:
    """Refuse rows of different length, and rows of one cell."""
    width = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            commas = "; numbers with a decimal comma must be in quotes" if separator == "," else ""
            raise ValueError(
                f"{name} is ragged: line {line} has {len(row)} cell{'s' * (len(row) != 1)}, line {lines[0]} "
                f"has {width}; give each row the same number{commas}"
            )
    if width < 2:
        raise ValueError(
            f"{name} has one column in line {lines[0]} ({rows[0][0]!r:.40}): give features and a label, "
            "separated by commas, semicolons, tabs, bars or spaces"
        )
