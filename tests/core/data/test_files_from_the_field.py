"""Files as people have them, distilled from public bug reports: read as meant, or refused in words."""

import io
import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import polyak_core as pc

NAMED = "a,b,y\n1,2,0\n3,5,1\n2,2,0\n4,1,1\n"
FOUR = [[1, 2], [3, 5], [2, 2], [4, 1]]
CLASSES = [-1, 1, -1, 1]


def load(folder, name, content, **keywords):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return pc.load_dataset(path, scaling="none", **keywords)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def without_names(table):
    return table.partition("\n")[2]


READ = {
    "decimal commas": (
        "1,5;0\n2,5;1\n3,5;1\n4,5;0\n",
        [[1.5], [2.5], [3.5], [4.5]],
        [-1, 1, 1, -1],
        "decimal commas",
    ),
    "names and one decimal comma a row": (
        "x;y\n1,5;1\n2,25;0\n3,5;1\n",
        [[1.5], [2.25], [3.5]],
        [1, -1, 1],
        "decimal commas",
    ),
    "remarks": (
        "# taken by night, in 3 places\n# twice\na,b,y\n1,2,0\n3,5,1\n# the end\n",
        [[1, 2], [3, 5]],
        [-1, 1],
        "3 lines that begin with # were left out",
    ),
    "names as numpy.savetxt writes them": (
        "# a b y\n1 2 0\n3 5 1\n",
        [[1, 2], [3, 5]],
        [-1, 1],
        "was left out",
    ),
    "rows numbered under a #": (
        "#,a,y\n7,2,0\n9,5,1\n8,4,1\n",
        [[7, 2], [9, 5], [8, 4]],
        [-1, 1, 1],
        "names",
    ),
    "a printer's minus": ("a,y\n\u22121.5,1\n2,0\n", [[-1.5], [2]], [1, -1], "names"),
    "decimal commas, names": (
        "Breite;Länge;Klasse\n1,25;2,5;0\n2,75;3,5;1\n3,1;1,75;1\n",
        [[1.25, 2.5], [2.75, 3.5], [3.1, 1.75]],
        [-1, 1, 1],
        "decimal commas",
    ),
    "decimal commas, tabs": (
        "1,5\t2\t0,5\n2,5\t3\t1,5\n0,125\t1\t2,5\n",
        [[1.5, 2], [2.5, 3], [0.125, 1]],
        [0.5, 1.5, 2.5],
        "decimal commas",
    ),
    "decimal commas in quotes": (
        '"1,5","2,25",0\n"2,5","3",1\n',
        [[1.5, 2.25], [2.5, 3]],
        [-1, 1],
        "decimal commas",
    ),
    "decimal commas, exponents": ("1,5e3;0\n-2,5E-1;1\n", [[1500], [-0.25]], [-1, 1], "decimal commas"),
    "decimal commas, bars": ("1,5|0\n2,5|1\n", [[1.5], [2.5]], [-1, 1], "separated by bars"),
    "commas in names": (
        '"Weight, kg";"Height, cm";"Group, code"\n61.5;171;0\n73;182;1\n56;161;0\n',
        [[61.5, 171], [73, 182], [56, 161]],
        [-1, 1, -1],
        "semicolons",
    ),
    "more commas than semicolons, no quotes": (
        "a, in m, b;c;y\n1;2;0\n3;5;1\n2;2;0\n4;1;1\n",
        FOUR,
        CLASSES,
        "semicolons",
    ),
    "commas in labels": ('1;2;"no, not"\n3;5;yes\n2;2;"no, not"\n4;1;yes\n', FOUR, CLASSES, "semicolons"),
    "semicolons in labels": ("1,2,no;\n3,5,yes\n2,2,no;\n4,1,yes\n", FOUR, CLASSES, "'no;' became -1"),
    "a quoted cell of two lines": ('a,"b\nin m",y\n1,2,0\n3,5,1\n2,2,0\n4,1,1\n', FOUR, CLASSES, "names"),
    "a line of a cell": ("1,2,no\u2028\n3,5,yes\n2,2,no\u2028\n4,1,yes\n", FOUR, CLASSES, "became"),
    "old line ends": (NAMED.replace("\n", "\r"), FOUR, CLASSES, "names"),
    "sep line": ("sep=;\n" + NAMED.replace(",", ";"), FOUR, CLASSES, "semicolons"),
    "sep line, quoted": ('"sep=;"\r\n' + NAMED.replace(",", ";"), FOUR, CLASSES, "semicolons"),
    "sep line, another sign": ("SEP=:\n" + NAMED.replace(",", ":"), FOUR, CLASSES, "':'"),
    "sep line, tab": ("sep=\t\n" + NAMED.replace(",", "\t"), FOUR, CLASSES, "tabs"),
    "separator at the end": (NAMED.replace("\n", ",\n"), FOUR, CLASSES, "empty column at the end"),
    "separator at the end, no names": (
        without_names(NAMED).replace("\n", ",\n"),
        FOUR,
        CLASSES,
        "empty column",
    ),
    "separators at the end": (NAMED.replace("\n", ",,,\n") + ",,,,,\n", FOUR, CLASSES, "empty column"),
    "separator at the end of the rows": (
        "a,b,y\n" + without_names(NAMED).replace("\n", ",\n"),
        FOUR,
        CLASSES,
        "empty column",
    ),
    "separator at the end of the names": (NAMED.replace("y\n", "y,\n"), FOUR, CLASSES, "empty column"),
    "numbers as names, text labels": (
        "400,450,500,class\n0.12,0.33,0.21,sick\n0.41,0.05,0.77,well\n0.09,0.35,0.18,sick\n",
        [[0.12, 0.33, 0.21], [0.41, 0.05, 0.77], [0.09, 0.35, 0.18]],
        [-1, 1, -1],
        "400, 450, 500, class, was read as names",
    ),
    "years as names": (
        "1990,2000,2010\n0.5,1.5,2.5\n1.0,0.25,3.5\n2.5,2.0,0.5\n",
        [[0.5, 1.5], [1, 0.25], [2.5, 2]],
        [2.5, 3.5, 0.5],
        "1990, 2000, 2010",
    ),
    "names that count": (
        "0,1,2\n5.3,3.4,0\n4.8,3.1,0\n6.5,3.0,1\n",
        [[5.3, 3.4], [4.8, 3.1], [6.5, 3]],
        [-1, -1, 1],
        "0, 1, 2, was read as names",
    ),
    "names that count, whole numbers": (
        "0,1,2\n5,3,0\n4,3,0\n6,3,1\n4,2,1\n",
        [[5, 3], [4, 3], [6, 3], [4, 2]],
        [-1, -1, 1, 1],
        "0, 1, 2, was read as names",
    ),
    "two names that count": (
        "0,1\n5.3,0\n4.8,0\n6.5,1\n",
        [[5.3], [4.8], [6.5]],
        [-1, -1, 1],
        "0, 1, was read as names",
    ),
    "names that count, and row numbers": (
        ",0,1,2\n0,5.3,3.4,0\n1,4.8,3.1,0\n2,6.5,3.0,1\n",
        [[5.3, 3.4], [4.8, 3.1], [6.5, 3]],
        [-1, -1, 1],
        "no name and was left out",
    ),
    "words and numbers as names": (
        "age,2019,2020,class\n5,6,7,a\n6,7,8,b\n7,8,8,a\n",
        [[5, 6, 7], [6, 7, 8], [7, 8, 8]],
        [-1, 1, -1],
        "was read as names",
    ),
    "elements as names": ("Ca,Na,K,y\n1,2,3,0\n4,5,5,1\n", [[1, 2, 3], [4, 5, 5]], [-1, 1], "names"),
    "an observation that counts": (
        "0,1,2\n3,4,5\n6,7,8\n",
        [[0, 1], [3, 4], [6, 7]],
        [2, 5, 8],
        "was read as an observation",
    ),
    "row numbers, text labels": (
        ",len,wid,species\n0,5.3,3.4,red\n1,4.8,3.1,red\n2,6.5,3.0,blue\n",
        [[5.3, 3.4], [4.8, 3.1], [6.5, 3]],
        [1, 1, -1],
        "no name and was left out",
    ),
    "row numbers, numbers": (
        ",p,q,s\n0,23.1,7.8,2.1\n1,4.5,9.3,1.4\n2,1.2,5.9,9.3\n",
        [[23.1, 7.8], [4.5, 9.3], [1.2, 5.9]],
        [2.1, 1.4, 9.3],
        "no name and was left out",
    ),
    "row numbers in quotes, as R writes them": (
        '"","len","kind"\n"1",5.3,"a"\n"2",4.8,"b"\n',
        [[5.3], [4.8]],
        [-1, 1],
        "no name and was left out",
    ),
    "row numbers after a shuffle": (
        ",p,q,s\n17,23.1,7.8,0\n3,4.5,9.3,1\n",
        [[23.1, 7.8], [4.5, 9.3]],
        [-1, 1],
        "no name and was left out",
    ),
    "names of rows": (
        ",p,q,s\nAnn,23.1,7.8,0\nBob,4.5,9.3,1\n",
        [[23.1, 7.8], [4.5, 9.3]],
        [-1, 1],
        "no name and was left out",
    ),
    "row numbers with a name": (
        "id,p,s\n7,23.1,0\n8,4.5,1\n9,4.5,1\n",
        [[7, 23.1], [8, 4.5], [9, 4.5]],
        [-1, 1, 1],
        "column 'id' counts the rows from 7 on",
    ),
    "row numbers without names": (
        "1,23.1,0\n2,4.5,1\n3,4.5,1\n",
        [[1, 23.1], [2, 4.5], [3, 4.5]],
        [-1, 1, 1],
        "column 1 counts the rows from 1 on",
    ),
    "true and false": (
        "a,b,y\nTrue,2,0\nFalse,5,1\nTrue,2,1\n",
        [[1, 2], [0, 5], [1, 2]],
        [-1, 1, 1],
        "true and false were read as 1 and 0",
    ),
    "true and false alone": (
        "TRUE,FALSE,TRUE\nFALSE,FALSE,FALSE\n",
        [[1, 0], [0, 0]],
        [1, -1],
        "true and false were read",
    ),
    "LIBSVM without an ending": ("+1 1:0.7 2:1\n-1 1:0.58 2:-1\n", [[0.7, 1], [0.58, -1]], [1, -1], ""),
    "remarks with colons": (
        "# made by a tool\n+1 1:0.25 3:1 # doc 20240131: positive\n-1 2:1 # see host:8080/a\n\n+1 1:2 2:3\n",
        [[0.25, 0, 1], [0, 1, 0], [2, 3, 0]],
        [1, -1, 1],
        "",
    ),
}


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("name", ["own.csv", "own", "own.txt", "own.data.2024"])
def test_files_are_read_as_they_are_meant(tmp_path, case, name):
    content, X, y, note = READ[case]
    data = load(tmp_path, name, content)
    np.testing.assert_array_equal(dense(data.X), X)
    np.testing.assert_array_equal(data.y, y)
    assert note in " | ".join(data.notes)


