"""The progress of long work on x* and f*, and a way to stop it.

The work happens deep inside a certificate, and whoever watches it is far outside. A context variable joins
the two: each thread and task sees only its own watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter

from polyak_core.checks import Given, called, real_number, shown


class Cancelled(RuntimeError):  # noqa: N818  not an error: somebody asked for it
    """Work on x* and f* was stopped before it had a result; nothing is kept, asking again starts anew.

    >>> import polyak_core as pc
    >>> problem = pc.paper_problem("sonar", "lasso")
    >>> with pc.watched(cancel=lambda: True):
    ...     problem.f_star
    Traceback (most recent call last):
        ...
    polyak_core.progress.watch.Cancelled: ...
    """


@dataclass(frozen=True)
class Watch:
    """One who watches: it is told of each step, says whether to stop, and may set a time limit."""

    progress: Callable[[str, int], object] | None
    cancel: Callable[[], bool] | None
    deadline: float


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(
    progress: Callable[[str, int], object] | None = None,
    cancel: Callable[[], bool] | None = None,
    seconds: float | None = None,
) -> Iterator[None]:
    """Watch all work on x* and f* inside of the block.

    Long work is done in a thread of its own, so that waiting for it ends at once; short work ends at its
    next step. A watch around this one stays in force.

    Args:
        progress: called with what is being done, in words, and the step.
        cancel: asked at every step, and while one takes long; True stops the work.
        seconds: stops the work after so many seconds.

    >>> import polyak_core as pc
    >>> steps = []
    >>> with pc.watched(progress=lambda work, step: steps.append(work)):
    ...     gap = pc.paper_problem("sonar", "lasso").f_star
    >>> len(steps) > 0
    True
    """
    called(progress, "progress", "called with the work in words and the step")
    called(cancel, "cancel", "asked whether to stop")
    outer = _watch.get()
    deadline = float("inf") if seconds is None else perf_counter() + _not_negative(seconds)
    if outer is not None:
        deadline = min(deadline, outer.deadline)
        progress = progress or outer.progress
        cancel = _any_cancel(cancel, outer.cancel)
    with _set(Watch(progress, cancel, deadline)):
        yield


def _not_negative(seconds: Given) -> float:
    number = real_number(seconds, "seconds", "a number >= 0, or None")
    if number < 0:
        raise ValueError(f"seconds = {shown(seconds)} is negative; give a number >= 0, or None for no limit.")
    return number


@contextmanager
def only(progress: Callable[[str, int], object], cancel: Callable[[], bool]) -> Iterator[None]:
    """Watch inside the block in place of all watches around it: for work that several may wait for."""
    with _set(Watch(progress, cancel, float("inf"))):
        yield


@contextmanager
def _set(watch: Watch) -> Iterator[None]:
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def _any_cancel(
    cancel: Callable[[], bool] | None, outer: Callable[[], bool] | None
) -> Callable[[], bool] | None:
    if cancel is None or outer is None:
        return cancel or outer
    return lambda: cancel() or outer()


def step(work: str, k: int) -> None:
    """Called by long work at every step.

    Raises:
        Cancelled: somebody who watches stopped the work.
    """
    tell(work, k)
    check(f"{work}, step {k}")


def tell(work: str, k: int) -> None:
    """Tell whoever watches of a step."""
    watch = _watch.get()
    if watch is not None and watch.progress is not None:
        watch.progress(work, k)


def check(where: str) -> None:
    """Ask whoever watches whether to go on; `where` the work is, in words.

    Raises:
        Cancelled: they say no.
    """
    watch = _watch.get()
    if watch is None:
        return
    if watch.cancel is not None and watch.cancel():
        raise Cancelled(f"Cancelled while x* was sought ({where}); ask again to start anew.")
    if perf_counter() > watch.deadline:
        raise Cancelled(f"The time limit came while x* was sought ({where}); give more seconds, or none.")
