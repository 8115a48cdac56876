"""Stacked runs: the numbers of single runs, rows that leave each other alone, slices, one product for all."""

import numpy as np
import pytest
from cases import PROBLEMS, A, B, every_method
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import polyak_core as pc
from polyak_core.methods.estimators import OnlineMu
from polyak_core.runs.endings import Outcome
from polyak_core.runs.stack import Stack
from polyak_core.runs.trace import COLUMNS

RNG = np.random.default_rng(3)
QUADRATIC = pc.quadratic(pc.spectrum("log", n=30, condition_number=1e3))
GAMMAS = list(np.geomspace(0.1, 20, 7))
ROW_BY_ROW = ("least squares, G", "least squares, A", "lasso", "squared hinge")
WITH_PRODUCTS = (*ROW_BY_ROW, "logistic")


def row(problem, keywords, i):
    """What a single run is told to be row i."""
    own = {name: value[i] if isinstance(value, list) else value for name, value in keywords.items()}
    return (problem[i] if isinstance(problem, list) else problem), own


def assert_same(problem, method, iterations=300, target=None, exact=False, **keywords):
    stack = Stack(problem, method, iterations, target, full=True, exact=exact, **keywords)
    assert stack.advance()
    for i, trace in enumerate(stack.traces()):
        own, own_keywords = row(problem, keywords, i)
        single = pc.solve(own, method, iterations, target=target, **own_keywords)
        assert (trace.outcome, trace.message) == (single.outcome, single.message)
        assert (trace.settings, trace.floor) == (single.settings, single.floor)
        for name in set(COLUMNS) - {"seconds"} | {"x", "y"}:
            np.testing.assert_array_equal(getattr(trace, name), getattr(single, name), err_msg=f"{i}: {name}")


@pytest.mark.parametrize("target", [None, 1e-8])
def test_gamma_to_the_last_bit(target):
    assert_same(QUADRATIC, "restart", 600, target, gamma=GAMMAS)


@pytest.mark.parametrize("estimator", ["polyak", "certified", "model", "known"])
def test_mu0_to_the_last_bit(estimator):
    assert_same(QUADRATIC, "adapt_apg", 500, 1e-10, mu0=[1.0, 0.3, 1e-3, 1e-5], estimator=estimator)


def test_mu_and_a_given_minimum_to_the_last_bit():
    assert_same(QUADRATIC, "apg", 400, 1e-10, mu=[1.0, 1e-2, 1e-3, 1e-4])
    assert_same(QUADRATIC, "restart", gamma=GAMMAS, f_star=-1e-6)
    assert_same(QUADRATIC, "adapt_apg", mu0=[1.0, 0.1, 0.01], f_star=1e-6)


@every_method
def test_a_family_of_condition_numbers_to_the_last_bit(method):
    """Of different L and minimisers, too."""
    kappas = [1.0, 30.0, 1e3, 1e5]
    family = [
        pc.quadratic(kappa * pc.spectrum("linear", 9, kappa), x_star=RNG.standard_normal(9), f_star=kappa)
        for kappa in kappas
    ]
    assert_same(family, method, 200, 1e-9)


@every_method
def test_starts_to_the_last_bit(method):
    assert_same(QUADRATIC, method, 60, x0=list(RNG.standard_normal((4, 30))))


@given(
    eigenvalues=st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=9),
    start=st.floats(-1e3, 1e3),
    factor=st.floats(0.3, 30),
    values=st.lists(st.floats(1e-6, 1), min_size=1, max_size=4),
    estimator=st.sampled_from(["polyak", "certified", "model"]),
)
def test_whatever_the_problem_is_to_the_last_bit(eigenvalues, start, factor, values, estimator):
    """Steps that are too long, starts at the minimum and multiples of the unit matrix too."""
    n = len(eigenvalues)
    problem = pc.quadratic(eigenvalues, x0=np.full(n, start), L=factor * max(eigenvalues))
    mu0 = [value * problem.L for value in values]
    assert_same(problem, "adapt_apg", 120, mu0=mu0, estimator=estimator)
    assert_same(problem, "restart", 120, gamma=[30 * value for value in values])
    starts = [value * problem.x0 for value in values]
    assert_same(problem, "adapt_apg_v2", 120, x0=starts, estimator=estimator)
    for method in ("adapt_apg_free", "pgd", "fista", "fista_printed"):
        assert_same(problem, method, 120, x0=starts)


