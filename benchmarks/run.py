"""What an iteration costs over the matrix products that it must do, or in microseconds where it does none.

Run by `make bench`. One process, one BLAS thread, rounds interleaved, medians of seven.
"""

from __future__ import annotations

import platform
from statistics import median
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import polyak_core as pc

ROUNDS = 7
ROWS, COLUMNS, KAPPA = 2000, 500, 1e4
STEPS = {"A": 100, "G": 500}
METHODS = ("pgd", "apg", "fista", "restart", "adapt_apg", "adapt_apg_v2", "adapt_apg_free")


def seconds_of(work):
    started = perf_counter()
    work()
    return perf_counter() - started


def planted(rows=ROWS, columns=COLUMNS, kappa=KAPPA):
    """A with singular values from 1/sqrt(kappa) to 1, and a right-hand side, seed 0."""
    rng = np.random.default_rng(0)
    left = np.linalg.qr(rng.standard_normal((rows, columns)))[0]
    right = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    return left * np.sqrt(pc.spectrum("log", columns, kappa)) @ right.T, rng.standard_normal(rows)


def over_the_floor():
    """Time of an iteration, recording included, over the products that it must do."""
    A, b = planted()
    G, x, r = A.T @ A, np.ones(COLUMNS), np.ones(ROWS)
    floors = {"A": lambda: (A @ x, r @ A), "G": lambda: G @ x}
    problems = {name: pc.least_squares(A, b, representation=name) for name in STEPS}
    ratios = {(m, name): [] for m in METHODS for name in STEPS}
    for problem in problems.values():
        pc.solve(problem, "pgd", iterations=1)  # x* and the form are made here, once
    for _ in range(ROUNDS):
        for name, steps in STEPS.items():
            floor = seconds_of(lambda name=name, steps=steps: [floors[name]() for _ in range(steps)])
            for m in METHODS:
                run = seconds_of(
                    lambda m=m, name=name, steps=steps: pc.solve(problems[name], m, iterations=steps)
                )
                ratios[m, name].append(run / floor)
    print(f"\nLeast squares {ROWS} x {COLUMNS}: time of an iteration over its matrix products")
    print(f"{'method':16}{'with A':>10}{'with G':>10}")
    for m in METHODS:
        print(f"{m:16}{median(ratios[m, 'A']):10.2f}{median(ratios[m, 'G']):10.2f}")


def bare_python():
    """Microseconds of an iteration where there is no product."""
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    times = {m: [] for m in METHODS}
    for _ in range(ROUNDS):
        for m in METHODS:
            times[m].append(seconds_of(lambda m=m: pc.solve(problem, m, iterations=1000)) * 1e3)
    print("\nQuadratic, n = 100, eigenbasis: microseconds an iteration, recording included")
    for m in METHODS:
        print(f"{m:16}{median(times[m]):10.1f}")


if __name__ == "__main__":
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, 1 BLAS thread")
    with threadpool_limits(1):
        over_the_floor()
        bare_python()
