"""x*, f* and the bound on their error, against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyak_core as pc


def exact(rows):
    return [[Fraction(float(entry)) for entry in row] for row in rows]


def solve_exactly(G, c):
    """Gaussian elimination in fractions; None if G is singular."""
    n = len(c)
    M = [[*row, entry] for row, entry in zip(G, c, strict=True)]
    for j in range(n):
        pivot = next((i for i in range(j, n) if M[i][j] != 0), None)
        if pivot is None:
            return None
        M[j], M[pivot] = M[pivot], M[j]
        for i in range(n):
            if i != j:
                factor = M[i][j] / M[j][j]
                M[i] = [a - factor * b for a, b in zip(M[i], M[j], strict=True)]
    return [M[j][n] / M[j][j] for j in range(n)]


def times(A, x):
    return [sum(a * b for a, b in zip(row, x, strict=True)) for row in A]


def exact_minimiser(A, b):
    columns = list(zip(*A, strict=True))
    G = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in columns] for u in columns]
    return solve_exactly(G, times(columns, b))


def excess(A, x_star, truth):
    """f(x_star) - min f = 1/2 ||A (x_star - truth)||^2, exactly."""
    d = [Fraction(float(u)) - v for u, v in zip(x_star, truth, strict=True)]
    return sum(r * r for r in times(A, d)) / 2


def assert_certified(A, b):
    problem = pc.least_squares(A, b)
    A_exact, (b_exact,) = exact(A), exact([b])
    truth = exact_minimiser(A_exact, b_exact)
    if truth is None:
        return None
    r = [p - q for p, q in zip(times(A_exact, truth), b_exact, strict=True)]
    f_star = sum(entry * entry for entry in r) / 2
    assert excess(A_exact, problem.x_star, truth) <= Fraction(problem.f_star_error)
    half_a_unit = Fraction(float(np.spacing(problem.f_star))) / 2
    assert abs(Fraction(problem.f_star) - f_star) <= Fraction(problem.f_star_error) + half_a_unit
    return problem, truth, f_star


def hilbert(m, n):
    return 1.0 / (np.arange(m)[:, None] + np.arange(n) + 1.0)


@pytest.mark.parametrize(
    ("A", "b", "relative"),
    [
        (np.array([[1, 2], [3, 4], [5, 6]]), np.array([1, 0, 1]), 1e-18),
        (np.arange(40).reshape(8, 5) ** 2 % 17, np.arange(8), 1e-18),
        (np.vander(np.arange(1, 8), 5), np.array([3, 1, 4, 1, 5, 9, 2]), 1e-18),
        (hilbert(8, 4), np.ones(8), 1e-18),
        (1e3 * hilbert(9, 5), np.arange(9.0), 1e-15),
        (np.array([[3.0]]), np.array([1.0]), 1e-18),
    ],
    ids=["3x2", "integers", "vandermonde", "hilbert 4", "hilbert 5", "1x1"],
)
def test_the_bound_holds_and_is_small(A, b, relative):
    problem, truth, f_star = assert_certified(A, b)
    scale = max(float(f_star), float(b @ b) / 2 * 1e-3)
    assert problem.f_star_error <= relative * scale
    np.testing.assert_allclose(problem.x_star, np.array(truth, dtype=float), rtol=1e-13)


whole = st.integers(-9, 9)


@given(st.data(), st.integers(1, 4))
def test_random_whole_numbers(data, n):
    m = data.draw(st.integers(n, 6))
    A = np.array(data.draw(st.lists(st.lists(whole, min_size=n, max_size=n), min_size=m, max_size=m)))
    assert_certified(A, np.array(data.draw(st.lists(whole, min_size=m, max_size=m))))


def test_sonar():
    data = pc.load_dataset("sonar")
    problem = pc.least_squares(data.X, data.y)
    assert problem.f_star_error <= 1e-20 * problem.f_star
    assert "without rounding" in problem.f_star_source
    assert problem.reference.proven
    raw = pc.load_dataset("sonar", scaling="none")
    assert pc.least_squares(raw.X, raw.y).f_star_error <= 1e-20 * problem.f_star


def test_dependent_columns():
    """The minimiser that methods from x0 reach is the one closest to x0."""
    A = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    problem = pc.least_squares(A, [1.0, 2.0, 8.0], x0=[3.0, 1.0, 0.0])
    assert (problem.mu, problem.condition_number) == (0, np.inf)
    assert problem.mu_restricted == pytest.approx(10)
    np.testing.assert_allclose(problem.x_star, [1.5, -0.5, 2.0], rtol=1e-14)
    for representation in ("A", "G", "eigenbasis"):
        again = pc.least_squares(A, [1, 2, 8], x0=[3, 1, 0], representation=representation)
        trace = pc.solve(again, method="pgd", iterations=200)
        np.testing.assert_allclose(trace.y, problem.x_star, rtol=1e-12)
    assert "taken as exact" in problem.f_star_source
    assert "numerical rank 2 < 3" in problem.describe()


def test_another_start_has_another_minimiser_where_there_are_many():
    problem = pc.least_squares([[1.0, 1.0]], [2.0])
    np.testing.assert_allclose(problem.x_star, [1, 1])
    moved = problem.starting_at([2.0, 0.0])
    np.testing.assert_allclose(moved.x_star, [2, 0], atol=1e-15)
    np.testing.assert_allclose(problem.x_star, [1, 1])
    trace = pc.solve(problem, method="adapt_apg_v2", iterations=50, x0=[4.0, 0.0])
    np.testing.assert_allclose(trace.y, [3, -1], rtol=1e-12)


def test_the_reference_is_made_once():
    problem = pc.least_squares(np.eye(3) + 1, np.ones(3))
    assert problem.with_L(5.0).reference is problem.reference
    assert problem.starting_at(np.ones(3)).reference is problem.reference


def test_a_quadratic_is_given_exactly():
    problem = pc.quadratic([1.0, 0.1], x_star=[3.0, 4.0], f_star=-2.5)
    assert (problem.f_star, problem.f_star_error) == (-2.5, 0.0)
    np.testing.assert_array_equal(problem.x_star, [3, 4])
    assert problem.f([3.0, 4.0]) == -2.5
    assert problem.f([4.0, 4.0]) == pytest.approx(-2.0)
