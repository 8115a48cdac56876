"""Keeps what the rail shows in step with what is chosen, and with what is known by now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import polyak_core as pc
from polyak_widgets.laboratory.datasets import Shelf
from polyak_widgets.session.rail import Landmarks, chosen, rail
from polyak_widgets.settings.settings import Settings


class Place(Protocol):
    """Where the groups of fields go."""

    spec: Any


class Rail:
    """The groups of fields of one page."""

    def __init__(self, place: Place, shelf: Shelf, settings: Settings, problem: pc.Problem) -> None:
        """`place` shows them from now on; `shelf` has the data of one's own."""
        self._place = place
        self._shelf = shelf
        self._chosen = chosen(settings)
        self.describe(settings, problem)

    def follow(self, settings: Settings, problem: pc.Problem) -> None:
        """Other controls apply as soon as something else is chosen, whether or not it can be drawn."""
        if chosen(settings) != self._chosen:
            self._chosen = chosen(settings)
            self.describe(settings, problem)

    def describe(
        self, settings: Settings, problem: pc.Problem, found: Mapping[str, Landmarks] | None = None
    ) -> None:
        """All groups anew, with the landmarks that were found besides the usual ones."""
        self._place.spec = rail(settings, problem, found, self._shelf.newest)
