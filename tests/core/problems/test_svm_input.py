"""SVM duals: inputs of any kind, and what is refused."""

import numpy as np
import pytest

import polyak_core as pc

RNG = np.random.default_rng(5)
X = RNG.standard_normal((24, 6))
Y = np.where(X[:, 0] + RNG.standard_normal(24) > 0, 1.0, -1.0)
C = 0.7


def test_inputs_of_any_kind_are_never_modified():
    whole = RNG.integers(-5, 6, (9, 4))
    labels = RNG.choice([-1, 1], 9)
    usual = pc.svm_dual(whole.astype(float), labels.astype(float), 1.0)
    locked = np.asfortranarray(whole, dtype=np.float32)
    locked.flags.writeable = False
    for matrix in (whole, locked, whole.astype(np.int8)):
        before = matrix.copy()
        again = pc.svm_dual(matrix, labels.astype(np.int8), 1)
        np.testing.assert_array_equal(again.x_star, usual.x_star)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": np.where(Y > 0, 1, 0)}, "labels that are not"),
        ({"y": Y[:3]}, "3 entries but X has 24 rows"),
        ({"C": 0}, "C = 0"),
        ({"C": -1.0}, "C = -1"),
        ({"C": np.inf}, "C = inf"),
        ({"loss": "huber"}, "loss 'huber'"),
        ({"kernel": "poly"}, "kernel 'poly'"),
        ({"width": 1.0}, "for kernel='rbf' only"),
        ({"kernel": "rbf"}, "needs width"),
        ({"kernel": "rbf", "width": 0}, "width = 0"),
        ({"kernel": "rbf", "width": 1.0, "representation": "A"}, "linear kernel"),
        ({"representation": "eigenbasis"}, "choose 'A' or 'G'"),
        ({"x0": np.full(24, 1.5)}, "24 entries outside"),
        ({"x0": np.full(24, -0.5), "loss": "squared_hinge"}, "24 entries outside"),
        ({"x0": np.zeros(3)}, "x0 has 3 entries"),
        ({"X": np.full((24, 6), np.nan)}, "NaN or infinite"),
        ({"X": X[0]}, "X must have 2 axes"),
        ({"X": np.zeros((10_001, 1)), "y": np.ones(10_001), "kernel": "rbf", "width": 1.0}, "too large"),
        ({"L": -1}, "L = -1"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        pc.svm_dual(**{"X": X, "y": Y, "C": C, **change})
