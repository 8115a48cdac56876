"""x*, f* and the bound on their error for logistic regression, against Newton's method in 200 digits."""

import math
import os
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from cases import wide
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

import polyak_core as pc
from polyak_core.arrays import EPS, EXTENDED_EPS
from polyak_core.certificates.logistic import logistic_reference
from polyak_core.certificates.logistic_sample import Sample
from polyak_core.matrices.factors import Factorisation
from polyak_core.matrices.kinds import Centred

DIGITS = 200
NONE = Decimal("1e-150")
"""Pivots that are below it, relative to the largest entry, belong to dependent columns."""
FAR = 10**6
"""Margins of this size have a loss that is 0, or linear, in all these digits."""
CLOSE = Decimal("1e-190")
"""What rounding changes in a value."""


def solve(H, g):
    """A solution of H x = g, by Gaussian elimination with pivots, in Decimal."""
    n, pivots = len(g), []
    M = [[*row, entry] for row, entry in zip(H, g, strict=True)]
    least = NONE * max(abs(entry) for row in H for entry in row)
    for j in range(n):
        rank = len(pivots)
        k = max(range(rank, n), key=lambda i: abs(M[i][j]))
        if abs(M[k][j]) <= least:
            continue
        M[rank], M[k] = M[k], M[rank]
        for i in range(n):
            if i != rank:
                factor = M[i][j] / M[rank][j]
                M[i] = [a - factor * b for a, b in zip(M[i], M[rank], strict=True)]
        pivots.append(j)
    x = [Decimal(0)] * n
    for i, j in enumerate(pivots):
        x[j] = M[i][n] / M[i][j]
    return x


class Exact:
    """h with the exact float64 data, in as many digits as the context has."""

    def __init__(self, A, labels, lam):
        self.rows = [[Decimal(float(y * a)) for a in row] for y, row in zip(labels, A, strict=True)]
        self.lam = Decimal(lam)

    def margins(self, x):
        return [sum(a * b for a, b in zip(row, x, strict=True)) for row in self.rows]

    def value(self, x):
        losses = ((1 + (-m).exp()).ln() if m > -FAR else -m for m in self.margins(x))
        return sum(losses) + self.lam * sum(b * b for b in x)

    def minimum(self, near):
        """By Newton's method, steps halved while they go too far."""
        x = [Decimal(float(b)) for b in near]
        for _ in range(200):
            p = [1 / (1 + m.exp()) if m < FAR else Decimal(0) for m in self.margins(x)]
            columns = list(zip(*self.rows, strict=True))
            g = [
                2 * self.lam * b - sum(q * a for q, a in zip(p, c, strict=True))
                for b, c in zip(x, columns, strict=True)
            ]
            weights = [q * (1 - q) for q in p]
            H = [
                [sum(w * a * b for w, a, b in zip(weights, c, d, strict=True)) for d in columns]
                for c in columns
            ]
            for j, row in enumerate(H):
                row[j] += 2 * self.lam
            step = solve(H, g)
            before = self.value(x)
            while self.value([b - s for b, s in zip(x, step, strict=True)]) > before + CLOSE:
                step = [s / 2 for s in step]
            x = [b - s for b, s in zip(x, step, strict=True)]
            if sum(s * s for s in step) < Decimal("1e-160") * sum(b * b for b in x):
                return self.value(x)
        assert not any(x), "Newton's method has not come to its end"
        return self.value(x)


def assert_certified(A, labels, lam):
    """The bound holds, is not silly, and f_star is the value at x_star to the last bits."""
    problem = pc.logistic(A, labels, lam=lam)
    with localcontext() as context:
        context.prec = DIGITS
        exact = Exact(A, labels, lam)
        reached = exact.value([Decimal(float(b)) for b in problem.x_star])
        best, error = exact.minimum(problem.x_star), Decimal(problem.f_star_error)
        excess = reached - best
        assert problem.reference.proven
        assert 0 <= excess <= error
        assert abs(Decimal(problem.f_star) - best) <= error + Decimal(math.ulp(problem.f_star)) / 2
    return problem, float(excess)


