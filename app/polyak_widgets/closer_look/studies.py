"""What the closer look has computed beside the runs of the picture, kept while the reader goes to and fro."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cachetools import LRUCache

KEPT_STUDIES = 24
Value = TypeVar("Value")


class Studies:
    """The newest studies, each under the settings that it depends on, also those not at their end."""

    def __init__(self, seconds: float) -> None:
        """`seconds` is what one study may take; it is for the study to keep to it."""
        self.seconds = seconds
        self._newest: LRUCache[Any, Any] = LRUCache(KEPT_STUDIES)

    def of(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """The study of these settings, made if it is not there; one that was left goes on where it was."""
        if key not in self._newest:
            self._newest[key] = make()
        study: Value = self._newest[key]
        return study
