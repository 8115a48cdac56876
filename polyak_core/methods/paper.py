"""The methods, each as the paper prints it, each an infinite generator of iterates.

A generator `method(problem, x0, **parameters)` takes a lifted start, yields it first (k = 0) and
yields a new `Iterate` for every step. y_0 = x_0 and y_k = T_L(x_k) for k >= 1. It knows no
tolerance, limit, clock or callback. A generator asks for what it needs by the names of its parameters:

* ``mu``: the strong convexity parameter;
* ``mu0``: a first upper bound on it;
* ``rule``: the rule for mu_k (`polyak_core.methods.estimators`);
* ``gamma``: how much the gap must shrink between restarts, as exp(-gamma);
* ``seen``: the gap under the given f*; it may learn more of f* on the way (``begin``, ``learn``).

Each works on one run and on stacked ones alike: numbers are then of shape (runs, 1), and `choose` takes the
place of ``if``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, one_by_one, root
from polyak_core.methods.estimators import Estimate, OnlineMu, Rule
from polyak_core.methods.f_star import GapSeen
from polyak_core.problems.oracle import Oracle


class Iterate(NamedTuple):
    """One step of a method.

    Attributes:
        k: index.
        x, y: x_k and y_k = T_L(x_k).
        mu, beta: form x_{k+1}; NaN where a method has none.
        log_A: log A_k of the estimate sequence, NaN where there is none.
        t: momentum counter t_k after the test at y_k, NaN where there is none.
        restarted: whether a restart fired at y_k.
        mu_hat, frozen: the estimate that the method made at this step (None: it made none), and whether it
            was refused.
        seen: what the method has learned of f*, where that changes on the way.
        L: the L that made y_k, where it changes on the way (NaN: it is problem.L).
        gap: f(y_k) - f*, where the method has asked for it (NaN: it has not).
        z: a third point, of which the guarantee speaks; the record's distance is its own (None: that of x).

    >>> import polyak_core as pc
    >>> steps = pc.iterates(pc.quadratic([1.0, 0.5]), method="pgd")
    >>> first, second = next(steps), next(steps)
    >>> second.k, second.x.tolist(), second.y.tolist()
    (1, [1.0, 1.0], [0.0, 0.5])
    """

    k: int
    x: Array
    y: Array
    mu: Scalar = np.nan
    beta: Scalar = np.nan
    log_A: Scalar = np.nan
    t: Scalar = np.nan
    restarted: Scalar = False
    mu_hat: Scalar | None = None
    frozen: Scalar = False
    seen: GapSeen | None = None
    L: float = np.nan
    gap: Scalar = np.nan
    z: Array | None = None

    @classmethod
    def of(
        cls, k: int, x: Array, y: Array, estimate: Estimate, beta: Scalar = np.nan, log_A: Scalar = np.nan
    ) -> Iterate:
        """A step with the estimate of a rule at y_k: mu, mu_hat, frozen, what is known of f*, and the gap."""
        mu, mu_hat, frozen, _, seen, gap = estimate
        return cls(
            k, x, y, mu, beta, log_A, mu_hat=mu_hat, frozen=frozen, seen=seen, gap=gap,
        )  # fmt: skip


def momentum(mu: Scalar, L: float) -> Scalar:
    """Momentum beta = (1 - sqrt(mu/L)) / (1 + sqrt(mu/L))."""
    tau = root(mu / L)
    return (1 - tau) / (1 + tau)


def log_growth(tau: Scalar) -> Scalar:
    """Growth log A_{k+1} - log A_k = -log(1 - tau), infinite for mu = L."""
    return one_by_one(lambda each: math.inf if each >= 1 else -math.log1p(-each), tau)


def pgd(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Proximal gradient: x_{k+1} = y_k, y_{k+1} = T_L(x_{k+1}).

    Guarantee: f(y_k) - f* <= (1 - mu/L)^(2k) (f(x_0) - f*), and no smaller factor holds for all problems.
    Reference: Taylor, Hendrickx and Glineur, Exact worst-case convergence rates of the proximal gradient
    method for composite convex minimization, 2018.
    """
    x = y = x0
    for k in count():
        yield Iterate(k, x, y, beta=0.0)
        x, y = y, problem.prox_step(y)


def apg(problem: Oracle, x0: Array, mu: float) -> Iterator[Iterate]:
    """Accelerated proximal gradient, mu known.

    Guarantee: f(y_k) - f* <= (f(x_0) - f* + mu/2 ||x_0 - x*||^2) (1 - sqrt(mu/L))^k.
    Reference: Barre and d'Aspremont, algorithm 1 and proposition 2.3.
    """
    beta = momentum(mu, problem.L)
    growth = log_growth(root(mu / problem.L))
    x = y = y_before = x0
    for k in count():
        yield Iterate(k, x, y, mu, beta, log_A=k * growth if k else 0.0)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)


