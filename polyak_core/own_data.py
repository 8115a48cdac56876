"""Files that people bring: CSV, NPZ and the text format of LIBSVM and SVMlight, read with errors in words."""

from __future__ import annotations

import csv
import zipfile
import zlib
from pathlib import Path

import numpy as np

from polyak_core.arrays import Array, Given
from polyak_core.sparse import Matrix
from polyak_core.svmlight import parse_svmlight

TABLES, ARCHIVES, SPARSE_TEXTS = (".csv",), (".npz",), (".svm", ".libsvm", ".svmlight")
MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
Read = tuple[Matrix, Given, list[str]]


def read_file(path: Path, label: str | int | None = None) -> Read:
    """Features, labels as they stand in the file, and notes in words.

    Args:
        path: its ending says what it is.
        label: for CSV, the column of the labels by name or number; the last one by default.

    Raises:
        ValueError: no such file, an unknown ending, or contents that are not what they should be.
    """
    kind = path.suffix.lower()
    allowed = (*TABLES, *ARCHIVES, *SPARSE_TEXTS)
    if kind not in allowed:
        raise ValueError(
            f"{path.name} ends in {kind!r}, but files may end in {', '.join(allowed)}: rename or convert it, "
            "or load it yourself and hand the arrays to dataset(X, y)"
        )
    if not path.is_file():
        raise ValueError(f"there is no file {path}: give the path of a file that exists")
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty: give a file with a row per observation")
    if label is not None and kind not in TABLES:
        raise ValueError(f"label = {label!r} is for CSV files; {path.name} has its labels in their own place")
    if kind in ARCHIVES:
        return _read_npz(path)
    text = _text(path)
    return _read_csv(text, path.name, label) if kind in TABLES else parse_svmlight(text, path.name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not text in UTF-8: save it as plain text in UTF-8") from None


def _read_npz(path: Path) -> Read:
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path.name} is not a file of numpy.savez: write it by numpy.savez(path, X=X, y=y)")
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            names = list(arrays.files)
            if not {"X", "y"} <= set(names):
                raise ValueError(
                    f"{path.name} holds the arrays {names}, but must hold X and y: write it by "
                    "numpy.savez(path, X=X, y=y)"
                )
            X, y = arrays["X"], arrays["y"]
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path.name} is damaged ({error}): write it again by numpy.savez") from None
    except ValueError as error:
        if "pickle" not in str(error):
            raise
        raise ValueError(
            f"{path.name} holds Python objects, which are not read since they could run code: store X as "
            "numbers and y as numbers or text"
        ) from None
    if X.dtype.kind not in "buif" or X.ndim != 2:
        raise ValueError(
            f"X in {path.name} has shape {X.shape} and type {X.dtype}, but must be a matrix of real numbers, "
            "a row per observation"
        )
    return X, y, []


def _read_csv(text: str, name: str, label: str | int | None) -> Read:
    rows, lines, delimiter = _cells(text)
    if not rows:
        raise ValueError(f"{name} is empty: give a row per observation")
    width = len(rows[0])
    if width < 2:
        raise ValueError(
            f"{name} has one column in line {lines[0]} ({rows[0][0]!r:.40}): give features and a label, "
            "apart by commas, semicolons or tabs"
        )
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise ValueError(
                f"{name} is ragged: line {line} has {len(row)} cells, line {lines[0]} has {width}; give each "
                "row the same number"
            )
    at = _label_column(rows[0], label, name)
    header = _is_header(rows, at)
    if isinstance(label, str) and not header:
        raise ValueError(f"{name} has no row of names, so label = {label!r} is unknown: give a number")
    notes = [f"the first row was read as names; the labels are column {rows[0][at]!r}"] if header else []
    if delimiter != ",":
        notes.append(f"cells are apart by {'tabs' if delimiter == chr(9) else 'semicolons'}")
    rows, lines = rows[header:], lines[header:]
    y = [row.pop(at) for row in rows]
    for value, line in zip(y, lines, strict=True):
        if value.lower() in MISSING:
            raise ValueError(f"{name} has no label in line {line} ({value!r}): drop the row or fill it")
    return _numbers(rows, lines, name, at), y, notes


def _cells(text: str) -> tuple[list[list[str]], list[int], str]:
    """The rows that are not blank, stripped, with their line numbers, and what the cells are apart by."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(), delimiter=delimiter)
    found = [([cell.strip() for cell in row], reader.line_num) for row in reader]
    kept = [(row, line) for row, line in found if any(row)]
    return [row for row, _ in kept], [line for _, line in kept], delimiter


def _label_column(first: list[str], label: str | int | None, name: str) -> int:
    width = len(first)
    if label is None:
        return width - 1
    if isinstance(label, str):
        if label not in first:
            raise ValueError(
                f"{name} has no column {label!r}; its first row is {first}: give one of these names"
            )
        return first.index(label)
    if type(label) is not int or not -width <= label < width:
        raise ValueError(
            f"label = {label!r} is not a column of {name}: give a name, or a number from 0 to {width - 1}"
        )
    return label % width


def _is_header(rows: list[list[str]], at: int) -> bool:
    """Whether the first row holds names: no feature is a number, or the label alone is text there."""
    features = [cell for j, cell in enumerate(rows[0]) if j != at]
    if not any(_is_number(cell) or cell.lower() in MISSING for cell in features):
        return True
    rest = [row[at] for row in rows[1:]]
    return not _is_number(rows[0][at]) and bool(rest) and all(map(_is_number, rest))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(rows: list[list[str]], lines: list[int], name: str, at: int) -> Array:
    """The features; the first cell that is no finite number is named by line and column of the file."""
    X = np.empty((len(rows), len(rows[0]) if rows else 0))
    for i, (row, line) in enumerate(zip(rows, lines, strict=True)):
        for j, cell in enumerate(row):
            missing = cell.lower() in MISSING
            if not missing and not _is_number(cell):
                raise ValueError(_bad_cell(name, line, j + (j >= at), cell, "not a number"))
            X[i, j] = np.nan if missing else float(cell)
            if not np.isfinite(X[i, j]):
                raise ValueError(_bad_cell(name, line, j + (j >= at), cell, "missing or not finite"))
    return X


def _bad_cell(name: str, line: int, column: int, cell: str, what: str) -> str:
    return (
        f"{name}, row in line {line}, column {column + 1} (counted from 1) is {cell!r:.40}, {what}: features "
        "must be finite numbers; drop or fill such rows"
    )
