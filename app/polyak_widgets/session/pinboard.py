"""The pictures that a reader keeps beside the present one, and those that come back after a reload."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

from polyak_core import Cancelled
from polyak_widgets.laboratory.experiment import Laboratory, grown
from polyak_widgets.panels.pins import Pin, returned
from polyak_widgets.session.slices import Stale
from polyak_widgets.settings.settings import Settings


class Expected(NamedTuple):
    """A pin without its curves: its number, its settings, and the method that alone is kept of it, if any."""

    id: int
    settings: Settings
    only: str


class Pinboard:
    """The pins of one reader.

    Attributes:
        pins: with their curves.
    """

    def __init__(self) -> None:
        self.pins: tuple[Pin, ...] = ()
        self._returning: list[Expected] = []

    def expect(self, pins: Iterable[Expected]) -> None:
        """A page has kept these pins, and not their curves."""
        self._returning = list(pins)

    def run_again(
        self, laboratory: Laboratory, stale: Stale, tell: Callable[[str], None]
    ) -> Generator[bool, None, bool]:
        """Run the pins that are expected; yields after each slice, and gives whether there are more now.

        Where they are left, since `stale` says so, the next call goes on. `tell` takes what cannot be run.
        """
        before = self.pins
        while self._returning:
            number, settings, only = self._returning[0]
            try:
                experiment = yield from grown(laboratory, settings, stale)
                self.pins = returned(self.pins, number, experiment, only)
            except Cancelled:
                break
            except ValueError as error:
                tell(f"A pin could not be kept. {error}")
            self._returning.pop(0)
        return self.pins != before
