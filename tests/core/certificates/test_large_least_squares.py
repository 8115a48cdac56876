"""Least squares down the roads of sparse and large matrices: the numbers of dense ones, proofs that hold."""

from fractions import Fraction

import numpy as np
import pytest
from cases import sparse_matrices
from scipy import sparse

import polyak_core as pc
from polyak_core.matrices import cholesky_factors, equilibrated, factors
from polyak_core.problems import least_squares

RNG = np.random.default_rng(5)
MATRICES = sparse_matrices(RNG)
TALL = MATRICES["tall"]
B = RNG.standard_normal(90)


def dense(A):
    return A if isinstance(A, np.ndarray) else A.toarray()


@pytest.fixture
def roads(monkeypatch):
    """Send small matrices down the roads of large ones."""

    def take(road):
        for module in (factors, equilibrated):
            if road != "triangle":
                monkeypatch.setattr(module, "WORK", 0)
            if road in ("products", "cholesky"):
                monkeypatch.setattr(module, "SMALL_SIDE", 0)
        for module in (least_squares, equilibrated):
            monkeypatch.setattr(module, "CHOLESKY_SIDE", 0 if road == "products" else 4500)
        if road in ("products", "cholesky"):
            monkeypatch.setattr(least_squares, "SMALL_SIDE", 0)

    return take


@pytest.mark.parametrize("road", ["triangle", "gram"])
@pytest.mark.parametrize("name", MATRICES)
def test_least_squares_is_that_of_the_dense_matrix(roads, name, road):
    A = MATRICES[name]
    b = B[: A.shape[0]]
    expected = pc.least_squares(dense(A), b)
    roads(road)
    problem = pc.least_squares(A, b)
    for constant in ("L", "mu", "mu_restricted"):
        assert getattr(problem, constant) == pytest.approx(getattr(expected, constant), rel=1e-12, abs=1e-300)
    np.testing.assert_allclose(problem.x_star, expected.x_star, atol=1e-14)
    assert problem.f_star == pytest.approx(expected.f_star, rel=1e-13, abs=1e-28)
    if name == "wide centred":  # its rows add up to 0 but for the rounding of the means
        assert not problem.reference.proven
        assert problem.f_star_error >= problem.f_star
        assert problem.floor <= 1e-20
    else:
        assert problem.f_star_error <= 1e-24
    cholesky = "QR decomposition in blocks" if name == "wide centred" else "Cholesky decomposition of A"
    source = {"triangle": "QR decomposition in blocks", "gram": cholesky}  # rank is told by the triangle
    spectrum = {"triangle": "QR decomposition in blocks", "gram": "eigenvalues of A"}
    assert source[road] in problem.f_star_source
    assert spectrum[road] in problem.describe()


@pytest.mark.parametrize("road", ["triangle", "gram", "cholesky", "products"])
@pytest.mark.parametrize("representation", ["A", "G", "eigenbasis", None])
@pytest.mark.parametrize("name", MATRICES)
def test_runs_are_those_of_the_dense_matrix(roads, name, representation, road):
    A = MATRICES[name]
    b = B[: A.shape[0]]
    L = 1.5 * pc.least_squares(dense(A), b).L
    expected = pc.solve(pc.least_squares(dense(A), b, L=L), "adapt_apg_v2", iterations=60)
    roads(road)
    problem = pc.least_squares(A, b, L=L, representation=representation)
    if representation == "eigenbasis" and (road in ("cholesky", "products") or "wide" in name):
        with pytest.raises(ValueError, match=r"eigenbasis.*shape.*Leave it out"):
            _ = problem.form
        return
    trace = pc.solve(problem, "adapt_apg_v2", iterations=60)
    np.testing.assert_allclose(trace.gap, expected.gap, rtol=1e-9, atol=1e-11 * expected.gap[0])
    np.testing.assert_allclose(trace.y, expected.y, atol=1e-7)
    each = {"A": 2, "G": 1, "eigenbasis": 0}[problem.form.name]
    assert trace.products[-1] == each * (len(trace.k))


@pytest.mark.parametrize("name", MATRICES)
def test_products_alone_find_the_same_and_say_what_is_proven(roads, name):
    A = MATRICES[name]
    b = B[: A.shape[0]]
    x0 = np.linspace(-1, 1, A.shape[1])
    expected = pc.least_squares(dense(A), b, x0=x0)
    roads("products")
    problem = pc.least_squares(A, b, x0=x0)
    assert (problem.mu, np.isnan(problem.mu_restricted)) == (0, True)
    assert expected.L <= problem.L <= 5 * expected.L
    np.testing.assert_allclose(problem.x_star, expected.x_star, atol=1e-13)
    assert problem.f_star == pytest.approx(expected.f_star, rel=1e-12, abs=1e-24)
    rounding = 1e-30  # of f by subtraction
    assert expected.f(problem.x_star) - expected.f_star <= problem.f_star_error + rounding  # as it says
    assert "proven is only f* >= 0" in problem.f_star_source
    assert problem.floor < 1e-24
    trace = pc.solve(problem, "adapt_apg_v2", iterations=3000, target=1e-20)
    assert trace.outcome == pc.Outcome.TARGET


@pytest.mark.parametrize("name", ["tall", "wide", "tall centred"])
def test_cholesky_decompositions_prove_bounds_close_to_the_spectrum(roads, name):
    A = MATRICES[name]
    expected = pc.least_squares(dense(A), B[: A.shape[0]])
    roads("cholesky")
    problem = pc.least_squares(A, B[: A.shape[0]])
    assert expected.L <= problem.L <= 1.06 * expected.L
    assert 0.85 * expected.mu_restricted <= problem.mu_restricted <= expected.mu_restricted
    assert problem.mu == (problem.mu_restricted if "tall" in name else 0)
    np.testing.assert_allclose(problem.x_star, expected.x_star, atol=1e-14)
    assert problem.f_star_error <= 1e-24
    assert "Cholesky" in problem.f_star_source
    assert "proven bounds from above and from below, not exact: Cholesky" in problem.describe()


