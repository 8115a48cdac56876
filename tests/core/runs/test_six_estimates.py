"""Six estimates of mu: which are bounds, how they are ordered, and that they are those of the methods."""

import numpy as np
import pytest
from cases import PROBLEMS

import polyak_core as pc
from polyak_core.runs.six_estimates import SIX, six_estimates

SLACK = 1e-6
STRONG = ["quadratic", "least squares, G", "logistic", "lasso", "squared hinge"]


@pytest.mark.parametrize("kind", STRONG)
@pytest.mark.parametrize("method", ["fista", "auto_restart"])
def test_what_is_called_a_bound_is_one(kind, method):
    problem = PROBLEMS[kind]()
    assert problem.mu > 0
    estimates = six_estimates(problem, method, 150)
    for name, worth in SIX.items():
        values = estimates[name][np.isfinite(estimates[name])]
        assert values.size or (name == "growth" and method != "auto_restart"), name
        if worth.with_penalty or (worth.bound and problem.penalty is None):
            assert np.all(values >= problem.mu * (1 - SLACK)), name


@pytest.mark.parametrize("kind", ["lasso", "squared hinge", "hinge", "completion"])
def test_model_is_never_above_the_decrease(kind):
    """f(y) - m_L(y) >= ||g_L(y)||^2/(2 L), so that the model's estimate is the smaller one."""
    problem = PROBLEMS[kind]()
    trace = pc.solve(problem, "adapt_apg_v2", 100, estimator="model")
    estimates = six_estimates(problem, "adapt_apg_v2", 100, estimator="model")
    is_exact = (trace.gap > 1e-9 * trace.gap[0]) & ~trace.frozen & np.isfinite(estimates["decrease"])
    assert is_exact.sum() > 10
    assert np.all(trace.mu_hat[is_exact] <= estimates["decrease"][is_exact] * (1 + SLACK))
    assert np.all(estimates["polyak"][is_exact] <= trace.mu_hat[is_exact] * (1 + SLACK))


def test_without_a_penalty_the_decrease_is_the_papers_quotient():
    estimates = six_estimates(PROBLEMS["quadratic"](), "apg", 60)
    np.testing.assert_allclose(estimates["decrease"], estimates["polyak"], rtol=1e-12)


def test_they_are_those_of_the_methods():
    problem = PROBLEMS["quadratic"]()
    trace = pc.solve(problem, "auto_restart", 300)
    growth = six_estimates(problem, "auto_restart", 300)["growth"]
    known = np.isfinite(growth)
    np.testing.assert_allclose(np.minimum(growth, problem.L)[known], trace.mu[known], rtol=1e-12)
    certified = pc.solve(problem, "adapt_apg_v2", 60, estimator="certified")
    values = six_estimates(problem, "adapt_apg_v2", 60, estimator="certified")["certified"]
    np.testing.assert_allclose(values, certified.mu_hat, rtol=1e-9)


def test_half_of_the_curvature_just_met_falls_below_mu():
    estimates = six_estimates(pc.quadratic([1.0, 0.9], x0=[1.0, 2.0]), "pgd", 10)
    assert np.nanmin(estimates["local"]) < 0.9
    assert not SIX["local"].bound
