"""Sweeps on two workers: the time that the tasks take on one, over twice the time on two."""

from __future__ import annotations

import logging
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np
from timing import in_turn, short, table

import polyak_core as pc

TASKS = 8


def keywords_of(problem, effort):
    """A sweep of eight tasks of about half a second each."""
    steps = effort.size(None, 50)
    if steps is None:
        trial = pc.solve(problem, "restart", iterations=5000)
        steps = int(0.5 / (float(trial.seconds[-1]) / 5000))
    return {"method": "restart", "gamma": list(np.geomspace(1, 10, TASKS)), "iterations": steps}


def row(name, one, two, problem, effort):
    """Efficiency of two workers of one kind; the workers are warm."""
    keywords = keywords_of(problem, effort)
    for pool in (one, two):
        pc.sweep(problem, executor=pool, **{**keywords, "iterations": 10})
    times = in_turn(
        {
            "one": lambda: pc.sweep(problem, executor=one, **keywords),
            "two": lambda: pc.sweep(problem, executor=two, **keywords),
        },
        effort.size(3, 1),
    )
    efficiency = median(a / (2 * b) for a, b in zip(times["one"], times["two"], strict=True))
    return [name, short(median(times["one"]) / TASKS), f"{efficiency:.2f}"]


def on_dask(problem, effort):
    """The same with dask.distributed, if it is installed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return ["dask.distributed", "not installed", "-"]
    quiet = {"threads_per_worker": 1, "silence_logs": logging.CRITICAL, "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=1, **quiet) as small,
        Client(small) as one,
        LocalCluster(n_workers=2, **quiet) as large,
        Client(large) as two,
    ):
        pools = [client.get_executor(pure=False) for client in (one, two)]
        return row("dask.distributed", *pools, problem, effort)


def report(effort):
    """The section of the page of results."""
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context) as one, ProcessPoolExecutor(2, context) as two:
        processes = row("processes", one, two, problem, effort)
    return table(["two workers", "a task", "efficiency"], [processes, on_dask(problem, effort)])