@pytest.mark.parametrize("kind", WITH_PRODUCTS)
@pytest.mark.parametrize(
    ("method", "name"),
    [("restart", "gamma"), ("adapt_apg", "mu0"), ("nag_free", "x0"), ("adapt_apg_free", "x0")],
)
def test_with_products_within_1e_12_of_the_first_gap(kind, method, name):
    problem = PROBLEMS[kind]()
    values = {"gamma": GAMMAS, "mu0": list(problem.L * np.array([1.0, 0.1, 0.01]))}
    values["x0"] = [problem.x0, problem.x0 + 0.1, problem.x0 + 0.5]
    stack = Stack(problem, method, 120, full=True, **{name: values[name]})
    stack.advance()
    for value, trace in zip(values[name], stack.traces(), strict=True):
        single = pc.solve(problem, method, 120, **{name: value})
        assert len(trace) == len(single)
        np.testing.assert_allclose(trace.gap, single.gap, rtol=0, atol=1e-12 * single.gap[0])
        np.testing.assert_array_equal(trace.products, single.products)


@pytest.mark.parametrize("kind", ROW_BY_ROW)
def test_with_products_row_by_row_to_the_last_bit(kind):
    problem = PROBLEMS[kind]()
    assert_same(problem, "restart", 120, exact=True, gamma=GAMMAS)
    assert_same(problem, "adapt_apg", 120, exact=True, mu0=list(problem.L * np.array([1.0, 0.1, 0.01])))


def test_gaps_alone_are_those_of_the_traces():
    whole = Stack(QUADRATIC, "restart", 400, 1e-8, full=True, gamma=GAMMAS)
    bare = Stack(QUADRATIC, "restart", 400, 1e-8, gamma=GAMMAS)
    whole.advance()
    bare.advance()
    for trace, gap in zip(whole.traces(), bare.gaps, strict=True):
        np.testing.assert_array_equal(gap[: len(trace)], trace.gap)
        assert np.isnan(gap[len(trace) :]).all()
    for level in (1e-2, 1e-8):
        expected = [trace.first_below(level) for trace in whole.traces()]
        np.testing.assert_array_equal(bare.first_below(level), np.array(expected, dtype=float))
    assert bare.outcomes == whole.outcomes
    with pytest.raises(ValueError, match="only gaps were kept"):
        bare.trace(0)


def test_rows_that_end_leave_the_others_alone():
    """One is there at once (0/0), one diverges and overflows, one is exact after a step, one goes on."""
    eigenvalues = pc.spectrum("log", 6, 1e3)
    family = [
        pc.quadratic(eigenvalues, x0=np.zeros(6)),
        pc.quadratic(eigenvalues, L=0.3),
        pc.quadratic(np.ones(6)),
        pc.quadratic(eigenvalues),
    ]
    stack = Stack(family, "adapt_apg", 1500)
    stack.advance()
    assert stack.outcomes == [Outcome.EXACT, Outcome.DIVERGED, Outcome.EXACT, Outcome.BUDGET]
    assert_same(family, "adapt_apg", 1500)
    assert_same(family, "adapt_apg_v2", 1500)


def test_groups_that_fit_the_cache_make_no_difference(monkeypatch):
    monkeypatch.setattr("polyak_core.runs.stack.ELEMENTWISE_NUMBERS", 70)  # two rows of 30 in a group
    assert_same(QUADRATIC, "restart", 150, gamma=GAMMAS)
    stack = Stack(QUADRATIC, "restart", 150, gamma=GAMMAS)
    stack.advance(0)
    assert (stack.k, stack.gaps.shape, stack.finished) == (-1, (7, 1), False)
    counts = stack.first_below(1.0)
    assert counts[0] == 0
    assert np.isnan(counts[-1])
    stack.advance()
    assert stack.k == 150


def test_slices_grow_and_a_cancelled_stack_keeps_what_it_has():
    stack = Stack(QUADRATIC, "restart", 10**6, 1e-5, full=True, gamma=[0.5, 1e-3])
    while not stack.ended(0):
        before = stack.k
        assert not stack.advance(0)
        assert stack.k > before
        assert stack.trace(1).message == f"Still running at iteration {stack.k}."
    stack.cancel()
    assert stack.finished
    assert stack.advance()
    first, second = stack.traces()
    assert (first.outcome, second.outcome) == (Outcome.TARGET, Outcome.CANCELLED)
    assert second.message == f"Cancelled at iteration {stack.k}; the curve so far is kept."
    single = pc.solve(QUADRATIC, "restart", int(second.k[-1]), gamma=1e-3)
    np.testing.assert_array_equal(second.gap, single.gap)
    np.testing.assert_array_equal(second.y, single.y)


