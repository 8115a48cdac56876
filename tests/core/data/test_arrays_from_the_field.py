"""Arrays as people have them, distilled from public bug reports: read as numbers, or refused in words."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc

TEXT_WORDS = ["'x'", "row 2 column 1"]
FRAME = pd.DataFrame({"A": [0.1, 0.2, 0.9], "B": [1.0, 2.0, 1.0]})
NUMBERS = {
    "bool column": (FRAME.assign(B=[True, False, True]), [[0.1, 1], [0.2, 0], [0.9, 1]]),
    "bool columns": (FRAME > 0.5, [[0, 1], [0, 1], [1, 1]]),
    "nullable": (FRAME.assign(C=[1, 2, 3]).convert_dtypes(), [[0.1, 1, 1], [0.2, 2, 2], [0.9, 1, 3]]),
    "nullable bool": ((FRAME > 0.5).astype("boolean"), [[0, 1], [0, 1], [1, 1]]),
    "object": (FRAME.astype(object), [[0.1, 1], [0.2, 2], [0.9, 1]]),
    "objects": (
        np.array([[1, Fraction(1, 2)], [Decimal("2.5"), True], [np.float32(3), np.int8(4)]], dtype=object),
        [[1, 0.5], [2.5, 1], [3, 4]],
    ),
    "nothing hidden": (np.ma.array([[1.0, 2], [3, 4], [5, 6]]), [[1, 2], [3, 4], [5, 6]]),
    "large whole numbers": ([[2**70, 1], [1, 2], [3, 4]], [[2.0**70, 1], [1, 2], [3, 4]]),
    "sparse bool": (sparse.csr_array(np.eye(3, dtype=bool)), np.eye(3)),
}
y = [0.0, 1.0, 3.0]


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read_whatever_they_stand_in(case):
    given_X, X = NUMBERS[case]
    result = pc.dataset(given_X, y, scaling="none").X
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result.toarray() if sparse.issparse(result) else result, X)
    np.testing.assert_array_equal(pc.least_squares(given_X, y).x_star.shape, (np.shape(X)[1],))


masked = np.ma.array([[1.0, 2.0], [3.0, -999.0], [4.0, 1.0]], mask=[[0, 0], [0, 1], [0, 0]])
NO_NUMBERS = {
    "masked": (masked, ["X hides 1 entry behind a mask", "row 2 column 2"]),
    "masked rows": ([masked[0], masked[1], masked[2]], ["hides 1 entry", "row 2 column 2"]),
    "all masked": (
        np.ma.masked_all((3, 4)),
        ["hides 12 entries", "row 1 column 1, row 1 column 2", "and more"],
    ),
    "missing": (FRAME.assign(B=[1, None, 3]).convert_dtypes(), ["<NA>", "row 2 column 2"]),
    "None": ([[1, 2], [3, None], [4, 5]], ["None", "row 2 column 2"]),
    "text among numbers": (FRAME.astype(object).map(lambda cell: "x" if cell == 0.2 else cell), TEXT_WORDS),
    "NaN": (FRAME.assign(B=[1, np.nan, 3]), ["row 2, column 2"]),
    "text": ([["1", "2"], ["3", "4"], ["5", "6"]], ["real numbers"]),
    "bytes": (np.array([[b"1"], [b"2"], [b"3"]]), ["real numbers"]),
    "dates": (
        np.array([["2024-01-31"], ["2024-02-01"], ["2024-02-02"]], dtype="datetime64[D]"),
        ["real numbers"],
    ),
    "complex": (np.eye(3) * 1j, ["real numbers"]),
    "complex objects": (np.array([[1j], [2], [3]], dtype=object), ["1j", "row 1 column 1"]),
    "complex sparse": (
        sparse.csr_array(np.array([[1 + 1j, 2], [3, 4], [5, 6]])),
        ["real numbers", "complex128"],
    ),
    "complex sparse of another format": (sparse.coo_matrix(np.eye(3) * 1j), ["real numbers", "complex128"]),
    "too large": ([[10**400, 1], [1, 2], [3, 4]], ["float64 cannot hold"]),
    "too large for float64": (np.array([["1e400"], ["1"], ["2"]], dtype=np.longdouble), ["row 1, column 1"]),
    "ragged": ([[1, 2], [3], [4, 5]], ["equal length"]),
}


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_what_is_no_number_is_refused_in_words(case):
    X, words = NO_NUMBERS[case]
    if case == "too large for float64" and np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("longdouble is double here")
    with pytest.raises(ValueError, match="X") as caught:
        pc.dataset(X, y)
    for word in words:
        assert word in str(caught.value)
    with pytest.raises(ValueError, match="A"):
        pc.least_squares(X, y)


def test_no_problem_reads_what_is_hidden():
    hidden = np.ma.array([1.0, 2, 3], mask=[0, 0, 1])
    for call in (
        lambda: pc.least_squares(np.eye(3), hidden),
        lambda: pc.lasso(np.eye(3), hidden, 0.1),
        lambda: pc.quadratic(hidden),
        lambda: pc.logistic(np.eye(3), np.ma.array([1.0, -1, 1], mask=[0, 0, 1]), 0.1),
        lambda: pc.svm_dual(masked, [1.0, -1, 1], 1.0),
        lambda: pc.matrix_completion(masked, np.ones((3, 2)), 0.1),
        lambda: pc.solve(pc.quadratic([1, 2, 3]), x0=hidden, iterations=2),
    ):
        with pytest.raises(ValueError, match="hides 1 entry"):
            call()
    visible = np.ma.getmaskarray(masked) == 0
    assert pc.matrix_completion(masked, visible, 0.1).x0.shape == (3, 2)


LABELS = {
    "None": ["a", None, "a"],
    "NaN": pd.Series(["M", None, "M"]),
    "NA": pd.Series([True, None, True], dtype="boolean"),
    "NA in text": pd.Series(["a", pd.NA, "b"], dtype="string"),
    "NA in whole numbers": pd.Series([1, None, 2], dtype="Int64"),
    "empty": ["a", "", "b"],
    "blank": ["a", "  ", "b"],
    "nan in text": np.array(["a", np.nan, "b"]),
    "NaN beside text": np.array(["a", np.nan, "b"], dtype=object),
    "NaN among numbers": [1.0, np.nan, 2.0],
    "empty bytes": np.array([b"a", b"", b"b"]),
    "NaT": np.array([1, np.datetime64("NaT", "D"), 2], dtype=object),
}


@pytest.mark.parametrize("case", LABELS)
def test_a_missing_label_is_refused_with_its_row(case):
    with pytest.raises(ValueError, match="no label in row 2"):
        pc.dataset(np.eye(3), LABELS[case])


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.ma.array([1.0, 2, 1], mask=[0, 1, 0]), "y hides 1 entry behind a mask, in row 2"),
        (np.ma.array(["a", "b", "a"], mask=[0, 1, 0]), "y hides 1 entry"),
        (np.array([1j, 2, 3]), "y holds complex128, but labels are real numbers or text"),
        (np.array([1j, 2, 3], dtype=object), "y is 1j in row 1"),
        (np.array(["2024-01-31", "2024-02-01", "2024-02-02"], dtype="datetime64[D]"), "y holds datetime64"),
        ([(1, 2), (3, 4), (5, 6)], r"shape \(3, 2\)"),
        ([1, {}, 2], "y is {} in row 2"),
        (["a", np.inf, "b"], "labels are text of 3 kinds|not finite in row 2"),
    ],
)
def test_what_is_no_label_is_refused_in_words(labels, words):
    with pytest.raises(ValueError, match=words):
        pc.dataset(np.eye(3), labels)


@pytest.mark.parametrize(
    ("labels", "signs"),
    [
        (pd.Series(["M", "B", "M"], dtype="category"), [1, -1, 1]),
        (pd.Series([True, False, True], dtype="boolean"), [1, -1, 1]),
        (pd.Series([2, 1, 2], dtype="Int64"), [1, -1, 1]),
        (np.array([True, False, True], dtype=object), [1, -1, 1]),
        (np.array([b"2", b"10", b"2"]), [-1, 1, -1]),
        (np.array([1, "a", 1], dtype=object), [-1, 1, -1]),
        (np.array([Decimal("0.5"), Fraction(1, 4), 3], dtype=object), [0.5, 0.25, 3]),
        (np.ma.array([1, 2, 3]), [1, 2, 3]),
    ],
)
def test_labels_are_read_whatever_they_stand_in(labels, signs):
    np.testing.assert_array_equal(pc.dataset(np.eye(3), labels).y, signs)


entries = st.floats(-1e6, 1e6) | st.booleans() | st.integers(-1000, 1000) | st.fractions(-5, 5)


@given(
    st.lists(st.lists(entries, min_size=2, max_size=2), min_size=2, max_size=5),
    st.sets(st.tuples(st.integers(0, 4), st.integers(0, 1))),
)
def test_objects_are_their_float_values_and_masks_are_seen(rows, hidden):
    exact = [[float(entry) for entry in row] for row in rows]
    target = np.arange(len(rows))
    np.testing.assert_array_equal(pc.dataset(np.array(rows, dtype=object), target, scaling="none").X, exact)
    mask = np.zeros((len(rows), 2), dtype=bool)
    for place in hidden:
        if place[0] < len(rows):
            mask[place] = True
    X = np.ma.array(exact, mask=mask)
    if mask.any():
        with pytest.raises(ValueError, match=f"hides {mask.sum()} entr"):
            pc.dataset(X, target)
    else:
        np.testing.assert_array_equal(pc.dataset(X, target, scaling="none").X, exact)
