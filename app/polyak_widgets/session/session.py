"""One reader's page without the page: messages come in, parts of the page's state and messages go out.

Settings and view come by `Session.take`, buttons and files by `Session.act`. What the page is to show goes to
a `Page`, by name; whoever carries it, widgets or a test, need not know what it means. The work is a generator
of slices, and who steps it is handed in: a thread (`LatestWins`) or a loop (`Slices`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from polyak_core import Cancelled, Dataset, Problem
from polyak_core.checks import of_kind
from polyak_widgets.laboratory.budget import Budget, Purse
from polyak_widgets.laboratory.experiment import Experiment, Laboratory
from polyak_widgets.laboratory.upload import from_notebook
from polyak_widgets.panels import CLOSER_LOOK, known_panels
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.pin import with_runs
from polyak_widgets.panels.words.words import refused, status, unfound
from polyak_widgets.session.actions import Buffers, act
from polyak_widgets.session.estimating import Estimating
from polyak_widgets.session.landmarks import AllLandmarks
from polyak_widgets.session.messages import (
    BY_THE_PAGE,
    HEAVY,
    Outgoing,
    Page,
    Request,
    Shown,
    first_state,
    mismatch,
)
from polyak_widgets.session.pinboard import Pinboard
from polyak_widgets.session.rail import choices, rail
from polyak_widgets.session.sight import Sight, closer_look_in
from polyak_widgets.session.slices import Stale
from polyak_widgets.session.streaming import Line, Motion, Pace, pictures, until_room
from polyak_widgets.settings.settings import Settings, fields_alone, given_settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.run_files import named_by, runs_beside
from polyak_widgets.share.sharing import shared
from polyak_widgets.stories.storyteller import Storyteller


class Session(Outgoing):
    """What one reader's page asks for and gets.

    Messages may come in another thread than that of the work: what the work writes, messages only read.

    Args:
        settings, show, view, budget, data, controls, beside: as `polyak_widgets.Explorer` takes them.

    Attributes:
        first: the settings that the button Reset goes back to.
        shown: the last that was allowed.
        experiment: what is drawn.
        board: the pictures that the reader keeps.
        lines: what is on its way to the page, by the name of the part.
        closer_look: the panel that the reader chooses, on a page that has it.

    Raises:
        ValueError: an unknown panel, or settings that are none.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        show: tuple[str, ...] = ("gap", "mu", CLOSER_LOOK),
        view: View | None = None,
        budget: Budget | None = None,
        data: Any = None,
        controls: Sequence[str] | None = None,
        *,
        beside: Any = None,
    ) -> None:
        self.controls = None if controls is None else fields_alone(controls)
        self.panels = tuple(name for name in known_panels(show) if name != CLOSER_LOOK)
        own = None if budget is None else of_kind(budget, Budget, "budget", "give Budget(...)")
        self.laboratory = Laboratory(own or Budget.of_server())
        self.first = given_settings(settings)
        if data is not None:
            self.first = self.laboratory.shelf.settings_of(from_notebook(data), settings)
        view = View() if view is None else of_kind(view, View, "view", "give View(...)")
        self.shown = Shown(self.first, view)
        self.experiment: Experiment | None = None
        self.board = Pinboard()
        self._picture: Shown | None = None  # once it is whole
        self._greeting: Mapping[str, Any] = {}  # the frames that the page had when it came
        self._repeated: Mapping[str, Any] = self._greeting  # up to here it has what it missed
        self._cancelled = False
        self._sight, self._motion = Sight(), Motion()
        super().__init__(first_state(self.first, self.view, self.laboratory.shelf.newest, bool(controls)))
        self.lines = {name: Line() for name in HEAVY}
        self._answers: dict[str, Any] = {}
        problem = self.laboratory.problem(self.first)
        self._describe(self.first, problem)
        if beside is not None:
            runs = runs_beside(beside, problem)
            self.board.pins = with_runs((), runs, named_by(runs))
        self.storyteller = Storyteller(lambda card: self.show("story", card))
        line = self.lines["frame"]
        self._estimating = Estimating(self.laboratory, self.panels, line, self.show, self._publish)
        self.closer_look: CloserLook | None = None
        if CLOSER_LOOK in show:
            draw, pins, line = self._show_closer_look, lambda: self.board.drawn, self.lines["third"]
            self.closer_look = closer_look_in(self._sight, self.laboratory, draw, pins, line)

    def start(self, page: Page, submit: Callable[[Request], None]) -> None:
        """Begin; `page`, made with the `state` until now, gets the rest, and `submit` hands on a `Request`.

        Whoever takes it goes through `work`.
        """
        self._page, self._submit = page, submit
        self.ask()

    @property
    def settings(self) -> Settings:
        """The last settings that were allowed."""
        return self.shown.settings

    @property
    def view(self) -> View:
        """How they are shown."""
        return self.shown.view

    @property
    def data(self) -> Dataset | None:
        """What the problem that is drawn is made of, where it is made of data."""
        return self.laboratory.shelf.data(self.experiment.settings if self.experiment else self.settings)

    # Messages in.

    def take(self, name: str, content: Mapping[str, Any]) -> None:
        """The page has written "value", the settings, or "view"; what it says is judged by the work."""
        if content != self.state[name]:
            self.state[name] = content
            self._forget_notice()
            self.ask()

    def act(self, content: Any, buffers: Buffers = ()) -> None:
        """A button was pressed, or a file came: {"do": name, ...}; what cannot be done is said."""
        try:
            act(self, content, buffers)
        except ValueError as error:
            self._say("error", str(error))
        except Exception as error:
            self.report(error)

    # What they come to.

    def ask(self) -> None:
        """Ask for what the page's state says now."""
        self._cancelled = False
        state = self.state
        parts = (state["value"], state["view"], self.board.drawn, state["opened"])
        self._submit(Request(*parts, self._greeting, self._sight.points))

    def change(self, values: Mapping[str, Any]) -> None:
        """Write the settings as if the page had."""
        self._write("value", values)
        self.ask()

    def go_to(self, settings: Settings, view: View, query: str | None = None) -> None:
        """Show a state; `query` is the query string that asked for it, which its frames then carry."""
        self._write("value", settings.values())
        self._write("view", view.values())
        if query is not None:
            self.show("opened", query)
        self.resume()

    def greet(self, serials: Mapping[str, Any]) -> None:
        """A page is there, and has the frames of these serial numbers: send what it missed."""
        self._greeting = dict(serials)
        for name, line in self.lines.items():
            line.arrived(serials.get(name))
        self.ask()

    def see(self, page: bool, closer_look: bool) -> None:
        """What of the page is in sight: what is not, is left or comes last.

        A picture that still grows comes to the closer look by itself; one that is whole is asked for anew.
        """
        if self._sight.change(page, closer_look) and self._picture is not None and not self._cancelled:
            self.ask()

    def fit(self, pixels: object) -> None:
        """The page's charts are so wide; a picture that is too coarse for them is drawn anew."""
        if self._sight.fit(pixels):
            self.ask()

    def describe(self) -> None:
        """The rail as it is, with the file that came last.

        A message may do this while the work does, and the newest of both is written last.
        """
        shelf = self.laboratory.shelf
        while True:
            described, files = self._rail_facts, shelf.files
            self.show("spec", rail(*described, shelf, self.controls))
            if described is self._rail_facts and files == shelf.files:
                return

    def cancel(self) -> None:
        """End the runs where they are; returns at once."""
        self._cancelled = True

    def resume(self) -> None:
        """Run again what was cancelled, if the last picture was."""
        if self.state["status"]["kind"] == "cancelled":
            self._picture = None
        self.ask()

    # The work.

    def work(self, request: Request, stale: Stale) -> Iterator[bool]:
        """Judge what is asked, then draw it; the last good settings stay where it is bad.

        Yields after each slice whether what was asked for is there: nobody has to wait for the rest.
        """
        if request.greeting is not self._repeated:
            self._repeated = request.greeting
            self._send_missed(request.greeting)
        self.shown = replace(self.shown, pins=request.pins, opened=request.opened)
        purse = self.laboratory.budget.purse()
        self._answers = request.answers()
        good = self._judge(request, stale)
        if not good and stale():
            return
        target = replace(self.shown, view=self.view.without(BY_THE_PAGE))
        if target != self._picture or request.points > self._sight.drawn_points:
            yield from self._draw(target, stale, purse, quiet=not good)
        else:
            self._amend({"answers": self._answers})
            if self.experiment is not None:
                self._amend(self._shared(self.experiment), serial=self.state["frame"]["serial"])
                if good:
                    self.show("status", status(self.experiment))
        for _ in self.storyteller.tell(self.laboratory, self.experiment, stale, lambda: self._cancelled):
            yield False
        self.board.compare_with(self.storyteller.compared)
        if (yield from self.board.run_again(self.laboratory, stale, lambda why: self.show("notice", why))):
            self.ask()
        yield True
        yield from self._look_closer(stale, purse, tell=good)

    def _judge(self, request: Request, stale: Stale) -> bool:
        """Take over what is allowed; False, and said, if that is not all: a view goes with any settings."""
        try:
            self.shown = replace(self.shown, view=View.from_values(request.view))
            settings = Settings.from_values(request.values)
            if settings.problem != "quadratic" and not self.laboratory.knows(settings):
                self._say("running", "Finding x* and f*…")
            if self.experiment is not None and choices(settings) != choices(self._rail_facts[0]):
                self._describe(settings, self.experiment.problem)  # other controls apply, drawn or not
            self.laboratory.problem(settings, lambda: stale() or self._cancelled)
        except Cancelled:
            if not stale():
                self.leave_search()
            return False
        except ValueError as error:
            self._complain(refused(error, self.settings), request.values)
            return False
        self.shown = replace(self.shown, settings=settings)
        self._complain({}, request.values)
        return True

    def leave_search(self) -> None:
        """Say that x* of what is asked was not found, and why: there is no new picture."""
        words = unfound(self._cancelled, self.laboratory.budget)
        self.show("mismatch", mismatch({"": words["text"]}, self.state["value"]))
        self.show("status", words)

    def _draw(self, target: Shown, stale: Stale, purse: Purse, quiet: bool) -> Iterator[bool]:
        """Stream frames until they are finished, cancelled or stale; ended runs are not run again."""
        whole, line = self._picture is not None, self.lines["frame"]
        if whole and self.experiment is not None and self.experiment.settings == target.settings:
            for _ in until_room(line.has_room, stale):
                yield False
            if not stale():
                self._publish(self.experiment, quiet)
                self._picture = target
            return
        rest = self._motion.rest_after(target.settings)
        dragged, self._picture = rest > 0 or (not whole and self.experiment is not None), None
        growing, at_first = self.laboratory.begin(target.settings, purse), True
        pace = Pace(line.has_room, lambda: self._sight.page, self.laboratory.budget.frames, rest)
        for experiment in pictures(growing, stale, lambda: self._cancelled, dragged, pace):
            if experiment is not None:
                self._publish(experiment, quiet or at_first)
                self._picture, at_first = target if experiment.finished else None, False
            yield False

    def _look_closer(self, stale: Stale, purse: Purse, tell: bool) -> Iterator[bool]:
        """Make the estimates of mu that are to be shown; fill the closer look, and tell the rail."""
        if self._picture is None or self.experiment is None:
            return
        left, stopped = self._sight.left(stale), lambda: self._cancelled or purse.is_empty
        yield from self._estimating.grow(self.experiment, self.view, left, stopped)
        if self.closer_look is None or stale():
            return
        experiment, asking = self.experiment, self.storyteller.is_open
        for _ in self.closer_look.grow(experiment, self.view, left, stopped, asking):
            yield True
        if tell and not left():
            self._describe_drawn(experiment)
            if self.closer_look.was_stopped and not self._cancelled:
                words = status(experiment)
                self.show("status", words | {"text": f"{words['text']} {purse.study_ended()}"})

    def _publish(self, experiment: Experiment, quiet: bool) -> None:
        self.experiment = experiment
        words = status(experiment)
        if words["kind"] == "cancelled" and not quiet:
            self.show("status", words)  # before the picture: who has cancelled waits for just this
        line, context = self.lines["frame"], {"opened": self.shown.opened, "answers": self._answers}
        points, units, pins = self._sight.points, (self.view.x,), self.shown.pins
        serial = line.number()
        frame = make_frame(experiment, self.view, self.panels, serial, pins, points=points, units=units)
        if experiment.finished:
            self._sight.drawn_points = points
        line.sent(serial)
        self.show("frame", frame | context | self._shared(experiment))
        if quiet:
            return
        self.show("status", words)
        if experiment.finished:
            self._describe_drawn(experiment)
        elif self.closer_look is not None:
            self.closer_look.follow(experiment, self.view)

    def _show_closer_look(self, frame: dict[str, Any]) -> None:
        self.lines["third"].sent(frame["serial"])
        self.show("third", frame)

    def _shared(self, experiment: Experiment) -> dict[str, Any]:
        """What a whole frame carries besides the picture, to share it."""
        if not experiment.finished:
            return {}
        own = self.laboratory.shelf.own.get(experiment.settings.own)
        story = self.storyteller.named_by(experiment.settings)
        state = {"value": experiment.settings.values(), "view": self.view.values()}
        return {"share": shared(experiment, self.view, own, story), "state": state}

    def _describe_drawn(self, experiment: Experiment) -> None:
        """The rail, with the landmarks that are known by now: none that answers an open question."""
        telling = self.closer_look if not self.storyteller.asks else None
        landmarks = telling.landmarks(experiment) if telling else None
        self._describe(self.settings, experiment.problem, landmarks)

    def _describe(self, settings: Settings, problem: Problem, marks: AllLandmarks | None = None) -> None:
        """The rail's groups of fields for these settings."""
        self._rail_facts = settings, problem, marks
        self.describe()
