"""The Explorer: a view with one observer. The rail asks, a worker computes, the stage shows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import ipywidgets

from polyak_core import Cancelled, Dataset
from polyak_widgets.closer_look.panel import OF_THIRD, Third
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import Experiment, Laboratory
from polyak_widgets.laboratory.upload import from_notebook
from polyak_widgets.page.controls import Controls
from polyak_widgets.page.shown import with_still
from polyak_widgets.page.widgets import Stage
from polyak_widgets.panels.both import PANELS, THIRD
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.pins import Pin
from polyak_widgets.panels.words import fault, refused, status, unfound
from polyak_widgets.session.actions import Buffers, act
from polyak_widgets.session.arrival import send_missed
from polyak_widgets.session.rail_spec import Rail
from polyak_widgets.session.request import Request
from polyak_widgets.session.streaming import pictures
from polyak_widgets.session.uploads import values_with
from polyak_widgets.session.worker import LatestWins
from polyak_widgets.settings.presets import preset_menu, usual_values
from polyak_widgets.settings.settings import Settings, given_settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.sharing import Sharing
from polyak_widgets.stories.storyteller import Storyteller, story_list


class Explorer(ipywidgets.Box):  # type: ignore[misc]  # ipywidgets carries no types
    """The page as a widget, for Voila and for notebooks.

    >>> explorer = Explorer(Settings(methods=("apg", "fista")), show=("gap",))
    >>> explorer.settings.methods
    ('apg', 'fista')

    Args:
        settings: the first state.
        show: names of the panels, "gap" and "mu"; "third" is the one that the reader chooses.
        view: how they are shown at first.
        budget: what a run may cost; by default what whoever serves the page has set.
        data: of one's own, of any size: ``pc.load_dataset(path, scaling="none")``, or a pair of features and
            labels. They are what ``Settings(problem="lasso", data="own")`` means.

    Raises:
        ValueError: an unknown panel, or settings that are none.
    """

    _worker: LatestWins[Request] | None = None

    def __init__(
        self,
        settings: Settings | None = None,
        show: tuple[str, ...] = ("gap", "mu", THIRD),
        view: View | None = None,
        budget: Budget | None = None,
        data: Any = None,
    ) -> None:
        unknown = [name for name in show if name not in (*PANELS, THIRD)]
        if unknown or not show:
            raise ValueError(f"show = {show!r}: choose one or more panels of {', '.join((*PANELS, THIRD))}.")
        self.panels = tuple(name for name in show if name != THIRD)
        self._laboratory = Laboratory(budget or Budget.of_server())
        self._good = given_settings(settings)
        if data is not None:
            self._good = self._with_own(from_notebook(data), settings)
        self.first = self._good  # what the button Reset goes back to
        self._view = view or View()
        self._serial = count(1)
        self._complete = False
        self._drawn_for: tuple[Any, ...] = ()
        self.experiment: Experiment | None = None
        self.pins: tuple[Pin, ...] = ()
        self._opened = self._answering = ""  # the page's address
        self._seen = self._told = dict[str, Any]()  # the frames that the page had when it came
        self._cancelled = threading.Event()
        self.controls = Controls(
            value=self._good.values(),
            presets=preset_menu(),
            usual=usual_values(self._laboratory.shelf.newest),
        )
        problem = self._laboratory.problem(self._good)
        self._rail = Rail(self.controls, self._laboratory.shelf, self._good, problem)
        self.stage = Stage(
            status={"kind": "running", "text": "Computing the first curves…"},
            view=self._view.values(),
            stories=story_list(),
        )
        self.storyteller = Storyteller(lambda shown: self.stage.set_trait("story", shown))
        self._sharing = Sharing(self.stage, self._laboratory.shelf, self.storyteller)
        self._third = (
            Third(self.stage, self._laboratory.budget.seconds, lambda: self.pins) if THIRD in show else None
        )
        super().__init__([self.controls, self.stage])
        self.add_class("polyak-explorer")
        self._worker = LatestWins(self._work, self._report)
        self.controls.observe(self._ask, "value")
        self.stage.observe(self._ask, "view")
        self.stage.on_msg(self._act)
        self.controls.on_msg(self._act)
        self._ask({})

    def __repr__(self) -> str:
        """One line."""
        return f"<Explorer {self._good!r}>"

    def _repr_mimebundle_(self, **keywords: Any) -> dict[str, Any]:
        return with_still(self, super()._repr_mimebundle_(**keywords))

    @property
    def settings(self) -> Settings:
        """The last settings that were allowed."""
        return self._good

    @property
    def view(self) -> View:
        """How they are shown."""
        return self._view

    @property
    def data(self) -> Dataset | None:
        """What the problem that is drawn is made of, where it is made of data."""
        return self._laboratory.shelf.data(self.experiment.settings if self.experiment else self._good)

    def go_to(self, settings: Settings, view: View, opened: str | None = None) -> None:
        """Show a state; `opened` is the query string that asked for it, which its frames then carry."""
        self.controls.value, self.stage.view = settings.values(), view.values()
        self._opened = self._opened if opened is None else opened
        self.stage.opened = self._opened
        self.resume()

    def greet(self, seen: Mapping[str, Any]) -> None:
        """A page is there, and has `seen` so much: send what it missed."""
        self._seen = dict(seen)
        self._ask({})

    def redraw(self) -> None:
        """Show the same again, with what has changed around it."""
        self._ask({})

    def _with_own(self, brought: OwnData, settings: Settings | None) -> Settings:
        """Keep data from a notebook; the settings that mean them."""
        self._laboratory.shelf.put(brought)
        if settings is None:
            return Settings.from_values(values_with(brought, {}))
        return replace(settings, own=brought.sha256) if settings.data == "own" else settings

    def bring(self, brought: OwnData) -> None:
        """Keep data of one's own, and show them."""
        self._laboratory.shelf.put(brought)
        self.controls.problems = {}
        self.controls.usual = usual_values(brought)
        if self.experiment is not None:
            self._rail.describe(self._good, self.experiment.problem)
        self.controls.value = values_with(brought, self.controls.value)
        self._ask({})

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the picture has settled; False if the timeout ran out before."""
        return self._worker is None or self._worker.wait(timeout)

    def cancel(self) -> None:
        """End the runs where they are; returns at once."""
        self._cancelled.set()

    def resume(self) -> None:
        """Run again what was cancelled, if the last picture was."""
        self._complete &= self.stage.status["kind"] != "cancelled"
        self._ask({})

    def close(self) -> None:
        """End the worker and close the widget."""
        if self._worker is not None:
            self._worker.close()
        super().close()

    def _ask(self, change: Mapping[str, Any]) -> None:
        if self._worker is not None:
            self._cancelled.clear()
            if change:
                self.stage.notice = ""
            self._worker.submit(Request(self.controls.value, self.stage.view, self._opened, self._seen))

    def _act(self, widget: Any, content: Any, buffers: Buffers) -> None:
        """A button was pressed, in the thread that takes messages."""
        try:
            act(self, content, buffers)
        except ValueError as error:
            self.stage.status = {"kind": "error", "text": str(error)}
        except Exception as error:
            self._report(error)

    def _work(self, request: Request, stale: Callable[[], bool]) -> None:
        """In the worker: judge what is asked, then draw it; the last good settings stay where it is bad."""
        self._answering = request.opened
        if request.seen is not self._told:
            self._told = request.seen
            send_missed(self.stage, self.controls, request.seen)
        good = self._judge(request, stale)
        if not good and stale():
            return
        if self._bring_up(request.opened, stale, quiet=not good):
            self._answer(stale)
        elif good and self.experiment is not None:
            self.stage.status = status(self.experiment)
        self._look_closer(stale, tell=good)

    def _judge(self, request: Request, stale: Callable[[], bool]) -> bool:
        """Take over what is allowed; False, and said, if that is not all: a view goes with any settings."""
        try:
            self._view = View.from_values(request.view)
            settings = Settings.from_values(request.values)
            if settings.problem != "quadratic" and not self._laboratory.knows(settings):
                self.stage.status = {"kind": "running", "text": "Finding x* and f*…"}
            if self.experiment is not None:
                self._rail.follow(settings, self.experiment.problem)
            self._laboratory.problem(settings, lambda: stale() or self._cancelled.is_set())
        except Cancelled:
            if not stale():
                self.stage.status = unfound(self._cancelled.is_set(), self._laboratory.budget)
            return False
        except ValueError as error:
            self.controls.problems = refused(error)
            self.stage.status = {"kind": "error", "text": "".join(self.controls.problems.values())}
            return False
        self._good, self.controls.problems = settings, {}
        return True

    def _bring_up(self, opened: str, stale: Callable[[], bool], quiet: bool) -> bool:
        """Draw the good settings, unless they stand there as asked; ended runs are not run again."""
        wanted = (self._good, self._view.without(OF_THIRD), self.pins, opened)
        if self._complete and wanted == self._drawn_for:
            self._sharing.renew(self.experiment, self._view)
            return False
        self._drawn_for = wanted
        if self._complete and self.experiment is not None and self.experiment.settings == self._good:
            self._publish(self.experiment, quiet)
        else:
            self._draw(stale, quiet)
        return True

    def _draw(self, stale: Callable[[], bool], quiet: bool) -> None:
        """Stream frames of the good settings until they are finished, cancelled or stale."""
        dragged = not self._complete and self.experiment is not None
        self._complete, at_first = False, True
        growing = self._laboratory.begin(self._good)
        for experiment in pictures(growing, stale, self._cancelled.is_set, dragged):
            self._publish(experiment, quiet or at_first)
            self._complete, at_first = experiment.finished, False

    def _answer(self, stale: Callable[[], bool]) -> None:
        """Measure what a story asks, once its picture is there."""
        with suppress(Cancelled):
            self.storyteller.answer(self._laboratory, lambda: stale() or self._cancelled.is_set())

    def _look_closer(self, stale: Callable[[], bool], tell: bool) -> None:
        """Fill the third panel, after all else, and tell the rail; nobody has to wait for it."""
        assert self._worker is not None
        self._worker.answered()
        if self._third is None or not self._complete or self.experiment is None:
            return
        self._third.grow(self.experiment, self._view, stale, self._cancelled.is_set)
        if tell and not stale():
            self._describe_controls(self.experiment)

    def _publish(self, experiment: Experiment, quiet: bool) -> None:
        self.experiment = experiment
        if (said := status(experiment))["kind"] == "cancelled" and not quiet:
            self.stage.status = said  # before the picture: who has cancelled waits for just this
        frame = make_frame(experiment, self._view, self.panels, next(self._serial), self.pins)
        self.stage.frame = frame | {"opened": self._answering} | self._sharing.of(experiment, self._view)
        if quiet:
            return
        self.stage.status = said
        if experiment.finished:
            self._describe_controls(experiment)
        elif self._third is not None:
            self._third.follow(experiment, self._view)

    def _describe_controls(self, experiment: Experiment) -> None:
        """The rail, with the landmarks that are known by now."""
        found = self._third.landmarks(experiment) if self._third else None
        self._rail.describe(self._good, experiment.problem, found)

    def _report(self, error: Exception) -> None:
        """A fault in the page itself: said, never shown as a traceback."""
        self.stage.status = fault(error)
