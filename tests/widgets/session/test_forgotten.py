"""A page that goes from problem to problem remembers the newest few, and nothing has the others in memory."""

import gc
import weakref

from polyak_widgets import Settings
from polyak_widgets.laboratory import experiment
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.settings.view import CLOSER_LOOKS, View

KEPT = 2


class Page:
    def show(self, name, value):
        pass

    repeat = send = show


def test_problems_are_forgotten_with_their_studies(monkeypatch):
    monkeypatch.setattr(experiment, "KEPT_PROBLEMS", KEPT)
    for third in CLOSER_LOOKS:
        session = Session(Settings(iterations=20, methods=("restart",), n=5), view=View(third=third))
        slices = Slices(session.work, session.report)
        session.start(Page(), slices.submit)
        problems = []
        for kappa in range(10, 10 + KEPT + 3):
            session.take("value", session.state["value"] | {"condition_number": float(kappa)})
            for _ in slices.steps():
                pass
            problems.append(weakref.ref(session.experiment.problem))
        gc.collect()
        alive = [ref() for ref in problems if ref() is not None]
        assert KEPT <= len(alive) <= KEPT + 1
        assert problems[-1]() is session.experiment.problem
