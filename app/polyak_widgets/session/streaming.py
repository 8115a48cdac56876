"""When a growing experiment is drawn: at once, then as often as there is time for it, and at its end.

Pictures are paced by the page as well, which says what has come: on a slow line a picture that waits behind
others is out of date before anybody sees it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polyak_widgets.laboratory.experiment import Experiment, Growing
from polyak_widgets.settings.settings import Settings

FIRST_SLICE, DRAG_SLICE = 0.0001, 0.0025
"""A turn of each method before the first picture: a few steps, so that a slider is followed at once; longer
where the picture before was left unfinished: then a slider is dragged, and often the first picture is all."""
SOON = 0.13
"""Seconds within which runs of the usual length end: a second picture before that holds up the last one, on
two cores by a fifth of the time until it is drawn."""
FRAME_SHARE = 3.0
"""Between two pictures at least so many times as long as one takes to make."""
AHEAD = 2
"""Frames that may be on their way at a time: the next one is there when the one before has been drawn."""
PATIENCE = 10.0
"""Seconds without a word for a frame; then nobody listens any more, and nothing waits for anybody."""
NAP = 0.002
"""Between two looks at whether there is room for a picture that is ready."""
MOTION, REST = 0.15, 0.05
"""Settings that change again so soon are those of a slider that is dragged. Then the first picture of each is
followed by a rest, in which the next move comes: most of the work is in what would follow it."""


class Line:
    """What is on its way to the page, as far as the page has told: frames by their serial numbers.

    A page that has said nothing yet, or is gone, keeps nobody waiting. `arrived` may be called in any thread,
    the others in that of the work.
    """

    def __init__(self) -> None:
        self._listens = False
        self._arrived = self._newest = 0
        self._under_way: list[tuple[int, float]] = []

    def number(self) -> int:
        """The number of the next frame, above all that the page has, be they of a session before this one."""
        self._newest = max(self._newest, self._arrived) + 1
        return self._newest

    def sent(self, serial: int) -> None:
        """A frame goes out."""
        if self._listens:
            self._under_way.append((serial, time.monotonic()))

    def arrived(self, serial: object) -> None:
        """The page has this frame and all before it; what is no number says only that it listens."""
        if isinstance(serial, int):
            self._arrived = serial
        self._listens = True

    def has_room(self) -> bool:
        """Whether another frame may go out."""
        self._under_way = [each for each in self._under_way if each[0] > self._arrived]
        if self._under_way and time.monotonic() - self._under_way[0][1] > PATIENCE:
            self._listens = False
            self._under_way.clear()
        return len(self._under_way) < AHEAD


def until_room(has_room: Callable[[], bool], stale: Callable[[], bool]) -> Iterator[None]:
    """Wait, in slices, for the line to take a picture; it may be `stale` by then."""
    while not has_room() and not stale():
        time.sleep(NAP)
        yield


class Motion:
    """Sees from the settings of pictures that a slider is being dragged."""

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._changed = -math.inf

    def rest_after(self, settings: Settings) -> float:
        """Take the settings of the next picture; the seconds that follow its first part.

        They are none unless these settings, and those before, are new and came quickly.
        """
        if settings == self._settings:
            return 0.0
        before, self._changed = self._changed, time.monotonic()
        self._settings = settings
        return REST if self._changed - before < MOTION else 0.0


@dataclass(frozen=True)
class Pace:
    """What pictures that are not the last wait for.

    Attributes:
        has_room: whether the line can take one; the last one waits for that, too.
        is_in_sight: whether anybody sees the page.
        rate: how many there are in a second at most.
        rest: seconds that the second waits, unless something newer comes.
    """

    has_room: Callable[[], bool] = lambda: True
    is_in_sight: Callable[[], bool] = lambda: True
    rate: float = 30
    rest: float = 0.0


def pictures(
    growing: Growing,
    stale: Callable[[], bool],
    cancelled: Callable[[], bool],
    dragged: bool = False,
    pace: Pace = Pace(),
) -> Iterator[Experiment | None]:
    """The experiment as it grows, until finished, `cancelled` or `stale`; None where a turn draws nothing.

    The first picture is never called finished, so that few numbers are sent for it even where all are known.
    The second waits: where the runs end `SOON`, it would only hold up the last one.
    While the line has no room, or nobody sees the page, the runs go on.
    """
    finished = growing.advance(DRAG_SLICE if dragged else FIRST_SLICE)
    first, next_one = True, 0.0
    while True:
        begun = time.monotonic()
        if not (finished or (begun >= next_one and pace.is_in_sight())):
            yield None
        elif not pace.has_room():
            if finished:
                time.sleep(NAP)
            yield None
        else:
            yield growing.snapshot().unfinished() if first else growing.snapshot()
            if finished and not first:
                return
            ended = time.monotonic()
            if first:
                next_one = ended + max(SOON, 1 / pace.rate)
            else:
                next_one = begun + max(FRAME_SHARE * (ended - begun), 1 / pace.rate)
            while first and time.monotonic() < ended + pace.rest and not stale():
                time.sleep(NAP)
                yield None
            first = False
        if stale():
            return
        if cancelled():
            growing.cancel()
        finished = growing.advance()
