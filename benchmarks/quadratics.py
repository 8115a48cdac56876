"""Quadratics in the eigenbasis: what an iteration costs by n, and how many the spectra ask for."""

from __future__ import annotations

from statistics import median

import numpy as np
from timing import in_turn, repeated, short, table

import polyak_core as pc

METHODS = ("pgd", "apg", "fista", "restart", "adapt_apg", "adapt_apg_v2", "adapt_apg_free", "nag_free")


def by_size(n, effort):
    """Time of an iteration of each method, and of one pass over a vector."""
    problem = pc.quadratic(pc.spectrum("log", n, 1e4))
    steps = effort.size(max(5, min(2000, 2_000_000 // n)), 3)
    x, y = np.ones(n), np.ones(n)
    works = {"a pass": repeated(lambda: x * y, steps)}
    works |= {m: lambda m=m: pc.solve(problem, m, iterations=steps) for m in METHODS}
    times = in_turn(works, effort.rounds)
    return [f"n = {n:,}", *(short(median(times[name]) / steps) for name in works)]


def by_spectrum(kind, effort):
    """Iterations and time to a relative gap of 1e-10, n = 1000."""
    problem = pc.quadratic(pc.spectrum(kind, effort.size(1000, 50), effort.size(1e4, 100.0)))
    methods = METHODS[1:]
    traces = {m: pc.solve(problem, m, iterations=20_000, target=1e-10) for m in methods}
    works = {
        m: lambda m=m: pc.solve(problem, m, iterations=20_000, target=1e-10)
        for m in ("adapt_apg", "adapt_apg_v2", "adapt_apg_free")
    }
    times = in_turn(works, effort.rounds)
    counts = [str(traces[m].first_below(1e-10) or "-") for m in methods]
    return [kind, *counts, *(short(median(times[m])) for m in works)]


def report(effort):
    """The section of the page of results."""
    sizes = effort.size((100, 1000, 10_000, 100_000, 1_000_000), (100, 1000))
    costs = table(["time of an iteration", "a pass", *METHODS], [by_size(n, effort) for n in sizes])
    timed = ["time, adapt_apg", "time, v2", "time, free"]
    spectra = table(
        ["iterations to 1e-10", *METHODS[1:], *timed], [by_spectrum(kind, effort) for kind in pc.SPECTRA]
    )
    return costs + "\n\n" + spectra