def test_a_label_column_that_is_first_can_be_chosen(tmp_path):
    content = "outcome,r,t\nM,1.79,1.03\nB,2.05,1.77\nM,1.96,2.12\n"
    for label in ("outcome", 0, -3):
        data = load(tmp_path, "own.csv", content, label=label)
        np.testing.assert_array_equal(data.X, [[1.79, 1.03], [2.05, 1.77], [1.96, 2.12]])
        np.testing.assert_array_equal(data.y, [1, -1, 1])


@pytest.mark.parametrize("name", ["unicode name réponses 数据.csv", "re\u0301ponses .csv", "a'b &c.csv"])
def test_names_of_files_are_kept(tmp_path, name):
    data = load(tmp_path, name, NAMED)
    assert data.source == f"file {name}"
    assert data.name == name.removesuffix(".csv")


def archive(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("labels", "y"),
    [
        ([b"1", b"2", b"3"], [1, 2, 3]),
        ([b"no", b"yes", b"no"], [-1, 1, -1]),
        ([b"1", b"-1", b"1"], [1, -1, 1]),
    ],
)
def test_labels_as_bytes(tmp_path, labels, y):
    X = np.arange(6.0).reshape(3, 2)
    dataset = load(tmp_path, "own", archive(X=X, y=np.array(labels)))
    np.testing.assert_array_equal(dataset.y, y)
    assert "b'" not in "".join(dataset.notes)
    np.testing.assert_array_equal(pc.dataset(X, np.array(labels, dtype=object)).y, y)


