"""The paper's guarantees, with their corrected constants, at every iterate; each can be seen to fail."""

import numpy as np
import pytest
from cases import PROBLEMS, every_method_with_a_rule

import polyak_core as pc
from polyak_core import theory

ROUNDING = 1 + 1e-9
SQUARES = ("least squares, eigenbasis", "least squares, G", "least squares, A")
SMOOTH = {
    **{kind: pc.quadratic(pc.spectrum(kind, n=60, condition_number=1e3)) for kind in pc.SPECTRA},
    "flat": pc.quadratic(pc.spectrum("log", n=40, condition_number=1e5), x0=np.arange(1.0, 41.0)),
    **{name: PROBLEMS[name]() for name in SQUARES},
    "sonar": pc.paper_problem("sonar", "least_squares"),
}
STEPS = 3000  # enough for the flattest
every_smooth = pytest.mark.parametrize("problem", SMOOTH.values(), ids=SMOOTH)


def holds(trace, bound, start=0):
    return bool(np.all(trace.gap[start:] <= ROUNDING * bound[start:]))


@every_smooth
def test_proposition_2_3(problem):
    trace = pc.solve(problem, method="apg", iterations=STEPS)
    bound = theory.bound_known_mu(problem, trace)
    assert holds(trace, bound)
    assert bound[0] == pytest.approx(trace.gap[0] + problem.mu / 2 * trace.distance[0] ** 2)
    three_times_as_fast = bound[0] * theory.accelerated_rate(problem, 3 * trace.k)
    assert not holds(trace, three_times_as_fast)


@every_smooth
@pytest.mark.parametrize("part", [0.5, 0.1])
def test_proposition_2_3_for_a_lower_bound_on_mu(problem, part):
    trace = pc.solve(problem, method="apg", iterations=1000, mu=part * problem.mu)
    assert holds(trace, theory.bound_known_mu(problem, trace))


@every_smooth
@pytest.mark.parametrize("keywords", [{}, {"mu0": 1}, {"estimator": "certified"}], ids=str)
def test_proposition_2_4(problem, keywords):
    keywords = keywords | ({"mu0": problem.L} if "mu0" in keywords else {})
    trace = pc.solve(problem, method="adapt_apg", iterations=STEPS, **keywords)
    assert np.all(np.diff(trace.mu) <= 0)
    assert np.all(trace.mu >= problem.mu * (1 - 1e-6))
    assert holds(trace, theory.bound_estimated_mu(problem, trace))


def weighted_sum(problem, trace, first_weight):
    """Proposition 2.4 with weights a_i made naively, and the weight of ||x_0 - x*||^2 as given."""
    tau = np.sqrt(trace.mu[:-1] / problem.L)
    A_k = np.append(1.0, np.cumprod(1 / (1 - tau)))
    a = np.append(1.0, np.diff(A_k))
    errors = a[1:] / 2 * (trace.mu[:-1] - problem.mu) * trace.distance[1:] ** 2
    start = trace.gap[0] + first_weight / 2 * trace.distance[0] ** 2
    return (start + np.append(0.0, np.cumsum(errors))) / A_k


def test_mixing_the_sums_of_proposition_2_4_fails():
    """a_0 mu/2 belongs to the sum from i = 0, mu_0/2 to the sum from i = 1."""
    problem = pc.quadratic([1.0, 1e-3], x0=[0.0, 1.0])
    trace = pc.solve(problem, method="adapt_apg", iterations=300)
    right = weighted_sum(problem, trace, first_weight=trace.settings["mu0"])
    np.testing.assert_allclose(right, theory.bound_estimated_mu(problem, trace), rtol=1e-10)
    mixed = weighted_sum(problem, trace, first_weight=problem.mu)
    assert holds(trace, right)
    assert not holds(trace, mixed)
    assert np.max(trace.gap / mixed) > 2


@every_smooth
def test_proposition_2_8(problem):
    mu0 = problem.L / 2
    C = theory.largest_schedule_constant(problem, mu0)
    trace = pc.solve(problem, method="adapt_apg", iterations=STEPS, estimator="schedule", C=C)
    # mu[k] is the paper's mu_{k+1}
    assert np.all(trace.mu - problem.mu <= theory.envelope(C, trace.k + 1) + 1e-15 * problem.mu)
    bound = theory.bound_scheduled_mu(problem, trace)
    assert holds(trace, bound)
    assert not holds(trace, bound[0] * np.exp(-3 * trace.log_A))
    assert np.all(trace.log_A >= -trace.k * np.log1p(-np.sqrt(problem.mu / problem.L)) * (1 - 1e-12))


def test_the_constant_of_the_schedule_is_small():
    """C <= mu/7.24 for mu_0 = L/2."""
    problem = SMOOTH["log"]
    C = theory.largest_schedule_constant(problem, problem.L / 2)
    assert problem.mu / C == pytest.approx(7.243, abs=1e-3)


