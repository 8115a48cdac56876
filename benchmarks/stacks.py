"""64 runs stacked, over one run; one product for six methods, over six."""

from __future__ import annotations

from statistics import median

import cases
import numpy as np
from timing import in_turn, ratio, repeated, short, table

import polyak_core as pc
from polyak_core.runs.stack import Stack

ROWS = 64


def over_one_run(name, problem, method, swept, full, effort):
    """Time of 64 rows over that of one run of as many iterations."""
    steps = effort.size(500, 10)
    several, keywords = swept
    one = problem[0] if several else problem
    works = {
        "one": lambda: pc.solve(one, method, iterations=steps),
        "stack": lambda: Stack(problem, method, steps, full=full, **keywords).advance(),
    }
    times = in_turn(works, effort.rounds)
    return [name, short(median(times["one"]) / steps), f"{ratio(times, 'stack', 'one'):.1f}"]


def one_product_for_all(A, name, effort):
    """Six products with a vector over one with six vectors."""
    x, X = np.ones(A.shape[1]), np.ones((6, A.shape[1]))
    steps = effort.size(50, 2)
    times = in_turn(
        {"six": repeated(lambda: [A @ x for _ in range(6)], steps), "one": repeated(lambda: X @ A.T, steps)},
        effort.rounds,
    )
    return [name, f"{ratio(times, 'six', 'one'):.2f}"]


def report(effort):
    """The section of the page of results."""
    eigenbasis = pc.quadratic(pc.spectrum("log", 100, 1e4))
    kappas = np.geomspace(1, 1e6, ROWS)
    family = [pc.quadratic(pc.spectrum("log", 100, kappa)) for kappa in kappas]
    gammas = (False, {"gamma": list(np.geomspace(0.1, 20, ROWS))})
    squares, lasso, _ = cases.large(effort)
    gram, with_penalty = squares.problem("G"), lasso.problem("G")
    mu0 = (False, {"mu0": list(np.geomspace(1e-5, 1, ROWS) * eigenbasis.L)})
    small = "n = 100, eigenbasis"
    sweeps = [
        (f"gamma, {small}, gaps", eigenbasis, "restart", gammas, False),
        (f"gamma, {small}, all columns", eigenbasis, "restart", gammas, True),
        (f"mu_0, {small}, gaps", eigenbasis, "adapt_apg", mu0, False),
        (f"kappa, {small}, gaps", family, "adapt_apg_v2", (True, {}), False),
        (f"gamma, {squares.name}, eigenbasis, gaps", squares.exact, "restart", gammas, False),
        (f"gamma, {squares.name}, G, gaps", gram, "restart", gammas, False),
        (f"gamma, {lasso.name}, G, gaps", with_penalty, "restart", gammas, False),
    ]
    rows = [over_one_run(*each, effort) for each in sweeps]
    shared = [
        one_product_for_all(squares.A, f"A of {squares.A.shape[0]} x {squares.A.shape[1]}", effort),
        one_product_for_all(squares.A.T @ squares.A, "its G", effort),
    ]
    return "\n\n".join((
        table(["64 stacked runs", "an iteration of one run", "the stack / one run"], rows),
        table(["products of six methods", "one by one / together"], shared),
    ))  # fmt: skip
