"""LASSO: inputs of any kind, and what is refused."""

import numpy as np
import pytest

import polyak_core as pc

RNG = np.random.default_rng(4)
A, B = RNG.standard_normal((30, 8)), RNG.standard_normal(30)


def test_inputs_of_any_kind_are_never_modified():
    whole = RNG.integers(-5, 6, (9, 4))
    usual = pc.lasso(whole.astype(float), np.arange(9.0), 1.0)
    locked = np.asfortranarray(whole, dtype=np.float32)
    locked.flags.writeable = False
    for matrix in (whole, locked, whole.astype(np.int8)):
        before = matrix.copy()
        again = pc.lasso(matrix, np.arange(9), 1)
        np.testing.assert_array_equal(again.x_star, usual.x_star)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lam": -1.0}, "negative"),
        ({"lam": np.nan}, "lam = nan"),
        ({"lam": "1"}, "lam = '1'"),
        ({"b": B[:3]}, "b has 3 entries but A has 30 rows"),
        ({"A": np.where(A > 2, np.nan, A)}, "NaN or infinite"),
        ({"A": A[0]}, "A must have 2 axes"),
        ({"b": np.full(30, np.inf)}, "NaN or infinite"),
        ({"x0": np.ones(3)}, "x0 has 3 entries"),
        ({"L": 0}, "L = 0"),
        ({"representation": "eigenbasis"}, "choose 'A' or 'G'"),
        ({"representation": "B"}, "unknown"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        pc.lasso(**{"A": A, "b": B, "lam": 1.0, **change})
