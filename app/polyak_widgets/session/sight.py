"""What of a page is in sight, and how finely: work that nobody sees is left, or comes last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.frame import SETTLED_POINTS, points_for
from polyak_widgets.panels.pin import Pin
from polyak_widgets.session.slices import Stale
from polyak_widgets.session.streaming import Line


class Sight:
    """What of a page is in sight, as far as the page has told.

    Before it says anything it is on its way, and what it will show first is the curves.

    Attributes:
        page: whether it is shown at all.
        closer_look: whether the closer look is within what is shown of it.
        points: how many of a curve its screen can show.
        drawn_points: how many its last whole picture has.
    """

    def __init__(self) -> None:
        self.page, self.closer_look = True, False
        self.points = self.drawn_points = SETTLED_POINTS

    def is_closer_look_seen(self) -> bool:
        """Whether somebody sees it."""
        return self.page and self.closer_look

    def change(self, page: bool, closer_look: bool) -> bool:
        """Take what the page has told; whether something is in sight that was not."""
        newly = (page and not self.page) or (page and closer_look and not self.is_closer_look_seen())
        self.page, self.closer_look = page, closer_look
        return newly

    def fit(self, pixels: object) -> bool:
        """Take how wide the page's charts are; whether its picture is too coarse for them, asked for once.

        A page says it with every frame, and whoever asks again begins the runs again.
        """
        before, self.points = self.points, points_for(pixels)
        return self.points > max(before, self.drawn_points)

    def left(self, stale: Stale) -> Stale:
        """Says whether work beside the curves is left: nobody sees the page, or it is not the newest."""
        return lambda: stale() or not self.page


def closer_look_in(
    sight: Sight,
    laboratory: Laboratory,
    show: Callable[[dict[str, Any]], object],
    pins: Callable[[], tuple[Pin, ...]],
    line: Line,
) -> CloserLook:
    """The closer look of a page, which knows whether it is in sight and what its laboratory may take."""
    budget = laboratory.budget
    return CloserLook(
        show,
        budget.seconds,
        pins,
        line.has_room,
        sight.is_closer_look_seen,
        budget.unseen_seconds,
        is_known=laboratory.keeps,
        number=line.number,
    )