def fista(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """Accelerated proximal gradient for smooth functions, no mu: beta_k = (t_k - 1)/t_{k+1}.

    Guarantee: f(y_k) - f* <= (f(x_0) - f* + L/2 ||x_0 - x*||^2) / t_k^2, and t_k >= (k + 2)/2.
    Reference: Barre and d'Aspremont, algorithm 5, with the 4 that is missing there; Beck and Teboulle
    2009, whose t_1 is this t_0.
    """
    x = y = y_before = x0
    t: Scalar = 1.0
    for k in count():
        t_next = next_t(t)
        beta = (t - 1) / t_next
        yield Iterate(k, x, y, beta=beta, t=t)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        t = t_next


def fista_printed(problem: Oracle, x0: Array) -> Iterator[Iterate]:
    """FISTA with the misprint t_{k+1} = (1 + sqrt(1 + t_k^2))/2: beta tends to 1/4, no acceleration."""
    x = y = y_before = x0
    t: Scalar = 1.0
    for k in count():
        t_next = (1 + root(1 + t * t)) / 2  # the 4 is missing
        beta = (t - 1) / t_next
        yield Iterate(k, x, y, beta=beta, t=t)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        t = t_next


def next_t(t: Scalar) -> Scalar:
    """t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2."""
    return (1 + root(1 + 4 * t * t)) / 2


def restart(problem: Oracle, x0: Array, gamma: Scalar, seen: GapSeen) -> Iterator[Iterate]:
    """FISTA, restarted as the gap passes the next of the levels exp(-gamma j) gap_0; needs f*.

    Guarantee: linear convergence at the accelerated rate, up to a constant that depends on gamma.
    Reference: Barre and d'Aspremont, algorithm 6; Roulet and d'Aspremont 2017.
    """
    x = y = y_before = x0
    t: Scalar = 1.0
    fired: Scalar = False
    seen = seen.begin(problem, x0)
    gap = problem.gap(x0)
    level = seen(gap)
    shrink = one_by_one(math.exp, -gamma)
    for k in count():
        t_next = next_t(t)
        beta = (t - 1) / t_next
        yield Iterate(k, x, y, beta=beta, t=t, restarted=fired, seen=seen, gap=gap)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        seen = seen.learn(problem, x, y)
        gap = problem.gap(y)
        fired = seen(gap) <= level
        t = choose(fired, 1.0, t_next)
        y_before = choose(fired, y, y_before)
        level = choose(fired, shrink * level, level)


def adapt_apg(problem: Oracle, x0: Array, mu0: float, rule: Rule) -> Iterator[Iterate]:
    """AdaptAPG: the estimate sequence with a running upper bound mu_k on mu.

    The listing's A_k overflows, so s_k = sum a_i mu_i / A_k and p_k = v_k - y_k are carried instead, v_k the
    minimiser of the estimate sequence; tau_k = a_{k+1}/A_{k+1} = sqrt(mu_{k+1}/L).
    Guarantee: proposition 2.4 for every non-increasing mu_k >= mu; proposition 2.8 if
    mu_k - mu <= C/(k+1)^2 with a small C.
    Reference: Barre and d'Aspremont, algorithm 3.
    """
    L = problem.L
    x = y = x0
    p = x0 - x0
    s: Scalar = mu0
    log_A: Scalar = 0.0
    estimate: Estimate | None = None
    for k in count():
        estimate = rule(problem, k, y, estimate)
        yield Iterate.of(k, x, y, estimate, log_A=log_A)
        tau = root(estimate.mu / L)
        x = y + tau / (1 + tau) * p
        y = problem.prox_step(x)
        s_before, s = s, (1 - tau) * s + tau * estimate.mu
        p = (1 - tau) * s_before / s / (1 + tau) * p + (1 - tau * L / s) * (x - y)
        log_A = log_A + log_growth(tau)


def adapt_apg_v2(problem: Oracle, x0: Array, rule: Rule) -> Iterator[Iterate]:
    """Algorithm 1 with beta_k made of mu_k = min(mu_hat(y_0), ..., mu_hat(y_k)); needs f*, no mu_0.

    Guarantee: none proven; faster than `adapt_apg` wherever we tried.
    Reference: Barre and d'Aspremont, algorithm 4.
    """
    x = y = y_before = x0
    estimate: Estimate | None = None
    for k in count():
        estimate = rule(problem, k, y, estimate)
        beta = momentum(estimate.mu, problem.L)
        yield Iterate.of(k, x, y, estimate, beta=beta)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)


def adapt_apg_free(problem: Oracle, x0: Array, seen: GapSeen) -> Iterator[Iterate]:
    """`adapt_apg_v2` with the certified estimate at x_k, from g_L(x_k) = L (x_k - y_k) and f(y_k).

    Guarantee: every mu_k >= mu; one gradient per iteration on every problem.
    Reference: this project; the estimate is lemma 2.1 at x*.
    """
    rule = OnlineMu(problem.L, "certified", seen)
    x = y = y_before = x0
    estimate = Estimate(problem.L, np.nan, False, seen=seen)
    for k in count():
        beta = momentum(estimate.mu, problem.L)
        yield Iterate.of(k, x, y, estimate, beta=beta)
        x = y + beta * (y - y_before)
        y_before, y = y, problem.prox_step(x)
        seen = seen.learn(problem, x, y)
        estimate = _estimate_at_x(problem, x, y, rule, seen, estimate)


def _estimate_at_x(
    problem: Oracle, x: Array, y: Array, rule: OnlineMu, seen: GapSeen, before: Estimate
) -> Estimate:
    """The certified estimate at x from y = T_L(x), at no cost."""
    squared = problem.squared_step(x, y)
    gap = problem.gap(y)
    curvature = 2 * seen(gap) + squared / problem.L
    return rule.take(squared, curvature, seen(gap), problem.noise(x), before, gap=gap, seen=seen)
