"""Long work on x* and f*: it says how far it is, and it can be stopped.

The work is deep inside of a certificate, and who watches it stands far outside. A context variable
joins the two: each thread and task sees only its own watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter


class Cancelled(RuntimeError):  # noqa: N818  not an error: somebody asked for it
    """Work on x* and f* was stopped before it had a result; nothing is kept, asking again starts anew."""


@dataclass(frozen=True)
class Watch:
    """Who watches: told of each step, asked whether to stop, and a time limit."""

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

    Args:
        progress: called with what is being done, in words, and the step.
        cancel: asked at every step; True stops the work.
        seconds: stops the work after so long.
    """
    deadline = float("inf") if seconds is None else perf_counter() + seconds
    token = _watch.set(Watch(progress, cancel, deadline))
    try:
        yield
    finally:
        _watch.reset(token)


def step(work: str, k: int) -> None:
    """Called by long work at every step.

    Raises:
        Cancelled: whoever watches wants no more of it.
    """
    watch = _watch.get()
    if watch is None:
        return
    if watch.progress is not None:
        watch.progress(work, k)
    if watch.cancel is not None and watch.cancel():
        raise Cancelled(f"Cancelled while x* was sought ({work}, step {k}); ask again to start anew.")
    if perf_counter() > watch.deadline:
        raise Cancelled(
            f"The time limit came while x* was sought ({work}, step {k}); give more seconds, or none."
        )
