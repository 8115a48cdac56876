"""The third panel: which of its kinds is shown, what that needs, and the frames that come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import Any

from .components_panel import component_studies, components_panel
from .directions import NoDirectionsError
from .experiment import Experiment
from .momentum_panel import momentum_panel
from .path_panel import path_panel
from .sensitivity_panel import best_value, sensitivity_panel
from .studies import Studies, Study, advance_all
from .sweeps_shown import sensitivity_studies
from .third_frame import make_third_frame
from .view import PLANES, SWEPT, THIRD, View

SLICE_SECONDS = 0.004
FRAME_SECONDS = 0.1
"""A third panel that grows is drawn so often: it must not take the time of the curves."""
SECOND: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "sensitivity": ("swept", SWEPT),
    "path": ("plane", PLANES),
}
"""Some kinds have a second choice: its name in the view, and what there is to choose."""
OF_THIRD = ("third", *(name for name, _ in SECOND.values()))
"""Names of the view that only the third panel reads."""
Panel = dict[str, Any]


@dataclass(frozen=True)
class Needed:
    """What a panel needs besides the runs of the picture, and how it is made of both."""

    studies: tuple[Study, ...]
    draw: Callable[[], Panel]


class Third:
    """The third panel of one page.

    What it needs besides the curves is computed after them, in slices, and remembered.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        """`send` takes the frames; the first is empty, so that the page keeps a place for the panel."""
        self._send = send
        self._studies = Studies()
        self._serial = count(1)
        send({"serial": 0})

    def follow(self, experiment: Experiment, view: View) -> None:
        """While the curves grow: the momentum does too; any other kind is of the setting before."""
        if view.third == "momentum":
            self._publish(view, momentum_panel(experiment), settled=False)
        else:
            self._send({"serial": next(self._serial), "stale": True})

    def grow(self, experiment: Experiment, view: View, unwanted: Callable[[], bool]) -> None:
        """When the curves are there: compute what is missing, streaming, until it is there or unwanted."""
        needed, sent = needed_by(experiment, view, self._studies), monotonic()
        while not unwanted():
            done = advance_all(needed.studies, SLICE_SECONDS)
            if done or monotonic() - sent >= FRAME_SECONDS:
                self._publish(view, needed.draw(), settled=done)
                sent = monotonic()
            if done:
                return

    def landmarks(self, experiment: Experiment) -> dict[str, list[list[Any]]]:
        """What it knows that a slider may show, by the name of the setting."""
        best = best_value(experiment, sensitivity_studies(experiment, "gamma", self._studies))
        return {} if best is None else {"gamma": [[best, "best"]]}

    def _publish(self, view: View, panel: Panel, settled: bool) -> None:
        told: Panel = {"kind": view.third, "kinds": [list(pair) for pair in THIRD.items()]}
        if view.third in SECOND:
            name, options = SECOND[view.third]
            pairs = [list(pair) for pair in options.items()]
            told["second"] = {"name": name, "value": getattr(view, name), "options": pairs}
        self._send(make_third_frame(panel | told, next(self._serial), settled))


def needed_by(experiment: Experiment, view: View, studies: Studies) -> Needed:
    """What the kind that is shown needs."""
    if view.third == "momentum":
        return Needed((), lambda: momentum_panel(experiment))
    if view.third == "sensitivity":
        found = sensitivity_studies(experiment, view.swept, studies)
        return Needed(found.all, lambda: sensitivity_panel(experiment, view, found))
    return _needs_components(experiment, view, studies)


def _needs_components(experiment: Experiment, view: View, studies: Studies) -> Needed:
    try:
        held, runs = component_studies(experiment, studies)
    except NoDirectionsError as error:
        why = str(error)
        return Needed((), lambda: {"empty": why})

    def draw() -> Panel:
        if not runs:
            return {"empty": "no method can run here; the table says why."}
        if not all(run.finished for run in runs.values()):
            return {"waiting": "Telling the errors apart…"}
        results = {method: run.result() for method, run in runs.items()}
        if view.third == "path":
            return path_panel(experiment, held, results, view.plane)
        return components_panel(experiment, held, results)

    return Needed(tuple(runs.values()), draw)
