"""Tight lines: what cannot be beaten, and exact worst cases, against closed forms and against runs."""

import json
from importlib.resources import files

import numpy as np
import pytest

import polyak_core as pc
from polyak_core import theory

WORST = json.loads(files("polyak_core.data").joinpath("worst_cases.json").read_text())
ROUNDING = 1 + 1e-9
CASES = sorted({(row["method"], row["kappa"]) for row in WORST["rows"]})
METHODS = ("pgd", "apg", "fista")
RNG = np.random.default_rng(23)


def quadratic(kappa, n=12):
    return pc.quadratic(pc.spectrum("log", n=n, condition_number=kappa), x0=RNG.standard_normal(n))


def test_chebyshevs_rate_is_one_over_the_square_of_his_polynomial():
    problem = quadratic(1e4)
    k = np.arange(400)
    at = (1e4 + 1) / (1e4 - 1)
    np.testing.assert_allclose(
        theory.chebyshev_rate(problem, k), np.cosh(k * np.arccosh(at)) ** -2.0, rtol=1e-9
    )
    later = np.arange(900)
    assert np.argmax(theory.chebyshev_rate(problem, later) <= 1e-10) == 611


@pytest.mark.parametrize("kappa", [10.0, 1e3])
def test_conjugate_gradients_keep_chebyshevs_bound(kappa):
    problem = quadratic(kappa, n=60)
    trace = pc.solve(problem, "cg", 59)
    assert np.all(trace.gap <= ROUNDING * theory.bound_conjugate_gradients(problem, trace))


def test_items_rate_is_the_printed_number_and_its_run_keeps_it():
    problem = pc.quadratic(np.geomspace(0.001, 1, 8))
    assert theory.best_distance_rate(problem, [15])[0] == pytest.approx(0.756605, abs=5e-7)
    trace = pc.solve(problem, "item", 3000)
    rate = theory.best_distance_rate(problem, trace.k)
    assert np.all(np.diff(rate) < 0)
    is_exact = rate > 1e-30
    assert np.all(trace.distance[is_exact] ** 2 <= ROUNDING * rate[is_exact] * trace.distance[0] ** 2)


def test_every_row_of_the_worst_cases_says_how_well_it_is_known():
    steps = [*range(1, 11), 12, 15, 20, 25, 30]
    there = [(row["method"], row["kappa"], row["k"]) for row in WORST["rows"]]
    assert there == [(method, kappa, k) for method in METHODS for kappa in (10, 100) for k in steps]
    assert all(0 < row["gap"] < 6e-3 * row["value"] for row in WORST["rows"])
    assert "worst_cases.py" in WORST["command"]
    assert set(WORST["versions"]) == {"PEPit", "cvxpy", "clarabel"}


@pytest.mark.parametrize("kappa", [10, 100])
def test_the_worst_case_of_proximal_gradient_is_the_closed_form(kappa):
    """mu/2 / ((1 - mu/L)^(-2k) - 1) times ||x_0 - x*||^2 (Taylor, Hendrickx and Glineur 2018)."""
    worst = theory.worst_case("pgd", kappa)
    closed = 1 / kappa / 2 / ((1 - 1 / kappa) ** (-2 * worst.k) - 1)
    assert np.all(closed <= worst.value * ROUNDING)
    assert np.all(worst.value - closed <= 1.5 * worst.gap)  # the example is one but for a tolerance


@pytest.mark.parametrize(("method", "kappa"), CASES)
def test_no_run_lies_above_its_worst_case(method, kappa):
    worst = theory.worst_case(method, kappa)
    k = worst.k.astype(int)
    problems = [quadratic(float(kappa)), pc.quadratic([1.0, 1 / kappa], x0=[0.0, 1.0])]
    problems.append(pc.quadratic([1.0, 1 / kappa], x0=[1.0, 0.0]))
    for problem in problems:
        trace = pc.solve(problem, method, 30)
        there = k < len(trace)  # a run may be solved exactly before
        part = trace.gap[k[there]] / (problem.L * trace.distance[0] ** 2)
        assert np.all(part <= (worst.value + worst.gap)[there])
    assert theory.worst_case(method, kappa + 0.5) is None
