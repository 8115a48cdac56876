"""The work of a session without a thread: in slices, driven by whatever loop there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

RequestT = TypeVar("RequestT")
Stale = Callable[[], bool]
"""Says that a newer request is waiting: the work should end soon."""
Answering = Callable[[RequestT, Stale], Iterator[bool]]
"""Answers a request in slices; says after each whether what was asked for is there: the rest is an extra."""


class Slices(Generic[RequestT]):
    """Works on the newest request whenever a loop asks for `steps`; an older one is left.

    Whatever the work raises is handed to ``report``. Where messages can come in within a slice, as at a step
    of a long search, ``listen`` takes them; it is called before the work asks whether it is stale.
    """

    def __init__(
        self,
        work: Answering[RequestT],
        report: Callable[[Exception], None],
        listen: Callable[[], object] = lambda: None,
    ) -> None:
        self._work = work
        self._report = report
        self._listen = listen
        self._waiting: list[RequestT] = []

    def submit(self, request: RequestT) -> None:
        """Ask for this instead of whatever was asked before."""
        self._waiting[:] = [request]

    def steps(self) -> Iterator[bool]:
        """Go on until nothing is left to do; after each slice, whether what was asked for is there."""
        while self._waiting:
            request = self._waiting.pop()
            try:
                yield from self._work(request, self._stale)
            except Exception as error:
                self._report(error)

    def _stale(self) -> bool:
        self._listen()
        return bool(self._waiting)
