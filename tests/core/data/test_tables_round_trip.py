"""Tables written in every way that people use are read exactly, or refused in words: never silently wrong."""

import csv
import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import polyak_core as pc

decimals = (
    st.decimals(-1000, 1000, places=3)
    .map(lambda value: str(value.normalize()))
    .filter(lambda s: "E" not in s)
)
whole = st.integers(-9999, 9999).map(str)
words = st.text("abcxyzäé ,;|\"'#:._-", min_size=1, max_size=8).map(lambda s: f"n{s}m")


@st.composite
def tables(draw):
    """Cells as text with their truth, and how they are written down."""
    m, n = draw(st.integers(3, 7)), draw(st.integers(1, 4))
    kinds = draw(st.lists(st.sampled_from([decimals, whole]), min_size=n, max_size=n))
    X = [[draw(kind) for kind in kinds] for _ in range(m)]
    y = draw(
        st.sampled_from([("no, not", "yes"), ("0", "1"), ("-1", "1"), ("a;b", "c|d")]).flatmap(
            lambda pair: st.lists(st.sampled_from(pair), min_size=m, max_size=m)
        )
        | st.lists(decimals, min_size=m, max_size=m)
    )
    names = draw(
        st.sampled_from(["none", "count", *["years"][: n - 1]])  # two numbers alone may be anything
        | st.lists(words, min_size=n + 1, max_size=n + 1, unique=True)
    )
    return X, y, names, draw(st.sampled_from(["", "numbers", "shuffled", "words"]))


ways = st.fixed_dictionaries(
    {
        "separator": st.sampled_from(",;\t|"),
        "mark": st.sampled_from(".,"),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "line end": st.sampled_from(["\n", "\r\n", "\r"]),
        "encoding": st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be", "cp1252"]),
        "sep line": st.booleans(),
        "separator at the end": st.booleans(),
        "name": st.sampled_from(["own.csv", "own", "own.txt", "own.CSV"]),
    }
)


def written(table, way):
    """The bytes of a file, and whether everything in it is as clear as it can be."""
    X, y, names, index = table
    n = len(X[0])
    marked = [[cell.replace(".", way["mark"]) for cell in row] for row in X]
    labels = [cell.replace(".", way["mark"]) if cell[-1].isdigit() else cell for cell in y]
    rows = [[*row, label] for row, label in zip(marked, labels, strict=True)]
    if names != "none":
        rows.insert(
            0,
            names
            if isinstance(names, list)
            else [str(i if names == "count" else 1990 + 10 * i) for i in range(n + 1)],
        )
    if index and names != "none":
        numbers = range(len(X)) if index == "numbers" else [(5 * i) % 17 for i in range(len(X))]
        column = ["", *(f"row {i}" if index == "words" else str(i) for i in numbers)]
        rows = [[first, *row] for first, row in zip(column, rows, strict=True)]
    if way["separator at the end"]:
        rows = [[*row, ""] for row in rows]
    out = io.StringIO(newline="")
    if way["sep line"]:
        out.write(f"sep={way['separator']}{way['line end']}")
    csv.writer(
        out, delimiter=way["separator"], quoting=way["quoting"], lineterminator=way["line end"]
    ).writerows(rows)
    clear = way["encoding"].startswith("utf-8") and (isinstance(names, list) or names == "none")
    commas = way["mark"] == "," and any("." in cell for row in (*X, y) for cell in row)
    return out.getvalue().encode(way["encoding"]), clear and not commas


@settings(max_examples=150, deadline=None)
@given(tables(), ways)
def test_a_table_is_read_as_it_was_written_or_refused_in_words(tmp_path_factory, table, way):
    X, y, names, _ = table
    content, clear = written(table, way)
    path = tmp_path_factory.mktemp("own") / way["name"]
    path.write_bytes(content)
    refusal = ""
    try:
        data = pc.load_dataset(path, scaling="none")
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert not clear or "labels are text of 1 kinds" in refusal
        assert path.name in refusal or "labels" in refusal
        return
    expected = np.array(X, dtype=float)
    if isinstance(names, str) and names != "none" and data.X.shape[0] == len(X) + 1:
        assert "was read as an observation" in " ".join(data.notes)
        np.testing.assert_array_equal(data.X[1:, -expected.shape[1] :], expected)
        return
    np.testing.assert_array_equal(data.X, expected)
    kinds = sorted(set(y))
    if kinds[0][-1].isdigit():
        numbers = np.array(y, dtype=float)
        two = np.unique(numbers).size == 2
        np.testing.assert_array_equal(data.y, np.where(numbers == numbers.min(), -1, 1) if two else numbers)
    else:
        np.testing.assert_array_equal(data.y, [-1 if label == kinds[0] else 1 for label in y])
