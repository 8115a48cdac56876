"""What the closer look has computed beside the runs of the picture, kept while the reader goes to and fro."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, TypeVar

from cachetools import LRUCache

from polyak_core import Problem
from polyak_core.runs.batch import Batch

KEPT_STUDIES = 24
Value = TypeVar("Value")


class Limited:
    """Runs within so many seconds of a processor; what is not there then stays unknown."""

    def __init__(self, runs: Batch, seconds: float) -> None:
        """Nothing is computed yet."""
        self._runs, self._seconds, self._spent = runs, seconds, 0.0

    def advance(self, slice_seconds: float) -> bool:
        """Go on for about so long; True when all runs have ended, or the time is used up.

        Raises:
            ValueError: a run cannot be made so.
        """
        before = process_time()
        done = self._runs.advance(slice_seconds)
        self._spent += process_time() - before
        for error in map(self._runs.error, range(len(self._runs))):
            if error is not None:
                raise error
        return done or self._spent > self._seconds


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
