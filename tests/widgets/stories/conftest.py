"""A reader without a browser, who opens stories and answers them by messages to a session."""

import pytest
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.stories.stories import STORIES, Choice


class Page:
    """Who carries the messages, and looks at none."""

    def show(self, name, value):
        pass

    def repeat(self, names):
        pass

    def send(self, content, buffers=()):
        pass


class Reader:
    """One who opens stories and answers them."""

    def __init__(self):
        self.session = Session()
        self.slices = Slices(self.session.work, self.session.report)
        self.session.start(Page(), self.slices.submit)
        self.settle()

    def settle(self):
        for _ in self.slices.steps():
            pass

    def press(self, do, **more):
        self.session.act({"do": do, **more})
        self.settle()
        return dict(self.session.state)

    def answer(self, name):
        """Open a story and give its first prediction."""
        self.press("story", name=name)
        prediction = STORIES[name].prediction
        return self.press(
            "predict", value=prediction.options[0][0] if isinstance(prediction, Choice) else prediction.low
        )


@pytest.fixture(scope="module")
def reader():
    """One whose page has been open since the first test of a file."""
    return Reader()
