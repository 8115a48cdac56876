"""Time to a relative gap of 1e-10, against solvers that people use; the gap is ours, exact, of their iterate.

A peer that tells its iterates is followed once, untimed, to the first one below the target; then it is timed
with that many iterations. A peer that does not is given tolerances in steps of half a power of ten, or
budgets that grow by a tenth. First-order peers, whose iterations all cost the same, are timed over part of a
long run, which is scaled up. Peers that are not installed are named in the table.
"""

from __future__ import annotations

import warnings
from functools import partial
from statistics import median

import cases
from peer_solvers import SOLVERS, MissingError
from timing import in_turn, short, table

import polyak_core as pc

OURS = {"adapt_apg_v2": "v2", "adapt_apg_free": "free", "restart": "restart", "nag_free": "NAG-free"}
PART_SECONDS = 0.5


def our_works(case, effort):
    """Our runs to the target, and what each asked for."""
    works, calls = {}, {}
    for representation in case.representations:
        problem = case.problem(representation)
        for method, label in OURS.items():
            keywords = {"gamma": 5.0} if method == "restart" else {}
            keywords |= {"iterations": effort.size(200_000, 300), "target": cases.TARGET}
            trace = pc.solve(problem, method, seconds=effort.size(20, 1), **keywords)
            name = f"ours, {label}, {problem.form.name}"
            calls[name] = (
                len(trace) - 1, int(trace.gradients[-1]), int(trace.products[-1]),
            )  # fmt: skip
            if trace.outcome == pc.Outcome.TARGET:
                works[name] = lambda problem=problem, method=method, keywords=keywords: pc.solve(
                    problem, method, **keywords
                )
            else:
                calls[name] = None
    return works, calls


def peer_works(case, effort):
    """Runs of the peers to the target, by name: (work, factor, budget), or in words why there is none."""
    goal = cases.TARGET * case.exact.gap(case.exact.x0)
    works = {}
    for name, make in SOLVERS[case.kind].items():
        try:
            solver = make(case)
        except MissingError as words:
            works[name] = str(words)
            continue
        limit = effort.size(90, 0.2)
        budget = solver.reach(goal, limit)
        if budget is None:
            works[name] = f"not below after {limit} s"
        else:
            part = solver.part(budget, PART_SECONDS)
            work = partial(solver.run, part)
            works[name] = (work, solver.scale(part, budget), solver.named(budget))
    return works


def measured(case, effort):
    """Rows: name, time, ratio to our best, iterations, gradients, products."""
    ours, calls = our_works(case, effort)
    peers = peer_works(case, effort)
    timed = {name: entry[0] for name, entry in peers.items() if not isinstance(entry, str)}
    times = in_turn({**ours, **timed}, effort.rounds)
    seconds = {name: median(times[name]) * (peers[name][1] if name in timed else 1) for name in times}
    best = min((seconds[name] for name in ours), default=float("nan"))
    rows = []
    for name in sorted(seconds, key=seconds.get):
        counts = calls.get(name) or (peers[name][2], "", "")
        rows.append([case.name, name, short(seconds[name]), f"{seconds[name] / best:.2g}", *counts])
    rows += [
        [case.name, name, entry, "", "", "", ""] for name, entry in peers.items() if isinstance(entry, str)
    ]
    rows += [[case.name, name, "not below", "", "", "", ""] for name, entry in calls.items() if entry is None]
    return rows


def report(effort):
    """The section of the page of results."""
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers that are told to stop early say so
        for case in cases.large(effort) + cases.paper(effort):
            rows += measured(case, effort)
    head = ["problem", "solver", "time to 1e-10", "over our best", "iterations", "gradients", "products"]
    return table(head, rows)
