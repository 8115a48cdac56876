"""Sparse logistic regression: an iteration over its products, and the time to 1e-10 against L-BFGS."""

from __future__ import annotations

from statistics import median

import numpy as np
from cases import TARGET
from scipy.optimize import minimize
from scipy.sparse import random_array
from scipy.special import expit
from timing import in_turn, ratio, repeated, short, table

import polyak_core as pc

METHODS = ("apg", "adapt_apg_v2", "adapt_apg_free", "nag_free")


def data(rows, columns, each, seed=0):
    """A with about `each` non-zeros a row, in CSR, and labels."""
    rng = np.random.default_rng(seed)
    draw = {"rng": rng, "data_sampler": rng.standard_normal}
    A = random_array((rows, columns), density=each / columns, format="csr", **draw)
    noise = rng.standard_normal(rows)
    return A, np.where(A @ rng.standard_normal(columns) + noise > 0, 1.0, -1.0)


def quasi_newton(A, y, lam):
    """SciPy's L-BFGS-B on a plainly coded loss: x after so many iterations."""

    def plain(x):
        m = y * (A @ x)
        return np.logaddexp(0, -m).sum() + lam * (x @ x), A.T @ (-y * expit(-m)) + 2 * lam * x

    def solve(iterations):
        options = {"maxiter": iterations, "maxfun": 10**7, "ftol": 0, "gtol": 0}
        return minimize(plain, np.zeros(A.shape[1]), jac=True, method="L-BFGS-B", options=options).x

    return solve


def report(effort):
    """The section of the page of results."""
    rows, columns, each = effort.size((20_000, 1000, 20), (200, 20, 4))
    A, y = data(rows, columns, each)
    lam = 1e-4 * rows
    problem = pc.logistic(A, y, lam)
    _ = problem.form
    steps, x, r = effort.size(50, 3), np.ones(columns), np.ones(rows)
    works = {"floor": repeated(lambda: (A @ x, A.T @ r), steps)}
    works |= {m: lambda m=m: pc.solve(problem, m, iterations=steps) for m in METHODS}
    times = in_turn(works, effort.rounds)
    each_step = [short(median(times["floor"]) / steps), *(f"{ratio(times, m, 'floor'):.2f}" for m in METHODS)]

    solve, goal = quasi_newton(A, y, lam), TARGET * problem.gap(problem.x0)
    enough = next(k for k in range(1, 2000) if problem.gap(solve(k)) <= goal)
    races = {m: lambda m=m: pc.solve(problem, m, iterations=100_000, target=TARGET) for m in METHODS}
    counts = {m: len(race()) - 1 for m, race in races.items()}
    races["L-BFGS-B"] = lambda: solve(enough)
    counts["L-BFGS-B"] = enough
    times = in_turn(races, effort.rounds)
    name = f"{rows} x {columns}, {A.nnz:,} non-zeros"
    costs = table(["time of an iteration / its products", "products", *METHODS], [[name, *each_step]])
    lines = [[m, short(median(times[m])), counts[m]] for m in races]
    return costs + "\n\n" + table(["solver", "time to 1e-10", "iterations"], lines)
