"""Sparse and centred matrices: the products and bounds of the dense ones, and nothing is filled in."""

import numpy as np
import pytest
from cases import sparse_matrices
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core.arrays import EXTENDED
from polyak_core.data.scaling import scale_features
from polyak_core.lifted.quadratic import LARGEST_GRAM
from polyak_core.matrices.counted import CountedMatrix, Counts
from polyak_core.matrices.kinds import Centred, checked_matrix, column_kinds, dense_blocks, stored_entries
from polyak_core.matrices.norm_bounds import squared_norm_bound

RNG = np.random.default_rng(5)
MATRICES = sparse_matrices(RNG)
TALL, WIDE = MATRICES["tall"], MATRICES["wide"]
B = RNG.standard_normal(90)
FORMATS = [
    sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array, sparse.dok_array,
    sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.bsr_matrix, sparse.dia_matrix,
]  # fmt: skip


def dense(A):
    return A if isinstance(A, np.ndarray) else A.toarray()


@pytest.mark.parametrize("name", MATRICES)
def test_products_are_those_of_the_dense_matrix(name):
    A = checked_matrix(MATRICES[name], "A")
    D, (m, n) = dense(A), A.shape
    counted = CountedMatrix(A, counts := Counts())
    for shape in ((), (1,), (3,)):
        x, r = RNG.standard_normal((*shape, n)), RNG.standard_normal((*shape, m))
        np.testing.assert_allclose(counted.times(x), x @ D.T, atol=1e-13)
        np.testing.assert_allclose(counted.transpose_times(r), r @ D, atol=1e-13)
    assert counts.products == 6
    x, r = RNG.standard_normal((n, 3)), RNG.standard_normal((m, 3))
    np.testing.assert_allclose(A @ x, D @ x, atol=1e-13)
    np.testing.assert_allclose(A.T @ r, D.T @ r, atol=1e-13)
    np.testing.assert_allclose(x.T @ A.T, x.T @ D.T, atol=1e-13)
    assert A.T.shape == (n, m)
    assert (abs(A) @ np.ones(n) >= np.abs(D) @ np.ones(n) - 1e-14).all()
    wide = A.astype(EXTENDED)
    assert (wide @ x[:, 0].astype(EXTENDED)).dtype == EXTENDED
    assert (wide.T @ r[:, 0].astype(EXTENDED)).dtype == EXTENDED
    blocks = np.concatenate(list(dense_blocks(A, 7)))
    np.testing.assert_allclose(blocks, D if m >= n else D.T, atol=1e-15)
    assert stored_entries(A) < m * n


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_scipy_is_taken(form):
    A = form(TALL)
    before = A.toarray().copy()
    problem = pc.least_squares(A, B)
    expected = pc.least_squares(before, B)
    assert problem.L == pytest.approx(expected.L, rel=1e-14)
    assert problem.f_star == pytest.approx(expected.f_star, rel=1e-15)
    np.testing.assert_array_equal(A.toarray(), before)


def test_entries_stored_twice_count_twice_and_integers_are_taken():
    A = sparse.coo_array(([1, 2, 3, 0], ([0, 0, 1, 2], [0, 0, 1, 1])), shape=(3, 2))
    problem = pc.least_squares(A, [3, 6, 0])
    np.testing.assert_allclose(problem.x_star, [1, 2], rtol=1e-15)
    assert problem.L == pytest.approx(9)
    assert A.nnz == 4


@pytest.mark.parametrize("scaling", ["center", "standardize"])
@pytest.mark.parametrize("form", FORMATS)
def test_scaling_is_implicit_and_right(form, scaling):
    filled = TALL.toarray()
    filled[:, 2], filled[:, 3], filled[:, 4] = 0.1, 0, filled[:, 4] + 1e3
    scaled = scale_features(form(filled), scaling)
    assert isinstance(scaled, Centred)
    assert scaled.X.nnz <= np.count_nonzero(filled)
    np.testing.assert_allclose(scaled.toarray(), scale_features(filled, scaling), atol=1e-11)
    np.testing.assert_array_equal(scaled.toarray()[:, 2:4], 0)
    assert column_kinds(scaled) == (2, 0)


