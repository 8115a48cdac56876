"""A value that may take long to make: it is made once for all who wait for it, and each may stop waiting.

LAPACK and single products cannot be interrupted. So long work runs in a thread of its own. A caller waits
beside it, is told of its progress, and can stop waiting at once. Work that nobody waits for ends at its next
step. The threads keep no process alive (`polyak_core.progress.threads`). Where no thread can be started, as
in a browser, the first caller does the work itself: it is told of each step, and can stop at each.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event, Lock, RLock
from typing import Any, Generic, TypeVar

from polyak_core.progress.threads import NoThreadError, begin, step_back
from polyak_core.progress.watch import check, only, tell

T = TypeVar("T")

POLL_SECONDS = 0.02
REMEMBERED = 1000
"""Steps that are kept for those who wait and have not heard of them yet."""


class Job(Generic[T]):
    """One try of the work, in one thread.

    Attributes:
        over: set when the work has ended, in whatever way.
        value: the result; where there is none, `error` says why.
        steps: the newest steps as (number, work in words, step).
    """

    value: T
    error: BaseException | None = None

    def __init__(self, work: Callable[[], T], keep: Callable[[T], None]) -> None:
        """Nothing begins yet; `keep` is handed the result."""
        self.over = Event()
        self.steps: deque[tuple[int, str, int]] = deque(maxlen=REMEMBERED)
        self._work, self._keep = work, keep
        self._number = 0
        self._lock, self._askers, self._left = Lock(), 1, False

    def begin(self) -> None:
        """Start the thread, in the context of the caller."""
        begin(partial(copy_context().run, self._run), "polyak_core", self.abandon)

    def _run(self) -> None:
        step_back()
        try:
            with only(self._note_step, self._nobody_waits):
                self.value = self._work()
            self._keep(self.value)
        except BaseException as error:
            self.error = error
        finally:
            self.over.set()

    def _note_step(self, work: str, k: int) -> None:
        self.steps.append((self._number, work, k))
        self._number += 1

    def _nobody_waits(self) -> bool:
        with self._lock:
            self._left = self._left or self._askers == 0
            return self._left

    def join(self) -> bool:
        """Count one more who waits; False if it is too late: the work was abandoned, or went wrong."""
        with self._lock:
            self._askers += 1
            return not self._left and self.error is None

    def leave(self) -> None:
        """Count one less who waits."""
        with self._lock:
            self._askers -= 1

    def abandon(self) -> None:
        """Let the work end: nobody waits any more."""
        self._left = True


class Ticket(Generic[T]):
    """The place of one who waits; `leave` gives it up, and so does Python when nothing refers to it."""

    def __init__(self, job: Job[T]) -> None:
        """The job has counted it already."""
        self._job = job
        self._heard = 0
        self.leave = weakref.finalize(self, job.leave)
        self.leave.atexit = False

    def wait(self, seconds: float) -> bool:
        """Wait for so many seconds at most, and tell the watch of the steps; whether the work is over.

        Raises:
            Cancelled: somebody who watches this thread stopped it.
        """
        where = "before the first step"
        over = self._job.over.wait(seconds)
        for number, words, k in self._job.steps.copy():
            where = f"{words}, step {k}"
            if number >= self._heard:
                self._heard = number + 1
                tell(words, k)
        if not over:
            check(where)
        return over

    def result(self) -> T:
        """The result of work that is over, or its error, which is raised here."""
        if self._job.error is not None:
            raise self._job.error
        return self._job.value


class Background(Generic[T]):
    """A value that is made on first use; all who ask while it is being made wait for the same work."""

    def __init__(self, make: Callable[[], T], long: bool) -> None:
        """Only `long` work gets a thread, where there are any; other work is done by whoever asks first."""
        self._make, self._long = make, long
        self._values: list[T] = []
        self._job: Job[T] | None = None
        self._lock = RLock()

    @property
    def known(self) -> bool:
        """Whether the value is there."""
        return bool(self._values)

    @property
    def begun(self) -> bool:
        """Whether the value is there, or being made."""
        return self.known or self._job is not None

    def result(self) -> T:
        """The value.

        Raises:
            Cancelled: somebody who watches stopped it; nothing half made is kept.
        """
        if not self._values:
            ticket = self._ticket() if self._long else None
            if ticket is None:
                self._make_here()
            else:
                self._wait(ticket)
        return self._values[0]

    def _ticket(self) -> Ticket[T] | None:
        """A place among those who wait; None where no thread can do the work."""
        with suppress(NoThreadError):
            return self.begin()
        return None

    def _wait(self, ticket: Ticket[T]) -> None:
        try:
            while not ticket.wait(POLL_SECONDS):
                pass
            ticket.result()
        finally:
            ticket.leave()

    def _make_here(self) -> None:
        while not self._lock.acquire(timeout=POLL_SECONDS):
            check("in another thread")
        try:
            if not self._values:
                self._keep(self._make())
        finally:
            self._lock.release()

    def _keep(self, value: T) -> None:
        with self._lock:
            self._values.append(value)
            self._job = None

    def begin(self) -> Ticket[T]:
        """Have the value made in the background, or join those who wait for it.

        Raises:
            NoThreadError: there is no background; `result` makes the value where it is called.
        """
        with self._lock:
            job = self._job
            if self._values:
                job = Job(self._make, self._keep)
                job.value = self._values[0]
                job.over.set()
            elif job is None or not job.join():
                job = Job(self._make, self._keep)
                job.begin()
                self._job = job
            return Ticket(job)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: no thread, no lock."""
        return {"_make": self._make, "_long": self._long, "_values": self._values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin as new, with the value if it was known."""
        self.__init__(state["_make"], state["_long"])  # type: ignore[misc]
        self._values.extend(state["_values"])
