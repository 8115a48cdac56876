"""Runs of one method that differ in one thing, and the band that most of them lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array
from polyak_core.runs.batch import Batch
from polyak_core.runs.stack import Task
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import spread_order
from polyak_widgets.panels.closer_look.studies import Limited

RUNS = 20
OUTSIDE = 10
"""Of so many runs the lowest and the highest lie outside the band."""


class Band(NamedTuple):
    """Relative gaps of many runs at k = 0, 1, ...

    Attributes:
        low, median, high: shape (records,); between low and high lie all runs but `outside` at either end.
        runs: how many they are.
        floor: below it rounding errors dominate in one of them.
    """

    low: Array
    median: Array
    high: Array
    runs: int
    floor: float = 0.0

    @property
    def inside(self) -> int:
        """How many values lie from `low` to `high`, both included."""
        return self.runs - 2 * (self.runs // OUTSIDE)


def band_of(gaps: Sequence[Array]) -> Band:
    """The band of runs with these gaps; a run that has ended counts on with its last gap.

    >>> import numpy as np
    >>> band = band_of([np.array([2.0, 1.0]), np.array([4.0, 1.0, 0.4]), np.array([1.0, 0.1])])
    >>> band.median.tolist(), band.high.tolist(), band.inside
    ([1.0, 0.25, 0.1], [1.0, 0.5, 0.5], 3)
    """
    table = np.empty((len(gaps), max(map(len, gaps))))
    for row, gap in zip(table, gaps, strict=True):
        row[: gap.size] = gap / gap[0] if gap[0] > 0 else gap
        row[gap.size :] = row[gap.size - 1]
    table = np.sort(np.nan_to_num(table, nan=np.inf), axis=0)
    outside = len(gaps) // OUTSIDE
    return Band(table[outside], np.median(table, axis=0), table[-1 - outside], len(gaps))


class BandStudy:
    """Such runs, advanced in slices; at the end their band alone stays.

    Args:
        tasks: a problem and keywords of `polyak_core.solve` for each.
        seconds: of work; of runs that have not ended by then nothing is known.
    """

    def __init__(self, tasks: Sequence[Task], seconds: float) -> None:
        """Nothing is computed yet."""
        ordered = [tasks[i] for i in spread_order(len(tasks))]
        self.count, self.finished = len(tasks), False
        self._problems = [problem for problem, _ in ordered]
        self._runs = Batch(ordered, full=False, exact=False)
        self._work = Limited(self._runs, seconds)
        self._band: Band | None = None

    def advance(self, slice_seconds: float = np.inf) -> bool:
        """Go on for about so long; True when all runs have ended, or the time is used up.

        Raises:
            ValueError: the method cannot run so.
        """
        if not self.finished and self._work.advance(slice_seconds):
            self._band, self.finished = self.band(), True
            self._runs = Batch(())  # their gaps are not needed any more
            self._work = Limited(self._runs, 0.0)
        return self.finished

    def band(self) -> Band | None:
        """The band of the runs that have ended so far; None while there is none."""
        if self.finished:
            return self._band
        ended = [i for i in range(len(self._runs)) if self._runs.ended(i)]
        gaps = self._runs.gaps if ended else []
        rows = {i: gaps[i] for i in ended if gaps[i].size}
        floors = [self._problems[i].floor_of(gap) / (gap[0] or 1.0) for i, gap in rows.items()]
        return band_of(list(rows.values()))._replace(floor=max(floors)) if rows else None
