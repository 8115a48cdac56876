"""What the third panel needs besides the runs of the picture: work that goes on after them, in slices."""

from __future__ import annotations

from collections.abc import Callable
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

    def __init__(self, seconds: float) -> None:
        """`seconds` is what one study may take; it is for the study to keep to it."""
        self.seconds = seconds
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
