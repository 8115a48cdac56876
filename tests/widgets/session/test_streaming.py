"""A growing experiment is drawn at once, then now and then, and whole at its end."""

from itertools import count

from polyak_widgets import Settings
from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.session import streaming
from polyak_widgets.session.streaming import DRAG_SLICE, FIRST_SLICE, Pace, pictures

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
