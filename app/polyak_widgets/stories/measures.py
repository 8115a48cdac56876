"""What the questions of the notebooks measure: a few runs each, made when the reader has predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.runs.six_estimates import six_estimates
from polyak_core.theory import largest_schedule_constant

MANY = 100_000


def quadratic(condition_number: float = 1e4, kind: str = "log") -> pc.Problem:
    """The quadratic of most questions."""
    return pc.quadratic(pc.spectrum(kind, n=100, condition_number=condition_number))


def iterations_to(problem: pc.Problem, method: str, tolerance: float = 1e-10, **keywords: Any) -> int:
    """Iterations to a relative gap."""
    k = pc.solve(problem, method, MANY, target=tolerance, **keywords).first_below(tolerance)
    assert k is not None, f"{method} does not reach {tolerance:g}"
    return k


def yes(fact: bool) -> str:
    """A fact as one of two options."""
    return "yes" if fact else "no"


def first(counts: dict[str, int]) -> str:
    """The name with the least count."""
    return min(counts, key=counts.__getitem__)


def wrong_f_star(method: str, side: int, **keywords: Any) -> int:
    """Iterations with an f* that is off by a millionth of the initial gap."""
    problem = quadratic()
    error = 1e-6 * float(pc.solve(problem, "pgd", 1).gap[0])
    return iterations_to(problem, method, f_star=problem.f_star + side * error, **keywords)


def schedule(times: float) -> int:
    """Iterations of AdaptAPG with C/(k+1)^2 above mu, so many times the largest C of proposition 2.8."""
    problem = quadratic()
    C = times * largest_schedule_constant(problem, problem.L / 2)
    return iterations_to(problem, "adapt_apg", estimator="schedule", C=C)


def mu_after(k: int) -> float:
    """mu_k of v2, in units of mu."""
    problem = quadratic()
    return float(pc.solve(problem, "adapt_apg_v2", k).mu[k] / problem.mu)


def least_estimate_is_below() -> bool:
    """Whether an estimate of v2 falls below mu."""
    problem = quadratic()
    return bool((pc.solve(problem, "adapt_apg_v2", 400).mu_hat < problem.mu).any())


def best_gamma(kind: str) -> int:
    """Iterations of the restarted method with the best of five gamma."""
    problem = quadratic(kind=kind)
    return min(iterations_to(problem, "restart", 1e-8, gamma=gamma) for gamma in (1.0, 2.0, 5.0, 10.0, 20.0))


def sonar(loss: str) -> pc.Problem:
    """A problem of the paper."""
    return pc.paper_problem("sonar", loss)


def kappa(scaling: str) -> float:
    """The condition number of least squares on Sonar."""
    data = pc.load_dataset("sonar", scaling=scaling)
    return pc.least_squares(data.X, data.y).condition_number


def flipped() -> pc.Problem:
    """Least squares on Sonar with labels 0 and 1."""
    data = pc.load_dataset("sonar", scaling="center")
    return pc.least_squares(data.X, (data.y + 1) / 2)


def heavy_ball() -> int:
    """Iterations of the heavy ball on the usual quadratic, by its recurrence along each eigenvector."""
    eigenvalues = pc.spectrum("log", n=100, condition_number=1e4)
    beta = (1 - np.sqrt(1e-4)) ** 2
    d = before = np.ones(100)
    first = gap = float(eigenvalues @ d**2)
    k = 0
    while gap > 1e-10 * first:
        k, d, before = k + 1, (1 - eigenvalues) * d + beta * (d - before), d
        gap = float(eigenvalues @ d**2)
    return k


def beside(count: int, other: int) -> str:
    """How one count compares with another; 5 percent make a difference."""
    return "quicker" if count < other / 1.05 else "slower" if count > 1.05 * other else "as quick"


def who_stops() -> str:
    """Methods are endless; whether a run of one reaches its target all the same."""
    trace = pc.solve(quadratic(10.0), "pgd", 1000, target=1e-6)
    return "the solver" if trace.outcome is pc.Outcome.TARGET else "the generator"


def rows_are_single_runs() -> bool:
    """Whether the rows of a sweep have the numbers of single runs."""
    problem, gammas = sonar("lasso"), [1.0, 2.0, 5.0]
    runs = pc.sweep(problem, method="restart", gamma=gammas, iterations=300)
    single = [pc.solve(problem, "restart", 300, gamma=gamma).gap for gamma in gammas]
    rows = [trace.gap for _, trace in runs if isinstance(trace, pc.Trace)]
    return all(np.array_equal(row, gap) for row, gap in zip(rows, single, strict=True))


def slowest_direction() -> str:
    """The option along which an error needs the most iterations for a factor e."""
    shares = {"λ = L/10": 0.1, "λ = L/100": 0.01, "λ = L/1000": 1e-3, "λ = L/100\u202f000": 1e-5}
    beta = 0.98

    def needed(share: float) -> float:
        half = (1 - share) * (1 + beta) / 2
        return float(-1 / np.log(abs(half + np.sqrt(complex(half**2 - (1 - share) * beta)))))

    return max(shares, key=lambda name: needed(shares[name]))


def bound_holds(times: float) -> bool:
    """Whether a run that is given a wrong mu is below the bound that is made with it."""
    problem = quadratic()
    mu = times * problem.mu
    trace = pc.solve(problem, "apg", 1500, mu=mu)
    constant = trace.gap[0] + mu / 2 * trace.distance[0] ** 2
    return bool(trace.gap[-1] <= constant * (1 - np.sqrt(mu / problem.L)) ** 1500)


def fista_passes() -> int:
    """From which k on the momentum of FISTA exceeds that of the true mu."""
    root = 1e-2
    beta = pc.solve(quadratic(), "fista", 400).beta
    return int(np.argmax(beta > (1 - root) / (1 + root)))


def rule_below_mu() -> str:
    """Which of the six does so along v2; growth between restarts has a run of its own."""
    problem = quadratic()
    values = six_estimates(problem, "adapt_apg_v2", 1500)
    values["growth"] = pc.solve(problem, "auto_restart", 1500).mu
    names = {
        "growth": "growth between restarts",
        "curvature": "least curvature",
        "local": "half the curvature just met",
    }
    below = [name for name in names if np.nanmin(values[name]) < problem.mu * (1 - 1e-9)]
    return names[below[0]] if below else "none"
