"""Threads that keep no process alive, and bring none down: what becomes of them when Python ends.

At exit C shuts OpenBLAS down: its buffers are given back and its threads are joined, whoever uses them. A
thread that is inside of LAPACK then reads memory that is gone (a segmentation fault), or is waited for
without end. So at exit each thread is asked to leave and waited for, for a short time; and where one is
still at work, the process ends without that shutdown, with its own exit code.
"""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable
from threading import Thread
from time import monotonic

PATIENCE = 1.0
"""Seconds that an exit waits for threads."""
LONG_PATIENCE = 30.0
"""The same where C cannot be told to leave out its shutdown: longer than most single calls of LAPACK."""

_leave: dict[Thread, Callable[[], object]] = {}
"""What asks a thread to end, for those at work."""


class NoThreadError(RuntimeError):
    """No thread can be started: this Python has none, or the process may have no more of them."""


def begin(work: Callable[[], object], name: str, leave: Callable[[], object]) -> Thread:
    """Start a daemon thread that does the work; `leave`, called at exit, asks it to end soon.

    Raises:
        NoThreadError: there can be none, and nothing was done.
    """

    def run() -> None:
        try:
            work()
        finally:
            _leave.pop(thread, None)

    thread = Thread(target=run, name=name, daemon=True)
    _leave[thread] = leave
    try:
        thread.start()
    except RuntimeError as error:
        del _leave[thread]
        raise NoThreadError("no thread can be started; do the work where it is asked for.") from error
    return thread


@atexit.register
def end_threads() -> None:
    """Let no thread meet the shutdown of OpenBLAS."""
    at_work = {thread: leave for thread, leave in _leave.copy().items() if thread.is_alive()}
    for leave in at_work.values():
        leave()
    abrupt = abrupt_exit()
    stop = monotonic() + (PATIENCE if abrupt else LONG_PATIENCE)
    try:
        for thread in at_work:
            thread.join(max(0.0, stop - monotonic()))
    except KeyboardInterrupt:
        pass  # whoever interrupts an exit wants it now
    if abrupt and any(thread.is_alive() for thread in at_work):
        abrupt()


def abrupt_exit() -> Callable[[], None] | None:
    """What makes C's exit end the process after Python has ended, its files flushed; None if nothing does.

    glibc calls what `on_exit` registers with the exit code, the newest first, before it closes libraries.
    """
    try:
        libc = ctypes.CDLL(None)
        last, first, leave, flush = libc.on_exit, libc.__cxa_atexit, libc._exit, libc.fflush
    except (AttributeError, OSError, TypeError):  # macOS and musl; Windows, which ends threads first itself
        return None

    def register() -> None:
        last(leave, None)
        first(flush, None, None)

    return register
