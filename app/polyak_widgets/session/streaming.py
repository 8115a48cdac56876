"""When a growing experiment is drawn: at once, then as often as there is time for it, and at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from polyak_widgets.laboratory.experiment import Experiment, Growing

FIRST_SLICE, DRAG_SLICE = 0.0003, 0.0025
"""A turn of each method before the first picture: a few steps, so that a slider is followed at once; longer
where the picture before was left unfinished: then a slider is dragged, and often the first picture is all."""
FRAME_SECONDS, FRAME_SHARE = 0.03, 3.0
"""Between two pictures at least so long, and so many times as long as one takes to make."""


def pictures(
    growing: Growing, stale: Callable[[], bool], cancelled: Callable[[], bool], dragged: bool = False
) -> Iterator[Experiment | None]:
    """The experiment as it grows, until finished, `cancelled` or `stale`; None where a turn draws nothing.

    The first picture is never called finished, so that few numbers are sent for it even where all are known.
    """
    growing.advance(DRAG_SLICE if dragged else FIRST_SLICE)
    yield growing.snapshot().unfinished()
    next_one = time.monotonic() + FRAME_SECONDS
    while not stale():
        if cancelled():
            growing.cancel()
        finished = growing.advance()
        begun = time.monotonic()
        if finished or begun >= next_one:
            yield growing.snapshot()
            next_one = begun + max(FRAME_SECONDS, FRAME_SHARE * (time.monotonic() - begun))
        else:
            yield None
        if finished:
            return
