"""What one reader's work may take from others: seconds of a processor for a picture and in a minute."""

from itertools import count

from polyak_widgets import Budget, Settings
from polyak_widgets.laboratory import budget
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.settings.view import View


class Page:
    """A page that takes everything, and its session, which works in slices."""

    def __init__(self, settings, **asked):
        self.session = Session(settings, **asked)
        slices = Slices(self.session.work, self.session.report)
        self.session.start(self, slices.submit)
        self.slices = slices

    def show(self, name, value):
        pass

    repeat = send = show


def test_a_study_draws_from_the_seconds_of_its_picture_and_says_where_they_end(monkeypatch):
    monkeypatch.setattr(budget, "process_time", count().__next__)
    settings = Settings(iterations=20_000, methods=("adapt_apg_v2",), condition_number=1e6)
    page = Page(settings, budget=Budget(picture_seconds=40), view=View(third="sensitivity"))
    for _ in page.slices.steps():
        pass
    state = page.session.state
    assert page.session.experiment.finished
    assert state["third"]["settled"]
    assert "stopped" in str(state["third"]["panel"])
    assert state["status"]["kind"] == "done"
    assert state["status"]["text"].endswith(
        "The closer look was left, since the 40 seconds of a processor that a picture may take here are used "
        "up. In a notebook Explorer(budget=Budget(...)) allows more."
    )
