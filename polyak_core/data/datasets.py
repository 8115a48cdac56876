"""Data sets as a matrix of features and a vector of labels: those of the paper, and people's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from polyak_core.arrays import Array
from polyak_core.checks import Given, shown, text
from polyak_core.data.files import read_file
from polyak_core.data.labels import read_labels
from polyak_core.data.madelon import load_madelon
from polyak_core.data.scaling import check_scaling, scale_features
from polyak_core.display import Facts, facts_html, facts_text
from polyak_core.matrices.kinds import Centred, Matrix, about_columns

__all__ = ["DATASETS", "Dataset", "dataset", "load_dataset", "scale_features"]
LEAST_ROWS = 2


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and a target.

    Attributes:
        X: features, shape (m, n), float64: one row per observation. A C-contiguous array; for sparse data a
            `csr_array`, or the operator `polyak_core.matrices.kinds.Centred` if the features are centred.
        y: target, shape (m,), float64: -1 or +1 each, or real numbers for regression.
        name: the name it was loaded by.
        source: where the numbers come from, with the names of those who gave them.
        licence: the terms on which they may be passed on.
        notes: what was done to the data or is unusual about it, in words.

    >>> import polyak_core as pc
    >>> sonar = pc.load_dataset("sonar")
    >>> sonar.name, sonar.X.shape, set(sonar.y.tolist()) == {-1, 1}
    ('sonar', (208, 60), True)
    """

    X: Matrix = field(repr=False)
    y: Array = field(repr=False)
    name: str
    source: str
    licence: str
    notes: tuple[str, ...] = ()

    def describe(self) -> str:
        """Shape, target, where it comes from and on what terms: plain text, a line each."""
        return facts_text(self.name, dataset_facts(self))

    def _repr_html_(self) -> str:
        """What a notebook shows: `describe` as a table."""
        return facts_html(self.name, dataset_facts(self))

    def __repr__(self) -> str:
        """One line."""
        rows, columns = self.X.shape
        return f"<Dataset {self.name}: {rows} observations, {columns} features>"


@dataclass(frozen=True)
class _Known:
    """A data set of the paper and what is to be said about it; `file` is where the package ships it."""

    source: str
    file: str | None = None
    licence: str = "CC BY 4.0"


_UCI = "UCI Machine Learning Repository"
DATASETS = {
    "sonar": _Known(
        "T. Sejnowski, R. Gorman: Connectionist Bench (Sonar, Mines vs. Rocks), "
        f"{_UCI} 151, doi:10.24432/C5T01Q",
        file="sonar.npz",
    ),
    "musk": _Known(
        f"D. Chapman, A. Jain: Musk (Version 1), {_UCI} 74, doi:10.24432/C5ZK5B", file="musk1.npz"
    ),
    "madelon": _Known(f"I. Guyon: Madelon, {_UCI} 171, doi:10.24432/C5602H"),
}


def load_dataset(
    name: str | os.PathLike[str],
    scaling: str = "center",
    *,
    label: str | int | None = None,
    leave_out: Sequence[str | int] = (),
) -> Dataset:
    """Load a data set of the paper by name, or one's own from a file, and scale its features.

    Sonar and Musk come with the package. Madelon is looked for in the folder that the environment variable
    POLYAK_DATA_DIR names (madelon.npz) and else fetched from the UCI repository once and kept.

    A file is read by its content, whatever its name ends in. CSV: a row per observation, cells apart by
    comma, semicolon, tab or bar, with quotes where a cell holds one of them; the first row may hold names,
    numbers may have decimal commas. NPZ: arrays X and y, no pickle. LIBSVM: a line per observation, ``label
    index:value ...``; X is sparse. The notes say what was found: names, marks, columns left out. What is
    unclear is refused. Labels of two kinds become -1 and +1, the smaller one -1 (the notes say which); more
    kinds of numbers are the target of a regression.

    The target is never scaled. Each call returns arrays of its own, free to be changed.

    Args:
        name: "sonar" (208 observations, 60 features; +1 a metal cylinder, -1 a rock), "musk" (476, 166;
            +1 a musk), "madelon" (2000, 500), or the path of a file.
        scaling: "none", "center" or "standardize", as in `scale_features`.
        label: for CSV, the column of the labels: its name or its number, counted from 0 (negative ones from
            the end); the last one by default.
        leave_out: for CSV, columns that are neither features nor labels, such as numbers or names of the
            rows: their names or numbers.

    Returns:
        The data set with its source and licence.

    Raises:
        ValueError: no such name, file or scaling, or a file that does not hold what it should; Madelon
            neither here nor reachable, with what to put where.

    >>> sonar = load_dataset("sonar")
    >>> sonar.X.shape, int((sonar.y == 1).sum())
    ((208, 60), 111)
    """
    check_scaling(scaling)
    if isinstance(leave_out, str) or not isinstance(leave_out, Sequence):
        raise ValueError(f"leave_out = {shown(leave_out)} is no list: give [{shown(leave_out)}]")
    if isinstance(name, str) and name in DATASETS:
        if leave_out:
            raise ValueError(f"leave_out = {shown(leave_out)} is for files; {name} has none to leave out")
        if label is not None:
            raise ValueError(f"label = {shown(label)} is for files; {name} knows its labels: leave it out")
        return _paper_dataset(name, scaling)
    if not _looks_like_a_path(name):
        names = ", ".join(map(repr, DATASETS))
        raise ValueError(
            f"name is {shown(name)}, but the data sets are {names}: give one of these names, the path of a "
            "file (.csv, .npz, .svm), or pass your own arrays to dataset(X, y)"
        )
    path = Path(name)
    X, y, notes = read_file(path, label, tuple(leave_out))
    data = dataset(X, y, name=path.stem, scaling=scaling)
    return replace(data, source=f"file {path.name}", notes=(*notes, *data.notes))


