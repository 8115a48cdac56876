"""What the closer look has computed beside the runs of the picture, kept while the reader goes to and fro."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cachetools import LRUCache

from polyak_core import Problem

KEPT_STUDIES = 24
Value = TypeVar("Value")


class Studies:
    """The newest studies, each under the settings that it depends on, also those not at their end."""

    def __init__(self, seconds: float, is_known: Callable[[Problem], bool] = lambda problem: True) -> None:
        """`seconds` is what one study may take; it is for the study to keep to it.

        A study has its problem in memory, and so goes when that `is_known` no more.
        """
        self.seconds = seconds
        self._is_known = is_known
        self._newest: LRUCache[Any, tuple[Problem | None, Any]] = LRUCache(KEPT_STUDIES)

    def of(self, key: tuple[Any, ...], make: Callable[[], Value], problem: Problem | None = None) -> Value:
        """The study of these settings, made if it is not there; one that was left goes on where it was.

        `problem` is what it is about; None for small ones that it makes itself.
        """
        if key not in self._newest:
            for old, (about, _) in list(self._newest.items()):
                if about is not None and not self._is_known(about):
                    del self._newest[old]
            self._newest[key] = problem, make()
        study: Value = self._newest[key][1]
        return study
