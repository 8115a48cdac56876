"""A growing experiment is drawn at once, then now and then, and whole at its end."""

from dataclasses import replace
from itertools import count

from polyak_widgets import Settings
from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.session import streaming
from polyak_widgets.session.streaming import DRAG_SLICE, FIRST_SLICE, REST, SOON, Motion, Pace, pictures

SETTINGS = Settings(iterations=200)


def never() -> bool:
    return False


def drawn(*arguments):
    """The turns that end with a picture."""
    return [experiment for experiment in pictures(*arguments) if experiment is not None]


def test_the_first_picture_is_partial_and_the_last_is_finished():
    *growing, last = drawn(Laboratory().begin(SETTINGS), never, never)
    assert growing, "something is drawn before all is known"
    assert not any(experiment.finished for experiment in growing)
    assert last.finished
    assert {len(run.trace) for run in last.runs} == {201}


def test_what_is_known_already_comes_first_as_a_live_picture_too():
    laboratory = Laboratory()
    *_, experiment = drawn(laboratory.begin(SETTINGS), never, never)
    first, again = drawn(laboratory.begin(SETTINGS), never, never)
    assert not first.finished
    assert again.finished
    assert (
        [run.trace for run in first.runs]
        == [run.trace for run in again.runs]
        == [run.trace for run in experiment.runs]
    )


def test_it_ends_where_it_is_cancelled_or_stale():
    long = Settings(iterations=100_000, methods=("pgd", "fista"))
    *_, cancelled = drawn(Laboratory().begin(long), never, lambda: True)
    assert cancelled.finished
    assert {run.trace.outcome for run in cancelled.runs} == {"cancelled"}
    (only,) = drawn(Laboratory().begin(SETTINGS), lambda: True, never)
    assert not only.finished


def test_a_dragged_slider_shows_longer_curves(monkeypatch):
    growing, turns = Laboratory().begin(SETTINGS), []
    monkeypatch.setattr(growing, "advance", turns.append)
    for dragged in (False, True):
        next(pictures(growing, never, never, dragged))
    assert turns == [FIRST_SLICE, DRAG_SLICE]
    assert turns[0] < turns[1]


def test_while_a_slider_is_dragged_the_runs_rest_after_the_first_picture(monkeypatch):
    """By a clock that goes on by a millisecond when it is looked at, and does not sleep."""
    clock = count().__next__
    monkeypatch.setattr(streaming.time, "monotonic", lambda: clock() / 1000)
    monkeypatch.setattr(streaming.time, "sleep", lambda seconds: None)
    growing, turns = Laboratory().begin(SETTINGS), []
    advance = growing.advance
    monkeypatch.setattr(growing, "advance", lambda *seconds: turns.append(seconds) or advance(*seconds))
    steps = pictures(growing, never, never, dragged=True, pace=Pace(rest=REST))
    assert next(steps) is not None
    for _ in range(20):
        assert next(steps) is None
    assert len(turns) == 1, "what follows the first picture waits for the next move"
    *_, last = (one for one in steps if one is not None)
    assert last.finished, "and comes when there is none"


def test_a_slider_is_dragged_where_settings_change_again_soon(monkeypatch):
    clock = iter([0.0, 1.0, 1.1, 1.2, 2.0])
    monkeypatch.setattr(streaming.time, "monotonic", clock.__next__)
    motion = Motion()
    settings = [replace(SETTINGS, gamma=1 + number / 10) for number in range(5)]
    moves = [(0, False), (0, False), (1, False), (2, True), (2, False), (3, True), (4, False)]
    for number, is_dragged in moves:
        assert motion.rest_after(settings[number]) == (REST if is_dragged else 0)


class Endless:
    """Runs that never end."""

    def advance(self, *seconds):
        return False

    def snapshot(self):
        return self

    unfinished = snapshot


def test_a_picture_that_grows_is_drawn_so_often_and_no_more(monkeypatch):
    """By a clock that goes on by a millisecond when it is looked at."""
    for rate in (10, 25):
        clock = count().__next__
        monkeypatch.setattr(streaming.time, "monotonic", lambda clock=clock: clock() / 1000)
        number = 0
        for picture in pictures(Endless(), never, never, pace=Pace(rate=rate)):
            number += picture is not None
            if clock() > 5000:
                break
        assert 5 * rate * 0.9 < number <= 5 * rate + 1


def test_no_second_picture_holds_up_the_last_one_of_runs_that_end_soon(monkeypatch):
    """By a clock that goes on by a millisecond when it is looked at."""
    for ends_after in (0.8 * SOON, 2 * SOON):
        clock = count().__next__
        monkeypatch.setattr(streaming.time, "monotonic", lambda clock=clock: clock() / 1000)
        runs = Endless()
        runs.advance = lambda *seconds, clock=clock, end=ends_after: clock() / 1000 > end
        drawn = [one for one in pictures(runs, never, never) if one is not None]
        assert (len(drawn) == 2) == (ends_after < SOON), "the first and the last alone, or some between"