def test_an_estimate_that_is_too_bold_is_never_taken(roads, monkeypatch):
    """A power method under-estimates sigma_max; the decomposition finds out, and the next try is safer."""
    expected = pc.least_squares(TALL.toarray(), B)
    roads("cholesky")
    monkeypatch.setattr(cholesky_factors, "ABOVE", 0.9)
    monkeypatch.setattr(cholesky_factors, "BELOW", 1.3)
    problem = pc.least_squares(TALL, B)
    assert expected.L <= problem.L <= 1.06 * expected.L
    assert 0.6 * expected.mu <= problem.mu <= expected.mu
    monkeypatch.setattr(cholesky_factors, "TRIES", 1)  # nothing is proven now, so nothing is claimed
    other = pc.least_squares(TALL, B)  # columns of length 1 prove a bound of their own
    assert 0.1 * expected.mu <= other.mu - other.loss.mu_error <= expected.mu


def test_dependent_columns_leave_no_proof_to_cholesky(roads):
    roads("cholesky")
    D = TALL.toarray()
    D[:, 0] = D[:, 1] + D[:, 2]
    problem = pc.least_squares(sparse.csr_array(D), B)
    assert problem.mu == 0
    assert "proven is only f* >= 0" in problem.f_star_source


def exact_excess(A, b, x_star):
    """f(x_star) - min f in fractions, for A of full column rank."""
    rows = [[Fraction(float(v)) for v in row] for row in A]
    columns = list(zip(*rows, strict=True))
    r = [
        Fraction(float(t)) - sum(a * Fraction(float(v)) for a, v in zip(row, x_star, strict=True))
        for row, t in zip(rows, b, strict=True)
    ]
    g = [sum(p * q for p, q in zip(column, r, strict=True)) for column in columns]
    G = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in columns] for u in columns]
    d = solved(G, g)
    return sum(p * q for p, q in zip(d, g, strict=True)) / 2


def solved(G, g):
    n = len(g)
    M = [[*row, entry] for row, entry in zip(G, g, strict=True)]
    for j in range(n):
        for i in range(j + 1, n):
            factor = M[i][j] / M[j][j]  # G is positive definite: no pivoting
            M[i] = [a - factor * c for a, c in zip(M[i], M[j], strict=True)]
    for j in reversed(range(n)):
        M[j][n] = (M[j][n] - sum(M[j][k] * M[k][n] for k in range(j + 1, n))) / M[j][j]
    return [row[n] for row in M]


@pytest.mark.parametrize("road", ["triangle", "gram", "cholesky"])
@pytest.mark.parametrize("condition", [1, 1e2, 1e4])
def test_the_bound_on_f_star_holds_in_exact_arithmetic(roads, condition, road):
    rng = np.random.default_rng(int(condition))
    D = np.round(rng.standard_normal((14, 5)) * 8) * (rng.random((14, 5)) < 0.7)
    D[:, 4] = D[:, 3] + np.round(rng.standard_normal(14)) / condition
    b = rng.standard_normal(14)
    roads(road)
    problem = pc.least_squares(sparse.csr_array(D), b)
    excess = exact_excess(D, b, problem.x_star)
    assert excess <= Fraction(problem.f_star_error)
    assert problem.f_star_error <= (1e-20 if condition < 1e4 else 1e-12) * problem.f_star


def test_what_the_gram_matrix_cannot_tell_is_said(roads, monkeypatch):
    D = np.column_stack([np.arange(1.0, 9), np.ones(8), np.arange(1.0, 9) + 1e-9 * np.array([1, -1] * 4)])
    roads("gram")
    by_triangle = pc.least_squares(sparse.csr_array(D), np.ones(8))  # by its triangle
    assert by_triangle.mu > 0
    assert by_triangle.reference.proven
    monkeypatch.setattr(equilibrated, "TRIANGLE_WORK", 0)
    problem = pc.least_squares(sparse.csr_array(D), np.ones(8))
    assert problem.mu == 0
    assert not problem.reference.proven
    assert "numerical rank 2 of 3 taken as exact: an estimate" in problem.f_star_source
    assert "numerical rank 2 < 3" in problem.describe()


@pytest.mark.parametrize("road", ["triangle", "gram", "cholesky", "products"])
def test_zero_and_tiny_and_single(roads, road):
    roads(road)
    zero = pc.least_squares(sparse.csr_array((4, 3)), np.ones(4), x0=[1, 2, 3])
    assert (zero.L, zero.mu, zero.f_star) == (1, 0, 2)
    np.testing.assert_array_equal(zero.x_star, [1, 2, 3])
    assert "3 zero columns" in zero.describe()
    one = pc.least_squares(sparse.csr_array([[2.0]]), [3.0])
    assert one.x_star == pytest.approx([1.5])
    assert pc.least_squares(sparse.csr_array([[2.0]]), [0.0]).f_star == 0
    for size in (1e300, 1e-300):
        with pytest.raises(ValueError, match="scale the data"):
            pc.least_squares(sparse.csr_array(size * np.eye(2)), np.ones(2))


def test_large_dense_matrices_take_the_same_roads(roads):
    D = TALL.toarray()
    expected = pc.least_squares(D, B)
    for road in ("gram", "products"):
        roads(road)
        problem = pc.least_squares(D, B)
        assert problem.form.name == "G" if road == "gram" else "A"
        np.testing.assert_allclose(problem.x_star, expected.x_star, atol=1e-13)
        assert problem.L >= expected.L * (1 - 1e-14)
