"""Exact products and sums against fractions, one entry at a time."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from polyak_core.matrices import exact
from polyak_core.matrices.exact import Whole, exact_times, exact_transpose_times
from polyak_core.matrices.kinds import Centred

numbers = st.floats(allow_nan=False, allow_infinity=False)


def values(exact):
    return [Fraction(int(number)) * Fraction(2) ** exact.exponent for number in exact.numbers]


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8))
def test_no_digit_is_lost(pairs):
    """The smallest and the largest numbers of float64 beside each other."""
    u, v = (np.array(each) for each in zip(*pairs, strict=True))
    first, second = ([Fraction(float(n)) for n in each] for each in (u, v))
    assert values(Whole.of(u)) == first
    assert values(Whole.of(u) - Whole.of(v)) == [a - b for a, b in zip(first, second, strict=True)]
    assert values(abs(Whole.of(u))) == [abs(a) for a in first]
    assert Whole.of(u).sum() == sum(first)
    assert Whole.of(u).dot(Whole.of(v)) == sum(a * b for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("kind", ["dense", "sparse", "centred"])
@pytest.mark.parametrize("block", [1, 2**16])
@given(seed=st.integers(0, 10**6), sizes=st.sampled_from([1, 20, 200]))
def test_products_with_every_kind_of_matrix(kind, block, seed, sizes):
    """Zeros everywhere, entries of one size and of all sizes; a block may be one row."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6, 2)
    A = rng.standard_normal((m, n)) * 10.0 ** rng.integers(-sizes, sizes, (m, n)) * (rng.random((m, n)) < 0.6)
    x, r = (rng.integers(-1, 2, size).astype(float) for size in (n, m))
    if seed % 2:
        x, r = rng.standard_normal(n), rng.standard_normal(m)
    matrix, mean = A, np.zeros(n)
    if kind != "dense":
        matrix = sparse.csr_array(A)
    if kind == "centred":
        mean = A.mean(axis=0)
        matrix = Centred(matrix, mean)
    rows = [[Fraction(float(a)) - Fraction(float(c)) for a, c in zip(row, mean, strict=True)] for row in A]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "BLOCK_ENTRIES", block)
        image, pull = exact_times(matrix, Whole.of(x)), exact_transpose_times(matrix, Whole.of(r))
    assert values(image) == [dot(row, x) for row in rows]
    assert values(pull) == [dot(column, r) for column in zip(*rows, strict=True)]


def dot(exactly, floats):
    return sum((a * Fraction(float(b)) for a, b in zip(exactly, floats, strict=True)), Fraction(0))
