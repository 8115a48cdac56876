"""Files that people bring: CSV, NPZ and the text format of LIBSVM and SVMlight, read with errors in words.

The content says which it is; where it does not, the ending of the name does.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np

from polyak_core.checks import Given
from polyak_core.data.csv_table import Column, Table, read_csv, read_table
from polyak_core.data.svmlight import is_svmlight, parse_svmlight
from polyak_core.data.texts import LOOKED_AT, decoded
from polyak_core.matrices.kinds import Matrix

SPARSE_TEXTS = (".svm", ".libsvm", ".svmlight")
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR"}
"""First bytes of what must be unpacked."""
FOREIGN = {
    **{b"\x93NUMPY": "one array of numpy.save", b"%PDF": "a PDF", b"\x89HDF": "HDF5", b"PAR1": "Parquet"},
    **{b"MATLAB": "a file of MATLAB", b"\xd0\xcf\x11\xe0": "a workbook of old Excel", b"ARROW1": "Feather"},
    **{b"\x80\x04\x95": "a pickle of Python", b"\x80\x05\x95": "a pickle of Python"},
}
"""First bytes of what is not read."""
FOREIGN_TEXTS = {"<": "a web page or XML", "{": "JSON", "[": "JSON", "@relation": "ARFF"}
"""How texts begin that are no tables."""
DAMAGED = (
    *(OSError, EOFError, ValueError, NotImplementedError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
"""The errors that reading may raise where a file is no archive."""
Read = tuple[Matrix, Given, list[str]]


def read_file(path: Path, label: Column | None = None, leave_out: Sequence[Column] = ()) -> Read:
    """Features, labels as they stand in the file, and notes in words.

    Args:
        path: of the file.
        label: for CSV, the column of the labels by name or number; the last one by default.
        leave_out: for CSV, columns that are neither features nor labels.

    Raises:
        ValueError: no such file, or contents that are not what they should be.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {path}: give the path of a file that exists")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path.name} cannot be opened ({error.strerror}): give a file that can") from None
    return read_content(content, path.name, label, leave_out)


def read_content(
    content: bytes, name: str, label: Column | None = None, leave_out: Sequence[Column] = ()
) -> Read:
    """The same from the bytes of a file and its name.

    Raises:
        ValueError: contents that are not what they should be, or that do not fit into memory.
    """
    try:
        text = _text_of_table(content, name)
        if text is not None:
            return read_csv(text, name, label, leave_out)
        if label is not None or leave_out:
            columns = f"label = {label!r}" if label is not None else f"leave_out = {leave_out!r}"
            raise ValueError(f"{columns} is for CSV files; {name} has its labels in their own place")
        if is_archive(content, PurePath(name).suffix.lower()):
            return _read_npz(content, name)
        return parse_svmlight(decoded(content, name), name)
    except MemoryError:
        raise ValueError(f"{name} does not fit into memory: take a part of it") from None


def table_in(content: bytes, name: str) -> Table | None:
    """The cells of a CSV; None of a file of another kind.

    Raises:
        ValueError: contents that are no table.
    """
    text = _text_of_table(content, name)
    return None if text is None else read_table(text, name)


def _text_of_table(content: bytes, name: str) -> str | None:
    """The text of a CSV; None where the content is of another kind."""
    ending = PurePath(name).suffix.lower()
    if not content:
        raise ValueError(f"{name} is empty: give a file with a row per observation")
    for first, kind in PACKED.items():
        if content.startswith(first):
            raise ValueError(f"{name} is packed by {kind}: unpack it first")
    _refuse_foreign(name, [kind for first, kind in FOREIGN.items() if content.startswith(first)])
    if is_archive(content, ending):
        return None
    text = decoded(content, name)
    if ending in SPARSE_TEXTS or is_svmlight(text):
        return None
    begin = text[:LOOKED_AT].lstrip().lower()
    _refuse_foreign(name, [kind for first, kind in FOREIGN_TEXTS.items() if begin.startswith(first)])
    return text


def _refuse_foreign(name: str, kinds: Sequence[str]) -> None:
    for kind in kinds:
        raise ValueError(
            f"{name} is {kind}, which is not read: write it as CSV or by numpy.savez(path, X=X, y=y), "
            "or load it yourself and pass the arrays to dataset(X, y)"
        )


def is_archive(content: bytes, ending: str) -> bool:
    """Whether a file holds arrays, or should by the ending of its name."""
    return zipfile.is_zipfile(io.BytesIO(content)) or content.startswith(b"PK\x03\x04") or ending == ".npz"


def _read_npz(content: bytes, name: str) -> Read:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError(f"{name} is not a file of numpy.savez: write it by numpy.savez(path, X=X, y=y)")
    with _damage_in_words(name):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [member.removesuffix(".npy") for member in archive.namelist()]
        arrays = stated_arrays(content)
    if not {"X", "y"} <= set(names):
        raise ValueError(_other_archive(name, names))
    if any(array.objects for array in arrays.values()):
        raise ValueError(
            f"{name} holds Python objects, which are not read since they could run code: store X as "
            "numbers and y as numbers or text"
        )
    with _damage_in_words(name):
        for array in arrays.values():
            if array.size > array.stored:
                raise EOFError(f"{array.shape} is said to be there, and {array.stored} bytes are")
        with np.load(io.BytesIO(content), allow_pickle=False) as loaded:
            X, y = loaded["X"], loaded["y"]
        if not (isinstance(X, np.ndarray) and isinstance(y, np.ndarray)):
            raise EOFError("X and y are not both arrays")
    if X.dtype.kind not in "buif" or X.ndim != 2:
        raise ValueError(
            f"X in {name} has shape {X.shape} and type {X.dtype}, but must be a matrix of real numbers, "
            "a row per observation"
        )
    return X, y, []


def _other_archive(name: str, names: list[str]) -> str:
    if "xl/workbook.xml" in names:
        return f"{name} is a workbook of Excel, which is not read: save its sheet as CSV"
    return f"{name} holds the arrays {names}, but must hold X and y: write it by numpy.savez(path, X=X, y=y)"


class Stated(NamedTuple):
    """What the header of an array says, and what is there.

    Attributes:
        shape: of the array.
        size: bytes by that shape.
        stored: bytes that are there.
        objects: whether it holds Python objects.
    """

    shape: tuple[int, ...]
    size: int
    stored: int
    objects: bool


def stated_arrays(content: bytes) -> dict[str, Stated]:
    """What X and y in a file of numpy.savez say of themselves; takes no memory."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist():
            if (name := member.filename.removesuffix(".npy")) in ("X", "y"):
                with archive.open(member) as stream:
                    shape, dtype = _header(stream)
                if dtype is not None and dtype.itemsize:
                    size = math.prod(shape) * dtype.itemsize
                    arrays[name] = Stated(shape, size, member.file_size, dtype.hasobject)
    return arrays


def _header(stream: Any) -> tuple[tuple[int, ...], np.dtype[Any] | None]:
    """Shape and type in one array's header; no type where there is none to read."""
    header = np.lib.format
    try:
        version = header.read_magic(stream)
        read = header.read_array_header_1_0 if version == (1, 0) else header.read_array_header_2_0
        shape, _, dtype = read(stream)
    except ValueError:
        return (), None
    return tuple(map(int, shape)), dtype


@contextmanager
def _damage_in_words(name: str) -> Iterator[None]:
    """Turn errors of NumPy and zipfile into one that calls the file damaged.

    Raises:
        ValueError: it is.
    """
    try:
        yield
    except DAMAGED as error:
        raise ValueError(f"{name} is damaged ({error!s:.80}): write it again by numpy.savez") from None
