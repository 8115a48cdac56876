"""What a run and a picture may cost where many share a machine, and what is said where it would cost more."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic, process_time

import numpy as np

import polyak_core as pc
from polyak_core.checks import shown
from polyak_core.matrices.kinds import stored_entries
from polyak_core.runs.trace import COLUMNS
from polyak_widgets.laboratory.texts import (
    FEWER_KERNEL_ROWS,
    FEWER_NUMBERS,
    FEWER_UNKNOWNS,
    LARGER_BUDGET,
    closer_look_left,
    search_left,
    too_much_memory,
)
from polyak_widgets.numbers import number_text
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings

NUMBER = 8
"""Bytes."""
COPIES = 3
"""A growing run has its records, the copy that is drawn, and the one before, which is just being replaced."""
DATA_COPIES, GRAM_COPIES, KERNEL_COPIES = 12, 8, 10
"""Measured peaks of making a problem and its x*, over rows x features, smaller side squared, rows squared."""
LIMITS = ("seconds", "megabytes", "picture_seconds", "minute_seconds", "frames", "unseen_seconds")


@dataclass(frozen=True)
class Budget:
    """Limits of one run and of one picture; iterations have theirs in `Settings`.

    >>> Budget(seconds=5).seconds
    5

    Attributes:
        seconds: processor time in one method, and to find x* and f*.
        megabytes: memory for the problem and all records of one picture, estimated before any is taken.
        picture_seconds: processor time for one picture: the search for x*, all methods in turns, so that
            what one does not need is there for the others, and then the study beside them.
        minute_seconds: processor time in a minute; a reader who has used it up goes on more slowly.
        frames: how often in a second a picture that grows is drawn at most.
        unseen_seconds: so long a reader pauses before the closer look is computed while it is out of sight.

    Raises:
        ValueError: a limit that is not above 0.
    """

    seconds: float = 30
    megabytes: float = 1000
    picture_seconds: float = math.inf
    minute_seconds: float = math.inf
    frames: float = 30
    unseen_seconds: float = 0.1

    def __post_init__(self) -> None:
        """Judge all."""
        for name in LIMITS:
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and value > 0):
                raise ValueError(
                    f"{name} = {shown(value)} is not allowed in a Budget: give a number above 0."
                )

    @classmethod
    def of_server(cls, environment: Mapping[str, str] = os.environ) -> Budget:
        """What whoever serves the page has set: POLYAK_SECONDS and the like.

        >>> Budget.of_server({"POLYAK_SECONDS": "10"}).seconds
        10.0

        Raises:
            ValueError: a value that is no number above 0.
        """
        limits: dict[str, float] = {}
        for name in LIMITS:
            text = environment.get(f"POLYAK_{name.upper()}")
            if text:
                try:
                    limits[name] = float(text)
                except ValueError:
                    raise ValueError(
                        f"POLYAK_{name.upper()} = {text!r} is no number: give one above 0."
                    ) from None
        return cls(**limits)

    def purse(self) -> Purse:
        """What a picture that begins now may take."""
        return Purse(self.picture_seconds)

    def minute(self) -> Minute:
        """What the work of one reader may take in any minute."""
        return Minute(self.minute_seconds)

    def require(self, settings: Settings, data: pc.Dataset | None = None) -> None:
        """Refuse what would not fit, before any memory is taken.

        Raises:
            SettingsError: with what is needed, what there is, and what to do.
        """
        runs = COPIES * len(settings.methods) * record_bytes(settings.iterations + 1)
        problem = NUMBER * numbers_of_problem(settings, data)
        needed = (runs + problem) / 1e6
        if needed <= self.megabytes:
            return
        amount = too_much_memory(number_text(needed), number_text(self.megabytes))
        if runs > problem:
            raise SettingsError(
                "iterations",
                f"So many iterations of {len(settings.methods)} methods need {amount}: "
                f"take fewer iterations or fewer methods. {LARGER_BUDGET}",
            )
        named = "problem" if settings.problem in ON_DATA else "n"  # the control that is there
        raise SettingsError(named, f"This problem needs {amount}: take {smaller(settings)}. {LARGER_BUDGET}")

    def over(self, stale: Callable[[], bool] | None) -> Callable[[], bool]:
        """Says whether the work that begins now is not wanted any more, or has used up its seconds."""
        end = process_time() + self.seconds
        return lambda: process_time() > end or (stale is not None and stale())

    def search_ended(self) -> str:
        """What is said when x* was not found in time."""
        return search_left(number_text(self.seconds))


class Purse:
    """Processor seconds of one picture, which all work for it draws from while it goes on.

    >>> Purse(0.0).is_empty, Purse(60.0).is_empty
    (True, False)

    Attributes:
        seconds: how many there were at first.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun = process_time()

    @property
    def is_empty(self) -> bool:
        """Whether they are used up."""
        return process_time() - self._begun >= self.seconds

    def study_ended(self) -> str:
        """What is said when the study beside the methods was left."""
        return closer_look_left(number_text(self.seconds))


class Minute:
    """Processor seconds of the last minute: a store that fills up evenly while work draws from it.

    One step may take more than there is. What it owes then is paid by waiting, but for what is above `DEBT`.
    """

    DEBT = 5.0

    def __init__(self, seconds: float) -> None:
        self._rate = seconds / 60
        self._most = self._store = seconds
        self._time, self._spent = monotonic(), process_time()

    def wait(self) -> float:
        """How many seconds the work should wait before it goes on."""
        if math.isinf(self._rate):
            return 0.0
        time, spent = monotonic(), process_time()
        store = self._store + self._rate * (time - self._time) - (spent - self._spent)
        self._store = max(-self.DEBT, min(store, self._most))
        self._time, self._spent = time, spent
        return max(0.0, -self._store / self._rate)


NO_LIMIT = Budget(math.inf, math.inf)


def record_bytes(rows: int) -> int:
    """What so many records of one run take."""
    return NUMBER * len(COLUMNS) * rows


def numbers_of_problem(settings: Settings, data: pc.Dataset | None) -> float:
    """How many numbers the problem holds at most while it is made and its x* is sought."""
    if data is None:
        return 50.0 * settings.n if settings.problem == "quadratic" else 1e6
    rows, features = data.X.shape
    if settings.problem == "svm_dual" and settings.kernel == "rbf":
        return KERNEL_COPIES * float(rows) ** 2
    return DATA_COPIES * float(stored_entries(data.X)) + GRAM_COPIES * float(min(rows, features)) ** 2


def smaller(settings: Settings) -> str:
    """What to take instead of a problem that is too large."""
    if settings.problem not in ON_DATA:
        return FEWER_UNKNOWNS
    if settings.problem == "svm_dual" and settings.kernel == "rbf":
        return FEWER_KERNEL_ROWS
    return FEWER_NUMBERS
