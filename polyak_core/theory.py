"""Right-hand sides of the paper's bounds, for drawing beside a curve and for tests at every iterate."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import Given, finite_array, of_kind, real_array, real_number, shown, text
from polyak_core.methods.keywords import checked_problem
from polyak_core.methods.optimal import LARGEST_Q, item_growth
from polyak_core.problems.problem import Problem
from polyak_core.runs.trace import Trace

SAME_KAPPA = 1e-9
"""Condition numbers that differ by less are one."""
MOST_STEPS = 10_000_000
"""Of a rate that is made step by step."""
PROPOSITION_3 = 0.5 + np.pi**2 / 12
"""The constant that the proof gives; the paper prints 5/2."""


def gradient_rate(problem: Problem, k: npt.ArrayLike) -> Array:
    """(1 - mu/L)^(2k): f(y_k) - f* is at most so many times the initial gap for `pgd`, with a penalty too.

    No smaller number will do for all problems with this mu and L (Taylor, Hendrickx and Glineur, Exact
    worst-case convergence rates of the proximal gradient method for composite convex minimization, 2018).
    The paper has (1 - mu/L)^k, which is valid and twice as slow.
    """
    return np.asarray((1 - _ratio(problem)) ** (2 * _iterations(k)))


def accelerated_rate(problem: Problem, k: npt.ArrayLike) -> Array:
    """(1 - sqrt(mu/L))^k, the rate of accelerated methods."""
    return np.asarray((1 - np.sqrt(_ratio(problem))) ** _iterations(k))


def chebyshev_rate(problem: Problem, k: npt.ArrayLike) -> Array:
    """(2 rho^k / (1 + rho^(2k)))^2, rho = (sqrt(kappa) - 1)/(sqrt(kappa) + 1), kappa = L/mu: for quadratics.

    After k gradients `cg` has at most so many times the initial gap; no method has a smaller number for all
    quadratics with this mu and L in enough dimensions (Nemirovsky and Yudin 1983).
    """
    root = np.sqrt(_ratio(problem))
    rho, steps = (1 - root) / (1 + root), _iterations(k)
    return np.asarray((2 * rho**steps / (1 + rho ** (2 * steps))) ** 2)


def best_distance_rate(problem: Problem, k: npt.ArrayLike) -> Array:
    """1/(1 + A_k mu/L): what `item` promises of ||z_k - x*||^2 / ||x_0 - x*||^2 after k gradients.

    No first-order method has a smaller number for all smooth strongly convex functions with this mu and L, in
    enough dimensions (Taylor and Drori 2021; Drori and Taylor 2022).

    Raises:
        ValueError: k holds other numbers than whole ones from 0 to 10^7: A_k is made step by step.
    """
    steps = _iterations(k)
    if not ((steps <= MOST_STEPS) & (steps == np.floor(steps))).all():
        raise ValueError(f"k = {shown(k)} is not allowed: give whole numbers from 0 to {MOST_STEPS}.")
    q = min(_ratio(problem), LARGEST_Q)
    A = np.zeros(int(np.max(steps, initial=0)) + 1)
    for i in range(len(A) - 1):
        A[i + 1] = min(item_growth(A[i], q), np.finfo(np.float64).max ** 0.5)
    return np.asarray(1 / (1 + q * A[steps.astype(int)]))


def bound_conjugate_gradients(problem: Problem, trace: Trace) -> Array:
    """`chebyshev_rate` times the initial gap, for `cg`."""
    return np.asarray(_checked_trace(trace).gap[0] * chebyshev_rate(problem, trace.k))


def bound_triple_momentum(problem: Problem, trace: Trace) -> Array:
    """rho^(2k) L^2/(2 mu) ||x_0 - x*||^2 for `tmm`, rho = 1 - sqrt(mu/L), with the mu used."""
    L, mu = checked_problem(problem).L, _checked_trace(trace).mu[0]
    rho = 1 - np.sqrt(mu / L)
    return np.asarray(rho ** (2 * trace.k) * L**2 / (2 * mu) * trace.distance[0] ** 2)


class WorstCase(NamedTuple):
    """The largest f(y_k) - f* of a method, as a part of L ||x_0 - x*||^2.

    Attributes:
        k: iterations, shape (rows,).
        value: an upper bound on the largest gap over all problems with this condition number, in every
            dimension, which the multipliers of a semidefinite program prove.
        gap: how far the example of the solver of that program lies below it.
    """

    k: Array
    value: Array
    gap: Array


def worst_case(method: str, condition_number: float) -> WorstCase | None:
    """What benchmarks/worst_cases.py has computed for a method; None where it has not.

    Raises:
        ValueError: the method is no text, or the condition number no number from 1 on.

    >>> worst_case("pgd", 10).k[:3].tolist(), worst_case("pgd", 11) is None
    ([1.0, 2.0, 3.0], True)
    """
    text(method, "method")
    allowed = "a number >= 1"
    kappa = real_number(condition_number, "condition_number", allowed)
    if not kappa >= 1:
        raise ValueError(f"condition_number = {shown(condition_number)} is not allowed: give {allowed}.")
    file = files("polyak_core.data").joinpath("worst_cases.json")
    rows = [
        [row["k"], row["value"], row["gap"]]
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
        if row["method"] == method and abs(row["kappa"] / kappa - 1) < SAME_KAPPA
    ]
    return WorstCase(*np.array(rows, dtype=np.float64).T) if rows else None


def bound_known_mu(problem: Problem, trace: Trace) -> Array:
    """Proposition 2.3 for `apg`: (gap_0 + mu/2 ||x_0 - x*||^2) (1 - sqrt(mu/L))^k, with the mu used."""
    L, mu = checked_problem(problem).L, _checked_trace(trace).mu[0]
    return np.asarray(_energy(trace, mu) * (1 - np.sqrt(mu / L)) ** trace.k)


def bound_estimated_mu(problem: Problem, trace: Trace) -> Array:
    """Proposition 2.4 for `adapt_apg`, any non-increasing mu_i >= mu, A_k taken out.

    (gap_0 + mu/2 ||x_0 - x*||^2)/A_k + sum over i = 0..k of a_i/(2 A_k) (mu_i - mu) ||x_i - x*||^2, with
    mu_0 in the term i = 0. The weights a_i/A_k follow from tau: all shrink by 1 - tau, tau is added.
    """
    checked_problem(problem)
    mu0 = _mu0(trace)
    bound = np.empty_like(trace.gap)
    error = (mu0 - problem.mu) / 2 * trace.distance[0] ** 2
    first = _energy(trace, problem.mu)
    bound[0] = first + error
    for k in range(1, len(trace)):
        mu = trace.mu[k - 1]  # forms x_k: the paper's mu_k
        tau = np.sqrt(mu / problem.L)
        first *= 1 - tau
        error = (1 - tau) * error + tau * (mu - problem.mu) / 2 * trace.distance[k] ** 2
        bound[k] = first + error
    return bound


def largest_schedule_constant(problem: Problem, mu0: float) -> float:
    """The C up to which proposition 2.8 holds: mu (1 - sqrt(mu_0/L)) / (3 sqrt(mu_0/L))."""
    checked_problem(problem)
    mu0 = real_number(mu0, "mu0", "a number in (0, L]")
    if not 0 < mu0 <= problem.L:
        raise ValueError(f"mu0 = {mu0:g} is not allowed: give a number in (0, L] with L = {problem.L:g}.")
    root = np.sqrt(mu0 / problem.L)
    return float(problem.mu * (1 - root) / (3 * root))


def bound_scheduled_mu(problem: Problem, trace: Trace) -> Array:
    """Proposition 2.8 for `adapt_apg` with mu_k - mu <= C/(k+1)^2, C <= `largest_schedule_constant`.

    C_0 (1/2 + pi^2/12) / A_k, C_0 = max((mu_0 - mu) ||x_0 - x*||^2, 2 gap_0 + mu ||x_0 - x*||^2).
    """
    checked_problem(problem)
    mu0 = _mu0(trace)
    start = trace.distance[0] ** 2
    C0 = max((mu0 - problem.mu) * start, 2 * _energy(trace, problem.mu))
    return np.asarray(C0 * PROPOSITION_3 * np.exp(-trace.log_A))


def bound_fista(problem: Problem, trace: Trace) -> Array:
    """(gap_0 + L/2 ||x_0 - x*||^2)/t_k^2 for `fista`."""
    return np.asarray(_energy(_checked_trace(trace), checked_problem(problem).L) / trace.t**2)


def estimate_error_of_gradient_descent(eigenvalues: Array, d0: Array, k: npt.ArrayLike) -> Array:
    """Lemma 3.1: bound on mu_hat(y_k) - mu along gradient descent on a quadratic.

    ||d_0||^2/w_1^2 (L - mu) L/mu ((1 - l_2/L)/(1 - mu/L))^(2k), w_1 the component of d_0 on the smallest
    eigenvalue mu, l_2 the next one. The paper prints (l_2 - mu) l_2/mu, which holds for large k only.

    Args:
        eigenvalues: shape (n,), all positive, the two smallest different.
        d0: y_0 - x*, shape (n,).
        k: iterations.

    Raises:
        ValueError: arrays of other shapes, eigenvalues that are not as above, or w_1 = 0.
    """
    values, d = finite_array(eigenvalues, "eigenvalues", ndim=1), finite_array(d0, "d0", ndim=1)
    if values.size < 2 or d.size != values.size:
        raise ValueError(
            f"d0 has {d.size} entries for {values.size} eigenvalues; give one each, and 2 at least."
        )
    order = np.argsort(values)
    mu, second = values[order[:2]]
    L = values[order[-1]]
    if not 0 < mu < second:
        raise ValueError(
            f"the smallest eigenvalues are {mu:g} and {second:g}; give positive, different ones."
        )
    if d[order[0]] == 0:
        raise ValueError(
            "d0 is 0 along the smallest eigenvalue, so nothing is known of the estimate; give another."
        )
    d = d / np.abs(d).max()
    constant = float(d @ d) / d[order[0]] ** 2 * (L - mu) * L / mu
    return np.asarray(constant * ((1 - second / L) / (1 - mu / L)) ** (2 * _iterations(k)))


def envelope(C: float, k: npt.ArrayLike) -> Array:
    """C/(k+1)^2, the rate that the hypothesis of proposition 2.8 asks of mu_k - mu."""
    with np.errstate(over="ignore"):
        return np.asarray(real_number(C, "C", "a number >= 0") / (_iterations(k) + 1) ** 2)


def envelope_constant(problem: Problem, trace: Trace) -> float:
    """The smallest C with mu_k - mu <= C/(k+1)^2 all along a run, mu_0 left out; 0 if mu_k never exceeds mu.

    `Trace.mu` [k] is the paper's mu_{k+1}. A finding: C is of the order of L, 1e4 to 1e8 times what
    `largest_schedule_constant` admits, and the methods are fast all the same.

    Raises:
        ValueError: the method of the trace has no mu_k.
    """
    checked_problem(problem)
    if not np.isfinite(_checked_trace(trace).mu).all():
        method = trace.settings.get("method")
        raise ValueError(f"the trace of {method!r} has no mu_k; give one of a method that estimates mu.")
    return float(np.max(np.maximum(trace.mu - problem.mu, 0.0) * (trace.k + 2) ** 2))


def _ratio(problem: Problem) -> float:
    return checked_problem(problem).mu / problem.L


def _iterations(k: Given) -> Array:
    steps = real_array(k, "k").astype(np.float64)
    if not (steps >= 0).all():
        raise ValueError(f"k = {shown(k)} is not allowed: give iterations, numbers >= 0.")
    return steps


def _checked_trace(trace: object) -> Trace:
    return of_kind(trace, Trace, "trace", "give a Trace, for instance of pc.solve")


def _mu0(trace: object) -> float:
    settings = _checked_trace(trace).settings
    if settings.get("mu0") is None:
        raise ValueError(f"the trace of {settings.get('method')!r} has no mu_0; give one of 'adapt_apg'.")
    return float(settings["mu0"])


def _energy(trace: Trace, mu: float) -> float:
    return float(trace.gap[0] + mu / 2 * trace.distance[0] ** 2)
