"""Work that goes on in slices, and the one way in which several pieces of it take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Protocol

import numpy as np

LONGEST_SLICE = 0.05
"""Seconds after which somebody who may cancel the work is asked again."""


def slices() -> Iterator[float]:
    """Seconds of each slice of work that somebody may cancel; the first is one step, for short work."""
    seconds = 0.0
    while True:
        yield seconds
        seconds = min(2 * seconds + 0.001, LONGEST_SLICE)


class Work(Protocol):
    """Work in slices; its result so far can be read between two of them."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on until the end, or for about `slice_seconds`, and a step at least; True at the end."""


class Turns:
    """Several pieces of work as one.

    Args:
        pieces: what is to be done.
        one_by_one: each piece ends before the next one begins; else they take turns of one slice each.
    """

    def __init__(self, pieces: Iterable[Work], one_by_one: bool = False) -> None:
        self._pieces = deque(pieces)
        self._one_by_one = one_by_one

    @property
    def unfinished(self) -> int:
        """How many pieces have not ended."""
        return sum(not piece.finished for piece in self._pieces)

    @property
    def finished(self) -> bool:
        """Whether all pieces have ended."""
        return not self.unfinished

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on for about `slice_seconds`; True when all pieces have ended."""
        stop = perf_counter() + slice_seconds
        while self._pieces:
            piece = self._pieces[0]  # a piece that raises an error keeps its place
            done = piece.finished or piece.advance(max(stop - perf_counter(), 0.0))
            self._pieces.popleft()
            if not done:
                (self._pieces.appendleft if self._one_by_one else self._pieces.append)(piece)
            if perf_counter() >= stop:
                break
        return self.finished
