"""The largest problems that a visitor can ask for end within the seconds of a processor, and say so."""

from time import process_time

import pytest
from largest import LARGEST
from polyak_widgets import Budget
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices

pytestmark = pytest.mark.faults
BUDGET = Budget(seconds=8, picture_seconds=16, megabytes=500)
"""Seconds as in the public preset."""


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
