"""The units of the x axis: what each counts, in the words of every place where it stands."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of the x axis.

    Attributes:
        label: its name where it is chosen, and at the head of the table.
        axis: the title of the axis.
        note: what to know of it below the table.
        help: what to know of it where it is chosen beside the cursor.
    """

    label: str
    axis: str
    note: str
    help: str = ""


UNITS = {
    "iterations": Unit(
        "iterations",
        "iteration k",
        "AdaptAPG and v2 ask for two gradients an iteration; gradient calls count both.",
    ),
    "gradients": Unit(
        "gradient calls",
        "gradient calls",
        "Counted as the methods ask for them; on quadratic losses the second call of v2 is free here.",
        "The unit that does not depend on the implementation.",
    ),
    "seconds": Unit(
        "seconds",
        "seconds in the method",
        "The median time of a step on this machine, times k: indicative only.",
        "The median time of a step on this machine, times k; recording is left out.",
    ),
}