RNG = np.random.default_rng(7)
A = RNG.standard_normal((14, 3))
MIXED = np.where(RNG.random(14) < 0.5, 1, -1)
PARTED = np.where(A @ [1.0, -2.0, 0.5] > 0, 1, -1)


@pytest.mark.parametrize("lam", [100.0, 1.0, 1e-3, 1e-8, 1e-14])
@pytest.mark.parametrize("labels", [MIXED, PARTED], ids=["mixed", "parted"])
@pytest.mark.parametrize("scale", [1.0, 300.0], ids=["unit", "large"])
def test_the_bound_holds(labels, lam, scale):
    problem, _ = assert_certified(A * scale, labels, lam)
    if EXTENDED_EPS < 1e-18:
        assert problem.f_star_error <= 1e-20 * max(1, problem.f_star)


@pytest.mark.parametrize("columns", [[1, 1, 1], [1, 1e-3, 1e-6], [1e6, 1, 1]])
def test_without_regularisation(columns):
    """Mixed classes have a minimiser; the scale of columns does not spoil the certificate."""
    problem, _ = assert_certified(A * columns, MIXED, 0.0)
    assert "curvature around x*" in problem.f_star_source
    if EXTENDED_EPS < 1e-18:
        assert problem.f_star_error <= 1e-18


def test_dense_data_too_large_to_factorise_have_their_hessian(monkeypatch):
    """It is made in blocks of rows, and no step is left to conjugate gradients."""
    monkeypatch.setattr("polyak_core.matrices.factors.WORK", 0)
    monkeypatch.setattr("polyak_core.certificates.logistic.BLOCK", 5)
    monkeypatch.setattr("polyak_core.certificates.logistic.CG_STEPS", 0)
    for lam in (1.0, 1e-6):
        problem, _ = assert_certified(A * [1, 1e-3, 1e3], MIXED, lam)
        assert problem.f_star_error <= 1e-15 * problem.f_star


@st.composite
def samples(draw):
    m, n = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-4, 4), min_size=n, max_size=n)
    matrix = np.array(draw(st.lists(row, min_size=m, max_size=m)), dtype=float)
    labels = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))
    return matrix, labels, draw(st.sampled_from([5.0, 0.3, 1e-4, 1e-9]))


@given(samples())
def test_the_bound_holds_for_any_sample(sample):
    assert_certified(*sample)


