"""Files as people have them, distilled from public bug reports: read as meant, or refused in words."""

import io

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
    "decimal commas, bars": ("1,5|0\n2,5|1\n", [[1.5], [2.5]], [-1, 1], "apart by bars"),
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
    found = load(tmp_path, "own", archive(X=X, y=np.array(labels)))
    np.testing.assert_array_equal(found.y, y)
    assert "b'" not in "".join(found.notes)
    np.testing.assert_array_equal(pc.dataset(X, np.array(labels, dtype=object)).y, y)
