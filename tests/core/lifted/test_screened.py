"""Columns of G that nothing is multiplied with are left out, and nothing else changes."""

from typing import ClassVar

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.lifted import screened
from polyak_core.lifted.quadratic import Gram
from polyak_core.lifted.screened import SMALLEST, Screened, gram_form
from polyak_core.matrices.counted import CountedMatrix, Counts

RNG = np.random.default_rng(8)
N = SMALLEST + 20
A, B = RNG.standard_normal((400, N)), RNG.standard_normal(400)
G = A.T @ A


class Watched(np.ndarray):
    """Remembers how many rows products with it, or with parts of it, read."""

    read: ClassVar[list] = []

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        plain = [np.asarray(one) for one in inputs]
        if ufunc is np.matmul:
            Watched.read.append(next(one.shape[0] for one in inputs if isinstance(one, Watched)))
        return getattr(ufunc, method)(*plain, **keywords)


def forms():
    counts = Counts()
    return Screened(CountedMatrix(G.view(Watched), counts), np.zeros(N)), counts


def sparse(places):
    d = np.zeros(N)
    d[places] = RNG.standard_normal(len(places))
    return d


def test_the_same_product_from_fewer_rows():
    form, counts = forms()
    Watched.read.clear()
    few, fewer = [3, 7, 200], [3, 200]
    for places in (range(N), few, few, few, fewer, [3, 8], [3, 8], [8]):
        d = sparse(list(places))
        np.testing.assert_allclose(form.relift(d), np.concatenate([d, G @ d]), rtol=1e-12, atol=1e-9)
    # all, met once, gathered, kept, a part of them, others met once, gathered, a part of them
    assert Watched.read == [N, N, 3, 3, 3, N, 2, 2]
    assert counts.products == 8
    assert form.energy_at(sparse([8])) >= 0


def test_far_too_many_columns_are_not_kept():
    form, _ = forms()
    many, one = list(range(0, N, 4)), [4]
    for places in (many, many, one, one, one):
        form.relift(sparse(places))
    assert Watched.read[-4:] == [len(many), N, 1, 1]


def test_stacked_runs_and_zero():
    form, counts = forms()
    d = RNG.standard_normal((3, N))
    np.testing.assert_allclose(form.relift(d)[:, N:], d @ G, rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(form.relift(np.zeros(N)), np.zeros(2 * N))
    assert counts.products == 2


@pytest.mark.parametrize("method", ["restart", "adapt_apg", "adapt_apg_v2", "adapt_apg_free"])
def test_a_run_is_the_same_but_for_rounding(method, monkeypatch):
    lam = 0.5 * float(np.abs(A.T @ B).max())
    problem = pc.lasso(A, B, lam, representation="G")
    assert isinstance(gram_form(CountedMatrix(G, Counts()), np.zeros(N)), Screened)
    trace = pc.solve(problem, method, 300, target=1e-12)
    monkeypatch.setattr(screened, "SMALLEST", N + 1)
    plain = pc.solve(pc.lasso(A, B, lam, representation="G"), method, 300, target=1e-12)
    assert len(trace) == len(plain)
    np.testing.assert_allclose(trace.gap, plain.gap, rtol=1e-6, atol=1e-14 * plain.gap[0])
    np.testing.assert_array_equal(trace.products, plain.products)


def test_small_problems_use_all_of_g():
    small = CountedMatrix(np.eye(3), Counts())
    assert type(gram_form(small, np.zeros(3))) is Gram
    assert not gram_form(CountedMatrix(G, Counts()), np.zeros(N)).exact_rows