@given(st.integers(0, 10**6))
def test_the_bound_holds_in_any_units(seed):
    """Rows and columns of all sizes, equal rows, columns that are nearly equal; one class, or two."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 6), rng.integers(1, 4)
    rows = wild(rng, m, n)
    labels = np.where(rng.random(m) < rng.choice([0.5, 1.0]), 1, -1)
    if rng.random() < 0.5:
        assert_certified(rows, labels, 10.0 ** rng.integers(-8, 6))
        return
    problem = pc.logistic(rows, labels, 0.0)
    if plane(labels[:, None] * rows):  # then all that may be said is that there is no minimiser, or f >= 0
        with suppress(ValueError):
            assert problem.f_star_error >= problem.f_star
    elif problem.f_star_error < problem.f_star:
        assert_certified(rows, labels, 0.0)


def wild(rng, m, n):
    A = rng.standard_normal((m, n)) if rng.random() < 0.5 else np.round(2 * rng.standard_normal((m, n)))
    A = A * [1.0, *rng.choice([1e8, 1.0, 1e-8], n - 1)] * 10.0 ** rng.choice([-3, 0, 0, 3])
    if rng.random() < 0.2:
        A = A * 10.0 ** rng.integers(-3, 4, (m, 1))
    A[rng.integers(m)] = A[rng.integers(m)]
    if n > 1 and rng.random() < 0.2:
        A[:, 0] = A[:, 1] * (1 + rng.choice([0, 1e-9, 1e-14]))
    return A


def plane(rows):
    """Whether some w has rows @ w >= 0 and not all 0, in fractions: such a cone has an edge.

    Edges are orthogonal to as many independent rows as there are independent columns, less one.
    """
    exact = [[Fraction(float(v)) for v in row] for row in rows]
    picks: list[int] = []
    for j in range(rows.shape[1]):
        if not null_vectors([[row[i] for i in (*picks, j)] for row in exact], len(picks) + 1):
            picks.append(j)
    short = [[row[j] for j in picks] for row in exact]
    for tight in combinations(range(len(rows)), max(len(picks) - 1, 0)):
        across = null_vectors([short[i] for i in tight], len(picks))
        if len(across) == 1:
            margins = [sum(a * b for a, b in zip(row, across[0], strict=True)) for row in short]
            if max(margins) > 0 <= min(margins) or min(margins) < 0 >= max(margins):
                return True
    return False


def null_vectors(rows, n):
    """A basis of what is orthogonal to all rows."""
    pivots: dict[int, list[Fraction]] = {}
    for row in rows:
        left = row
        for j, pivot in pivots.items():
            left = [a - left[j] * b for a, b in zip(left, pivot, strict=True)]
        j = next((j for j in range(n) if left[j] != 0), None)
        if j is not None:
            new = [a / left[j] for a in left]
            pivots = {i: [a - p[j] * b for a, b in zip(p, new, strict=True)] for i, p in pivots.items()} | {
                j: new
            }
    free = [j for j in range(n) if j not in pivots]
    return [[Fraction(i == j) if i in free else -pivots[i][j] for i in range(n)] for j in free]


def test_a_sample_in_very_different_units_has_a_minimiser():
    """Distilled from a public bug report: rows 1e10 times as long as others."""
    rows = np.array([[-130, 66], [9.6e-8, 5.2e-8], [-2.6e-5, -1.5e-5]])
    problem, _ = assert_certified(rows, [1, 1, 1], 0.0)
    assert problem.f_star == pytest.approx(0.7062976170967108, rel=1e-15)
    np.testing.assert_allclose(problem.x_star, [-113685, -223924], rtol=1e-5)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_values_of_large_samples_count_their_rounding(lam, size, monkeypatch):
    monkeypatch.setattr("polyak_core.certificates.logistic_sample.MOST_ROWS", 3)
    monkeypatch.setattr("polyak_core.matrices.exact.MOST_ENTRIES", 10 * size)
    problem, _ = assert_certified(A[:, :2], MIXED, lam)
    assert problem.f_star_error <= (1e-15 if EXTENDED_EPS < 1e-18 else 1e-12)
    assert problem.floor <= problem.f_star_error


def parted(rows):
    """Whether some w has rows @ w >= 0 and not all 0, exactly: whole numbers, two columns.

    If so, one of these has: a row or its opposite (rank 1), or what is orthogonal to a row (an edge of
    the cone).
    """
    tried = [sign * w for row in rows for w in (row, np.array([-row[1], row[0]])) for sign in (1, -1)]
    return any((rows @ w >= 0).all() and (rows @ w > 0).any() for w in tried)


pairs = st.lists(st.integers(-4, 4), min_size=2, max_size=2)


@given(st.lists(pairs, min_size=1, max_size=6))
@settings(max_examples=150)
def test_without_regularisation_a_minimiser_or_words(rows):
    """A ValueError exactly where a line separates."""
    rows = np.array(rows)
    labels = np.where(np.arange(len(rows)) % 2, 1, -1)
    problem = pc.logistic(labels[:, None] * rows, labels, lam=0)
    if parted(rows):
        with pytest.raises(ValueError, match="separates the classes") as caught:
            _ = problem.x_star
        assert "give lam > 0" in str(caught.value)
    else:
        assert np.linalg.norm(problem.loss.grad(problem.x_star)) <= 1e-12 * (1 + np.abs(rows).sum())
        assert problem.f_star_error <= 1e-12


def test_curvatures_of_very_different_size():
    """Wide, graded rows and next to no regularisation: the Hessian is singular to float64."""
    rows = np.array([[1e4, 2e4, -1e4], [1e-3, 2e-3, 2e-3]])
    problem = pc.logistic(rows, [1, -1], lam=1e-38)
    assert problem.f_star < 1e-20  # separable: f falls with lam
    with localcontext() as context:
        context.prec = DIGITS
        value = Exact(rows, [1, -1], 1e-38).value([Decimal(float(b)) for b in problem.x_star])
    assert problem.f_star == pytest.approx(float(value), rel=1e-9)


def test_a_hessian_that_is_singular_to_rounding():
    """Curvatures of 1e-6 beside ones of 1e-22 on graded rows: Cholesky fails on the way, QR does not."""
    rows = np.array([[20, 30, 80], [10, 30, 100], [-0.09, 0.007, 0.05], [0.01, -0.0006, 0.001]])
    problem, _ = assert_certified(rows, [-1, 1, 1, 1], 1e-32)
    assert problem.f_star_error < 1e-15 * problem.f_star


def test_solve_says_that_there_is_no_minimiser():
    problem = pc.logistic(A, PARTED, lam=0)
    assert any("lam = 0" in note for note in problem.loss.notes)
    with pytest.raises(ValueError, match="no minimiser"):
        pc.solve(problem, method="pgd", iterations=5)
    quasi = pc.logistic(
        [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1, 1, -1], lam=0
    )  # one margin grows, two stay 0
    with pytest.raises(ValueError, match="no minimiser"):
        _ = quasi.f_star


@pytest.mark.parametrize("known", [True, False], ids=["rank known", "rank guessed"])
def test_dependent_columns(monkeypatch, known):
    """lam > 0: the shortest; lam = 0: what steps from x0 reach, the rest of x0 kept."""
    if not known:
        monkeypatch.setattr("polyak_core.certificates.separation.LARGEST_ELIMINATION", 0)
    doubled = np.hstack([A, A[:, :1], np.zeros((14, 1))])
    problem = pc.logistic(doubled, MIXED, lam=0.1)
    np.testing.assert_allclose(problem.x_star[0], problem.x_star[3], rtol=1e-14)
    assert problem.x_star[4] == 0
    start = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    flat = pc.logistic(doubled, MIXED, lam=0, x0=start)
    assert flat.reference.proven is known
    assert ("estimate" in flat.f_star_source and "numerical rank 3 of 5" in flat.f_star_source) is not known
    assert flat.x_star[4] == pytest.approx(5, rel=1e-14)
    assert flat.x_star[0] - flat.x_star[3] == pytest.approx(-3, rel=1e-13)
    trace = pc.solve(flat, method="adapt_apg_v2", iterations=2000)
    np.testing.assert_allclose(trace.y, flat.x_star, rtol=1e-10)
    assert trace.gap[-1] < 1e-25


def test_no_strong_convexity_and_no_full_rank_is_said():
    """Dependent columns and lam = 1e-40: the gradient's rounding over 4 lam is more than f itself."""
    problem = pc.logistic(np.hstack([A, A]), MIXED, lam=1e-40)
    assert "only min f >= 0" in problem.f_star_source
    assert problem.f_star_error > 1e-20
    limit = pc.logistic(A, MIXED, lam=0)  # a minimiser in half the columns has the same margins
    assert 0 <= problem.f_star - limit.f_star <= problem.f_star_error + 1e-14


