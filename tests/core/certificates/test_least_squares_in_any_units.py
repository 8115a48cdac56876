"""Least squares whatever the units, ranks and roads: its claims, against minimisers in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core.data.scaling import scale_features
from polyak_core.matrices import equilibrated, factors
from polyak_core.matrices.kinds import Centred
from polyak_core.matrices.sliced import Pair, SlicedMatrix, half_square


def entries(M):
    """The matrix that a claim is about, in fractions: a centred one before its differences are rounded."""
    if isinstance(M, Centred):
        X, mean = M.X.toarray(), [Fraction(v) for v in M.mean.tolist()]
        return [[Fraction(v) - u for v, u in zip(row, mean, strict=True)] for row in X.tolist()]
    return [[Fraction(v) for v in row] for row in (M.toarray() if sparse.issparse(M) else M).tolist()]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def eliminated(G, c):
    """A solution of G x = c, which has one, and the rank of G."""
    n, rank, pivots = len(c), 0, []
    M = [[*row, value] for row, value in zip(G, c, strict=True)]
    for j in range(n):
        k = next((k for k in range(rank, n) if M[k][j] != 0), None)
        if k is None:
            continue
        M[rank], M[k] = M[k], M[rank]
        for i in range(n):
            if i != rank and M[i][j] != 0:
                ratio = M[i][j] / M[rank][j]
                M[i] = [a - ratio * b for a, b in zip(M[i], M[rank], strict=True)]
        pivots.append(j)
        rank += 1
    x = [Fraction(0)] * n
    for i, j in enumerate(pivots):
        x[j] = M[i][n] / M[i][j]
    return x, rank


def positive_semidefinite(G):
    M = [list(row) for row in G]
    for j in range(len(M)):
        if M[j][j] < 0 or (M[j][j] == 0 and any(M[i][j] for i in range(j + 1, len(M)))):
            return False
        for i in range(j + 1, len(M)):
            if M[i][j]:
                ratio = M[i][j] / M[j][j]
                M[i] = [a - ratio * b for a, b in zip(M[i], M[j], strict=True)]
    return True


class Exact:
    """min 1/2 ||Ax - b||^2 in rational numbers."""

    def __init__(self, M, b):
        self.rows, self.b = entries(M), [Fraction(v) for v in b.tolist()]
        self.columns = list(zip(*self.rows, strict=True))
        self.G = [[dot(u, v) for v in self.columns] for u in self.columns]
        x, self.rank = eliminated(self.G, [dot(u, self.b) for u in self.columns])
        self.minimum = self.f(x)

    def f(self, x):
        return sum((dot(row, x) - t) ** 2 for row, t in zip(self.rows, self.b, strict=True)) / 2

    def gap(self, x):
        return float(self.f([Fraction(v) for v in np.asarray(x).tolist()]) - self.minimum)

    def step(self, x, L):
        r = [dot(row, x) - t for row, t in zip(self.rows, self.b, strict=True)]
        return [v - dot(column, r) / L for v, column in zip(x, self.columns, strict=True)]


def assert_claims_hold(problem, exact):
    """f*, its error and mu, and if all is proven the gaps of points and of a run."""
    x_star = [Fraction(v) for v in problem.x_star.tolist()]
    assert exact.f(x_star) - exact.minimum <= Fraction(problem.f_star_error)
    half_a_unit = Fraction(float(np.spacing(problem.f_star))) / 2
    assert abs(Fraction(problem.f_star) - exact.minimum) <= Fraction(problem.f_star_error) + half_a_unit
    least = Fraction(problem.mu) - Fraction(problem.mu_error)
    assert problem.mu == 0 or exact.rank == len(x_star)
    if least > 0:
        diagonal = range(len(x_star))
        shifted = [[exact.G[i][j] - (least if i == j else 0) for j in diagonal] for i in diagonal]
        assert positive_semidefinite(shifted)
    if not problem.reference.proven:
        assert "estimate" in problem.f_star_source
        return
    trace = pc.solve(problem, "pgd", 3)
    point, L = [Fraction(v) for v in problem.x0.tolist()], Fraction(problem.L)
    for gap in trace.gap:
        assert_close(gap, float(exact.f(point) - exact.minimum), trace.floor)
        point = exact.step(point, L)
    nearby = problem.x_star + 1e-6 * np.abs(problem.x_star).max() * np.linspace(-1, 1, problem.x_star.size)
    assert_close(problem.gap(nearby), exact.gap(nearby), problem.floor)


def assert_close(gap, true, floor):
    """No gap above the floor is wrong by more than 1 percent."""
    if max(gap, true) > 1.02 * floor:
        assert gap == pytest.approx(true, rel=0.0101)


number = st.floats(-9, 9).map(lambda v: round(v, 3)) | st.integers(-9, 9).map(float)


KINDS = ("digits", "nearly dependent", "dependent", "a sum", "units", "rows", "zeros")


@st.composite
def matrices(draw):
    """A and b; what may trouble a matrix comes alone, and in company."""
    m, n = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    rows = st.lists(number, min_size=n, max_size=n)
    A = np.array(draw(st.lists(rows, min_size=m, max_size=m)))
    b = np.array(draw(st.lists(number, min_size=m, max_size=m)))
    kinds = draw(st.sets(st.sampled_from(KINDS), max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if "digits" in kinds:  # of all 53 bits
        A, b = A * rng.standard_normal(A.shape), b * rng.standard_normal(m)
    if "nearly dependent" in kinds and n > 1:
        A[:, 0] = A[:, 1] + 10.0 ** -rng.integers(1, 21) * A[:, 0]
    if "dependent" in kinds and n > 1:
        A[:, -1] = rng.choice([1.0, 2.0, 0.1]) * A[:, 0]
    if "a sum" in kinds and n > 2:
        A[:, 1] = A[:, 0] + A[:, 2]
    if "units" in kinds:
        A = A * 10.0 ** rng.integers(-12, 14, n)
    if "rows" in kinds:
        A = A * 10.0 ** rng.integers(-6, 7, m)[:, None]
    if "zeros" in kinds:
        A = A * (rng.random(A.shape) < 0.6)
    return A, b * 10.0 ** draw(st.integers(-8, 8))


@given(matrices(), st.sampled_from(["dense", "sparse", "centred", "lasso"]))
def test_claims_hold_in_any_units(drawn, kind):
    A, b = drawn
    assume(np.abs(A).max() > 0)
    M = A if kind in ("dense", "lasso") else sparse.csr_array(A)
    if kind == "centred":
        M = scale_features(M, "center")
        assume(M.X.nnz)
    problem = pc.lasso(M, b, 0.0) if kind == "lasso" else pc.least_squares(M, b)
    assert_claims_hold(problem, Exact(M, b))


@given(matrices(), st.sampled_from(["gram", "estimate"]))
def test_claims_hold_where_products_tell_the_rank(drawn, road):
    A, b = drawn
    assume(np.abs(A).max() > 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(factors, "WORK", 0)
        patch.setattr(equilibrated, "WORK", 0)
        if road == "estimate":
            patch.setattr(equilibrated, "TRIANGLE_WORK", 0)
        problem = pc.least_squares(sparse.csr_array(A), b)
        assert_claims_hold(problem, Exact(A, b))


def test_mu_from_products_is_wrong_by_no_more_than_is_said(monkeypatch):
    """Rounding of A'A is large beside its smallest eigenvalue."""
    monkeypatch.setattr(factors, "WORK", 0)
    monkeypatch.setattr(equilibrated, "WORK", 0)
    A, b = np.array([[1.0, 1.0], [1e-3, 0.0]]), np.zeros(2)
    problem = pc.least_squares(sparse.csr_array(A), b)
    assert problem.mu_error < 1e-6 * problem.mu
    assert_claims_hold(problem, Exact(A, b))


