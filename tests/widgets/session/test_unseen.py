"""Work that nobody sees is not done: of a page in the background, of a closer look that is scrolled away."""

import pytest
from polyak_widgets import Budget, Settings
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.settings.view import View

SETTINGS = Settings(iterations=3000, methods=("adapt_apg_v2", "fista"))


class Page:
    """What comes to a page, and its session, which works when it is told to."""

    def __init__(self, unseen_seconds):
        budget = Budget(unseen_seconds=unseen_seconds)
        self.session = Session(SETTINGS, view=View(third="sensitivity"), budget=budget)
        self.slices = Slices(self.session.work, self.session.report)
        self.frames, self.closer_looks = [], []
        self.session.start(self, self.slices.submit)

    def show(self, name, value):
        if name == "frame":
            self.frames.append(value["settled"])
        if name == "third":
            self.closer_looks.append("stale" if value.get("stale") else value["settled"])

    def repeat(self, names):
        pass

    def send(self, content, buffers=()):
        pass

    def sees(self, page, third):
        self.session.act({"do": "sight", "page": page, "third": third})

    def move(self, kappa):
        self.session.take("value", self.session.state["value"] | {"condition_number": kappa})

    def work(self, until=lambda: False):
        """Until nothing is left, or until something is there."""
        self.frames.clear()
        self.closer_looks.clear()
        for _ in self.slices.steps():
            if until():
                return


@pytest.fixture
def unseen_seconds():
    return 1e9


@pytest.fixture
def page(unseen_seconds):
    page = Page(unseen_seconds)
    page.work(until=lambda: True in page.frames)
    for _, _ in zip(page.slices.steps(), range(20), strict=False):
        assert page.closer_looks in ([], ["stale"]), "a page that has not come yet is seen by nobody"
    page.sees(page=True, third=True)
    page.work()
    assert page.closer_looks[-1] is True
    return page


def test_a_page_in_the_background_gets_its_picture_and_nothing_that_leads_to_it(page):
    page.sees(page=False, third=True)
    page.move(3e4)
    page.work()
    assert page.frames == [False, True], "the first with few points when all runs have ended, then all"
    assert page.closer_looks == ["stale"]
    page.sees(page=True, third=True)
    page.work()
    assert page.frames == [], "the picture is not made anew"
    assert page.closer_looks[-1] is True


def test_a_study_is_left_when_its_page_goes_to_the_background_and_goes_on_when_it_comes_back(page):
    page.move(4e4)
    page.work(until=lambda: False in page.closer_looks)
    page.sees(page=False, third=True)
    page.work()
    assert page.closer_looks == []
    page.sees(page=True, third=True)
    page.work()
    assert page.closer_looks[-1] is True


@pytest.mark.parametrize("unseen_seconds", [1e9, 0.01])
def test_a_closer_look_out_of_sight_comes_once_the_reader_pauses_and_at_once_when_it_is_seen(
    page, unseen_seconds
):
    page.sees(page=True, third=False)
    page.move(5e4)
    page.work(until=lambda: True in page.frames)
    if unseen_seconds > 1:
        for _, _ in zip(page.slices.steps(), range(20), strict=False):
            assert page.closer_looks == ["stale"]
        page.sees(page=True, third=True)
        page.work()
        assert page.closer_looks[-1] is True, "no picture is made anew for it"
        assert page.frames == []
    else:
        page.move(6e4)
        page.work()
        assert page.closer_looks[-1] is True, "a file of the page needs it"


def test_what_the_reader_has_stopped_stays_so_when_the_page_comes_back(page):
    page.move(7e4)
    page.work(until=lambda: False in page.closer_looks)
    page.session.act({"do": "cancel"})
    page.work()
    page.sees(page=False, third=True)
    page.sees(page=True, third=True)
    page.work()
    assert page.closer_looks == []
