"""The columns of an own table: which holds the labels, which are left out, and a preview to choose by."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from polyak_core.data.cells import is_word
from polyak_core.data.csv_table import Table
from polyak_widgets.laboratory.texts import column_number, numbered_rows

SHOWN_COLUMNS, SHOWN_ROWS, SHOWN_LETTERS = 500, 3, 12
"""Of a preview; of the columns beyond only those that hold the labels or begin with words."""
FEWEST_ROWS = 3
"""Of which different whole numbers may be numbers of the rows."""
WHOLE = re.compile(r"\d{1,18}", re.ASCII)


class Columns(NamedTuple):
    """As settings have it: numbers of columns from 0 on, as text.

    Attributes:
        label: the column of the labels, "" for the last one.
        leave_out: columns that are neither labels nor features, split by commas.
    """

    label: str = ""
    leave_out: str = ""

    @property
    def for_core(self) -> dict[str, Any]:
        """As `polyak_core.load_dataset` takes them; nothing where it takes the same by itself."""
        label: dict[str, Any] = {"label": int(self.label)} if self.label else {}
        return label | ({"leave_out": [int(j) for j in self.leave_out.split(",")]} if self.leave_out else {})


def usual_columns(table: Table) -> Columns:
    """The last column is the label; but where it is of numbers and one other is of words, of two kinds, that.

    Words cannot be a feature, so that there is no other way to read such a file.
    """
    if all(map(is_word, _cells(table, len(table.names) - 1))):
        return Columns()
    words = [j for j in table.features if all(map(is_word, _cells(table, j)))]
    one = len(words) == 1 and len(set(_cells(table, words[0]))) == 2
    return Columns(label=str(words[0])) if one else Columns()


def notes_on(table: Table, columns: Columns) -> list[str]:
    """What people should know of the columns that are used."""
    keywords = columns.for_core
    used = [j for j in table.features if j not in (keywords.get("label"), *keywords.get("leave_out", ()))]
    first = used[0] if used and table.label != used[0] else None
    if first is None or len(table.rows) < FEWEST_ROWS:
        return []
    cells = _cells(table, first)
    if not all(map(WHOLE.fullmatch, cells)) or len(set(cells)) < len(cells):
        return []
    return [numbered_rows(_title(table, first))]


def preview(table: Table, columns: Columns) -> dict[str, Any]:
    """For the rail: what each column is for, and its first cells."""
    keywords = columns.for_core
    label = keywords.get("label", len(table.names) - 1)
    visible = list(range(min(len(table.names), SHOWN_COLUMNS)))
    beyond = range(SHOWN_COLUMNS, len(table.names))
    visible += [j for j in beyond if j == label or any(map(is_word, _cells(table, j, SHOWN_ROWS)))]
    return {
        "label": label,
        "leave_out": keywords.get("leave_out", []),
        "last": len(table.names) - 1,
        "columns": [[j, _title(table, j), _first_cells(table, j)] for j in visible],
        "more": len(table.names) - len(visible),
    }


def _title(table: Table, j: int) -> str:
    return table.names[j] or column_number(j + 1)


def _cells(table: Table, j: int, most: int | None = None) -> list[str]:
    return [row[j] for row in table.rows[:most]]


def _first_cells(table: Table, j: int) -> list[str]:
    cells = _cells(table, j, SHOWN_ROWS)
    return [cell if len(cell) <= SHOWN_LETTERS else f"{cell[: SHOWN_LETTERS - 1]}…" for cell in cells]
