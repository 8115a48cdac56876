"""The guards: what an estimate must be before it may lower mu_k, number by number."""

import math

import numpy as np
import pytest

from polyak_core.methods.estimators import Estimate, OnlineMu
from polyak_core.methods.f_star import GapSeen

BEFORE = Estimate(0.7, 0.7, False)


@pytest.mark.parametrize(
    ("squared", "curvature", "gap", "noise", "mu"),
    [
        (0.2, 1.0, 0.5, 1e-9, 0.2),
        (3.0, 1.0, 0.5, 1e-9, 0.7),  # accepted, but mu_k never rises
    ],
)
def test_taken(squared, curvature, gap, noise, mu):
    estimate = OnlineMu(1.0).take(squared, curvature, gap, noise, BEFORE)
    assert (estimate.mu, bool(estimate.frozen)) == (mu, False)
    assert estimate.mu_hat == squared / curvature


@pytest.mark.parametrize(
    ("squared", "curvature", "gap", "noise", "delta"),
    [
        (0.0, 1.0, 0.5, 0.0, 0.0),  # not positive
        (0.2, -1.0, 0.5, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0, 0.0),  # 0/0
        (0.2, 0.0, 0.5, 0.0, 0.0),
        (math.inf, 1.0, 0.5, 0.0, 0.0),  # not finite
        (math.nan, 1.0, 0.5, 0.0, 0.0),
        (1e-20, 1.0, 0.5, 1e-9, 0.0),  # the gradient is rounding
        (0.2, 1.0, 1e-291, 0.0, 0.0),  # the gap is underflow
        (0.2, 1.0, 1e-14, 0.0, -1.0),  # the gap is what is left of a subtraction
        (0.2, 1.0, -0.5, 0.0, -1.0),  # f* is given too high
    ],
)
def test_refused(squared, curvature, gap, noise, delta):
    rule = OnlineMu(1.0, seen=GapSeen(delta))
    assert rule.take(squared, curvature, gap, noise, BEFORE)[:3:2] == (0.7, True)
    with np.errstate(invalid="ignore"):
        stacked = rule.take(*(np.full((2, 1), v) for v in (squared, curvature, gap, noise)), BEFORE)
    np.testing.assert_array_equal(stacked.mu, [[0.7], [0.7]])
    np.testing.assert_array_equal(stacked.frozen, [[True], [True]])
    first = rule.take(squared, curvature, gap, noise, None)
    assert first.mu == 1.0  # the start


@pytest.mark.parametrize("delta", [0.0, 2.0, -3e-5])
def test_the_seen_gap(delta):
    shifted = GapSeen(delta)
    assert shifted(0.25) == 0.25 + delta
    np.testing.assert_array_equal(shifted(np.array([1.0, 2.0])), np.array([1.0, 2.0]) + delta)
    assert shifted.noise == max(1e3 * np.finfo(float).eps * abs(delta), 1e-290)
