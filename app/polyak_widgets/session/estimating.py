"""The estimates of mu by six rules, where the panel of estimates is to show them: made after the curves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from polyak_core.runs.work import Turns
from polyak_widgets.laboratory.experiment import Experiment, Laboratory
from polyak_widgets.panels.charts.estimates import methods_asked
from polyak_widgets.panels.closer_look.estimates_panel import estimates_so_far, study_along
from polyak_widgets.panels.closer_look.panel import SLICE_SECONDS
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.panels.texts import BY_SIX_RULES
from polyak_widgets.session.slices import Stale
from polyak_widgets.session.streaming import Line, until_room
from polyak_widgets.settings.view import View


class Estimating:
    """What six rules make of mu along the runs of a page's pictures, remembered while its problems are."""

    def __init__(
        self,
        laboratory: Laboratory,
        panels: Collection[str],
        line: Line,
        show: Callable[[str, dict[str, Any]], None],
        draw: Callable[[Experiment, bool], None],
    ) -> None:
        """Nothing is made yet; a page whose panels have no "mu" needs nothing.

        `show` takes words that say what goes on, `draw` a picture, once the line has room for it.
        """
        self._studies = Studies(laboratory.budget.seconds, laboratory.keeps)
        self._needed, self._line, self._show, self._draw = "mu" in panels, line, show, draw

    def missing(self, experiment: Experiment, view: View) -> list[str]:
        """Along which runs the six are needed and not there."""
        methods = methods_asked(first_drawn(experiment, view), view) if self._needed else []
        return [method for method in methods if method not in experiment.estimates]

    def grow(
        self, experiment: Experiment, view: View, left: Stale, stopped: Callable[[], bool]
    ) -> Iterator[bool]:
        """Make what is missing in slices and draw it; where it was `stopped`, as far as it came."""
        few, missing = first_drawn(experiment, view), self.missing(experiment, view)
        if not missing:
            return
        self._show("status", {"kind": "running", "text": BY_SIX_RULES})
        studies = {method: study_along(few, method, self._studies) for method in missing}
        work = Turns(study.work for study in studies.values())
        while not (work.finished or left() or stopped()):
            work.advance(SLICE_SECONDS)
            yield True
        for _ in until_room(self._line.has_room, left):
            yield True
        if not left():
            newest = {method: estimates_so_far(study) for method, study in studies.items()}
            restarts = next(iter(studies.values())).restarts.trace(0)
            estimates = {**experiment.estimates, **newest}
            self._draw(replace(experiment, estimates=estimates, restarts=restarts), False)
