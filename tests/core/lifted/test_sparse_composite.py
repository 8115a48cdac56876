"""LASSO and SVM duals of sparse and centred data: the same as of the dense matrix, which is never made."""

import numpy as np
import pytest
from scipy import sparse

import polyak_core as pc
from polyak_core.arrays import EXTENDED
from polyak_core.certificates.active_set import method as active_set
from polyak_core.matrices.columns import DenseColumns, SparseColumns
from polyak_core.matrices.kinds import Centred

RNG = np.random.default_rng(8)


def data(rows, columns):
    """A sparse matrix, the same centred, and both filled in."""
    X = sparse.random_array((rows, columns), density=0.3, rng=RNG, format="csr")
    X.data -= 0.3
    centred = Centred(X, np.asarray(X.mean(axis=0)))
    return {"sparse": (X, X.toarray()), "centred": (centred, centred.toarray())}


SHAPES = {"tall": (40, 9), "wide": (9, 40), "very tall": (300, 6)}
DATA = {(shape, kind): pair for shape, size in SHAPES.items() for kind, pair in data(*size).items()}
every_matrix = pytest.mark.parametrize("key", DATA, ids=" ".join)


def labels(rows):
    return np.where(RNG.random(rows) < 0.5, -1.0, 1.0)


@every_matrix
@pytest.mark.parametrize("signed", [False, True])
def test_columns(key, signed):
    A, dense = DATA[key]
    signs = labels(A.shape[0]) if signed else None
    B = (signs[:, None] * dense).T if signed else dense
    mine, twin = SparseColumns(A, signs), DenseColumns(np.ascontiguousarray(B))
    assert mine.shape == twin.shape
    x, r = RNG.standard_normal(B.shape[1]), RNG.standard_normal(B.shape[0])
    free = RNG.random(B.shape[1]) < 0.6
    close = {"rtol": 1e-11, "atol": 1e-12}
    np.testing.assert_allclose(mine.squares, twin.squares, **close)
    np.testing.assert_allclose(mine.times(x), twin.times(x), **close)
    np.testing.assert_allclose(mine.transpose_times(r), twin.transpose_times(r), **close)
    assert (mine.magnitude_times(abs(x)) >= twin.magnitude_times(abs(x)) * (1 - 1e-12)).all()
    assert (
        mine.magnitude_transpose_times(abs(r)) >= twin.magnitude_transpose_times(abs(r)) * (1 - 1e-12)
    ).all()
    for name, v in (("extended_times", x), ("extended_transpose_times", r)):
        (got, error), (want, _) = (getattr(c, name)(v.astype(EXTENDED)) for c in (mine, twin))
        np.testing.assert_allclose(got, want, **close)
        assert 0 < error < 1e-12
    np.testing.assert_allclose(mine.gram(free), twin.gram(free), **close)
    root = mine.root(free)
    assert root.shape[0] <= B.shape[0]
    np.testing.assert_allclose(root.T @ root, twin.gram(free), **close)
    np.testing.assert_allclose(mine.weighted(abs(x)), twin.weighted(abs(x)), **close)


def assert_same(trace, other):
    """While the gap is above rounding; either may be solved exactly before the other."""
    far = int(np.argmax(np.append(other.gap, 0.0) <= 1e-10 * other.gap[0]))
    assert far >= 5
    np.testing.assert_allclose(trace.gap[:far], other.gap[:far], rtol=1e-5)


@every_matrix
def test_lasso(key):
    A, dense = DATA[key]
    b = RNG.standard_normal(A.shape[0])
    mine, twin = pc.lasso(A, b, 0.2), pc.lasso(dense, b, 0.2)
    assert mine.L == pytest.approx(twin.L, rel=1e-12)
    assert mine.mu == pytest.approx(twin.mu, rel=1e-9)
    np.testing.assert_allclose(mine.x_star, twin.x_star, atol=1e-12)
    assert mine.f_star_error <= 1e-14
    trace, other = (pc.solve(p, "adapt_apg_v2", 60) for p in (mine, twin))
    assert_same(trace, other)


@every_matrix
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_svm(key, loss):
    X, dense = DATA[key]
    y = labels(X.shape[0])
    mine, twin = pc.svm_dual(X, y, 20.0, loss), pc.svm_dual(dense, y, 20.0, loss)
    assert mine.L == pytest.approx(twin.L, rel=1e-12)
    assert mine.mu == pytest.approx(twin.mu, rel=1e-6)
    assert mine.f_star == pytest.approx(twin.f_star, abs=1e-12)
    assert mine.f_star_error <= 1e-12
    for representation, each in (("A", 2), ("G", 1)):
        problem = pc.svm_dual(X, y, 20.0, loss, representation=representation)
        trace, other = (pc.solve(p, "adapt_apg_v2", 60) for p in (problem, twin))
        assert_same(trace, other)
        np.testing.assert_array_equal(trace.products, each * (trace.k + 1))


@pytest.mark.parametrize("kind", ["lasso", "hinge", "squared_hinge"])
def test_a_start_for_data_with_two_long_sides(monkeypatch, kind):
    """No system with all of H: accelerated gradient steps, then the same active sets."""
    A, _ = DATA["tall", "sparse"]
    y = labels(40)

    def make():
        return pc.lasso(A, y, 0.2) if kind == "lasso" else pc.svm_dual(A, y, 1.0, kind)

    usual = make().f_star
    monkeypatch.setattr(active_set, "interior_start", active_set.first_order_start)
    again = make()
    assert again.f_star == pytest.approx(usual, abs=1e-13)
    assert again.f_star_error <= 1e-13


@pytest.mark.slow
def test_two_long_sides():
    """L is a proven upper bound, said so; x* is certified all the same."""
    rng = np.random.default_rng(0)
    A = sparse.random_array((3100, 3010), density=2e-3, rng=rng, format="csr")
    A @= sparse.diags_array(np.r_[5.0, np.ones(3009)])  # one long column: L is soon bounded
    b = rng.standard_normal(3100)
    problem = pc.lasso(A, b, 0.7 * np.abs(A.T @ b).max())
    assert "upper bound" in problem.describe()
    assert problem.L >= sparse.linalg.svds(A, 1, return_singular_vectors=False)[0] ** 2
    assert problem.f_star_error <= 1e-11 * problem.f_star
    y = np.where(b > 0, 1.0, -1.0)
    svm = pc.svm_dual(A, y, 0.02)
    assert "upper bound" in svm.describe()
    assert "a first-order start" in svm.f_star_source
    assert svm.f_star_error <= 1e-11 * abs(svm.f_star)


def test_a_sparse_matrix_has_no_rbf_kernel():
    with pytest.raises(ValueError, match="needs it dense"):
        pc.svm_dual(DATA["tall", "sparse"][0], labels(40), 1.0, kernel="rbf", width=1.0)
    wide = pc.lasso(sparse.eye_array(2, 20_000), [1.0, 2.0], 0.5, representation="G")
    with pytest.raises(ValueError, match="representation 'G' would need"):
        pc.solve(wide, "pgd", 2)
