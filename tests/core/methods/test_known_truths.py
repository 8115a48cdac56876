"""Iteration counts that were found by other programs and that lessons quote."""

import numpy as np
import pytest

import polyak_core as pc


@pytest.mark.parametrize(
    ("method", "keywords", "iterations"),
    [
        ("apg", {}, 824),
        ("adapt_apg_v2", {}, 1038),
        ("adapt_apg_free", {}, 1039),
        ("adapt_apg", {}, 1237),
        ("adapt_apg", {"estimator": "known", "mu0": 1e-4}, 824),
    ],
)
def test_log_spectrum_to_1e_10(method, keywords, iterations):
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    trace = pc.solve(problem, method=method, iterations=2000, target=1e-10, **keywords)
    assert trace.first_below(1e-10) == iterations
    assert trace.outcome is pc.Outcome.TARGET
    assert len(trace) == iterations + 1


@pytest.mark.parametrize(
    ("method", "to_1e_3", "to_1e_6"), [("fista", 52, 555), ("fista_printed", 317, 13323)]
)
def test_the_missing_4_costs_the_acceleration(method, to_1e_3, to_1e_6):
    problem = pc.quadratic(np.logspace(-4, 0, 50))
    trace = pc.solve(problem, method=method, iterations=14000, target=1e-6)
    assert (trace.first_below(1e-3), trace.first_below(1e-6)) == (to_1e_3, to_1e_6)


def test_the_misprinted_momentum_tends_to_a_quarter():
    problem = pc.quadratic([1.0, 0.1])
    assert pc.solve(problem, method="fista_printed", iterations=60).beta[-1] == pytest.approx(0.25)
    assert pc.solve(problem, method="fista", iterations=60).beta[-1] > 0.9


def test_a_first_bound_below_mu_costs_time():
    problem = pc.quadratic(pc.spectrum("log", n=100, condition_number=1e4))
    low, lower = (
        pc.solve(problem, iterations=9000, target=1e-10, mu0=part * problem.mu).first_below(1e-10)
        for part in (0.1, 0.01)
    )
    assert low / 1237 == pytest.approx(1.8, abs=0.1)
    assert lower / 1237 == pytest.approx(5, abs=0.5)