def test_a_minimum_midway_between_two_numbers_is_rounded_to_the_nearer():
    """It lies 5e-31 from the middle, and its certificate says 8e-33."""
    A, b = scale_features(sparse.csr_array([[0.1], [0.05]]), "center"), np.array([8.0, 0.0])
    problem = pc.least_squares(A, b)
    assert_claims_hold(problem, Exact(A, b))
    assert problem.f_star_error < 1e-32


def test_a_step_on_centred_data_is_followed_as_far_as_its_products_are_right():
    """G = A'A is 1e-18, of terms of 1e-15: one step leaves 1e-25 of the gap, and not 1e-32."""
    A, b = scale_features(sparse.csr_array([[4.8e-8], [5e-8]]), "center"), np.array([1.62, 0.59])
    problem = pc.least_squares(A, b, representation="G")
    assert_claims_hold(problem, Exact(A, b))


@pytest.mark.parametrize(
    ("A", "b", "minimum"),
    [
        (
            [[2.1e13, 0.0011], [1.9e13, 0.0024], [0.4e13, 0.0017], [0.3e13, 0.0031]],
            [1, 3, 2, 4],
            0.0314808684,
        ),
        ([[1.3e9, 2.9], [1.5e9, 3.1], [2.2e9, 1.4], [3.1e9, 4.5]], [3, 1, 4, 1], None),
        (1 / (np.arange(13)[:, None] + np.arange(10) + 1.0), np.arange(13.0), 3.379960802e-8),
    ],
    ids=["two units", "a sum and a rate", "hilbert 10"],
)
def test_columns_of_any_length_have_their_minimum(A, b, minimum):
    A, b = np.array(A), np.array(b, dtype=float)
    problem, exact = pc.least_squares(A, b), Exact(A, b)
    assert problem.reference.proven
    assert_claims_hold(problem, exact)
    assert problem.f_star_error <= 1e-6 * float(exact.minimum)
    if minimum is not None:
        assert problem.f_star == pytest.approx(minimum, rel=1e-7)


