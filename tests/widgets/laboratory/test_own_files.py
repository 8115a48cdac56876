"""Files that people bring to the page: what is read, what is refused, each in its own clear words."""

import hashlib
import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.upload import MOST_BYTES, clean_name, from_notebook, read_upload
from polyak_widgets.numbers import number_text
from polyak_widgets.settings.choices import SCALINGS
from polyak_widgets.settings.fields import SettingsError
from scipy import sparse

import polyak_core as pc

RNG = np.random.default_rng(0)
X = RNG.standard_normal((12, 3))
Y = np.where(X[:, 0] > 0, 1, -1)


def csv(rows):
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def lying_npz(shape):
    """An archive whose header speaks of more than there is."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("X.npy", header.getvalue())
        archive.writestr("y.npy", header.getvalue())
    return stream.getvalue()


def workbook():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return stream.getvalue()


def packed_labels():
    """A small file that would take much memory."""
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.ones((2, 1)), y=np.array(["a" * 10_000_000, "b"]))
    return stream.getvalue()


GOOD = {
    "a.csv": csv(np.column_stack([X, Y]).tolist()),
    "names.CSV": b"one,two,three,label\n"
    + csv([[*row, "yes" if y > 0 else "no"] for row, y in zip(X, Y, strict=True)]),
    "a.npz": npz(X=X, y=Y),
    "a.svm": "\n".join(
        f"{y} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row))
        for row, y in zip(X, Y, strict=True)
    ).encode(),
}


@pytest.mark.parametrize("name", GOOD)
def test_every_format_gives_the_same_numbers(name):
    data = read_upload(name, [memoryview(GOOD[name])])
    features = data.X.toarray() if sparse.issparse(data.X) else data.X
    np.testing.assert_allclose(features, X)
    np.testing.assert_array_equal(data.y, Y)
    assert data.sha256 == hashlib.sha256(GOOD[name]).hexdigest()
    assert data.two_classes


BAD = {
    "ragged": ("a.csv", b"1,2,1\n3,4\n", "line 2 has 2 cells, line 1 has 3"),
    "pickles": ("a.npz", npz(X=np.array([[1, None]], dtype=object), y=Y[:1]), "Python objects"),
    "no rows": ("a.npz", npz(X=np.empty((0, 3)), y=np.empty(0)), "has 0 rows"),
    "a header alone": ("a.csv", b"one,two,label\n", "a row of names and no other"),
    "one column": ("a.csv", b"1\n2\n3\n", "one column"),
    "text labels": ("a.csv", csv([[1, "a"], [2, "b"], [3, "c"]]), "text of 3 kinds ('a', 'b', 'c')"),
    "one kind of text": ("a.csv", csv([[1, "a"], [2, "a"]]), "text of 1 kinds"),
    "NaN": ("a.csv", b"1,nan,1\n2,3,-1\n", "column 2 (counted from 1) is 'nan', missing or not finite"),
    "infinite": ("a.npz", npz(X=np.array([[1.0], [np.inf]]), y=Y[:2]), "NaN or inf"),
    "a million rows": ("a.csv", b"1,1\n" * 1_000_000, "1\u202f000\u202f000 rows, and the page"),
    "many columns": ("a.csv", (b"1.0000000000000000000000," * 6000 + b"1\n") * 2, "columns, and the page"),
    "a million columns": ("a.csv", b"1," * 1_000_000 + b"1\n1\n", "ragged"),
    "a large index": ("a.svm", b"1 1:2\n-1 5001:3\n", "columns, and the page takes"),
    "a huge index": ("a.svm", b"1 1:2\n-1 99999999999999999:3\n", "hashed"),
    "too many numbers": ("a.npz", npz(X=np.ones((9000, 300), dtype=np.int8), y=np.ones(9)), "numbers, and"),
    "too large": ("a.csv", b"1" * (MOST_BYTES + 1), "5 MB at most"),
    "a workbook": ("a.xlsx", workbook(), "workbook of Excel"),
    "a row alone": ("csv", b"1,2\n", "1 row, too few"),
    "empty": ("a.csv", b"", "a.csv is empty"),
    "blank": ("a.csv", b"\n\n  \n", "empty"),
    "no archive": ("a.npz", b"1,2\n", "not a file of numpy.savez"),
    "a damaged archive": ("a.npz", npz(X=X, y=Y)[:300], "not a file of numpy.savez"),
    "packed labels": ("a.npz", packed_labels(), "an array of 80 MB, and the page takes 32 MB"),
    "UTF-16": ("a.csv", "1,2,1\n3,4,0\n".encode("utf-16-le"), "not text in UTF-8 but in UTF-16"),
    "decimal commas": ("a.csv", b"1,234;0\n2,500;1\n", "'1,234' is unclear"),
    "other arrays": ("a.npz", npz(A=X, b=Y), "must hold X and y"),
    "no text": ("a.csv", b"\xff\xfe\x00\n\x00\xff\n", "not text in UTF-8"),
    "no pairs": ("a.svm", b"1 x:2\n1 2:3\n", "not index:value"),
    "complex numbers": ("a.npz", npz(X=X * 1j, y=Y), "real numbers"),
    "a lying header": ("a.npz", lying_npz((10**12,)), "rows, and the page takes"),
    "a lying header of many axes": ("a.npz", lying_npz((3, 10**9, 10**9)), "columns, and the page takes"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_taken_is_said(case):
    name, content, words = BAD[case]
    with pytest.raises(SettingsError) as refused:
        read_upload(name, [content])
    assert words in str(refused.value)
    assert refused.value.name == "upload"
    assert str(refused.value)[-1] in ".)"


def test_each_refusal_has_its_own_sentence():
    sentences = set()
    for name, content, _ in BAD.values():
        with pytest.raises(SettingsError) as refused:
            read_upload(name, [content])
        sentences.add(str(refused.value))
    assert len(sentences) > 0.9 * len(BAD)


@pytest.mark.parametrize(
    ("name", "buffers"), [(None, [b"x"]), ("a.csv", []), ("a.csv", [b"1", b"2"]), (3, [b""])]
)
def test_a_message_without_a_file_is_refused(name, buffers):
    with pytest.raises(SettingsError, match="No file has come"):
        read_upload(name, buffers)


@given(st.text(max_size=300))
def test_no_name_leaves_its_folder(name):
    cleaned = clean_name(name)
    assert 0 < len(cleaned) <= 80
    assert "/" not in cleaned
    assert "\\" not in cleaned
    assert "\0" not in cleaned
    assert cleaned not in (".", "..")


def starting_like_a_file(ending):
    whole = {".npz": GOOD["a.npz"], ".csv": GOOD["a.csv"]}.get(ending, GOOD["a.svm"])
    cuts = st.builds(
        lambda at, more, rest: whole[:at] + more + whole[at + rest :],
        st.integers(0, len(whole)), st.binary(max_size=20), st.integers(0, 50),
    )  # fmt: skip
    return st.tuples(st.just(f"a{ending}"), st.binary(max_size=200) | cuts)


ENDINGS = (".csv", ".npz", ".svm", "")


@given(st.sampled_from(ENDINGS).flatmap(starting_like_a_file) | st.tuples(st.text(), st.binary(max_size=50)))
def test_whatever_bytes_come_there_are_data_or_words(upload):
    name, content = upload
    data = None
    with suppress(SettingsError):
        data = read_upload(name, [content])
    if data is None:
        return
    assert data.X.shape[0] == data.y.size >= 2
    assert np.isfinite(data.y).all()
    assert data.card
    assert all(0 < value < np.inf for value in data.usual_lam.values())


def facts(X, y):
    return dict(OwnData(X, y, "a.csv", "0" * 64).card)


def test_the_card_says_what_people_should_know():
    A = np.column_stack([X * [1, 10, 100], np.full(12, 7.0), np.zeros(12)])
    card = facts(A, Y.astype(float))
    assert card["Shape"] == "12 rows × 5 features"
    minus = int((Y < 0).sum())
    assert card["Labels"] == f"{minus} are −1, {12 - minus} are +1"
    assert (card["Constant"], card["Zero"], card["NaN, infinite"]) == ("1 column", "1 column", "none")
    assert card["κ as they are"].startswith("∞: rank 4 of 5")
    assert card["κ centred"].startswith("∞: rank 3 of 5")


def test_the_card_has_the_condition_number_before_and_after_scaling():
    card = facts(X * [1, 10, 100], Y.astype(float))
    for scaling, words in SCALINGS.items():
        problem = pc.least_squares(pc.dataset(X * [1, 10, 100], Y, scaling=scaling).X, Y)
        assert card[f"κ {words}"] == number_text(problem.condition_number)


def test_the_card_of_numbers_and_of_one_kind():
    assert "values from" in facts(X, X[:, 0])["Labels"]
    assert facts(X, np.ones(12))["Labels"] == "all are 1"
    assert "×" in facts(sparse.csr_array(X), Y.astype(float))["Shape"]


def test_data_of_any_size_from_a_notebook():
    pair = from_notebook((X, Y))
    again = from_notebook(pc.dataset(X, Y, scaling="none"))
    assert pair.sha256 == again.sha256 != from_notebook((X + 1, Y)).sha256
    tall = np.ones((30_000, 1)) * np.arange(30_000)[:, None]
    assert from_notebook((tall, np.arange(30_000) % 2)).X.shape == (30_000, 1)
    with pytest.raises(ValueError, match="scaling='none'"):
        from_notebook(X)
    with pytest.raises(ValueError, match="centred already"):
        from_notebook(pc.dataset(sparse.csr_array(X), Y))


@pytest.mark.parametrize(
    "name",
    ["unicode name réponses 数据.csv", "re\u0301ponses.csv", "heart", "a b\u00a0c.txt", "O'Neil & <b>.csv"],
)
def test_names_are_kept_and_endings_are_not_needed(name):
    data = read_upload(f"C:\\data\\{name}", [GOOD["a.csv"]])
    assert data.name == name
    assert data.card[0] == ["File", name if len(name) <= 28 else f"…{name[-27:]}"]
    np.testing.assert_allclose(data.X, X)


def test_a_name_shows_nothing_that_is_not_seen():
    assert clean_name("a\u202egnp.csv\n\u2028") == "a_gnp.csv__"


def test_remarks_are_no_indices():
    text = b"+1 1:0.25 3:1 # doc 20240131: positive\n-1 2:1 # see host:8080/a\n+1 1:2 2:3\n"
    assert read_upload("heart", [text]).X.shape == (3, 3)


def test_what_was_read_is_said_in_the_card():
    data = read_upload(
        "a.csv",
        [b",a,b,Klasse\n0,1,5;2;ja\n".replace(b",", b";").replace(b"1;5", b"1,5") + b"1;2,5;3;nein\n"],
    )
    facts = " | ".join(fact for word, fact in data.card if word == "Read")
    for words in ("read as names", "semicolons", "decimal commas", "no name and was left out", "'ja' became"):
        assert words in facts
