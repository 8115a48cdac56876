"""The estimates of mu by six rules, where the panel of estimates is to show them: made after the curves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from dataclasses import replace

from polyak_core.runs.work import Turns
from polyak_widgets.laboratory.experiment import Experiment, Laboratory
from polyak_widgets.panels.charts.estimates import methods_asked
from polyak_widgets.panels.closer_look.estimates_panel import estimates_so_far, study_along
from polyak_widgets.panels.closer_look.panel import SLICE_SECONDS
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.session.slices import Stale
from polyak_widgets.session.streaming import Line, until_room
from polyak_widgets.settings.view import View


class Estimating:
    """What six rules make of mu along the runs of a page's pictures, remembered while its problems are."""

    def __init__(self, laboratory: Laboratory, panels: Collection[str], line: Line) -> None:
        """Nothing is made yet; a page that has no panel of estimates needs nothing."""
        self._studies = Studies(laboratory.budget.seconds, laboratory.keeps)
        self._needed, self._line = "mu" in panels, line

    def missing(self, experiment: Experiment, view: View) -> list[str]:
        """Along which runs the six are needed and not there."""
        methods = methods_asked(first_drawn(experiment, view), view) if self._needed else []
        return [method for method in methods if method not in experiment.estimates]

    def grow(
        self, experiment: Experiment, view: View, left: Stale, over: Callable[[], bool]
    ) -> Generator[bool, None, Experiment | None]:
        """Make what is missing in slices, and wait for room to draw it.

        Gives the experiment with the six, as far as they came where it is `over`; None where it was `left`.
        """
        few = first_drawn(experiment, view)
        studies = {m: study_along(few, m, self._studies) for m in self.missing(experiment, view)}
        work = Turns(study.work for study in studies.values())
        while not (work.finished or left() or over()):
            work.advance(SLICE_SECONDS)
            yield True
        for _ in until_room(self._line.has_room, left):
            yield True
        newest = {method: estimates_so_far(study) for method, study in studies.items()}
        return None if left() else replace(experiment, estimates={**experiment.estimates, **newest})
