"""The estimates of mu by six rules, where the panel of estimates is to show them: made after the curves."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from polyak_core.runs.work import Turns
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import Experiment, Laboratory
from polyak_widgets.panels.charts.estimates import methods_asked
from polyak_widgets.panels.closer_look.estimates_panel import estimates_so_far, study_along
from polyak_widgets.panels.closer_look.panel import SLICE_SECONDS
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.settings.view import View


class Estimating:
    """What six rules make of mu along the runs of a page's pictures, remembered while its problems are."""

    def __init__(self, laboratory: Laboratory) -> None:
        """Nothing is made yet."""
        budget: Budget = laboratory.budget
        self._studies = Studies(budget.seconds, laboratory.keeps)

    def missing(self, experiment: Experiment, view: View) -> list[str]:
        """Along which runs the six are needed and not there."""
        methods = methods_asked(first_drawn(experiment, view), view)
        return [method for method in methods if method not in experiment.estimates]

    def grow(
        self, experiment: Experiment, view: View, left: Callable[[], bool]
    ) -> Generator[bool, None, Experiment]:
        """Make what is missing in slices, until it is there or `left`: the experiment with it so far."""
        few = first_drawn(experiment, view)
        studies = {m: study_along(few, m, self._studies) for m in self.missing(experiment, view)}
        work = Turns(study.work for study in studies.values())
        while not work.finished and not left():
            work.advance(SLICE_SECONDS)
            yield True
        made = {method: estimates_so_far(study) for method, study in studies.items()}
        return replace(experiment, estimates={**experiment.estimates, **made})
