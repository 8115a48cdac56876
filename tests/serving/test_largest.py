"""The largest problems that a visitor can ask for end within the seconds of a processor, and say so."""

from time import process_time

import pytest
from polyak_widgets import Budget, Settings
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices

pytestmark = pytest.mark.faults
BUDGET = Budget(seconds=8, picture_seconds=16, megabytes=500)
"""Seconds as in the public preset."""
ALL = {"iterations": 100_000, "target": 0.0}
LARGEST = {
    "quadratic": Settings(n=10_000, condition_number=1e9, **ALL),
    "lasso": Settings(problem="lasso", data="synthetic", rows=1000, n=1200, **ALL),
    "logistic": Settings(problem="logistic", data="synthetic", rows=2000, n=1000, **ALL),
    "completion": Settings(problem="matrix_completion", **ALL),
}


class Nobody:
    """A page that takes everything."""

    def show(self, name, value):
        pass

    repeat = send = show


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_request_ends_within_its_seconds_and_says_so(name):
    session = Session(budget=BUDGET)
    slices = Slices(session.work, session.report)
    session.start(Nobody(), slices.submit)
    session.take("value", LARGEST[name].values())
    begun = process_time()
    for _ in slices.steps():
        pass
    spent, words = process_time() - begun, session.state["status"]
    print(f"{name}: {spent:.1f} s; {words}")
    assert spent < 1.5 * BUDGET.picture_seconds, "but for the one step that is under way when they are over"
    assert "seconds" in words["text"]