def test_the_closest_minimiser_is_kept_where_columns_are_of_any_length():
    """A short column would bring the residual to 0 too, by a step of 1e5 that is not needed."""
    A = np.array([[-2.19e4, -1.9e-10, 520.0, 63.0], [-1.57e15, -3.0, -9.8e13, -5.8e12]])
    b = np.array([-1.9, -0.3])
    problem = pc.least_squares(A, b)
    assert abs(problem.x_star[1]) < 1e-12
    assert_claims_hold(problem, Exact(A, b))


def test_a_rank_that_is_a_guess_is_called_one():
    """The two columns differ in the last place: with x = 4.5e15 f is 0, and that counts in the error."""
    A, b = np.array([[1.0, 1.0], [1.0, np.nextafter(1.0, 2)]]), np.array([0.0, 1.0])
    problem = pc.least_squares(A, b)
    assert not problem.reference.proven
    assert problem.f_star - Exact(A, b).minimum <= problem.f_star_error
    assert "an estimate" in problem.f_star_source
    assert "f(x*) - min f is an estimate" in problem.describe()
    assert problem.floor < 1e-20  # by which the run goes on


def test_iterates_are_those_of_the_problem_whatever_is_known_of_x_star(monkeypatch):
    """A direction that A'A cannot show is left out of x*, and still the steps go along it."""
    monkeypatch.setattr(factors, "WORK", 0)
    monkeypatch.setattr(equilibrated, "WORK", 0)
    monkeypatch.setattr(equilibrated, "TRIANGLE_WORK", 0)
    A = np.column_stack([np.arange(1.0, 9), np.ones(8), np.arange(1.0, 9) + 1e-7 * np.array([1, -1] * 4)])
    b = np.array([1e6, -1e6] * 4)
    problem = pc.least_squares(sparse.csr_array(A), b)
    assert not problem.reference.proven
    trace = pc.solve(problem, "pgd", 50)
    x = np.zeros(3)
    for _ in range(50):
        x = x - A.T @ (A @ x - b) / problem.L
    assert abs(x[2] - x[0]) > 1e-3  # what it moves along the direction that was left out
    np.testing.assert_allclose(trace.y, x, rtol=1e-9)


@given(
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["dense", "sparse", "centred"]),
)
def test_products_are_within_their_error(m, n, seed, kind):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, n)) * 10.0 ** rng.integers(-9, 9, (m, n))
    M = A if kind == "dense" else sparse.csr_array(np.where(rng.random((m, n)) < 0.7, A, 0))
    if kind == "centred":
        M = Centred(M, rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n))
    rows = entries(M)
    x, b = Pair(rng.standard_normal(n), 1e-17 * rng.standard_normal(n)), rng.standard_normal(m)
    matrix = SlicedMatrix(M)
    r, error = matrix.residual(b, x)
    point = total(x)
    exact = [Fraction(t) - dot(row, point) for row, t in zip(rows, b.tolist(), strict=True)]
    assert distance(total(r), exact) <= error
    g, error = matrix.pull(r)
    exact = [dot(column, total(r)) for column in zip(*rows, strict=True)]
    assert distance(total(g), exact) <= error
    half = dot(total(r), total(r)) / 2
    assert half_square(r) == pytest.approx(float(half), rel=2.3e-16)


def total(pair):
    return [Fraction(u) + Fraction(v) for u, v in zip(pair.high.tolist(), pair.low.tolist(), strict=True)]


def distance(u, v):
    return float(sum((a - b) ** 2 for a, b in zip(u, v, strict=True))) ** 0.5


def test_large_matrices_are_cut_block_by_block(monkeypatch):
    """The same product, whether all slices are kept or some rows at a time."""
    rng = np.random.default_rng(3)
    A, x, b = rng.standard_normal((50, 7)), Pair(rng.standard_normal(7), np.zeros(7)), rng.standard_normal(50)
    whole = SlicedMatrix(A).residual(b, x).value
    monkeypatch.setattr("polyak_core.matrices.sliced.BLOCK", 40)
    for M in (A, sparse.csr_array(A)):
        parts = SlicedMatrix(M)
        np.testing.assert_array_equal(parts.residual(b, x).value.high, whole.high)
        np.testing.assert_allclose(parts.pull(whole).value.high, A.T @ whole.high, rtol=1e-12)
