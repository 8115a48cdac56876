"""Names at the ends of curves in plain figures, as front/charts/plot/labels.js places them on the page.

Names stand in the margin right of the chart, so that neither they nor their leaders cross. Lengths are
pixels, y grows upwards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from polyak_core.arrays import Array

Point = tuple[float, float]
SLACK = 0.5
"""A point so far outside still counts as inside."""


def end_of(x: Array, y: Array, width: float, height: float) -> Point | None:
    """Where a curve is last seen: its last point inside, or where it leaves; None if it is never inside.

    Args:
        x: pixels from the left, NaN where there is no point; shape (n,).
        y: pixels from the bottom.
        width: of the chart.
        height: of the chart.
    """
    real = np.isfinite(x) & np.isfinite(y)
    x, y = x[real], y[real]
    inside = (x >= -SLACK) & (x <= width + SLACK) & (y >= -SLACK) & (y <= height + SLACK)
    if not inside.any():
        return None
    last = int(np.flatnonzero(inside)[-1])
    here = (float(x[last]), float(y[last]))
    if last + 1 == x.size:
        return here
    share = min(_share(here[0], float(x[last + 1]), width), _share(here[1], float(y[last + 1]), height))
    return (
        here[0] + max(0.0, share) * (float(x[last + 1]) - here[0]),
        here[1] + max(0.0, share) * (float(y[last + 1]) - here[1]),
    )


def _share(start: float, stop: float, limit: float) -> float:
    """The part of the way after which [0, limit] is left."""
    if stop > limit:
        return (limit - start) / (stop - start)
    return start / (start - stop) if stop < 0 else 1.0


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as can be to these positions, `gap` apart, between `low` and `high`.

    Neighbours that would touch become one block, which stands where its members are best off on average
    (the least sum of squared moves).

    >>> spread([50.0, 52.0, 10.0], 10.0, 0.0, 100.0)
    [46.0, 56.0, 10.0]
    """
    room = min(gap, (high - low) / max(len(positions) - 1, 1))
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    blocks: list[tuple[float, int]] = []  # sum of (position - offset within the block), size
    for i in order:
        blocks.append((positions[i], 1))
        while len(blocks) > 1 and _top(blocks[-2], room, low, high) + blocks[-2][1] * room > _top(
            blocks[-1], room, low, high
        ):
            (first, m), (second, n) = blocks[-2:]
            blocks[-2:] = [(first + second - n * m * room, m + n)]
    placed = [_top(block, room, low, high) + j * room for block in blocks for j in range(block[1])]
    return [placed[order.index(i)] for i in range(len(positions))]


def _top(block: tuple[float, int], room: float, low: float, high: float) -> float:
    total, size = block
    return min(max(total / size, low), high - (size - 1) * room)


def label_heights(ends: Sequence[Point], size: Point, line: float) -> list[float]:
    """Heights of the names of curves with these ends in a chart of this size, `line` apart.

    Heights as near as can be to the ends; the names take them so that the leaders are shortest in sum, and
    so no two of them cross.
    """
    width, height = size
    slots = sorted(spread([y for _, y in ends], line, line / 2, height - line / 2))
    x, y = (np.array(values, dtype=np.float64)[:, None] for values in zip(*ends, strict=True))
    _, columns = scipy.optimize.linear_sum_assignment(np.hypot(width - x + SLACK, np.array(slots) - y))
    return [slots[i] for i in columns]
