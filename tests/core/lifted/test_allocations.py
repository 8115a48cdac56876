"""What a step costs in passes over a vector and in memory: exact counts, so that nothing is added unseen."""

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pytest
from cases import STACKING

import polyak_core as pc
from polyak_core.lifted.softplus import Softplus
from polyak_core.methods.keywords import parameters
from polyak_core.runs.stack import Stack
from polyak_core.runs.trace import COLUMNS

BYTES = 8
LONG = 100_000
SMALL = pc.quadratic(pc.spectrum("log", n=50, condition_number=1e3))
LARGE = pc.quadratic(pc.spectrum("log", n=LONG, condition_number=1e3))
PASSES = {
    "pgd": 1,
    "apg": 4,
    "fista": 4,
    "fista_printed": 4,
    "restart": 5,
    "adapt_apg": 8,
    "adapt_apg_v2": 5,
    "adapt_apg_free": 6,
    "restart_function": 6,
    "restart_gradient": 6,
    "nag_free": 7,
}
"""Elementwise operations on whole vectors a step, each of which makes one; inner products come on top."""
VECTORS = {
    "pgd": 2,
    "apg": 4,
    "fista": 4,
    "fista_printed": 4,
    "restart": 4,
    "adapt_apg": 6,
    "adapt_apg_v2": 5,
    "adapt_apg_free": 5,
    "restart_function": 5,
    "restart_gradient": 6,
    "nag_free": 7,
}
"""Vectors that a method holds at most at any time, what it works on included."""
RECORDING = 12
"""Vectors that a run holds at most, method, measuring and the start included."""


class Tallied(np.ndarray):
    """Counts the elementwise operations that made it and what comes of it."""

    tally = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        plain = [np.asarray(one) if isinstance(one, Tallied) else one for one in inputs]
        if "out" in keywords:
            keywords["out"] = tuple(np.asarray(one) for one in keywords["out"])
        result = getattr(ufunc, method)(*plain, **keywords)
        if not (isinstance(result, np.ndarray) and result.ndim):
            return result
        Tallied.tally += 1
        return result.view(Tallied)


def steps(problem, method, kind=np.ndarray) -> Iterator:
    plan, oracle = parameters(problem, method), problem.oracle()
    return plan.generator(oracle, oracle.lift(problem.x0).view(kind), **plan.arguments)


def take(count, iterates):
    for _ in islice(iterates, count):
        pass


@contextmanager
def traced():
    gc.collect()
    tracemalloc.start()
    try:
        yield tracemalloc.get_traced_memory
    finally:
        tracemalloc.stop()


def test_every_method_is_counted():
    assert set(PASSES) == set(VECTORS) == set(STACKING)


@pytest.mark.parametrize("method", PASSES)
def test_passes_over_a_vector_a_step(method):
    iterates = steps(SMALL, method, Tallied)
    take(10, iterates)
    Tallied.tally = 0
    take(10, iterates)
    assert Tallied.tally == 10 * PASSES[method]


@pytest.mark.parametrize(
    ("size", "slopes", "gap"),
    [(3.0, 3, 9), (0.2, 3, 8), (0.05, 3, 31), (0.01, 15, 22), (1e-4, 9, 13), (1e-10, 5, 7)],
)
def test_passes_over_the_margins_of_a_logistic_loss(size, slopes, gap):
    """Few while moves are large, one or two with exponentials; then two or three a term of the series."""
    loss, d = Softplus(np.linspace(-3, 3, 100)), size * np.sin(np.arange(100.0)).view(Tallied)
    for work, passes in ((loss.slope_change, slopes), (loss.rise, gap)):
        work(d)
        Tallied.tally = 0
        work(d)
        assert Tallied.tally == passes


@pytest.mark.parametrize("method", VECTORS)
def test_vectors_a_method_holds(method):
    iterates = steps(LARGE, method)
    take(3, iterates)
    peaks = []
    with traced() as memory:
        for _ in range(5):
            take(10, iterates)
            peaks.append(memory()[1])
            tracemalloc.reset_peak()
    assert [round(peak / (BYTES * LONG)) for peak in peaks[1:]] == [VECTORS[method]] * 4
    assert min(np.diff(peaks[1:])) < 1000  # nothing else grows; now and then the interpreter does


@pytest.mark.parametrize("method", ["fista", "adapt_apg"])
def test_a_run_grows_by_its_records_alone(method):
    run = pc.Run(SMALL, method, iterations=1500)
    with traced() as memory:
        sizes = []
        while run.k < 1000:
            run.advance(0)
            sizes.append((run.k, memory()[0]))
    (first, before), (last, after) = (next(size for size in sizes if size[0] > k) for k in (300, 900))
    assert after - before < 3 * BYTES * len(COLUMNS) * (last - first)


def test_a_run_on_a_long_vector_holds_a_few_of_them():
    with traced() as memory:
        pc.solve(LARGE, "adapt_apg", iterations=4)
        assert memory()[1] < RECORDING * BYTES * LONG


def test_a_stack_grows_by_a_gap_a_row():
    stack = Stack(SMALL, "restart", 1500, gamma=list(np.geomspace(0.1, 10, 8)))
    with traced() as memory:
        sizes = []
        while stack.k < 1000:
            stack.advance(0)
            sizes.append((stack.k, memory()[0]))
    (first, before), (last, after) = (next(size for size in sizes if size[0] > k) for k in (300, 900))
    assert after - before < 3 * BYTES * (8 + 4) * (last - first)
