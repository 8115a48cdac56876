"""A mu_0 below mu is said wherever a run, or a problem, is described."""

import pytest

import polyak_core as pc
from polyak_core.runs.stack import Stack


@pytest.mark.parametrize("keywords", [{}, {"mu0": 0.5}, {"mu0": 0.9}])
def test_a_mu_0_below_mu_is_said(keywords):
    """kappa < 2: the default L/2 lies below mu, and then no theorem that asks for mu_k >= mu speaks."""
    problem = pc.quadratic([1.0, 0.8], x0=[3.0, 4.0])
    trace = pc.solve(problem, "adapt_apg", 5, **keywords)
    low = trace.mu[0] < problem.mu
    assert low == (keywords.get("mu0", 0.5) < 0.8)
    assert ("lies below mu = 0.8" in trace.message) == low
    assert "L/2 of AdaptAPG lies below mu" in problem.describe()
    stack = Stack(problem, "adapt_apg", iterations=5, full=True, **keywords)
    stack.advance()
    assert stack.trace(0).message == trace.message


def test_nothing_is_said_where_mu_0_is_above_mu():
    problem = pc.quadratic([1.0, 0.5, 0.01])
    assert "below mu" not in pc.solve(problem, "adapt_apg", 5).message + problem.describe()
    assert "below mu" not in pc.solve(pc.quadratic([1.0, 0.8]), "adapt_apg_v2", 5).message