def test_a_weak_bound_says_so(monkeypatch):
    """Products alone and lam = 0: nothing but min f >= 0."""
    monkeypatch.setattr("polyak_core.certificates.curvature_bound.SMALL_SIDE", 2)
    reference = logistic_reference(Sample(sparse.csr_array(A), MIXED, 0.0, None), np.zeros(3))
    assert "only min f >= 0" in reference.source
    assert reference.error >= reference.f_star
    best = pc.logistic(A, MIXED, lam=0)
    assert reference.f_star == pytest.approx(best.f_star, rel=1e-14)
    np.testing.assert_allclose(reference.x_star, best.x_star, rtol=1e-10)


@pytest.mark.parametrize("kind", ["sparse", "centred"])
def test_products_alone_reach_the_same(kind):
    mean = A.mean(axis=0)
    matrix = sparse.csr_array(A) if kind == "sparse" else Centred(sparse.csr_array(A), mean)
    dense = A if kind == "sparse" else A - mean
    for lam in (1.0, 1e-4):
        reference = logistic_reference(Sample(matrix, MIXED, lam, None), np.zeros(3))
        direct = logistic_reference(Sample(dense, MIXED, lam, Factorisation.of(dense)), np.zeros(3))
        np.testing.assert_allclose(reference.x_star, direct.x_star, rtol=1e-14)
        assert reference.f_star == pytest.approx(direct.f_star, rel=1e-15)
        assert reference.error <= max(1e-20, 1e4 * direct.error)


