"""People's own data: arrays and files become what they say, and what is wrong is answered in words."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core.matrices.kinds import Centred

X = np.array([[1.0, 2.0, 0.5], [4.0, -5.0, 0.25], [7.0, 8.0, 0.0], [1.0, 0.0, 3.0]])
Y = np.array([1.0, -1.0, -1.0, 1.0])
TABLE = "1,2,.5,1\n4,-5,.25,-1\n7,8,0,-1\n1,0,3,1\n"
NAMES = "a,b,c,target\n"
SPARSE_TEXT = "+1 1:1 2:2 3:.5\n-1 1:4 2:-5 3:.25 # remark\n\n-1 1:7 2:8\n+1 qid:4 3:3 1:1\n"


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(folder, name, text, scaling="none", **keywords):
    return pc.load_dataset(write(folder, name, text), scaling=scaling, **keywords)


def assert_is_the_table(data):
    dense = data.X.toarray() if sparse.issparse(data.X) else data.X
    np.testing.assert_array_equal(dense, X)
    np.testing.assert_array_equal(data.y, Y)
    assert dense.dtype == data.y.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (TABLE, None),
        (NAMES + TABLE, None),
        (NAMES + TABLE, "target"),
        ("\ufeff" + NAMES + TABLE, "target"),
        (TABLE, 3),
        (TABLE, -1),
        (TABLE.replace(",", ";"), None),
        (TABLE.replace(",", "\t"), None),
        (TABLE.replace(",", " , ") + "\n\n", None),
        (TABLE.replace("\n", "\r\n"), None),
        ('"a, b",b,c,y\n' + TABLE, None),
        ("0,1,2,y\n" + TABLE, None),  # numbers as names, told by the label alone
        ("y,a,b,c\n1,1,2,.5\n-1,4,-5,.25\n-1,7,8,0\n1,1,0,3\n", "y"),
        ("1,1,2,.5\n-1,4,-5,.25\n-1,7,8,0\n1,1,0,3\n", 0),
        ("1,1,2,.5\n4,-1,-5,.25\n7,-1,8,0\n1,1,0,3\n", -3),
    ],
)
def test_csv(tmp_path, text, label):
    data = load(tmp_path, "own.csv", text, label=label)
    assert_is_the_table(data)
    assert (data.name, data.source) == ("own", "file own.csv")


def test_the_notes_say_how_csv_was_read(tmp_path):
    assert load(tmp_path, "own.csv", TABLE).notes == ()
    notes = load(tmp_path, "own.csv", (NAMES + TABLE).replace(",", ";")).notes
    assert notes[0] == "the first row was read as names; the labels are column 'target'"
    assert notes[1] == "cells are separated by semicolons"


def test_a_path_as_text(tmp_path):
    assert_is_the_table(pc.load_dataset(str(write(tmp_path, "OWN.CSV", TABLE)), scaling="none"))


@pytest.mark.parametrize("y", [Y, Y.astype(np.int8), Y > 0, np.where(Y > 0, "b", "a"), Y * 3 + 7])
def test_npz(tmp_path, y):
    np.savez(tmp_path / "own.npz", X=X.astype(np.float32), y=y, other=np.arange(3))
    assert_is_the_table(pc.load_dataset(tmp_path / "own.npz", scaling="none"))


@pytest.mark.parametrize("ending", [".svm", ".libsvm", ".svmlight"])
def test_svmlight(tmp_path, ending):
    data = load(tmp_path, "own" + ending, SPARSE_TEXT)
    assert sparse.issparse(data.X)
    assert_is_the_table(data)
    from_zero = load(tmp_path, "own0.svm", "a 0:1 2:3\nb 1:2.5e0\n")
    np.testing.assert_array_equal(from_zero.X.toarray(), [[1, 0, 3], [0, 2.5, 0]])
    assert from_zero.notes == ("indices count from 0", "labels: 'a' became -1, 'b' became +1")


def test_svmlight_is_centred_without_filling(tmp_path):
    data = load(tmp_path, "own.svm", SPARSE_TEXT, scaling="standardize")
    assert isinstance(data.X, Centred)
    assert data.X.X.nnz <= 10
    np.testing.assert_allclose(data.X.toarray(), pc.dataset(X, Y, scaling="standardize").X, atol=1e-15)
    assert any("nothing is filled in" in note for note in data.notes)


@pytest.mark.parametrize(
    ("name", "content", "fragments"),
    [
        ("own.csv", "", ["own.csv is empty", "a row per observation"]),
        ("own.csv", " \n\n", ["own.csv is empty"]),
        ("own.csv", "1,2\n3,4,5\n", ["ragged", "line 2 has 3 cells", "line 1 has 2"]),
        ("own.csv", "1\n2\n", ["one column", "features and a label"]),
        ("own.csv", "1,2,3\n4,,6\n", ["line 2, column 2", "missing", "drop or fill"]),
        ("own.csv", "a,b,c\n4,5,6\n4,nan,6\n", ["line 3, column 2", "missing"]),
        ("own.csv", "1,2,3\n4,1e999,6\n", ["line 2, column 2", "'1e999'", "not finite"]),
        ("own.csv", "1,2,3\nx,5,6\n", ["line 2, column 1", "'x'", "not a number"]),
        ("own.csv", "1,x,3\n4,5,6\n", ["line 1, column 2", "'x'", "not a number"]),
        ("own.csv", "1,2,1\n4,5,?\n", ["no label in line 2"]),
        ("own.csv", "1,2,a\n4,5,b\n7,8,c\n", ["text of 3 kinds", "'a', 'b', 'c'", "must be two"]),
        ("own.csv", "1,2,a\n4,5,a\n", ["text of 1 kinds"]),
        ("own.csv", "1,2,3\n", ["1 row", "too few", "2 rows"]),
        ("own.csv", "a,b,y\n1,2,3\n", ["1 row", "too few"]),
        ("own.csv", "a,b,y\n", ["a row of names and no other"]),
        ("own.csv", b"\xff\xfe1\x002\x00", ["not text in UTF-8"]),
        ("own.npz", b"", ["own.npz is empty"]),
        ("own.npz", b"neither", ["not a file of numpy.savez"]),
        ("own.npz", b"PK\x03\x04 cut off", ["not a file of numpy.savez"]),
        ("own.svm", "# nothing\n", ["own.svm is empty"]),
        ("own.svm", "1 1:2\n1:3 2:4\n", ["line 2 begins with '1:3'", "label first"]),
        ("own.svm", "1 1:2\n-1 2\n", ["line 2", "'2'", "index:value"]),
        ("own.svm", "1 1:2\n-1 2:x\n", ["line 2", "'2:x'", "index:value"]),
        ("own.svm", "1 1.5:2\n-1 2:3\n", ["line 1", "'1.5:2'", "index:value"]),
        ("own.svm", "1 -1:2\n-1 2:3\n", ["line 1", "index -1"]),
        ("own.svm", "1 1:2\n-1 2:nan\n", ["line 2, column 2", "not finite"]),
        ("own.svm", "1 1:2 1:3\n-1 2:4\n", ["line 1", "index twice"]),
        ("own.svm", "1\n-1\n", ["no features"]),
        ("own.svm", "1 1:2\n", ["1 row", "too few"]),
        ("own.xlsx", "1,2,3\n", ["1 row", "too few"]),
        ("own", "1,2,3\n", ["1 row", "too few"]),
    ],
)
def test_what_is_wrong_with_a_file_is_answered_in_words(tmp_path, name, content, fragments):
    with pytest.raises(ValueError, match=r"own|X has|labels") as caught:
        load(tmp_path, name, content)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "fragments"),
    [
        ({"X": X}, ["holds the arrays ['X']", "must hold X and y"]),
        ({"X": X, "y": Y[:3]}, ["y has shape (3,)", "4 rows"]),
        ({"X": X, "y": np.array([{}, {}, {}, {}])}, ["Python objects", "could run code"]),
        ({"X": X[0], "y": Y}, ["shape (3,)", "must be a matrix"]),
        ({"X": X.astype(str), "y": Y}, ["matrix of real numbers"]),
        ({"X": np.where(X == 8, np.inf, X), "y": Y}, ["first in row 3, column 2"]),
        ({"X": X, "y": np.where(Y == 1, np.nan, Y)}, ["y is not finite in row 1"]),
    ],
)
def test_what_is_wrong_with_arrays_in_a_file(tmp_path, arrays, fragments):
    np.savez(tmp_path / "own.npz", **arrays)
    with pytest.raises(ValueError, match=r"X|y") as caught:
        pc.load_dataset(tmp_path / "own.npz")
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_a_damaged_archive_is_answered_in_words(tmp_path):
    np.savez(tmp_path / "own.npz", X=X, y=Y)
    content = bytearray((tmp_path / "own.npz").read_bytes())
    content[content.find(b"\x93NUMPY") + 140] ^= 1  # one bit of the first number
    with pytest.raises(ValueError, match=r"own\.npz is damaged.*again by numpy\.savez"):
        load(tmp_path, "own.npz", bytes(content))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda folder: pc.load_dataset(folder / "gone.csv"), "there is no file"),
        (pc.load_dataset, "there is no file"),
        (lambda folder: load(folder, "own.csv", TABLE, label="target"), "no column 'target'"),
        (lambda folder: load(folder, "own.csv", TABLE, label="1"), "no row of names"),
        (lambda folder: load(folder, "own.csv", NAMES + TABLE, label="d"), "no column 'd'.*'a', 'b', 'c'"),
        (lambda folder: load(folder, "own.csv", TABLE, label=4), "label = 4 .*number from 0 to 3"),
        (lambda folder: load(folder, "own.csv", TABLE, label=True), "label = True"),
        (lambda folder: load(folder, "own.svm", SPARSE_TEXT, label=0), "label = 0 is for CSV"),
        (lambda folder: pc.load_dataset("sonar", label=0), "label = 0 is for files"),
        (lambda folder: pc.dataset(X, Y, scaling="centre"), "scaling is 'centre'"),
        (lambda folder: pc.dataset(X, Y[:2]), r"y has shape \(2,\), but X has 4 rows"),
        (lambda folder: pc.dataset(X, np.column_stack([Y, Y])), r"y has shape \(4, 2\)"),
        (lambda folder: pc.dataset(X, [[1], [1, 2]]), "one label per row"),
        (lambda folder: pc.dataset(X[:1], Y[:1]), "too few"),
        (lambda folder: pc.dataset(np.zeros((3, 0)), Y[:3]), "no columns"),
        (lambda folder: pc.dataset(X, [1, 2, np.inf, 1]), r"y is not finite in row 3"),
        (lambda folder: pc.dataset(X, ["1", "2", "nan", "1"]), r"y is not finite in row 3"),
        (lambda folder: pc.dataset(pc.dataset(sparse.csr_array(X), Y).X, Y), "centred already"),
    ],
)
def test_wrong_calls_are_answered_in_words(tmp_path, call, words):
    with pytest.raises(ValueError, match=words):
        call(tmp_path)


@pytest.mark.parametrize(
    ("y", "expected", "note"),
    [
        ([0, 1, 1], [-1, 1, 1], "labels: 0 became -1, 1 became +1"),
        ([2, 1, 2], [1, -1, 1], "labels: 1 became -1, 2 became +1"),
        ([True, False, True], [1, -1, 1], "labels: 0 became -1, 1 became +1"),
        (["R", "M", "R"], [1, -1, 1], "labels: 'M' became -1, 'R' became +1"),
        (["10", "9", "10"], [1, -1, 1], "labels: 9 became -1, 10 became +1"),
        ([1.0, -1.0, 1.0], [1, -1, 1], None),
        ([0.5, 2.5, 1.5], [0.5, 2.5, 1.5], "y takes 3 values and is kept as the target of a regression"),
        ([3, 3, 3], [3, 3, 3], "every label is 3: fine for regression, not for two classes"),
    ],
)
def test_labels(y, expected, note):
    data = pc.dataset(X[:3], y)
    np.testing.assert_array_equal(data.y, expected)
    assert data.notes == (() if note is None else (note,))


def test_constant_columns_are_noted():
    wide = np.column_stack([X, np.full(4, 0.1), np.zeros(4)])
    assert pc.dataset(wide, Y, scaling="none").notes == ("1 zero column", "1 constant column")
    assert pc.dataset(wide, Y).notes == ("2 constant columns, zero now",)
    assert "2 constant columns, zero now" in pc.dataset(sparse.coo_array(wide), Y).notes


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.coo_matrix])
@pytest.mark.parametrize("scaling", ["none", "center", "standardize"])
def test_input_is_never_modified(kind, scaling):
    given_X, given_y = kind(X.astype(np.float32)), (Y > 0).astype(np.int64)
    data = given_X.data if sparse.issparse(given_X) else given_X
    if isinstance(data, np.ndarray):
        data.flags.writeable = False
    before = given_X.copy()
    dataset = pc.dataset(given_X, given_y, scaling=scaling)
    difference = given_X - before
    assert not (difference.toarray() if sparse.issparse(difference) else difference).any()
    assert given_y.sum() == 2
    dense = dataset.X if isinstance(dataset.X, np.ndarray) else dataset.X.toarray()
    np.testing.assert_allclose(dense, pc.dataset(X, Y, scaling=scaling).X, atol=1e-15)


cells = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.data(), st.integers(2, 5), st.integers(1, 4))
def test_what_was_written_is_read(tmp_path_factory, data, m, n):
    rows = data.draw(st.lists(st.lists(cells, min_size=n, max_size=n), min_size=m, max_size=m))
    y = data.draw(
        st.lists(st.sampled_from(["spam", "ham"]), min_size=m, max_size=m).filter(lambda y: len(set(y)) == 2)
    )
    table, folder = io.StringIO(), tmp_path_factory.mktemp("own")
    csv.writer(table).writerows([*map(repr, row), label] for row, label in zip(rows, y, strict=True))
    pairs = (" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) for row in rows)
    lines = "".join(f"{label} {fields}\n" for label, fields in zip(y, pairs, strict=True))
    for dataset in (load(folder, "own.csv", table.getvalue()), load(folder, "own.svm", lines)):
        dense = dataset.X if isinstance(dataset.X, np.ndarray) else dataset.X.toarray()
        np.testing.assert_array_equal(dense, rows)
        np.testing.assert_array_equal(dataset.y, [1 if label == "spam" else -1 for label in y])


def test_problems_take_a_data_set(tmp_path):
    data = load(tmp_path, "own.svm", SPARSE_TEXT, scaling="center")
    again = pc.dataset(X, Y)
    sparse_problem, dense_problem = (pc.least_squares(d.X, d.y) for d in (data, again))
    assert sparse_problem.f_star == pytest.approx(dense_problem.f_star, abs=1e-14)