@every_smooth
def test_fista(problem):
    trace = pc.solve(problem, method="fista", iterations=1500)
    bound = theory.bound_fista(problem, trace)
    assert holds(trace, bound)
    assert np.all(trace.t >= (trace.k + 2) / 2)
    printed = pc.solve(problem, method="fista_printed", iterations=1500)
    if problem.condition_number > 5e4:
        assert not holds(printed, bound)


@every_smooth
def test_gradient_descent(problem):
    trace = pc.solve(problem, method="pgd", iterations=1500)
    assert holds(trace, trace.gap[0] * theory.gradient_rate(problem, trace.k))
    assert not holds(trace, trace.gap[0] * theory.gradient_rate(problem, 2 * trace.k + 1))
    assert np.all(np.diff(trace.gap) <= 0)


@pytest.mark.parametrize("part", [1e-4, 0.1, 0.5, 0.9])
def test_no_smaller_factor_would_do_for_gradient_descent(part):
    """Where the error lies along mu alone, the gap shrinks by exactly (1 - mu/L)^2 in each step."""
    problem = pc.quadratic([1.0, part], x0=np.array([0.0, 1.0]))
    trace = pc.solve(problem, method="pgd", iterations=40)
    np.testing.assert_allclose(trace.gap, trace.gap[0] * theory.gradient_rate(problem, trace.k), rtol=1e-12)


@pytest.mark.parametrize("kind", ["log", "linear", "outlier"])
def test_lemma_3_1(kind):
    eigenvalues = pc.spectrum(kind, n=12, condition_number=200)
    d0 = np.random.default_rng(1).standard_normal(12)
    trace = pc.solve(pc.quadratic(eigenvalues, x0=d0), method="pgd", iterations=2000)
    error = trace.mu_hat - eigenvalues.min()
    bound = theory.estimate_error_of_gradient_descent(eigenvalues, d0, trace.k)
    assert np.all(error <= bound * ROUNDING + 1e-15)


def test_lemma_3_1_as_printed_fails_at_first():
    mu, second, L = 1e-3, 1.1e-3, 1.0
    eigenvalues, d0 = np.array([mu, second, L]), np.array([1.0, 1.0, 1.0])
    trace = pc.solve(pc.quadratic(eigenvalues, x0=d0), method="pgd", iterations=9000)
    error = trace.mu_hat - mu
    bound = theory.estimate_error_of_gradient_descent(eigenvalues, d0, trace.k)
    printed = bound * ((second - mu) * second) / ((L - mu) * L)
    assert np.all(error <= bound * ROUNDING)
    assert error[0] > 100 * printed[0]
    enough = (L - second) / 2 * (1 / second + 1 / (second - mu))
    assert np.all((error <= printed * ROUNDING)[trace.k >= enough])


@every_smooth
@pytest.mark.parametrize("method", ["pgd", "apg", "fista", "adapt_apg", "adapt_apg_v2", "adapt_apg_free"])
def test_estimates_lie_between_mu_and_L(problem, method):
    trace = pc.solve(problem, method=method, iterations=1500)
    estimates = trace.mu_hat[np.isfinite(trace.mu_hat)]
    assert estimates.size >= 1500
    assert np.all(estimates >= problem.mu * (1 - 1e-6))
    assert np.all(estimates <= problem.L * (1 + 1e-6))


@every_smooth
@every_method_with_a_rule
def test_polyak_at_most_model_at_most_certified(problem, method):
    """Along one and the same run: estimates at the same points."""
    own = problem.oracle()
    for k, step in zip(range(300), lifted(problem, method), strict=False):
        estimates = [estimate(own, name, step.y) for name in ("polyak", "model", "certified")]
        assert estimates[0] == estimates[1], k  # psi = 0
        assert problem.mu * (1 - 1e-6) <= estimates[1] <= estimates[2] * (1 + 1e-9), k
        assert estimates[2] <= problem.L * (1 + 1e-9), k


def lifted(problem, method):
    from polyak_core.methods.keywords import parameters

    arguments = parameters(problem, method).arguments
    oracle = problem.oracle()
    return pc.METHODS[method].generator(oracle, oracle.lift(problem.x0), **arguments)


def estimate(problem, name, y):
    from polyak_core.methods.estimators import OnlineMu

    return OnlineMu(problem.L, name)(problem, 0, y, None).mu_hat


@pytest.mark.parametrize("sign", [1, -1])
def test_appendix_a_2_needs_tau_minus_its_inverse(sign):
    """v_{k+1} = (1 - tau) v_k + (tau - 1/tau) x_{k+1} + y_{k+1}/tau makes algorithm 2 algorithm 1."""
    eigenvalues = np.array([1.0, 0.3, 0.04])
    tau, y = 0.2, np.ones(3)
    v = y.copy()
    agrees = True
    for step, _ in zip(pc.iterates(pc.quadratic(eigenvalues), method="apg"), range(20), strict=False):
        agrees &= np.allclose(step.y, y, rtol=1e-10, atol=1e-14)
        x = (tau * v + y) / (1 + tau)
        y = x - eigenvalues * x
        v = (1 - tau) * v + (tau - sign / tau) * x + y / tau
    assert agrees == (sign == 1)
