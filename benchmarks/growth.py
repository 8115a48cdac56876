"""Sparse logistic regression on the way to 10^6 x 10^4 with 10^8 non-zeros: time and memory up to 1/100.

At scale s there are 10^6 s rows with about 100 non-zeros each, as in the whole, and 10^4 sqrt(s) columns.
"""

from __future__ import annotations

import tracemalloc
from statistics import median
from time import perf_counter

from sparse import data
from timing import in_turn, short, table

import polyak_core as pc

FULL = 1e8
METHOD = "adapt_apg_free"


def at_scale(scale, effort):
    """Non-zeros, time of an iteration, time for x*, bytes of the data and of a run."""
    A, y = data(round(1e6 * scale), round(1e4 * scale**0.5), 100)
    started = perf_counter()
    problem = pc.logistic(A, y, 1e-4 * A.shape[0])
    _ = problem.form
    certified = perf_counter() - started
    steps = effort.size(100, 2)
    times = in_turn({"run": lambda: pc.solve(problem, METHOD, iterations=steps)}, effort.rounds)
    each = median(times["run"]) / steps
    tracemalloc.start()
    pc.solve(problem, METHOD, iterations=steps)
    run_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    data_bytes = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    return A.nnz, each, certified, data_bytes, run_bytes


def report(effort):
    """The section of the page of results."""
    scales = effort.size((1 / 1000, 1 / 400, 1 / 200, 1 / 100), (1 / 4000, 1 / 2000))
    rows = []
    for scale in scales:
        nnz, each, certified, data_bytes, run_bytes = at_scale(scale, effort)
        times = [short(each), f"{each / nnz * 1e9:.1f} ns", short(certified)]
        memory = [f"{data_bytes / 1e6:.1f} MB", f"{run_bytes / 1e6:.1f} MB"]
        rows.append([f"1/{round(1 / scale)}", f"{nnz:,}", *times, *memory])
    last = float(rows[-1][3].split()[0]) * 1e-9 * FULL
    times, memory = ["an iteration", "a non-zero", "x* and f*"], ["data", "a run on top"]
    head = ["part", "non-zeros", *times, *memory]
    line = f"At the last cost of a non-zero, an iteration with 10^8 non-zeros takes {short(last)}."
    return table(head, rows) + "\n\n" + line
