"""What is no argument at all, and a judge of the answers: for the malformed calls of both packages."""

import decimal
import fractions
import linecache
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import polyak_core as pc

FEWEST_WORDS = 5


class Refuses:
    """Whatever it is asked for goes wrong."""

    def __array__(self, *arguments, **keywords):
        raise RuntimeError("no array")

    def __float__(self):
        raise RuntimeError("no float")

    def __len__(self):
        raise RuntimeError("no length")

    def __iter__(self):
        raise RuntimeError("no entries")

    def __repr__(self):
        raise RuntimeError("no words")


def endless_list():
    inside = []
    inside.append(inside)
    return inside


PROBLEM = pc.quadratic([1.0, 0.25])
TRACE = pc.solve(PROBLEM, "adapt_apg", 5)
METHODS = dict(pc.METHODS)
# fmt: off
MALFORMED = {
    "None": lambda: None, "True": lambda: True, "nan": lambda: np.nan, "inf": lambda: np.inf,
    "-1": lambda: -1, "1e300": lambda: 1e300, "5e-324": lambda: 5e-324, "1e160": lambda: 1e160,
    "10^400": lambda: 10**400, "10^6000": lambda: 10**6000, "complex": lambda: 1j,
    "complex scalar": lambda: np.complex128(1), "masked": lambda: np.ma.masked,
    "masked matrix": lambda: np.ma.array([[1.0, 2.0], [3.0, -9.0]], mask=[[0, 0], [0, 1]]),
    "text": lambda: "abc", "no text": lambda: "", "long text": lambda: "x" * 5000,
    "NUL": lambda: "a\0b.csv", "surrogate": lambda: "\ud800.csv", "bytes": lambda: b"1.5",
    "list": lambda: [1.0, 2.0], "ragged": lambda: [[1.0, 2.0], [3.0]],
    "ragged later": lambda: [1.0, [2.0, 3.0]], "endless": endless_list, "empty": lambda: [],
    "empty matrix": lambda: np.zeros((0, 2)), "dict": lambda: {"a": 1}, "set": lambda: {1.0, 2.0},
    "generator": lambda: (number for number in (1.0, 2.0)), "0-d": lambda: np.array(0.5),
    "0-d object": lambda: np.array(None, dtype=object), "1-d": lambda: np.array([1.0, -1.0]),
    "2-d": lambda: np.eye(2), "3-d": lambda: np.ones((2, 2, 2)), "complex matrix": lambda: np.eye(2) * 1j,
    "objects": lambda: np.array([1.0, None], dtype=object), "texts": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "records": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]), "void": lambda: np.void(b"ab"),
    "nan in it": lambda: np.array([np.nan, 1.0]), "huge": lambda: np.array([1e300, -1e300]),
    "tiny": lambda: np.array([5e-324, 0.0]), "huge matrix": lambda: np.eye(2) * 1e200,
    "tiny matrix": lambda: np.eye(2) * 1e-200,
    "beyond float64": lambda: np.array([1, 2], dtype=np.longdouble) * np.longdouble(1e300) * 1e300,
    "sparse": lambda: sp.csr_array(np.eye(2)), "sparse dok": lambda: sp.dok_array(np.eye(2)),
    "sparse line": lambda: sp.coo_array(np.array([1.0, 0.0])),
    "sparse complex": lambda: sp.csr_array(np.eye(2) * 1j), "refuses": Refuses, "object": object,
    "problem": lambda: PROBLEM, "loss": lambda: PROBLEM.loss, "trace": lambda: TRACE,
    "oracle": PROBLEM.oracle, "method": lambda: METHODS["pgd"], "module": lambda: np,
    "Decimal": lambda: decimal.Decimal("0.5"),
    "signalling": lambda: decimal.Decimal("sNaN"), "Fraction": lambda: fractions.Fraction(1, 2),
    "Ellipsis": lambda: ..., "NotImplemented": lambda: NotImplemented, "slice": lambda: slice(1),
}
# fmt: on


def wrong_answers(
    call: Callable, keywords: Mapping, packages: tuple[str, ...], use: Callable = lambda thing: None
) -> dict[tuple[str, str], str]:
    """Which arguments, replaced by what is none, are answered in other than the words of these packages."""
    folders = tuple(f"{Path(__import__(name).__file__).parent}" for name in packages)
    wrong = {("", ""): wrong_answer(call, keywords, folders, use)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for argument in keywords:
            for label, make in MALFORMED.items():
                answer = wrong_answer(call, {**keywords, argument: make()}, folders, use)
                wrong[argument, label] = answer
    return {place: answer for place, answer in wrong.items() if answer}


def wrong_answer(call: Callable, keywords: Mapping, folders: tuple[str, ...], use: Callable) -> str:
    """What is wrong with the answer; empty if nothing is."""
    try:
        use(call(**keywords))
    except (ValueError, TypeError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        own = last.filename.startswith(folders) and "raise" in linecache.getline(last.filename, last.lineno)
        return "" if own and len(str(error).split()) >= FEWEST_WORDS else f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
