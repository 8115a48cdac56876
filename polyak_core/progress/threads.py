"""Threads that neither keep a process alive nor crash it when Python ends.

At exit C shuts OpenBLAS down: its buffers are freed and its threads are joined, even while they are in use. A
thread inside LAPACK then reads freed memory (a segmentation fault), or the exit waits for it without end. So
at exit each thread is asked to end, and is waited for, for a short time. If one is still at work then, the
process ends without that shutdown, with its own exit code.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import monotonic

PATIENCE = 1.0
"""Seconds that an exit waits for threads."""
LONG_PATIENCE = 30.0
"""The same where that shutdown cannot be left out: longer than most single calls of LAPACK."""

_leave: dict[Thread, Callable[[], object]] = {}
"""For each thread at work, the function that asks it to end."""


class NoThreadError(RuntimeError):
    """No thread can be started: this Python has none, or the process may have no more of them."""


def begin(work: Callable[[], object], name: str, leave: Callable[[], object]) -> Thread:
    """Start a daemon thread that does the work; `leave`, called at exit, asks it to end soon.

    Raises:
        NoThreadError: no thread can be started; the work has not begun.
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


def step_back() -> None:
    """Let others go first from now on: whoever serves many sets POLYAK_NICE, and long work calls this.

    It lowers the priority of this thread alone, and of threads that it starts; only Linux can.
    """
    nice = os.environ.get("POLYAK_NICE", "")
    if sys.platform == "linux" and nice.isdecimal():
        usual = os.getpriority(os.PRIO_PROCESS, os.getpid())  # of the first thread
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), usual + int(nice))


@atexit.register
def end_threads() -> None:
    """Ask all threads to end, so that none meets the shutdown of OpenBLAS."""
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
    """A function that makes C's exit flush files and end the process at once; None where there is none.

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