REFUSED = {
    "both marks": ("1,5;2.5;0\n2,5;1;1\n", ["decimal comma", "'2.5' a decimal point"]),
    "thousands, or decimals": ("1,234;0\n2,500;1\n", ["'1,234' is unclear", "between thousands"]),
    "thousands in quotes": ('"1,234",5,0\n"12,500",6,1\n', ["'1,234' is unclear", "decimal comma"]),
    "thousands": ('"1,234,567",5,0\n2,6,1\n', ["'1,234,567'", "no mark between thousands"]),
    "thousands and decimals": ("1.234,5;0\n2,5;1\n3,5;0\n", ["'1.234,5'", "no mark between thousands"]),
    "thousands and decimals in every row": (
        "x;y\n1.234,5;1\n2.345,5;0\n",
        ["'1.234,5'", "no mark between thousands", "leave_out=['x']"],
    ),
    "a web page": ("<!DOCTYPE html>\n<table><tr><td>1,2</td></tr></table>", ["a web page", "not read"]),
    "JSON": ('[{"a": 1, "y": 0}, {"a": 2, "y": 1}]', ["JSON", "not read"]),
    "ARFF": ("@RELATION x\n@ATTRIBUTE a NUMERIC\n@DATA\n1,0\n2,1\n", ["ARFF", "not read"]),
    "MATLAB": (b"MATLAB 5.0 MAT-file" + bytes(120), ["a file of MATLAB", "not read"]),
    "decimal commas between commas": ("a,b,y\n1,5,2,5,0\n2,5,3,5,1\n", ["ragged", "decimal comma"]),
    "a title": ("Results of 2024\na,b,y\n1,2,0\n3,4,1\n", ["ragged", "line 2 has 3 cells, line 1 has 1"]),
    "a label column that is text, first": (
        "out,r,t\nM,1.79,1.03\nB,2.05,1.77\nM,1.5,2\n",
        ["column 1", "label='out'"],
    ),
    "an open quote in a short file": ('1,2,a\n3,4,"b\n5,6,a\n7,8,b\n', ["quotes", "not closed"]),
    "an open quote": ('1,2,"a\n' + "3,4,b\n" * 40_000, ["quotes", "not closed"]),
    "an empty column with a name": ("a,b,y,note\n1,2,0,\n3,5,1,\n", ["no label in line 2"]),
    "a missing label in the first row": ("1,2,NA\n3,5,1\n4,4,0\n", ["no label in line 1"]),
    "a missing label at the end": ("1,2,0\n3,5,\n4,4,1\n", ["no label in line 2"]),
    "digits apart": ("1_000,5,0\n2,6,1\n", ["'1_000'", "not a number"]),
    "a thin space": ("1\u202f000,0\n2,1\n3,0\n", ["line 1", "not a number", "no mark between thousands"]),
    "per cent": ("5%,0\n7,1\n8,0\n", ["line 1", "'5%'", "not a number"]),
    "three kinds": ("1,2,a\n4,5,b\n7,8,c\n", ["text of 3 kinds"]),
    "UTF-16 without a mark": (NAMED.encode("utf-16-le"), ["not text in UTF-8", "UTF-16"]),
    "UTF-16 without a mark, the other way": (NAMED.encode("utf-16-be"), ["not text in UTF-8", "UTF-16"]),
    "UTF-16": (NAMED.encode("utf-16"), ["not text in UTF-8", "UTF-16"]),
    "UTF-32": (NAMED.encode("utf-32"), ["not text in UTF-8", "UTF-32"]),
    "UTF-32 without a mark": (NAMED.encode("utf-32-be"), ["not text in UTF-8", "UTF-32"]),
    "Windows-1252": (
        NAMED.replace("a", "Größe").encode("cp1252"),
        ["not text in UTF-8", "Windows-1252", "line 1"],
    ),
    "bytes": (b"\x81\x8d\n" + NAMED.encode(), ["not text in UTF-8", "0x81"]),
    "zero bytes": (NAMED.encode() + b"\0" * 5, ["bytes that are 0"]),
    "gzip": (b"\x1f\x8b\x08" + bytes(20), ["packed by gzip", "unpack"]),
    "one array": (b"\x93NUMPY\x01\x00" + bytes(20), ["numpy.save", "numpy.savez"]),
    "hashed": (
        "1 617:3.5 2147483647:1\n0 994:1 1408:2\n",
        ["index 2147483647", "only 4 different", "number those"],
    ),
    "uint64": ("1 1:1 18446744073709551615:2\n0 2:1\n", ["line 1", "index 18446744073709551615", "hashed"]),
    "a longer index": ("1 1:1 " + "9" * 5000 + ":2\n0 2:1\n", ["line 1", "hashed"]),
    "no label in LIBSVM": ("1 1:2\n? 1:3\n", ["no label in line 2"]),
    "digits apart in LIBSVM": ("1 1:2\n2 1:1_0\n1 1:3\n", ["line 2", "'1:1_0'"]),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", ["own.csv", "own"])
def test_what_is_unclear_or_wrong_is_refused_in_words(tmp_path, case, name):
    content, words = REFUSED[case]
    with pytest.raises(ValueError, match=r"own|the labels") as caught:
        load(tmp_path, name, content)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 400


def test_indices_are_judged_before_memory_is_taken(tmp_path):
    tracemalloc.start()
    for index in (10**9, 2**31 - 1, 2**63, 10**30):
        with pytest.raises(ValueError, match="hashed"):
            load(tmp_path, "own.svm", f"1 1:1 {index}:2\n0 2:1\n")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5e6
    assert load(tmp_path, "own.svm", f"1 1:1 {2**20}:2\n0 2:1\n").X.shape == (2, 2**20)


def test_an_archive_that_promises_more_than_it_holds_is_refused(tmp_path):
    content = archive(X=np.ones((3, 2)), y=np.arange(3.0))
    lying = content.replace(b"(3, 2), }      ", b"(3, 2000000000)")
    assert lying != content
    with pytest.raises(ValueError, match="damaged"):
        load(tmp_path, "own.npz", lying)


def test_a_workbook_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"workbook of Excel.*save its sheet as CSV"):
        load(
            tmp_path,
            "own.xlsx",
            archive(**{"xl/workbook.xml": np.ones(1)}).replace(b".xml.npy", b".xml" + b"\0" * 4),
        )


