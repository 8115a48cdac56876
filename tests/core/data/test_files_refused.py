"""Files as people have them that are unclear or wrong, distilled from bug reports: refused in words."""

import io
import tracemalloc

import numpy as np
import pytest

import polyak_core as pc

NAMED = "a,b,y\n1,2,0\n3,5,1\n2,2,0\n4,1,1\n"


def load(folder, name, content, **keywords):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return pc.load_dataset(path, scaling="none", **keywords)


REFUSED = {
    "both marks": ("1,5;2.5;0\n2,5;1;1\n", ["decimal comma", "'2.5' a decimal point"]),
    "thousands, or decimals": ("1,234;0\n2,500;1\n", ["'1,234' is unclear", "between thousands"]),
    "thousands in quotes": ('"1,234",5,0\n"12,500",6,1\n', ["'1,234' is unclear", "decimal comma"]),
    "thousands": ('"1,234,567",5,0\n2,6,1\n', ["'1,234,567'", "no mark between thousands"]),
    "thousands and decimals": ("1.234,5;0\n2,5;1\n3,5;0\n", ["'1.234,5'", "no mark between thousands"]),
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
    "another minus": ("\u22121.5,0\n2.5,1\n3,0\n", ["line 1", "not a number"]),
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


def archive(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


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
