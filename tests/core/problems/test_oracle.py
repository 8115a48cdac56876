"""What a method is handed: steps of any length, a prox at any point, and all of it counted."""

from dataclasses import FrozenInstanceError
from itertools import count

import numpy as np
import pytest
from cases import PROBLEMS, A, B, every_problem

import polyak_core as pc

RNG = np.random.default_rng(4)


def forward_backward(problem, x0):
    """Steps of 1/(2 L), with the two halves of a prox step apart."""
    y, s = x0, 0.5 / problem.L
    for k in count():
        yield pc.Iterate(k, y, y, beta=0.0)
        y = problem.prox(y - s * problem.gradient(y), s)


@every_problem
def test_the_two_halves_make_a_prox_step(make):
    problem = make()
    oracle = problem.oracle()
    z = oracle.lift(problem.x0 + 0.1 * RNG.standard_normal(problem.x0.shape))
    halves = oracle.prox(z - oracle.gradient(z) / oracle.L, 1 / oracle.L)
    whole = oracle.prox_step(z)
    np.testing.assert_allclose(oracle.point(halves), oracle.point(whole), rtol=1e-9, atol=1e-12)
    assert oracle.gap(halves) == pytest.approx(oracle.gap(whole), rel=1e-6, abs=10 * problem.floor)
    assert (oracle.counts.gradients, oracle.counts.proxes) == (2, 2)


@every_problem
def test_the_gradient_is_that_of_h(make):
    problem = make()
    oracle = problem.oracle()
    z = oracle.lift(problem.x0 + 0.1 * RNG.standard_normal(problem.x0.shape))
    x, moved = oracle.point(z), z - 1e-3 * oracle.gradient(z)
    gradient = problem.loss.grad(x.ravel()).reshape(x.shape)
    np.testing.assert_allclose(oracle.point(moved), x - 1e-3 * gradient, rtol=1e-9, atol=1e-12)


@every_problem
def test_a_method_of_ones_own_takes_steps_of_any_length(make):
    problem = make()
    pc.register("forward_backward", forward_backward)
    try:
        trace = pc.solve(problem, "forward_backward", 60)
    finally:
        del pc.METHODS["forward_backward"]
    x, s = problem.x0.ravel().copy(), 0.5 / problem.L
    for _ in range(60):
        x = x - s * problem.loss.grad(x)
        x = x if problem.penalty is None else problem.penalty.prox(x, s)
    np.testing.assert_allclose(trace.y.ravel(), x, rtol=1e-7, atol=1e-10)
    assert trace.gap[-1] == pytest.approx(problem.gap(trace.y), rel=1e-6, abs=10 * problem.floor)
    assert np.all(np.diff(trace.gap) <= 1e-9 * trace.gap[0])
    np.testing.assert_array_equal(trace.gradients, trace.k)
    np.testing.assert_array_equal(trace.proxes, trace.k)


def test_nobody_changes_it():
    oracle = PROBLEMS["lasso"]().oracle()
    with pytest.raises(FrozenInstanceError):
        oracle.L = 2.0
    longer = oracle.with_L(2 * oracle.L)
    assert longer.L == 2 * oracle.L
    assert longer.counts is oracle.counts
    assert oracle.apart().counts is not oracle.counts


def test_another_L_is_for_methods_alone():
    problem = pc.least_squares(A, B)
    other = problem.with_L(3 * problem.L)
    assert (other.L, other.true_L, other.mu) == (3 * problem.L, problem.L, problem.mu)
    assert other.reference is problem.reference
    with pytest.raises(ValueError, match="L = -1 is not allowed"):
        problem.with_L(-1)
