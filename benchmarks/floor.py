"""Time of an iteration, recording included, over the products that it must do, timed in the same round.

Least squares in the eigenbasis does none: see quadratics.py.
"""

from __future__ import annotations

import cases
from timing import in_turn, ratio, repeated, short, table

import polyak_core as pc

METHODS = ("pgd", "apg", "fista", "restart", "adapt_apg", "adapt_apg_v2", "adapt_apg_free", "nag_free")
STEPS = {"A": 100, "G": 500}


def over_the_floor(case, representation, effort):
    """A row of ratios, and the floor itself."""
    problem = case.problem(representation)
    form = problem.form.name
    steps = effort.size(STEPS[form], 5)
    methods = [m for m in METHODS if m != "apg" or problem.mu > 0]
    works = {"floor": repeated(case.floor(form), steps)}
    works |= {m: lambda m=m: pc.solve(problem, m, iterations=steps) for m in methods}
    times = in_turn(works, effort.rounds)
    floor = sorted(times["floor"])[effort.rounds // 2] / steps
    ratios = {m: f"{ratio(times, m, 'floor'):.2f}" for m in methods}
    return [f"{case.name}, {form}", short(floor), *(ratios.get(m, "-") for m in METHODS)]


def report(effort):
    """The section of the page of results."""
    rows = [
        over_the_floor(case, representation, effort)
        for case in cases.large(effort) + cases.paper(effort)
        for representation in case.representations
        if not (case.kind == "least squares" and representation is None)
    ]
    return table(["time of an iteration / its products", "products", *METHODS], rows)
