"""Small relatives of problems that once took minutes: what is counted is work, never time."""

from fractions import Fraction

import numpy as np
import pytest

import polyak_core as pc


def steps_of(problem):
    """The reference, and how many steps each part of the search took."""
    steps = {}

    def count(work, k):
        steps[work] = steps.get(work, 0) + 1

    with pc.watched(progress=count):
        reference = problem.reference
    return reference, steps


def planted(rows, columns, seed, share=20):
    """A wide matrix and a target that a few of its columns explain but for noise."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, columns))
    x = np.where(np.arange(columns) < columns // share, rng.standard_normal(columns), 0.0)
    return A, A @ x + 0.1 * rng.standard_normal(rows)


def lasso_gap(A, b, lam, x):
    """f(x) less a dual value, in fractions: a bound from nothing but the definitions."""
    x = [Fraction(float(v)) for v in x]
    lam = Fraction(float(lam))
    rows = [[Fraction(float(v)) for v in row] for row in A]
    r = [
        Fraction(float(t)) - sum(a * v for a, v in zip(row, x, strict=True))
        for row, t in zip(rows, b, strict=True)
    ]
    pulls = [sum(row[j] * v for row, v in zip(rows, r, strict=True)) for j in range(len(x))]
    s = min(Fraction(1), lam / max(map(abs, pulls)))
    primal = sum(v * v for v in r) / 2 + lam * sum(map(abs, x))
    return primal - (
        s * sum(v * Fraction(float(t)) for v, t in zip(r, b, strict=True)) - s * s * sum(v * v for v in r) / 2
    )


@pytest.mark.parametrize("share", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_small_weight_takes_no_more_changes_than_a_large_one(share, seed):
    """The interior point start finds the support, whose size is close to the number of rows."""
    A, b = planted(40, 200, seed)
    lam = share * np.abs(A.T @ b).max()
    problem = pc.lasso(A, b, lam)
    reference, steps = steps_of(problem)
    assert steps["interior point"] <= 50
    assert steps["active set"] <= 6
    assert reference.error <= 1e-18 * reference.f_star
    assert lasso_gap(A, b, lam, reference.x_star) <= Fraction(1e-9 * reference.f_star)