def test_one_product_serves_all_rows():
    problem = pc.least_squares(A, B, representation="G")
    stack = Stack(problem, "restart", 20, full=True, gamma=GAMMAS)
    stack.advance()
    assert {trace.products[-1] for trace in stack.traces()} == {21}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gamma": [1.0, 2.0], "iterations": 0}, "iterations = 0 is not allowed"),
        ({"gamma": [1.0, 2.0], "target": 2}, "target = 2 is not allowed"),
        ({"gamma": [1.0, -2.0]}, "gamma = -2.0 is not allowed"),
        ({"gamma": []}, "gamma is an empty list"),
        ({"gamma": [1.0, 2.0], "x0": [np.ones(30)] * 3}, "one length; got {'gamma': 2, 'x0': 3}"),
        ({"problem": []}, "problem is an empty list"),
        ({"method": "adapt_apg", "estimator": "schedule", "C": [0.1, 0.2]}, "mu_k works on one run"),
        ({"method": "adapt_apg", "estimator": "window", "window": [2, 3]}, "mu_k works on one run"),
        ({"method": "adapt_apg", "estimator": ["polyak", "certified"]}, "mu_k differs from row to row"),
        ({"method": "adapt_apg", "guard": [True, False]}, "mu_k differs from row to row"),
        ({"guard": [True, False]}, "differs from row to row"),
        ({"method": "pgd", "backtracking": [True, True]}, "works on rows"),
        ({"f_star": [0.0, 1.0]}, "differs from row to row"),
        ({"problem": [QUADRATIC, pc.quadratic([1.0])]}, "of one size"),
        ({"problem": [QUADRATIC, pc.least_squares(A, B)]}, "of one size"),
        ({"problem": PROBLEMS["logistic"](), "gamma": [1.0, 2.0], "exact": True}, "last digits"),
        ({"problem": pc.least_squares(csr_array(A), B, representation="A"), "exact": True}, "last digits"),
        ({"problem": pc.matrix_completion(np.eye(3), np.ones((3, 3)), 0.1)}, "one by one"),
    ],
)
def test_what_cannot_be_stacked_is_said(change, words):
    keywords = {"problem": QUADRATIC, "method": "restart", **change}
    with pytest.raises(ValueError, match=words):
        Stack(**keywords)


def test_a_method_of_one_s_own_is_not_stacked():
    pc.register("own_steps", lambda problem, x0: iter(()))
    try:
        with pytest.raises(ValueError, match="not one that works on rows"):
            Stack(QUADRATIC, "own_steps")
    finally:
        pc.METHODS.pop("own_steps")
    assert type(OnlineMu(1.0)) is OnlineMu


def test_a_sweep_stacks_what_it_can(monkeypatch):
    stacks = []
    monkeypatch.setattr(
        "polyak_core.runs.batch.Stack", lambda *a, **k: stacks.append(k["gamma"]) or Stack(*a, **k)
    )
    runs = pc.sweep(QUADRATIC, method="restart", iterations=[50, 60], gamma=GAMMAS, target=1e-3)
    assert stacks == [GAMMAS, GAMMAS]
    for settings, trace in runs:
        single = pc.solve(QUADRATIC, **settings)
        assert (trace.message, trace.settings) == (single.message, single.settings)
        np.testing.assert_array_equal(trace.gap, single.gap)


def test_records_are_moved_a_few_times_however_many_there_are(monkeypatch):
    moved, join = [], np.concatenate

    def noting(arrays, *args, **more):
        joined = join(arrays, *args, **more)
        moved.append(joined.nbytes)
        return joined

    monkeypatch.setattr(np, "concatenate", noting)
    gammas = [1.0, 2.0, 4.0]
    stack = Stack(pc.quadratic(pc.spectrum("log", 30, 1e8)), "restart", 20_000, full=True, gamma=gammas)
    stack.advance()
    length = max(trace.k.size for trace in stack.traces())
    assert length == 20_001
    assert sum(moved) < 4 * length * len(gammas) * 8 * len(COLUMNS)
