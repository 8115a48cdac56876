"""Methods that take every step together have the bits of runs on their own, and end as those do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyak_core as pc
from polyak_core.methods.iterate import ESTIMATES, MOMENTUM
from polyak_core.runs.endings import Outcome
from polyak_core.runs.together import Together
from polyak_core.runs.trace import COLUMNS

QUADRATIC = pc.quadratic(pc.spectrum("log", n=30, condition_number=1e3))
NAMES = [name for name, method in pc.METHODS.items() if method.generator in {*MOMENTUM, *ESTIMATES}]
PAPER = [(name, {}) for name in ("pgd", "adapt_apg", "apg", "restart", "adapt_apg_v2", "fista")]
RULES = ("adapt_apg", "adapt_apg_v2")
WITH_F_STAR = (*RULES, "restart", "adapt_apg_free")


def assert_same(problem, methods, iterations=300, target=None):
    together = Together(problem, methods, iterations, target)
    assert together.advance()
    assert len(together) == len(methods)
    for (name, keywords), trace in zip(methods, together.traces(), strict=True):
        single = pc.solve(problem, name, iterations, target=target, **keywords)
        assert (trace.outcome, trace.message) == (single.outcome, single.message)
        assert (trace.settings, trace.floor) == (single.settings, single.floor)
        for column in set(COLUMNS) - {"seconds"} | {"x", "y"}:
            of_both = getattr(trace, column), getattr(single, column)
            np.testing.assert_array_equal(*of_both, err_msg=f"{name}: {column}")
    return together


def test_all_that_the_paper_has_are_there():
    assert {name for name, _ in PAPER} < set(NAMES)
    assert {"fista_printed", "adapt_apg_free"} < set(NAMES)


@pytest.mark.parametrize("target", [None, 1e-8])
def test_to_the_last_bit(target):
    assert_same(QUADRATIC, [(name, {}) for name in NAMES], 600, target)


def test_one_method_alone_and_one_several_times():
    assert_same(QUADRATIC, [("adapt_apg", {})])
    assert_same(QUADRATIC, [("restart", {"gamma": gamma}) for gamma in (0.1, 2.0, 20.0)])


@pytest.mark.parametrize("estimator", pc.ESTIMATORS)
def test_every_rule_for_mu(estimator):
    more = {"schedule": {"C": 3.0}, "window": {"window": 7}}.get(estimator, {})
    assert_same(QUADRATIC, [(name, {"estimator": estimator, **more}) for name in RULES], 400)


@pytest.mark.parametrize("delta", [-1e-3, 1e-6])
def test_a_minimum_that_is_off(delta):
    told = [(name, {"f_star": QUADRATIC.f_star + delta}) for name in WITH_F_STAR]
    assert_same(QUADRATIC, [*told, ("pgd", {}), ("restart", {})], 400)


def test_data_in_the_eigenbasis():
    rng = np.random.default_rng(5)
    A, b = rng.standard_normal((40, 12)), rng.standard_normal(40)
    assert_same(pc.least_squares(A, b, representation="eigenbasis"), PAPER, 400, 1e-12)


@given(
    eigenvalues=st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=9),
    start=st.floats(-1e3, 1e3),
    factor=st.floats(0.3, 30),
    mu0=st.floats(1e-6, 1),
    gamma=st.floats(0.01, 30),
    estimator=st.sampled_from(["polyak", "certified", "model"]),
)
def test_whatever_the_problem_is(eigenvalues, start, factor, mu0, gamma, estimator):
    """Steps that are too long, starts at the minimum and multiples of the unit matrix too."""
    true = max(eigenvalues)
    problem = pc.quadratic(eigenvalues, x0=np.full(len(eigenvalues), start), L=factor * true)
    methods = [
        ("adapt_apg", {"mu0": mu0 * problem.L, "estimator": estimator}),
        ("adapt_apg_v2", {"estimator": estimator}),
        *[(name, {}) for name in ("adapt_apg_free", "pgd", "fista", "fista_printed")],
        ("restart", {"gamma": gamma}),
    ]
    assert_same(problem, methods, 120)


def test_runs_that_end_leave_the_others_alone():
    far = pc.quadratic(pc.spectrum("log", 6, 1e3), L=0.45)
    together = assert_same(far, PAPER, 1500)
    assert Outcome.DIVERGED in together.outcomes
    there = pc.quadratic(pc.spectrum("log", 6, 1e3), x0=np.zeros(6))
    assert set(assert_same(there, PAPER).outcomes) == {Outcome.EXACT}
    assert set(assert_same(pc.quadratic(np.ones(6)), PAPER).outcomes) <= {Outcome.EXACT, Outcome.FLOOR}


def test_slices_grow_and_a_cancelled_one_keeps_what_it_has():
    together = Together(QUADRATIC, [("fista", {}), ("apg", {})], 10**6, 1e-12)
    while not together.ended(1):
        before = together.k
        assert not together.advance(0)
        assert together.k > before
        assert together.trace(0).message == f"Still running at iteration {together.k}."
    together.cancel()
    first, second = together.traces()
    assert (first.outcome, second.outcome) == (Outcome.CANCELLED, Outcome.TARGET)
    single = pc.solve(QUADRATIC, "fista", int(first.k[-1]))
    np.testing.assert_array_equal(first.gap, single.gap)
    np.testing.assert_array_equal(first.y, single.y)


def test_records_are_moved_a_few_times_however_many_there_are(monkeypatch):
    moved, join = [], np.concatenate

    def noting(arrays, *args, **more):
        joined = join(arrays, *args, **more)
        moved.append(joined.nbytes)
        return joined

    monkeypatch.setattr(np, "concatenate", noting)
    together = Together(pc.quadratic(pc.spectrum("log", 30, 1e8)), PAPER, 20_000)
    together.advance()
    length = max(trace.k.size for trace in together.traces())
    assert length == 20_001
    assert sum(moved) < 4 * length * len(PAPER) * 8 * len(COLUMNS)


def test_seconds_are_shared_and_limited():
    together = Together(QUADRATIC, PAPER, 10**7, seconds=0.002)
    together.advance()
    traces = together.traces()
    assert {trace.outcome for trace in traces} <= {
        Outcome.BUDGET,
        Outcome.FLOOR,
        Outcome.STALLED,
        Outcome.EXACT,
    }
    assert any("the 0.002 seconds are used up" in trace.message for trace in traces)
    for trace in traces:
        assert (np.diff(trace.seconds) > 0).all()
        assert trace.seconds[-1] >= 0.002 > trace.seconds[-2]


def own(problem, x0):
    """A method of one's own is a plain generator."""
    yield from pc.METHODS["pgd"].generator(problem, x0)


@pytest.mark.parametrize(
    ("problem", "methods", "words"),
    [
        (
            pc.least_squares(np.eye(3), np.ones(3), representation="A"),
            PAPER,
            "not a quadratic in the eigenbasis",
        ),
        (pc.quadratic(np.linspace(1, 2, 20_000)), PAPER, "so long"),
        (QUADRATIC, [("nag_free", {}), ("apg", {})], "not written as its numbers"),
        (QUADRATIC, [("fista", {"backtracking": True})], "not written as its numbers"),
        (QUADRATIC, [("pgd", {"gamma": 3.0})], "pgd does not use gamma"),
        (QUADRATIC, [], "no method"),
        ("quadratic", PAPER, "give a Problem"),
    ],
)
def test_what_cannot_go_together_says_why(problem, methods, words):
    with pytest.raises(ValueError, match=words):
        Together(problem, methods)


def test_a_method_of_ones_own_is_refused(monkeypatch):
    monkeypatch.setitem(pc.METHODS, "own", pc.Method(own, "own", "", (), ""))
    with pytest.raises(ValueError, match="not written as its numbers"):
        Together(QUADRATIC, [("own", {})])
