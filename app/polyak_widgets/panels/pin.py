"""A picture that is kept, with a letter, and the few of them that a reader keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import Look, pinned_look
from polyak_widgets.settings.settings import Settings

LETTERS = "ABC"
MOST_PINS = len(LETTERS)


@dataclass(frozen=True)
class Pin:
    """What was drawn when the button was pressed.

    Attributes:
        id: 1, 2 or 3; 0 for the picture before the answer of a story, less for others beside that.
        whole: all that was drawn.
        only: the method that alone is kept of it; empty for all.
        title: what a story calls it.
        source: where runs come from that this page has not made: the name of a file, or of a solver. What
            their settings were is not known, or not of this page.
    """

    id: int
    whole: Experiment
    only: str = ""
    title: str = ""
    source: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of all that was drawn."""
        return tuple(run.method for run in self.whole.runs) if self.source else self.settings.methods

    @property
    def experiment(self) -> Experiment:
        """What is kept of it."""
        if not self.only:
            return self.whole
        runs = tuple(run for run in self.whole.runs if run.method == self.only)
        settings = self.settings if self.source else replace(self.settings, methods=(self.only,))
        return replace(self.whole, settings=settings, runs=runs)

    @property
    def letter(self) -> str:
        """The letter on its curves; none on those of a story."""
        return LETTERS[self.id - 1] if self.id > 0 else ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.letter or self.title

    def look(self, method: str) -> Look:
        """How one of its curves is drawn."""
        return pinned_look(method, self.letter, is_grey=self.id == 0)

    @property
    def settings(self) -> Settings:
        """What was chosen."""
        return self.whole.settings


def pinned(pins: tuple[Pin, ...], experiment: Experiment | None) -> tuple[Pin, ...]:
    """One more.

    Raises:
        ValueError: nothing to pin yet, these are pinned already, or there are three.
    """
    if experiment is None or not experiment.finished:
        raise ValueError("The runs have not ended: wait for them or cancel them, then pin.")
    if any(pin.experiment.settings == experiment.settings and not pin.source for pin in pins):
        raise ValueError("These curves are pinned already: change a setting, and they stay.")
    _require_room(pins)
    return returned(pins, 1, experiment)


def with_runs(pins: tuple[Pin, ...], experiment: Experiment, source: str) -> tuple[Pin, ...]:
    """One more: runs that this page has not made.

    Raises:
        ValueError: there are three already.
    """
    _require_room(pins)
    return returned(pins, 1, experiment, source=source)


def _require_room(pins: tuple[Pin, ...]) -> None:
    if len(pins) >= MOST_PINS:
        raise ValueError(f"{MOST_PINS} pictures are pinned, and that is the most: remove one first (×).")


def returned(
    pins: tuple[Pin, ...], number: int, experiment: Experiment, only: str = "", source: str = ""
) -> tuple[Pin, ...]:
    """One more in the order of letters, with this number or the first that is free; the same if none is."""
    free = sorted(set(range(1, MOST_PINS + 1)) - {pin.id for pin in pins}, key=lambda each: each != number)
    more = (Pin(free[0], experiment, only, source=source),) if free else ()
    return tuple(sorted((*pins, *more), key=lambda pin: pin.id))


def unpinned(pins: tuple[Pin, ...], which: Any) -> tuple[Pin, ...]:
    """One less.

    Raises:
        ValueError: there is no such pin.
    """
    gone = _pin_of(pins, which)
    return tuple(pin for pin in pins if pin is not gone)


def narrowed(pins: tuple[Pin, ...], which: Any, only: Any) -> tuple[Pin, ...]:
    """The same with one method alone of a pin, or with all of its methods again where `only` is empty.

    Raises:
        ValueError: there is no such pin, or it has no such method.
    """
    meant = _pin_of(pins, which)
    if only not in ("", *meant.methods):
        raise ValueError(f"Pin {meant.letter} has no method {str(only)[:40]!r}.")
    return tuple(replace(pin, only=only) if pin is meant else pin for pin in pins)


def _pin_of(pins: tuple[Pin, ...], which: Any) -> Pin:
    """The pin of this number.

    Raises:
        ValueError: there is none.
    """
    for pin in pins:
        if type(which) is int and pin.id == which:
            return pin
    raise ValueError(f"There is no pin {str(which)[:40]!r}.")