def test_braces_in_a_name_do_no_harm(tmp_path):
    with pytest.raises(ValueError, match=r"^\{x\} \{\}\.csv, row in line 1, column 2"):
        load(tmp_path, "{x} {}.csv", "1,x,0\n2,3,1\n4,5,0\n")


def test_a_name_of_two_columns_is_refused(tmp_path):
    with pytest.raises(ValueError, match="several columns 'a'"):
        load(tmp_path, "own.csv", "a,a,y\n1,2,0\n3,5,1\n", label="a")


WDBC = "842302,M,17.99,10.38\n842517,M,20.57,17.77\n84300903,B,19.69,21.25\n84348301,B,11.42,20.38\n"
"""As the breast cancer data come: a number of the patient, the diagnosis, then the features, no names."""


def test_columns_are_chosen_and_left_out(tmp_path):
    path = tmp_path / "wdbc.data"
    path.write_text(WDBC)
    data = pc.load_dataset(path, "none", label=1, leave_out=[0])
    np.testing.assert_array_equal(data.X, [[17.99, 10.38], [20.57, 17.77], [19.69, 21.25], [11.42, 20.38]])
    np.testing.assert_array_equal(data.y, [1, 1, -1, -1])
    assert "left out: column 1" in data.notes
    named = tmp_path / "named.tsv"
    named.write_text("who\tsick\tage\tweight\nAnn\tno\t1,5\t2\nBob\tyes\t3\t4,5\nEve\tno\t4\t1\n")
    for columns in ({"label": "sick", "leave_out": ["who"]}, {"label": 1, "leave_out": (-4,)}):
        data = pc.load_dataset(named, "none", **columns)
        np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4.5], [4, 1]])
        assert "left out: column 'who'" in data.notes


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"label": 1}, "not a number"),
        (
            {"label": 1, "leave_out": [4]},
            "leave_out = 4 is not a column of wdbc.data: give a name",
        ),
        ({"label": 1, "leave_out": ["id"]}, "has no column 'id'"),
        ({"label": 1, "leave_out": [1]}, "column 1 of wdbc.data is left out and cannot be the label"),
        ({"label": 1, "leave_out": [0, 2, 3]}, "no column left but the labels"),
        ({"label": 1, "leave_out": "id"}, "is no list"),
    ],
)
def test_columns_that_cannot_be_left_out_are_said(tmp_path, columns, words):
    path = tmp_path / "wdbc.data"
    path.write_text(WDBC.replace("842302", "x842302") if columns == {"label": 1} else WDBC)
    with pytest.raises(ValueError, match=re.escape(words)):
        pc.load_dataset(path, "none", **columns)


