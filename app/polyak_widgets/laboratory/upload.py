"""A file that somebody brings to the page: read, judged in words, and what is to be said about it.

The core reads the formats and says what is wrong inside of a file. This module keeps away what a page cannot
take, before any memory is taken for it.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.checks import shown
from polyak_core.data.csv_table import Table
from polyak_core.data.files import read_content, stated_arrays, table_in
from polyak_core.matrices.kinds import Centred, is_dense
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.columns import Columns, notes_on, preview, usual_columns
from polyak_widgets.laboratory.texts import ANY_SIZE, NO_NAME
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.settings.fields import SettingsError

MOST_BYTES = int(1e6 * float(os.environ.get("POLYAK_UPLOAD_MEGABYTES") or 5))
"""Of a file; what whoever serves the page allows, and the line to the server drops at half as much again."""
MOST_UNPACKED = 32_000_000
"""Bytes of one array, which may be packed into a small file."""
MOST_ROWS, MOST_COLUMNS, MOST_NUMBERS = 20_000, 5_000, 2_000_000
LONGEST_NAME = 80
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode's categories of what is not seen or breaks a line."""


@dataclass(frozen=True, eq=False)
class OwnFile:
    """A file as it came, at hand to be read by other columns.

    Attributes:
        name: fit for a sentence.
        content: its bytes.
        sha256: of them.
        table: its cells, where it is a table that can be cut into some.
    """

    name: str
    content: bytes
    sha256: str
    table: Table | None

    def read(self, columns: Columns | None = None) -> OwnData:
        """The data set in it, by these columns or by the usual ones.

        Raises:
            SettingsError: in words, whatever the bytes are.
        """
        use = columns or self.usual
        with in_words(self.name):
            X, y, notes = read_content(self.content, self.name, **use.for_core)
            rows, width = X.shape
            check_numbers(self.name, rows, width, is_dense(X))
            try:
                data = pc.dataset(X, y, name=self.name, scaling="none")
            except ValueError as error:  # of what came from the file, which it does not name
                raise SettingsError("upload", f"{self.name}: {with_full_stop(error)}") from None
        more = notes_on(self.table, use) if self.table else []
        sentences = (*notes, *more, *data.notes)
        return OwnData(
            data.X,
            data.y,
            self.name,
            self.sha256,
            notes=sentences,
            columns=use,
            read=self.read,
            preview=self.preview(use),
        )

    @property
    def usual(self) -> Columns:
        """What the columns are for before anybody has chosen."""
        return usual_columns(self.table) if self.table else Columns()

    def preview(self, columns: Columns | None = None) -> dict[str, Any] | None:
        """What the rail shows of a table to choose its columns by."""
        parts = None if self.table is None else preview(self.table, columns or self.usual)
        return None if parts is None else {"own": self.sha256, **parts}


def own_file(name: Any, buffers: Sequence[Any]) -> OwnFile:
    """A file that came as bytes, kept away if a page cannot take it.

    Args:
        name: of the file; where its content does not say what it is, its ending does.
        buffers: one, the bytes.

    Raises:
        SettingsError: in words, whatever the bytes are.
    """
    if not isinstance(name, str) or len(buffers) != 1:
        raise SettingsError("upload", "No file has come: choose one again.")
    clean = clean_name(name)
    content = bytes(buffers[0])
    check_size(clean, content)
    table = None
    with in_words(clean):
        check_shape(clean, content)
        with suppress(ValueError):  # what is wrong is said when it is read
            table = table_in(content, clean)
    return OwnFile(clean, content, hashlib.sha256(content).hexdigest(), table)


def read_upload(name: Any, buffers: Sequence[Any], columns: Columns | None = None) -> OwnData:
    """The data set in a file that came as bytes, as `own_file` and `OwnFile.read` take it.

    Raises:
        SettingsError: in words, whatever the bytes are.
    """
    return own_file(name, buffers).read(columns)


@contextmanager
def in_words(name: str) -> Iterator[None]:
    """Whatever a strange file does to a reader, it is the file that is wrong.

    Raises:
        SettingsError: something went wrong inside.
    """
    try:
        yield
    except SettingsError:
        raise
    except ValueError as error:
        raise SettingsError("upload", with_full_stop(error)) from None
    except Exception as error:
        why = f"{type(error).__name__}: {error!s:.80}"
        raise SettingsError("upload", f"{name} cannot be read ({why}): write it again.") from None


