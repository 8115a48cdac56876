"""The closer look: which of its kinds is shown, what that needs, and the frames that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from time import monotonic, sleep
from typing import Any

from polyak_core import Problem
from polyak_core.runs.work import Turns, Work
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.panels import Panel
from polyak_widgets.panels.closer_look.band.panel import Bands, band_panel, band_studies
from polyak_widgets.panels.closer_look.band.words import no_such_method
from polyak_widgets.panels.closer_look.directions.components_panel import component_studies, components_panel
from polyak_widgets.panels.closer_look.directions.directions import NoDirectionsError
from polyak_widgets.panels.closer_look.directions.path_panel import path_panel
from polyak_widgets.panels.closer_look.estimates_panel import estimates_panel, estimates_study
from polyak_widgets.panels.closer_look.momentum_panel import momentum_panel
from polyak_widgets.panels.closer_look.sensitivity.panel import best_value, sensitivity_panel
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import LONGEST
from polyak_widgets.panels.closer_look.sensitivity.sweeps import METHOD_OF, sensitivity_studies
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.crowd import first_drawn
from polyak_widgets.panels.curves import drawn
from polyak_widgets.panels.frame import make_closer_look_frame
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.texts import (
    AT_THE_END,
    BEST_VALUE,
    BY_SIX_RULES,
    HEADINGS,
    HELD_BACK,
    NO_METHOD,
    NO_PINS_HERE,
    SPLITTING,
    STOPPED,
    SWEEP_TITLES,
)
from polyak_widgets.panels.words.words import bare_name
from polyak_widgets.settings.view import ALONG, CLOSER_LOOKS, PLANES, SPREADS, SWEPT, TELLING, View

SLICE_SECONDS = 0.004
FRAME_SECONDS = 0.1
"""A closer look that grows is drawn so often: it must not take the time of the curves."""
REST = 0.1
"""So long it waits before it computes: a slider that still moves comes first, and so do the other charts."""
NAP = 0.02
"""Between two looks at whether there is something else to do."""
SECOND: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "sensitivity": ("swept", SWEPT),
    "path": ("plane", PLANES),
    "estimates": ("along", ALONG),
    "band": ("spread", SPREADS),
}
"""Some kinds have a second choice: its name in the view, and what there is to choose."""
OF_CLOSER_LOOK = ("third", *(name for name, _ in SECOND.values()))
"""Names of the view that only the closer look reads."""
EXPLAINS: Mapping[str, tuple[str, ...]] = {
    "gamma": ("gamma", "method:restart"),
    "mu0": ("mu0", "mu_k", "method:adapt_apg"),
    "condition_number": ("kappa", "mu", "L"),
    "momentum": ("beta", "t_k", "mu_k"),
    "components": ("eigenvalues", "x_star"),
    "path": ("eigenvalues", "x_star", "f"),
    "estimates": ("mu_k", "mu", "g_L", "T_L"),
    "band": ("gap", "f_star"),
}
"""Entries of the guide that its title opens, by what it shows or varies."""
WITHOUT_PINS = ("components", "path", "estimates", "band")
"""Kinds that look into a run: of a pinned one only its curves are kept."""


NOTHING = Turns(())
"""No work at all."""


@dataclass(frozen=True)
class Needed:
    """What a panel needs besides the runs of the picture, and how it is made of both.

    `draw` is told whether the reader has stopped the work, so that no more will come; `bands` are those that
    it draws.
    """

    work: Work
    draw: Callable[[bool], Panel]
    bands: Bands | None = None


class CloserLook:
    """The closer look of one page.

    What it needs besides the curves is computed after them, in slices, and remembered.

    Attributes:
        was_stopped: whether the newest work ended before all was there, since it was told so.
        bands: those that are drawn, once no more of them will come.
    """

    bands: Bands | None = None

    def __init__(
        self,
        show: Callable[[dict[str, Any]], object],
        seconds: float = LONGEST,
        pins: Callable[[], tuple[Pin, ...]] = tuple,
        has_room: Callable[[], bool] = lambda: True,
        is_in_sight: Callable[[], bool] = lambda: True,
        unseen: float = 0.0,
        *,
        is_known: Callable[[Problem], bool] = lambda problem: True,
        number: Callable[[], int] | None = None,
    ) -> None:
        """`show` takes the frames, the first one empty so that its place stays free.

        `seconds` limit a study; `pins` are the pictures that the reader keeps; `has_room` says whether the
        page can take a frame while others will come, `is_in_sight` whether the reader sees the place;
        else the work waits for `unseen` seconds: a file may want it, once the reader pauses.
        Studies of a problem go when it `is_known` no more. `number` gives the serial number of a frame.
        """
        self._show = show
        self._is_stale = self.was_stopped = False
        self._pins = pins
        self._has_room, self._is_in_sight, self._unseen = has_room, is_in_sight, unseen
        self._studies = Studies(min(seconds, LONGEST), is_known)
        self._number = number or count(1).__next__
        show({"serial": 0})

    def follow(self, experiment: Experiment, view: View) -> None:
        """While the curves grow: the momentum does too; any other kind is of the setting before."""
        if view.third == "momentum":
            if self._has_room():
                self._publish(
                    view, momentum_panel(first_drawn(experiment, view), self._pins()), settled=False
                )
        else:
            self._outdate()

    def _outdate(self) -> None:
        """Say that what is drawn is of the setting before."""
        self.bands = None
        if not self._is_stale:
            self._is_stale = True
            self._show({"serial": self._number(), "stale": True})

    def grow(
        self,
        experiment: Experiment,
        view: View,
        stale: Callable[[], bool],
        stopped: Callable[[], bool] = lambda: False,
        asking: bool = False,
    ) -> Iterator[None]:
        """When the curves are there: compute what is missing, streaming; yields after each slice of the work.

        It ends when all is there, when something else is asked for (`stale`), or when the reader has
        `stopped` it; what was left goes on when it is asked for again. What runs more than is drawn waits
        while a story is `asking`, for it may hold the answer.
        """
        self.was_stopped, self.bands = False, None
        if asking and view.third in TELLING:
            self._publish(view, {"empty": HELD_BACK}, settled=True)
            return
        try:
            needed = needed_by(experiment, view, self._studies, self._pins())
            yield from self._grow(needed, view, stale, stopped)
        except ValueError as error:
            self._publish(view, {"empty": str(error)}, settled=True)

    def _grow(
        self, needed: Needed, view: View, stale: Callable[[], bool], stopped: Callable[[], bool]
    ) -> Iterator[None]:
        if not needed.work.finished:
            if not self._is_in_sight():
                self._outdate()
            yield from _rest(REST, lambda: stale() or stopped())
            yield from _rest(self._unseen, lambda: stale() or stopped() or self._is_in_sight())
        last_frame = monotonic()
        while not needed.work.finished:
            if stale():
                return
            if stopped():
                self.was_stopped, self.bands = True, needed.bands
                self._publish(view, needed.draw(True), settled=True)
                return
            needed.work.advance(SLICE_SECONDS)
            yield
            if monotonic() - last_frame >= FRAME_SECONDS and self._has_room():
                self._publish(view, needed.draw(False), settled=False)
                last_frame = monotonic()
        if not stale():
            self.bands = needed.bands
            self._publish(view, needed.draw(False), settled=True)

    def landmarks(self, experiment: Experiment) -> dict[str, list[list[Any]]]:
        """What it knows that a slider may show, by the name of the setting."""
        best = best_value(experiment, sensitivity_studies(experiment, "gamma", self._studies))
        return {} if best is None else {"gamma": [[best, BEST_VALUE]]}

    def _publish(self, view: View, panel: Panel, settled: bool) -> None:
        choices: Panel = {"kind": view.third, "kinds": [list(pair) for pair in CLOSER_LOOKS.items()]}
        if view.third in SECOND and not panel.get("no_choice"):
            name, options = SECOND[view.third]
            pairs = [list(pair) for pair in options.items()]
            choices["second"] = {"name": name, "value": getattr(view, name), "options": pairs}
        if any(pin.id > 0 for pin in self._pins()) and view.third in WITHOUT_PINS and "subtitle" in panel:
            panel = panel | {"subtitle": f"{panel['subtitle']} · {NO_PINS_HERE}"}
        whole = {"title": _heading(view), "explains": list(_explains(view))} | panel | choices
        self._is_stale = False
        self._show(make_closer_look_frame(whole, self._number(), settled))


def _heading(view: View) -> str:
    """What the panel is called where there is nothing to draw."""
    return SWEEP_TITLES[view.swept] if view.third == "sensitivity" else HEADINGS[view.third]


def _explains(view: View) -> tuple[str, ...]:
    return EXPLAINS[view.swept if view.third == "sensitivity" else view.third]


def _rest(seconds: float, disturbed: Callable[[], bool]) -> Iterator[None]:
    """Wait so long, unless there is something to do."""
    end = monotonic() + seconds
    while monotonic() < end and not disturbed():
        sleep(NAP)
        yield


def needed_by(experiment: Experiment, view: View, studies: Studies, pins: tuple[Pin, ...] = ()) -> Needed:
    """What the kind that is shown needs."""
    gaps = [trace.gap[0] for _, trace in drawn(experiment)]
    if gaps and not any(gaps):
        return nothing(AT_THE_END)
    if view.third == "momentum":
        return Needed(NOTHING, lambda stopped: momentum_panel(first_drawn(experiment, view), pins))
    if view.third == "sensitivity":
        sweeps = sensitivity_studies(experiment, view.swept, studies)
        return Needed(Turns(sweeps.all), lambda stopped: sensitivity_panel(experiment, view, sweeps, stopped))
    if view.third == "estimates":
        return _needs_estimates(experiment, view, studies)
    if view.third == "band":
        return _needs_bands(first_drawn(experiment, view), view, studies)
    return _needs_components(experiment, view, studies)


def nothing(why: str) -> Needed:
    """There is nothing to draw; `why` follows the word because."""
    return Needed(NOTHING, lambda stopped: {"empty": why})


def _needs_estimates(experiment: Experiment, view: View, studies: Studies) -> Needed:
    study = estimates_study(experiment, view.along, studies)
    if study is None:
        return nothing(NO_METHOD)

    def draw(stopped: bool) -> Panel:
        if study.run.k > 1:
            return estimates_panel(experiment, study)
        return {"empty": STOPPED} if stopped else {"waiting": BY_SIX_RULES}

    return Needed(study.work, draw)


def _needs_bands(experiment: Experiment, view: View, studies: Studies) -> Needed:
    bands = band_studies(experiment, view.spread, studies)
    if not drawn(experiment):
        return nothing(NO_METHOD)
    if not bands.studies:
        return nothing(no_such_method(view.spread, bare_name(METHOD_OF[view.spread])))
    work = Turns(bands.studies.values())
    return Needed(work, lambda stopped: band_panel(experiment, bands, stopped), bands)


def _needs_components(experiment: Experiment, view: View, studies: Studies) -> Needed:
    try:
        basis, runs = component_studies(experiment, studies)
    except NoDirectionsError as error:
        return nothing(str(error))

    def draw(stopped: bool) -> Panel:
        if not runs:
            return {"empty": NO_METHOD}
        if not all(run.finished for run in runs.values()):
            return {"empty": STOPPED} if stopped else {"waiting": SPLITTING}
        results = {method: run.result() for method, run in runs.items()}
        if view.third == "path":
            return path_panel(experiment, basis, results, view.plane)
        return components_panel(experiment, basis, results)

    return Needed(Turns(runs.values()), draw)
