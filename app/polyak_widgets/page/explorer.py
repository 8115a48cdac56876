"""The Explorer: a session as ipywidgets, with a thread that does its work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import ipywidgets

from polyak_core import Dataset
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.page.texts import NOTHING_YET
from polyak_widgets.page.widgets import Controls, Stage, Wire
from polyak_widgets.panels import CLOSER_LOOK
from polyak_widgets.panels.pin import Pin
from polyak_widgets.session.session import Session
from polyak_widgets.session.worker import LatestWins
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.still import still_html
from polyak_widgets.stories.storyteller import Storyteller

WIDGET = "application/vnd.jupyter.widget-view+json"
PATIENCE, LIVE_PATIENCE = 120.0, 1.0
"""Seconds to wait for a whole picture, where nobody watches and where somebody does."""


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

        controls: names of settings, if the page is to have the controls of these alone: no menu to start
            from, no stories, no upload. By default it has all.
        beside: traces to be drawn beside the page's runs as a pin is, as `polyak_core.record` or `solve`
            gives them: one, a list, or a dictionary of names.

    Raises:
        ValueError: an unknown panel or control, or settings that are none.
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
        self.session = Session(settings, show, view, budget, data, controls=controls, beside=beside)
        self._wire = Wire(self.session.state)
        super().__init__([self.controls, self.stage])
        self.add_class("polyak-explorer")
        self.controls.observe(lambda change: self.session.take("value", change.new), "value")
        self.stage.observe(lambda change: self.session.take("view", change.new), "view")
        for widget in (self.controls, self.stage):
            widget.on_msg(lambda _, content, buffers: self.session.act(content, buffers))
        self._worker = LatestWins(
            self.session.work, self.session.report, self.session.laboratory.budget.minute()
        )
        self.session.start(self._wire, self._worker.submit)

    def __repr__(self) -> str:
        """One line."""
        return f"<Explorer {self.settings!r}>"

    def _repr_mimebundle_(self, **keywords: Any) -> dict[str, Any]:
        return with_still(self, super()._repr_mimebundle_(**keywords))

    @property
    def controls(self) -> Controls:
        """The rail."""
        return self._wire.controls

    @property
    def stage(self) -> Stage:
        """The sentence, the charts and the table."""
        return self._wire.stage

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels that are shown, but for the one that the reader chooses."""
        return self.session.panels

    @property
    def settings(self) -> Settings:
        """The last settings that were allowed."""
        return self.session.settings

    @property
    def view(self) -> View:
        """How they are shown."""
        return self.session.view

    @property
    def data(self) -> Dataset | None:
        """What the problem that is drawn is made of, where it is made of data."""
        return self.session.data

    @property
    def experiment(self) -> Experiment | None:
        """What is drawn; None before the first picture."""
        return self.session.experiment

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Pictures that the reader keeps."""
        return self.session.board.pins

    @property
    def storyteller(self) -> Storyteller:
        """Who tells the reader's story."""
        return self.session.storyteller

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the picture has settled; False if the timeout ran out before."""
        return self._worker.wait(timeout)

    def cancel(self) -> None:
        """End the runs where they are; returns at once."""
        self.session.cancel()

    def close(self) -> None:
        """End the worker and close the widget."""
        if hasattr(self, "_worker"):  # ipywidgets close a widget also where its making has failed
            self._worker.close()
        super().close()


def with_still(explorer: Explorer, bundle: dict[str, Any]) -> dict[str, Any]:
    """What is kept in a notebook, by media type.

    A notebook that runs with nobody there, to be exported, has the picture alone: a widget cannot be drawn
    without its kernel, and those who read a saved one would see nothing. Voila shows the widget alone.
    """
    kernel = running_kernel()
    if kernel is None or "VOILA_BASE_URL" in os.environ:
        return bundle
    watched = kernel.get_parent().get("content", {}).get("allow_stdin", True)
    explorer.wait(LIVE_PATIENCE if watched else PATIENCE)
    experiment = explorer.experiment
    html = (
        f"<p>{NOTHING_YET}</p>"
        if experiment is None
        else still_html(experiment, explorer.view, explorer.panels)
    )
    media = bundle if watched else {kind: value for kind, value in bundle.items() if kind != WIDGET}
    return media | {"text/html": html}


def running_kernel() -> Any:
    """The kernel that runs this cell; None outside of notebooks."""
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)
