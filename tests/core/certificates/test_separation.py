"""Planes that separate the classes: said once proven, in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

import polyak_core as pc
from polyak_core.certificates import separation
from polyak_core.certificates.separation import exact_rank, parts, parts_clearly, plane_exists
from polyak_core.matrices.kinds import Centred

kinds = pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


@kinds
@given(seed=st.integers(0, 10**6))
@example(seed=40984)  # a row of a single entry, in a column of small unit
def test_a_plane_that_some_rows_lie_on(kind, seed):
    """Margins of exactly 0 beside positive ones, for a w that no float64 numbers hold: found all the same."""
    rng = np.random.default_rng(seed)
    across = rng.integers(-9, 10, (3, 4)).astype(float)  # whose orthogonal vectors are fractions
    null = np.linalg.svd(across)[2][-1]
    beside = rng.integers(-9, 10, (4, 4)).astype(float)
    margins = beside @ null
    beside = beside[np.abs(margins) > 1e-3] * np.sign(margins[np.abs(margins) > 1e-3])[:, None]
    rows = np.concatenate([across, -across, beside]) * [1.0, 2.0**20, 2.0**-20, 3.0]
    labels = rng.choice([-1.0, 1.0], len(rows))
    answer = plane_exists(kind(labels[:, None] * rows), labels)
    assert answer is (len(beside) > 0)


@kinds
def test_none_is_found_where_there_is_none(kind):
    """Each row and its opposite."""
    rows = np.array([[1e8, 1e-8], [1.0, 1.0], [-1e8, -1e-8], [-1.0, -1.0]])
    assert plane_exists(kind(rows), np.ones(4)) is False


def test_centred_rows_are_verified_as_they_are():
    rows, labels = np.array([[1.0, 0.0], [3.0, 1.0], [2.0, 5.0]]), np.array([-1.0, 1.0, 1.0])
    mean = rows.mean(axis=0)
    assert plane_exists(Centred(sparse.csr_array(rows), mean), labels) is True
    assert parts(rows - mean, labels, np.array([1.0, 0.1]))


def test_a_last_digit_decides():
    """A margin of 1e-17 below 0 is no margin of 0."""
    rows = np.array([[1.0, -1.0], [-1.0, np.nextafter(1.0, 2)]])
    one, other = np.array([1.0, 1.0]), np.array([np.nextafter(1.0, 0), 1.0])
    assert parts(rows, np.ones(2), one)
    assert not parts(rows, np.ones(2), other)
    assert not parts_clearly(rows, np.ones(2), one)
    assert parts_clearly(rows[:1], np.ones(1), np.array([1.0, 0.0]))


def test_rows_of_zeros_do_not_count():
    rows = np.array([[0.0, 0.0], [1.0, 2.0]])
    assert parts_clearly(rows, np.ones(2), np.array([1.0, 1.0]))
    assert not parts_clearly(rows[:1], np.ones(1), np.array([1.0, 1.0]))
    assert not parts(rows[:1], np.ones(1), np.array([1.0, 1.0]))


@kinds
def test_the_rank_in_rational_numbers(kind, monkeypatch):
    """The second column is next to the first, the fourth their sum, but for nothing at all."""
    first = np.array([1.0, 2.0, -3.0, 5.0])
    second = first * [1, 1, np.nextafter(1, 2), 1]
    A = np.column_stack([first, second, np.zeros(4), 2 * first])
    assert exact_rank(kind(A)) == 2
    monkeypatch.setattr(separation, "LARGEST_ELIMINATION", 10)
    assert exact_rank(kind(A)) is None


def test_what_takes_too_long_is_not_known_and_said(monkeypatch):
    """The claim is then that f >= 0, nothing more."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 2.0]])
    with pytest.raises(ValueError, match="separates the classes"):
        _ = pc.logistic(rows, [1, 1, 1, 1], 0).x_star
    monkeypatch.setattr(separation, "LARGEST_PROGRAM", 1)
    assert plane_exists(rows, np.ones(4)) is None
    problem = pc.logistic(rows, [1, 1, 1, 1], 0)
    assert "whether a plane separates the classes is not known" in problem.f_star_source
    assert problem.f_star_error >= problem.f_star


def test_columns_that_are_nearly_equal_are_not_taken_for_equal():
    """Rank 1 up to rounding, 2 in truth: a far better point lies along the difference of the columns."""
    rows = np.array([[1.0, 1.0], [2.0, np.nextafter(2.0, 3)], [-1.0, -1.0], [-3.0, -3.0], [2.5, 2.5]])
    labels = np.array([1, -1, 1, 1, -1])
    problem = pc.logistic(rows, labels, 0)
    point = [Fraction(v) for v in (problem.x_star + np.array([1e15, -1e15])).tolist()]
    images = [float(sum(Fraction(a) * v for a, v in zip(row, point, strict=True))) for row in rows.tolist()]
    better = float(np.logaddexp(0, -labels * np.array(images)).sum())  # products of 1e15 cancel: exactly
    assert better < problem.f(problem.x_star) - 0.01
    assert problem.f_star - problem.f_star_error <= better


def test_a_plane_up_to_rounding_is_none():
    """w = (1, 1) has margins 1, 0 and -1e-10, which linear programming takes for 0; no w parts these rows."""
    rows = np.array([[1.0, 0.0], [-1.0, 1.0], [1.0, -1.0 - 1e-10]])
    assert plane_exists(rows, np.ones(3)) is not True
    assert pc.logistic(rows, np.ones(3), 0).f_star_error > 0


def test_a_long_search_moves_and_can_be_left():
    """Products alone: each step of conjugate gradients is told, and the next one stops where asked."""
    rng = np.random.default_rng(0)
    A = sparse.random_array((6000, 4000), density=2e-3, rng=rng, format="csr")
    problem = pc.logistic(A, np.where(rng.random(6000) < 0.5, 1, -1), 0)
    assert problem.solution.long
    steps = []
    with (
        pc.watched(progress=lambda *step: steps.append(step), cancel=lambda: len(steps) > 20),
        pytest.raises(pc.Cancelled),
    ):
        _ = problem.x_star
    assert {"Newton", "conjugate gradients"} <= {words for words, _ in steps}


def test_an_allowance_that_is_used_up_gives_a_weaker_bound(monkeypatch):
    monkeypatch.setattr("polyak_core.certificates.logistic.WORK", 1e5)
    monkeypatch.setattr("polyak_core.certificates.logistic.SMALL_HESSIAN", 0)
    monkeypatch.setattr("polyak_core.certificates.curvature_bound.SMALL_SIDE", 0)
    rng = np.random.default_rng(0)
    A = sparse.random_array((200, 50), density=0.2, rng=rng, format="csr")
    problem = pc.logistic(A, np.where(rng.random(200) < 0.5, 1, -1), 1e-3)
    monkeypatch.undo()
    exact = pc.logistic(A.toarray(), problem.loss.labels, 1e-3)
    assert 0 <= exact.gap(problem.x_star) <= problem.f_star_error
