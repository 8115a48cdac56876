"""One thread that works on the newest request; an older one is left as soon as a newer one is there.

What takes long, and extras that nobody waits for, go on in a thread that lets others go first.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic

from polyak_core.progress.threads import NoThreadError, begin, step_back
from polyak_widgets.laboratory.budget import Minute
from polyak_widgets.session.slices import Answering, RequestT

SWITCH_SECONDS = 0.001
"""How long the worker may keep the interpreter while a message waits; Python's default is five times that."""

PROMPT_SECONDS = 0.25
"""Of a processor: so long a request is answered before others; a picture of the usual size is there by then.
On a crowded machine it takes longer, and would be late twice if it stepped back meanwhile."""
NAP = 0.02
"""Between two looks whether there is something newer to do, while this must wait."""


class LatestWins(Generic[RequestT]):
    """Goes through ``work(request, stale)`` in a thread of its own, always for the newest request.

    Whatever the work raises is handed to ``report``; the thread lives on. What takes long keeps to the
    seconds of its ``minute``.
    """

    def __init__(
        self,
        work: Answering[RequestT],
        report: Callable[[Exception], None],
        minute: Minute | None = None,
    ) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._work = work
        self._report = report
        self._minute = minute or Minute(math.inf)
        self._waiting: list[RequestT] = []
        self._changed = threading.Condition()
        self._busy = False
        self._closed = False
        self.thread = begin(self._loop, "polyak-explorer", self.close)

    def submit(self, request: RequestT) -> None:
        """Ask for this instead of whatever was asked before; returns at once."""
        with self._changed:
            self._waiting[:] = [request]
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until what was asked for is there; False if the timeout ran out before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy and not self._waiting, timeout)

    def close(self) -> None:
        """End the thread after the work in hand, which is told that it is stale."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _stale(self) -> bool:
        return self._closed or bool(self._waiting)

    def _rest(self) -> None:
        """Nobody has to wait any more: what was asked for is there."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()

    def _loop(self) -> None:
        while True:
            self._rest()
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                request = self._waiting.pop()
                self._busy = True
            try:
                self._answer(self._work(request, self._stale))
            except Exception as error:
                self._report(error)

    def _answer(self, steps: Iterator[bool]) -> None:
        """Go through the work; what is long is left to another thread, which is waited for."""
        end = time.thread_time() + PROMPT_SECONDS
        for answered in steps:
            if answered and self._busy:
                self._rest()
            if answered or time.thread_time() > end:
                try:
                    begin(lambda: self._go_on(steps), "polyak-explorer-long", self.close).join()
                except NoThreadError:
                    self._go_on(steps)

    def _go_on(self, steps: Iterator[bool]) -> None:
        """The rest of the work, after that of others, and slowly where too much was done in this minute."""
        try:
            step_back()
            for answered in steps:
                if answered and self._busy:
                    self._rest()
                end = time.monotonic() + self._minute.wait()
                while time.monotonic() < end and not self._stale():
                    time.sleep(NAP)
        except Exception as error:
            self._report(error)