def test_a_general_solver_finds_the_same():
    problem = pc.logistic(A, MIXED, lam=0.2)
    other = minimize(problem.f, np.ones(3), jac=problem.loss.grad, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(problem.x_star, other.x, atol=1e-7)
    terms = (A.shape[0] + 8) * EPS  # rounding of a sum of terms that are not negative
    assert problem.f_star <= other.fun * (1 + terms)


def test_where_x0_lies_does_not_matter():
    near, far = (pc.logistic(A, MIXED, lam=1e-3, x0=x0) for x0 in (np.zeros(3), 1e8 * np.ones(3)))
    np.testing.assert_array_equal(near.x_star, far.x_star)


@wide
@pytest.mark.parametrize(("name", "lam"), [("sonar", 0.004), ("musk", 100.0)])
def test_the_papers_data(name, lam):
    data = pc.load_dataset(name, scaling="center")
    problem = pc.logistic(data.X, data.y, lam=lam)
    assert problem.f_star_error <= 1e-20 * max(1, problem.f_star)
    assert np.linalg.norm(problem.loss.grad(problem.x_star)) <= 1e-11 * problem.L * np.linalg.norm(
        problem.x_star
    )


@wide
@pytest.mark.madelon
def test_madelon():
    data = np.load(Path(os.environ["POLYAK_DATA_DIR"]) / "madelon.npz")
    problem = pc.logistic(data["X"] - data["X"].mean(axis=0), data["y"], lam=1000.0)
    assert problem.f_star_error <= 1e-20 * problem.f_star
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=500)
    assert trace.first_below(1e-3) is not None


def test_too_large_to_factorise(monkeypatch):
    """L a proven upper bound, said so; x* by products alone."""
    monkeypatch.setattr("polyak_core.problems.logistic.factorise", lambda matrix: None)
    large, plain = pc.logistic(sparse.csr_array(A), MIXED, lam=0.3), np.linalg.norm(A, 2) ** 2 / 4 + 0.6
    assert plain <= large.L <= 3 * plain
    assert large.mu == 0.6
    assert "too large to factorise: L is a proven upper bound" in large.describe()
    assert large.f_star_error < 1e-20
    assert pc.solve(large, method="adapt_apg_v2", iterations=300).gap[-1] < 1e-25


def test_a_plane_that_separates_centred_data_is_found():
    parted = Centred(sparse.csr_array(A), A.mean(axis=0))
    with pytest.raises(ValueError, match="separates the classes"):
        _ = pc.logistic(parted, np.where(parted @ [1.0, -2.0, 0.5] > 0, 1, -1), lam=0).x_star
