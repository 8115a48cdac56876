"""The Explorer: a view with one observer. The rail asks, a worker computes, the stage shows."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple

import ipywidgets

from polyak_core import Cancelled

from .actions import Buffers, act
from .budget import Budget
from .controls import Controls
from .experiment import Experiment, Laboratory
from .figures import PANELS, THIRD
from .frame import make_frame
from .settings import Settings
from .spec import rail
from .stage import Stage
from .view import View
from .words import CANCELLED, status
from .worker import LatestWins

FRAME_SECONDS = 0.03
SWITCH_SECONDS = 0.001
"""How long the worker may keep the interpreter while a message waits; Python's default is five times that."""


class Request(NamedTuple):
    """What the page asks for, not judged yet."""

    values: Mapping[str, Any]
    view: Mapping[str, Any]


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

    Raises:
        ValueError: an unknown panel.
    """

    _worker: LatestWins[Request] | None = None

    def __init__(
        self,
        settings: Settings | None = None,
        show: tuple[str, ...] = ("gap", "mu"),
        view: View | None = None,
        budget: Budget | None = None,
    ) -> None:
        unknown = [name for name in show if name not in (*PANELS, THIRD)]
        if unknown or not show:
            raise ValueError(f"show = {show!r}: choose one or more panels of {', '.join((*PANELS, THIRD))}.")
        self._show = show
        self._laboratory = Laboratory(budget or Budget.of_server())
        self._good = settings or Settings()
        self._view = view or View()
        self._serial = count(1)
        self._complete = False
        self._cancelled = threading.Event()
        problem = self._laboratory.problem(self._good)
        self.controls = Controls(spec=rail(self._good, problem), value=self._good.values())
        self.stage = Stage(
            status={"kind": "running", "text": "Computing the first curves…"}, view=self._view.values()
        )
        super().__init__([self.controls, self.stage])
        self.add_class("polyak-explorer")
        sys.setswitchinterval(SWITCH_SECONDS)
        self._worker = LatestWins(self._work, self._report)
        self.controls.observe(self._ask, "value")
        self.stage.observe(self._ask, "view")
        self.stage.on_msg(self._act)
        self._ask({})

    @property
    def settings(self) -> Settings:
        """The last settings that were allowed."""
        return self._good

    @property
    def view(self) -> View:
        """How they are shown."""
        return self._view

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the picture has settled; False if the timeout ran out before."""
        return self._worker is None or self._worker.wait(timeout)

    def cancel(self) -> None:
        """End the runs where they are; returns at once."""
        self._cancelled.set()

    def close(self) -> None:
        """End the worker and close the widget."""
        if self._worker is not None:
            self._worker.close()
        super().close()

    def _ask(self, change: Mapping[str, Any]) -> None:
        if self._worker is not None:
            self._cancelled.clear()
            self._worker.submit(Request(self.controls.value, self.stage.view))

    def _act(self, widget: Stage, content: Any, buffers: Buffers) -> None:
        """A button was pressed, in the thread that takes messages."""
        try:
            act(self, content, buffers)
        except ValueError as error:
            self.stage.status = {"kind": "error", "text": str(error)}
        except Exception as error:
            self._report(error)

    def _work(self, request: Request, stale: Callable[[], bool]) -> None:
        """In the worker: judge what is asked, then draw it; the last good picture stays where it is bad."""
        try:
            view, settings = View.from_values(request.view), Settings.from_values(request.values)
            if settings.problem != "quadratic" and not self._laboratory.knows(settings):
                self.stage.status = {"kind": "running", "text": "Finding x* and f*…"}
            self._laboratory.problem(settings, lambda: stale() or self._cancelled.is_set())
        except Cancelled:
            if not stale():
                self.stage.status = self._unfound()
            return
        except ValueError as error:
            self.controls.problems = {getattr(error, "name", "problem"): str(error)}
            self.stage.status = {"kind": "error", "text": str(error)}
            if not self._complete:
                self._draw(stale, quiet=True)
            return
        self._good, self._view = settings, view
        self.controls.problems = {}
        self._draw(stale)

    def _unfound(self) -> dict[str, str]:
        """Why there is no x*, and so no new picture."""
        if self._cancelled.is_set():
            return {"kind": "cancelled", "text": CANCELLED}
        return {"kind": "error", "text": self._laboratory.budget.search_ended()}

    def _draw(self, stale: Callable[[], bool], quiet: bool = False) -> None:
        """Stream frames of the good settings until they are finished, cancelled or stale."""
        self._complete = False
        growing, sent = self._laboratory.begin(self._good), 0.0
        while not stale():
            if self._cancelled.is_set():
                growing.cancel()
            finished = growing.advance()
            now = time.monotonic()
            if finished or now - sent >= FRAME_SECONDS:
                self._publish(growing.snapshot(), quiet)
                sent = now
            if finished:
                self._complete = True
                return

    def _publish(self, experiment: Experiment, quiet: bool) -> None:
        self.stage.frame = make_frame(experiment, self._view, self._show, next(self._serial))
        if not quiet:
            self.stage.status = status(experiment)
        if experiment.finished:
            self.controls.spec = rail(self._good, experiment.problem)

    def _report(self, error: Exception) -> None:
        """A fault in the page itself: said, never shown as a traceback."""
        why = f"{type(error).__name__}: {error}"
        text = f"This picture could not be computed ({why}). Change a setting to go on."
        self.stage.status = {"kind": "error", "text": text}