def dataset(X: Given, y: Given, *, name: str = "own data", scaling: str = "center") -> Dataset:
    """One's own arrays as a data set: checked, labels made -1 and +1, features scaled.

    Args:
        X: features, shape (m, n), m >= 2; dense, or SciPy sparse in any format (never filled in).
        y: shape (m,): two values of any kind (they become -1 and +1, the smaller one -1), or real numbers.
        name: for people.
        scaling: "none", "center" or "standardize", as in `scale_features`.

    Raises:
        ValueError: shapes that do not fit, too few rows, entries that are not finite numbers, labels of one
            kind or of more than two.

    >>> data = dataset([[1, 2], [3, 5], [5, 2]], ["no", "yes", "no"])
    >>> data.y, data.notes
    (array([-1.,  1., -1.]), ("labels: 'no' became -1, 'yes' became +1",))
    """
    text(name, "name")
    if isinstance(X, Centred):
        raise ValueError("X is centred already; give the data before centring")
    features = scale_features(X, scaling)
    rows = features.shape[0]
    if rows < LEAST_ROWS:
        raise ValueError(f"X has {rows} row, too few for a data set: give {LEAST_ROWS} rows at least")
    if features.shape[1] == 0:
        raise ValueError("X has no columns: give one feature at least")
    target, notes = read_labels(y, rows)
    return Dataset(features, target, name, "given", "your own", (*notes, *column_notes(features, scaling)))


def column_notes(X: Matrix, scaling: str) -> list[str]:
    """What is said of columns that are zero or constant, and of features that are centred in products."""
    notes = about_columns(X, "zero {}" if scaling == "none" else "constant {}, zero now")
    if isinstance(X, Centred):
        notes.append("sparse: centred in the products, nothing is filled in")
    return notes


def _paper_dataset(name: str, scaling: str) -> Dataset:
    entry = DATASETS[name]
    if entry.file is None:
        X, y = load_madelon()
    else:
        resource = files("polyak_core").joinpath("data", entry.file)
        with resource.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            X, y = arrays["X"], arrays["y"]
    target = np.array(y, dtype=np.float64)
    return Dataset(scale_features(X, scaling), target, name, entry.source, entry.licence)


def _looks_like_a_path(name: Given) -> bool:
    """Whether something is meant as a path: it says so, has an ending or a folder, or is there."""
    if not (isinstance(name, str | os.PathLike) and name):
        return False
    try:
        there = Path(name).exists()
    except (OSError, ValueError, TypeError):  # too long, or with characters that no file has
        return False
    return isinstance(name, os.PathLike) or there or Path(name).suffix != "" or len(Path(name).parts) > 1


def dataset_facts(data: Dataset) -> Facts:
    """Shape, target, where it comes from, on what terms."""
    values = np.unique(data.y)
    target = f"{data.y.min():.6g} to {data.y.max():.6g}"
    if set(values) <= {-1.0, 1.0}:
        target = f"{int((data.y == 1).sum())} times +1, {int((data.y == -1).sum())} times −1"
    shape = f"{data.X.shape[0]} observations, {data.X.shape[1]} features"
    facts = [("size", shape), ("target", target), ("source", data.source), ("licence", data.licence)]
    return facts + [("note", note) for note in data.notes]