def test_the_cheaper_representation_is_chosen():
    assert pc.least_squares(TALL, B).form.name == "G"
    assert pc.least_squares(WIDE, B[:12]).form.name == "A"
    wide = sparse.eye_array(LARGEST_GRAM + 1, format="csr")
    with pytest.raises(ValueError, match=r"'G' would need a matrix of 10001 x 10001.*Leave it out"):
        _ = pc.least_squares(wide, np.ones(wide.shape[0]), representation="G").form


def test_what_would_not_fit_filled_in():
    """A matrix that would take 160 GB dense: only products, L bounded, x* found."""
    n = 100_000
    A = sparse.diags_array(
        [np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[0, 1], shape=(2 * n, n), format="csr"
    )
    problem = pc.least_squares(A, np.ones(2 * n))
    trace = pc.solve(problem, "fista", iterations=5)
    assert problem.form.name == "A"
    assert 8.99 < problem.L < 9.1  # sigma_max = 3
    assert trace.products[-1] == 12
    assert 0 < trace.gap[-1] < trace.gap[0]
    assert "proven upper bound" in problem.describe()
    assert "unknown, 0 is used" in problem.describe()


@pytest.mark.parametrize("scaling", ["none", "center", "standardize"])
def test_nothing_is_filled_in_but_blocks(monkeypatch, scaling):
    sizes = []
    for kind in (sparse.csr_array, sparse.csc_array):

        def watched(self, *arguments, fill=kind.toarray, **keywords):
            sizes.append(self.shape[0] * self.shape[1])
            return fill(self, *arguments, **keywords)

        monkeypatch.setattr(kind, "toarray", watched)
    A = sparse.random_array((3000, 20), density=0.1, rng=RNG, format="csr")
    data = pc.dataset(A, RNG.standard_normal(3000), scaling=scaling)
    pc.solve(pc.least_squares(data.X, data.y, representation="A"), iterations=10)
    assert 0 < max(sizes) <= 3000 * 20 / 10


@given(st.data(), st.integers(1, 6), st.integers(1, 6))
def test_the_bound_on_l_holds(data, m, n):
    whole = st.integers(-3, 3)
    D = np.array(data.draw(st.lists(st.lists(whole, min_size=n, max_size=n), min_size=m, max_size=m)), float)
    true = np.linalg.norm(D, 2) ** 2
    bound, _ = squared_norm_bound(checked_matrix(sparse.csr_array(D), "A"))
    assert bound >= true * (1 - 1e-13)
    classical = np.abs(D).sum(axis=0).max() * np.abs(D).sum(axis=1).max()
    assert bound <= min((D * D).sum(), classical) * (1 + 1e-12)
    assert squared_norm_bound(D)[0] == pytest.approx(bound, rel=1e-13)
    centred = scale_features(sparse.csr_array(D), "center")
    assert squared_norm_bound(centred)[0] >= np.linalg.norm(centred.toarray(), 2) ** 2 * (1 - 1e-13)


def test_the_bound_on_l_is_exact_where_no_entry_is_negative():
    A = abs(TALL)
    assert squared_norm_bound(A)[0] == pytest.approx(np.linalg.norm(A.toarray(), 2) ** 2, rel=1e-6)


@pytest.mark.parametrize(
    ("A", "words"),
    [
        (sparse.csr_array([[1.0, np.nan], [0, 1]]), "A has 1 entries that are NaN"),
        (sparse.csr_array([[1j, 0], [0, 1]]), "matrix of real numbers.*complex"),
        (sparse.coo_array(np.ones(2)), r"must have 2 axes; got shape \(2,\)"),
        (sparse.csr_array((0, 2)), "A is empty"),
        (sparse.csr_array((3, 2)), "b has 2 entries but A has 3 rows"),
    ],
)
def test_wrong_matrices_are_answered_in_words(A, words):
    with pytest.raises(ValueError, match=words):
        pc.least_squares(A, np.ones(2))