def test_all_bad_cells_are_counted_and_the_first_is_named(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b,y\n1,2,0\n3,x,1\n?,nan,0\n5,6,1\n")
    with pytest.raises(ValueError, match=re.escape("line 3, column 2 (counted from 1) is 'x'")) as refused:
        pc.load_dataset(path)
    assert str(refused.value).endswith("3 cells in 2 rows are so")


def test_cells_may_be_apart_by_spaces_where_nothing_else_is_between_them(tmp_path):
    """As numpy.savetxt writes them, and as many old tables have them, in columns under each other."""
    numbers = np.column_stack([np.random.default_rng(0).standard_normal((6, 3)), [0, 1, 0, 1, 1, 0]])
    np.savetxt(tmp_path / "own.txt", numbers)
    plain = pc.load_dataset(tmp_path / "own.txt", scaling="none")
    np.testing.assert_array_equal(plain.X, numbers[:, :3])
    np.testing.assert_array_equal(plain.y, [-1, 1, -1, 1, 1, -1])
    assert "cells are separated by spaces" in plain.notes
    aligned = "a     b  y\n   1    2  0\n  -3  5.5  1\n   2    2  0 \n"
    data = load(tmp_path, "own.data", aligned)
    np.testing.assert_array_equal(data.X, [[1, 2], [-3, 5.5], [2, 2]])
    assert "cells are separated by commas" not in load(tmp_path, "own.csv", NAMED.replace(",", ", ")).notes
    with pytest.raises(ValueError, match="is ragged: line 2 has 3 cells, line 1 has 2"):
        load(tmp_path, "own.txt", "New York\nRio de Janeiro\nNew Orleans\n")
