"""LASSO and SVM in units of all sizes: what is claimed of them, against minimisers in rational numbers."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.matrices.rbf import rbf_kernel


def fractions(array):
    return [[Fraction(float(entry)) for entry in row] for row in np.atleast_2d(array)]


def times(M, x):
    return [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in M]


def solved(H, r):
    """H x = r by elimination; None if H is singular."""
    rows = [[*row, value] for row, value in zip(H, r, strict=True)]
    for k in range(len(r)):
        pivot = next((i for i in range(k, len(r)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(len(r)):
            if i != k:
                ratio = rows[i][k] / rows[k][k]
                rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][-1] / rows[k][k] for k in range(len(r))]


class Exact:
    """1/2 x'Hx + c'x + constant, with lam ||x||_1, or on 0 <= x <= high (None: no end)."""

    def __init__(self, H, c, constant=0, lam=None, high=None):
        self.H, self.c, self.constant, self.lam, self.high = H, c, constant, lam, high

    def value(self, x):
        curved = sum((a * b for a, b in zip(x, times(self.H, x), strict=True)), Fraction(0)) / 2
        linear = sum((a * b for a, b in zip(x, self.c, strict=True)), Fraction(0))
        return curved + linear + self.constant + (self.lam or 0) * sum(map(abs, x))

    def minimum(self):
        """The value on the first face whose stationary point is optimal for all of f."""
        kinds = (0, 1, -1) if self.lam is not None else (0, None) if self.high is None else (0, None, 1)
        for face in product(kinds, repeat=len(self.c)):
            x = self.stationary(face)
            if x is not None and self.optimal(x, face):
                return self.value(x)
        raise AssertionError("no face is optimal")

    def stationary(self, face):
        moving = [i for i, kind in enumerate(face) if (kind is None if self.lam is None else kind)]
        x = [Fraction(1 if self.lam is None and kind == 1 else 0) * (self.high or 1) for kind in face]
        pull = times(self.H, x)
        right = [-self.c[i] - pull[i] - (self.lam * face[i] if self.lam is not None else 0) for i in moving]
        solution = solved([[self.H[i][j] for j in moving] for i in moving], right)
        for i, value in zip(moving, solution or (), strict=solution is not None):
            x[i] = value
        return x if solution is not None else None

    def optimal(self, x, face):
        g = [a + b for a, b in zip(times(self.H, x), self.c, strict=True)]
        if self.lam is not None:
            return all(v * s >= 0 and abs(d) <= self.lam for v, s, d in zip(x, face, g, strict=True))
        ends = [self.high is not None and v == self.high for v in x]
        inside = all(v >= 0 and (self.high is None or v <= self.high) for v in x)
        signs = (
            d == 0 or (v == 0 and d > 0) or (end and d < 0) for v, d, end in zip(x, g, ends, strict=True)
        )
        return inside and all(signs)


def exact_lasso(A, b, lam):
    rows, target = fractions(A), [Fraction(float(v)) for v in b]
    columns = [list(column) for column in zip(*rows, strict=True)]
    H = [times(columns, column) for column in columns]
    return Exact(H, [-v for v in times(columns, target)], sum(t * t for t in target) / 2, lam=Fraction(lam))


def exact_svm(X, y, C, loss):
    rows = fractions(np.asarray(y)[:, None] * np.asarray(X))
    return exact_dual([times(rows, row) for row in rows], Fraction(C), loss)


def exact_dual(Q, C, loss):
    """The constants C/2 and 2/C are not rounded."""
    scale, ridge = (C / 2, 0) if loss == "hinge" else (1, 2 / C)
    H = [[scale * q + (ridge if i == j else 0) for j, q in enumerate(row)] for i, row in enumerate(Q)]
    return Exact(H, [Fraction(-1)] * len(Q), high=1 if loss == "hinge" else None)


def assert_certified(problem, exact):
    """f(x_star) - min f <= f_star_error, and f_star is that near, but for half a unit in its last place."""
    best, error = exact.minimum(), Fraction(problem.f_star_error)
    assert problem.reference.proven
    assert 0 <= exact.value([Fraction(float(v)) for v in problem.x_star]) - best <= error
    assert abs(Fraction(problem.f_star) - best) <= error + Fraction(math.ulp(problem.f_star)) / 2


def wild(rng, m, n):
    """Rows and columns in units of all sizes, equal rows, columns that are nearly equal."""
    A = rng.standard_normal((m, n)) if rng.random() < 0.5 else np.round(3 * rng.standard_normal((m, n)))
    A = A * [1.0, *rng.choice([1e8, 1.0, 1e-8], n - 1)] * 10.0 ** rng.choice([-6, 0, 0, 6])
    if rng.random() < 0.3:
        A = A * 10.0 ** rng.integers(-4, 5, (m, 1))
    A[rng.integers(m)] = A[rng.integers(m)]
    if n > 1 and rng.random() < 0.2:
        A[:, 0] = A[:, 1] * (1 + rng.choice([0, 1e-9, 1e-14]))
    return A


seeds = st.integers(0, 10**6)


@given(seeds)
def test_lasso_in_any_units(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6), rng.integers(1, 5)
    A, b = wild(rng, m, n), rng.standard_normal(m) * 10.0 ** rng.integers(-3, 4)
    largest = float(np.abs(A.T @ b).max())
    lam = 10.0 ** rng.uniform(-12, 6) if rng.random() < 0.5 else largest * 10.0 ** rng.uniform(-12, 0.1)
    assume(lam > 0)
    assert_certified(pc.lasso(A, b, lam), exact_lasso(A, b, lam))


@given(seeds, st.sampled_from(["hinge", "squared_hinge"]), st.booleans())
def test_svm_in_any_units(seed, loss, rbf):
    rng = np.random.default_rng(seed)
    X = wild(rng, rng.integers(1, 5), rng.integers(1, 4))
    y = np.where(rng.random(len(X)) < rng.choice([0.5, 1.0]), 1.0, -1.0)
    C = 10.0 ** rng.uniform(-10, 10)
    if rbf:
        width = 10.0 ** rng.uniform(-1, 2.6) * max(1e-6, float(np.abs(X).max()))
        problem = pc.svm_dual(X, y, C, loss, "rbf", width)
        assert "of the kernel matrix as it is in float64" in problem.f_star_source
        Q = fractions(y[:, None] * rbf_kernel(X, width) * y)
        assert_certified(problem, exact_dual(Q, Fraction(C), loss))
    else:
        assert_certified(pc.svm_dual(X, y, C, loss), exact_svm(X, y, C, loss))


def test_constants_that_are_rounded_count():
    """2/0.3 is no number of float64: distilled from a public bug report."""
    assert_certified(
        pc.svm_dual([[0.5]], [1], 0.3, "squared_hinge"), exact_svm([[0.5]], [1], 0.3, "squared_hinge")
    )


def test_a_printed_minimum_that_cancels():
    """x'Kx and 1'x agree in all but some digits; distilled from a public bug report."""
    X, y = np.array([[0.0], [0.5], [1.0], [1.65]]), np.array([1, -1, 1, -1])
    problem = pc.svm_dual(X, y, 1e10, "squared_hinge", "rbf", 300.0)
    Q = fractions(y[:, None] * rbf_kernel(X, 300.0) * y)
    exact = exact_dual(Q, Fraction(10**10), "squared_hinge")
    assert_certified(problem, exact)
    assert problem.f_star == float(exact.value([Fraction(float(v)) for v in problem.x_star]))


@pytest.mark.parametrize("kind", ["lasso", "hinge", "squared_hinge", "rbf"])
def test_where_exact_values_take_too_long_their_rounding_counts(kind, monkeypatch):
    monkeypatch.setattr("polyak_core.matrices.exact.MOST_ENTRIES", 0)
    rng = np.random.default_rng(3)
    for _ in range(20):
        A, b, y = rng.standard_normal((4, 3)), rng.standard_normal(4), rng.choice([-1.0, 1.0], 4)
        if kind == "lasso":
            assert_certified(pc.lasso(A, b, 0.01), exact_lasso(A, b, 0.01))
        elif kind == "rbf":
            Q = fractions(y[:, None] * rbf_kernel(A, 1.0) * y)
            assert_certified(
                pc.svm_dual(A, y, 0.3, "hinge", "rbf", 1.0), exact_dual(Q, Fraction(0.3), "hinge")
            )
        else:
            assert_certified(pc.svm_dual(A, y, 0.3, kind), exact_svm(A, y, 0.3, kind))