def from_notebook(data: Any) -> OwnData:
    """A data set of any size from a notebook.

    Args:
        data: a `polyak_core.Dataset`, or a pair of features and labels.

    Raises:
        ValueError: neither of both, or the core's words on what is wrong.
    """
    if isinstance(data, tuple) and len(data) == 2:
        data = pc.dataset(*data, scaling="none")
    if not isinstance(data, pc.Dataset):
        raise ValueError(
            f"data = {shown(data)} is not allowed: give pc.load_dataset(path, scaling='none'), or (X, y)."
        )
    if isinstance(data.X, Centred):
        raise ValueError(
            f"{data.name} is sparse and centred already; load it with scaling='none': the "
            "page scales it as its own setting says."
        )
    return OwnData(data.X, data.y, data.name, fingerprint(data), notes=data.notes)


def fingerprint(data: pc.Dataset) -> str:
    """The sha256 of the numbers."""
    parts = [data.X] if is_dense(data.X) else [data.X.data, data.X.indices, data.X.indptr]
    digest = hashlib.sha256(repr(data.X.shape).encode())
    for part in (*parts, data.y):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def clean_name(name: str) -> str:
    r"""The last part of a path, fit for a sentence: letters of any language and spaces stay.

    >>> clean_name("C:\\data\\my wine.csv"), clean_name("../../etc/passwd"), clean_name("")
    ('my wine.csv', 'passwd', 'file')
    """
    last = re.split(r"[\\/]", name)[-1]
    visible = "".join("_" if unicodedata.category(sign) in UNSEEN else sign for sign in last)
    return visible.strip()[-LONGEST_NAME:].strip(". ") or NO_NAME


def with_full_stop(error: ValueError) -> str:
    """The core's words with a full stop."""
    return f"{str(error).rstrip('.')}."


def check_size(name: str, content: bytes) -> None:
    """Refuse an empty file, and one above the limit."""
    if not content:
        raise SettingsError("upload", f"{name} is empty: choose a file with a row per observation.")
    if len(content) > MOST_BYTES:
        raise SettingsError(
            "upload",
            f"{name} has {number_text(len(content) / 1e6)} MB, and the page takes "
            f"{number_text(MOST_BYTES / 1e6)} MB at most. {ANY_SIZE}",
        )


def check_shape(name: str, content: bytes) -> None:
    """Refuse what would be too large once it is read: by what arrays say of themselves, or by lines."""
    if not zipfile.is_zipfile(BytesIO(content)):
        check_numbers(name, sum(1 for line in content.splitlines() if line.strip()), 0)
        return
    for array in stated_arrays(content).values():
        if array.shape[:1] == (0,):
            raise SettingsError("upload", f"{name} has 0 rows: give a row per observation.")
        check_numbers(name, array.shape[0] if array.shape else 1, math.prod(array.shape[1:]))
        if array.size > MOST_UNPACKED:
            raise SettingsError(
                "upload",
                f"{name} has an array of {number_text(array.size / 1e6)} MB, and the page takes "
                f"{MOST_UNPACKED // 1_000_000} MB at most. {ANY_SIZE}",
            )


def check_numbers(name: str, rows: int, columns: int, dense: bool = True) -> None:
    """Refuse more rows, columns or numbers than a page can work with."""
    if rows > MOST_ROWS:
        raise SettingsError(
            "upload",
            f"{name} has about {count_text(rows)} rows, and the page takes {count_text(MOST_ROWS)} at most. "
            f"{ANY_SIZE}",
        )
    if columns > MOST_COLUMNS:
        raise SettingsError(
            "upload",
            f"{name} has {count_text(columns)} columns, and the page takes {count_text(MOST_COLUMNS)} at "
            f"most. {ANY_SIZE}",
        )
    if dense and rows * columns > MOST_NUMBERS:
        raise SettingsError(
            "upload",
            f"{name} has {count_text(rows)} × {count_text(columns)} numbers, and the page takes "
            f"{count_text(MOST_NUMBERS)} at most. {ANY_SIZE}",
        )
