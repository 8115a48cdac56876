"""Runs of any kind as one piece of work: the numbers of single runs, whatever is stacked, in any turns."""

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.progress.watch import step
from polyak_core.runs.batch import Batch
from polyak_core.runs.work import Turns, slices

QUADRATIC = pc.quadratic(pc.spectrum("log", n=30, condition_number=1e3))
SQUARES = pc.least_squares(np.vander(np.linspace(0, 1, 9), 4), np.arange(9.0))
TASKS = [
    *(
        (QUADRATIC, {"method": "restart", "iterations": 200, "gamma": gamma})
        for gamma in (0.5, 1.0, 2.0, 4.0)
    ),
    (SQUARES, {"method": "fista", "iterations": 150}),
    (QUADRATIC, {"method": "restart", "iterations": 200, "gamma": -1.0}),
    (QUADRATIC, {"method": "pgd", "iterations": 90, "backtracking": True}),
    (QUADRATIC, {"method": "fista", "iterations": 120, "x0": np.ones(30)}),
    (SQUARES, {"method": "adapt_apg_v2", "iterations": 80, "reference": True, "seconds": 60.0}),
]
WRONG = 5


class Counter:
    """Work that takes so many turns, and notes each."""

    def __init__(self, name, turns, notes):
        self.name, self.turns, self.notes = name, turns, notes

    @property
    def finished(self):
        return self.turns == 0

    def advance(self, slice_seconds=np.inf):
        self.notes.append(self.name)
        self.turns -= 1
        return self.finished


def assert_as_single(batch):
    assert len(batch) == len(TASKS)
    for i, (problem, keywords) in enumerate(TASKS):
        assert batch.ended(i)
        if i == WRONG:
            assert "gamma = -1.0 is not allowed" in str(batch.error(i))
            assert batch.trace(i) is None
            continue
        trace, single = batch.trace(i), pc.solve(problem, **keywords)
        assert batch.error(i) is None
        assert (trace.message, trace.settings) == (single.message, single.settings)
        np.testing.assert_array_equal(trace.gap, single.gap)
        np.testing.assert_array_equal(trace.y, single.y)
        first = single.first_below(1e-3)
        np.testing.assert_equal(batch.first_below(1e-3)[i], np.nan if first is None else first)


@pytest.mark.parametrize("in_turns", [False, True])
@pytest.mark.parametrize("seconds", [0.0, np.inf])
def test_every_run_has_the_numbers_it_has_alone(in_turns, seconds):
    batch = Batch(TASKS, in_turns=in_turns)
    while not batch.advance(seconds):
        pass
    assert batch.finished
    assert batch.unfinished == 0
    assert_as_single(batch)


def test_nothing_begins_before_its_turn_and_turns_go_round():
    one_by_one, in_turns = Batch(TASKS[4:]), Batch(TASKS[4:], in_turns=True)
    for batch, begun in ((one_by_one, 1), (in_turns, 4)):
        assert all(batch.trace(i) is None for i in range(5))
        for _ in range(5):
            batch.advance(0.0)
        assert sum(batch.trace(i) is not None for i in range(5)) == begun


def test_a_cancelled_batch_keeps_what_it_has():
    batch = Batch([(QUADRATIC, {"method": "fista", "iterations": 10**6})] * 2)
    batch.advance(0.0)
    batch.cancel()
    assert batch.advance()
    first, second = batch.trace(0), batch.trace(1)
    assert first.outcome is pc.Outcome.CANCELLED
    assert second is None, "it had not begun"


def test_a_search_that_is_left_is_begun_again():
    class Squares:
        def value(self, x):
            return 0.5 * float(x @ x)

        def grad(self, x):
            step("own gradient", 0)
            return x

    batch = Batch([(pc.Problem(Squares(), L=1.0, mu=1.0, x0=np.ones(2)), {"method": "pgd", "iterations": 3})])
    with pytest.raises(pc.Cancelled), pc.watched(cancel=lambda: True):
        batch.advance()
    assert not batch.finished
    assert batch.error(0) is None
    assert batch.advance()
    assert len(batch.trace(0)) >= 2


def test_turns_are_taken_in_order():
    for one_by_one, order in ((False, "abababb"), (True, "aaabbbb")):
        notes = []
        turns = Turns([Counter("a", 3, notes), Counter("b", 4, notes)], one_by_one)
        left = []
        while not turns.advance(0.0):
            left.append(turns.unfinished)
        assert "".join(notes) == order
        assert left == sorted(left, reverse=True)
    assert Turns(()).finished
    assert Turns(()).advance()


def test_slices_grow_from_a_step_to_the_longest():
    seconds = slices()
    lengths = [next(seconds) for _ in range(20)]
    assert lengths[0] == 0.0
    assert lengths == sorted(lengths)
    assert lengths[-1] == lengths[-2] == 0.05


def test_gaps_are_those_of_single_runs_stacked_or_not_and_alike_tasks_are_as_many_runs():
    alike = [(QUADRATIC, {"method": "apg", "iterations": 40})] * 4
    batch = Batch([*TASKS, *alike], full=False)
    assert all(gap.size == 0 for gap in batch.gaps)
    while not batch.advance(1e-3):
        pass
    for i, (gap, (problem, keywords)) in enumerate(zip(batch.gaps, [*TASKS, *alike], strict=True)):
        if i == WRONG:
            assert gap.size == 0
            continue
        rest = {name: value for name, value in keywords.items() if name != "x0"}
        own = problem.starting_at(keywords["x0"]) if "x0" in keywords else problem
        np.testing.assert_array_equal(gap, pc.solve(own, **rest).gap)
