"""The pictures that a reader keeps beside the present one, and those that come back after a reload."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import NamedTuple

from polyak_core import Cancelled
from polyak_widgets.laboratory.experiment import Laboratory, grown
from polyak_widgets.panels.pin import Pin, returned
from polyak_widgets.session.slices import Stale
from polyak_widgets.session.texts import pin_lost
from polyak_widgets.settings.settings import Settings
from polyak_widgets.stories.beside import Beside


class Expected(NamedTuple):
    """A pin without its curves: its number, its settings, and the method that alone is kept of it, if any."""

    id: int
    settings: Settings
    only: str


class Pinboard:
    """The pins of one reader.

    Attributes:
        pins: with their curves.
        beside: the pictures that a story keeps beside its answer, which are no pins of the reader's.
    """

    def __init__(self) -> None:
        self.pins: tuple[Pin, ...] = ()
        self.beside: tuple[Pin, ...] = ()
        self._pictures: tuple[Beside, ...] = ()
        self._drawn_of: tuple[Beside, ...] = ()
        self._returning: list[Expected] = []

    @property
    def drawn(self) -> tuple[Pin, ...]:
        """All pictures that stay beside the present one."""
        return (*self.beside, *self.pins)

    def compare_with(self, pictures: tuple[Beside, ...]) -> None:
        """These pictures are to stay beside the present one."""
        self._pictures = pictures

    def expect(self, pins: Iterable[Expected]) -> None:
        """A page has kept these pins, and not their curves."""
        self._returning = list(pins)

    def run_again(
        self, laboratory: Laboratory, stale: Stale, tell: Callable[[str], None]
    ) -> Generator[bool, None, bool]:
        """Run what is compared with, and the pins that are expected; gives whether anything has changed.

        It yields after each slice.

        Where they are left, since `stale` says so, the next call goes on. `tell` takes what cannot be run.
        """
        drawn = self.drawn
        if self._drawn_of != self._pictures[: len(self._drawn_of)] or not self._pictures:
            self.beside = self._drawn_of = ()
        with suppress(Cancelled, ValueError):
            for each in self._pictures[len(self._drawn_of) :]:
                experiment = each.redrawn((yield from grown(laboratory, each.settings, stale)))
                self.beside += (Pin(-len(self.beside), experiment, title=each.name),)
                self._drawn_of += (each,)
        while self._returning:
            number, settings, only = self._returning[0]
            try:
                experiment = yield from grown(laboratory, settings, stale)
                self.pins = returned(self.pins, number, experiment, only)
            except Cancelled:
                break
            except ValueError as error:
                tell(pin_lost(str(error)))
            self._returning.pop(0)
        return self.drawn != drawn
