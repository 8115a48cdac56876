"""One thread that works on the newest request; an older one is left as soon as a newer one is there."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from polyak_core.progress.threads import begin

Request = TypeVar("Request")
SWITCH_SECONDS = 0.001
"""How long the worker may keep the interpreter while a message waits; Python's default is five times that."""


class LatestWins(Generic[Request]):
    """Calls ``work(request, stale)`` in a thread of its own, always for the newest request.

    ``stale()`` says that a newer request is waiting: the work should return soon. Whatever the work raises is
    handed to ``report``; the thread lives on.
    """

    def __init__(
        self, work: Callable[[Request, Callable[[], bool]], None], report: Callable[[Exception], None]
    ) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._work = work
        self._report = report
        self._waiting: list[Request] = []
        self._changed = threading.Condition()
        self._busy = False
        self._closed = False
        self.thread = begin(self._loop, "polyak-explorer", self.close)

    def submit(self, request: Request) -> None:
        """Ask for this instead of whatever was asked before; returns at once."""
        with self._changed:
            self._waiting[:] = [request]
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until nothing is left to do; False if the timeout ran out before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy and not self._waiting, timeout)

    def answered(self) -> None:
        """Called by the work: what was asked for is there, what follows is an extra; `wait` ends here."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread after the work in hand, which is told that it is stale."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _stale(self) -> bool:
        return self._closed or bool(self._waiting)

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                request = self._waiting.pop()
                self._busy = True
            try:
                self._work(request, self._stale)
            except Exception as error:
                self._report(error)
