"""What the third panel needs besides the runs of the picture: work that goes on after them, in slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from cachetools import LRUCache

KEPT_STUDIES = 24


class Study(Protocol):
    """Work in slices whose result can be seen at any time."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""

    def advance(self, slice_seconds: float) -> bool:
        """Go on for about so long; True at the end."""


Kind = TypeVar("Kind", bound=Study)
Value = TypeVar("Value")


class Studies:
    """The newest studies, each under the settings that it depends on, also those not at their end."""

    def __init__(self) -> None:
        self._kept: LRUCache[Any, Any] = LRUCache(KEPT_STUDIES)

    def of(self, key: tuple[Any, ...], make: Callable[[], Kind]) -> Kind:
        """The study of these settings, made if it is not there; one that was left goes on where it was."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Kind = self._kept[key]
        return found

    def remember(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Something else that is made once and kept as long."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Value = self._kept[key]
        return found


def advance_all(studies: Iterable[Study], slice_seconds: float) -> bool:
    """One turn of every study that is not at its end; True when all are."""
    going = [study for study in studies if not study.finished]
    for study in going:
        study.advance(slice_seconds)
    return all(study.finished for study in going)
