"""Oracle calls as methods ask for them, matrix products as they are done, recording included."""

import numpy as np
import pytest
from cases import PROBLEMS, STACKING, WITH_A_RULE, every_method, every_method_with_a_rule

import polyak_core as pc
from polyak_core.matrices.counted import Counts

STEPS = 30
PRODUCTS = {"A": 2, "G": 1, "eigenbasis": 0}
KEYWORDS = {"schedule": {"C": 0.1}, "window": {"window": 3}}


def run(method, representation, estimator="polyak", kind="least squares, A"):
    problem = PROBLEMS[kind](representation=representation)
    extra = {"estimator": estimator, **KEYWORDS.get(estimator, {})} if method in WITH_A_RULE else {}
    return pc.solve(problem, method=method, iterations=STEPS, **extra)


@pytest.mark.parametrize("kind", ["least squares, A", "quadratic"])
@pytest.mark.parametrize("representation", PRODUCTS)
@every_method
def test_products_a_step(method, representation, kind):
    trace = run(method, representation, kind=kind)
    each = PRODUCTS[representation]
    np.testing.assert_array_equal(trace.products, each * (trace.k + 1))  # lifting x_0 is the first


@pytest.mark.parametrize("representation", PRODUCTS)
@pytest.mark.parametrize("estimator", ["polyak", "model", "known", "schedule", "window"])
@every_method_with_a_rule
def test_estimates_cost_no_product(method, estimator, representation):
    trace = run(method, representation, estimator)
    np.testing.assert_array_equal(trace.products, PRODUCTS[representation] * (trace.k + 1))


@pytest.mark.parametrize("representation", PRODUCTS)
@every_method_with_a_rule
def test_the_certified_estimate_at_y_costs_one_product(method, representation):
    trace = run(method, representation, "certified")
    each = PRODUCTS[representation]
    one_more = 1 if each else 0
    np.testing.assert_array_equal(trace.products, (each + one_more) * (trace.k + 1))


@pytest.mark.parametrize("estimator", ["polyak", "certified", "model", "window"])
@every_method_with_a_rule
def test_an_online_estimate_asks_for_one_gradient_more(method, estimator):
    trace = run(method, "G", estimator)
    np.testing.assert_array_equal(trace.gradients, 2 * trace.k + 1)
    np.testing.assert_array_equal(trace.proxes, 2 * trace.k + 1)


@pytest.mark.parametrize(
    ("method", "estimator"),
    [
        *((m, "polyak") for m in STACKING if m not in WITH_A_RULE),
        *((m, e) for m in WITH_A_RULE for e in ("known", "schedule")),
    ],
)
def test_all_others_ask_for_one_gradient_a_step(method, estimator):
    trace = run(method, "A", estimator)
    np.testing.assert_array_equal(trace.gradients, trace.k)
    np.testing.assert_array_equal(trace.proxes, trace.k)


def test_a_problem_keeps_no_count_of_its_runs():
    problem = PROBLEMS["least squares, G"]()
    first = pc.solve(problem, iterations=10)
    second = pc.solve(problem, iterations=10)
    np.testing.assert_array_equal(first.products, second.products)
    problem.gap(problem.x0)
    assert problem.oracle().counts == Counts()


def test_one_product_serves_stacked_runs():
    oracle = pc.quadratic([1.0, 0.2], representation="G").oracle()
    oracle.prox_step(oracle.lift(np.ones((4, 2))))
    assert oracle.counts.products == 2
