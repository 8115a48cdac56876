"""The data sets of one page: the paper's, made-up ones, and what a person has brought."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from cachetools import LRUCache

import polyak_core as pc
from polyak_core.data.madelon import UnfetchedError
from polyak_core.matrices.kinds import is_dense
from polyak_core.progress.threads import begin
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.problems import data_key
from polyak_widgets.laboratory.synthetic import synthetic_data
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.settings.choices import ON_DATA, PROBLEMS, WITH_CLASSES
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.spectrum import eigenvalues_of

KEPT = 4
PATIENCE = 0.05
"""Seconds between two looks whether data that are fetched are still wanted."""
NO_FILE = "There is no file of yours yet: choose one, or take another data set."
LOST_FILE = "This page does not hold your file: bring it again, or take another data set."
UNFETCHED = "Madelon is not on this machine, and fetching it has failed."
SHOWN_KINDS = 5
T = TypeVar("T")


class Shelf:
    """Loads each data set once, scaled as asked, and keeps the newest ones.

    Attributes:
        own: what a person has brought, by its sha256, the newest last.
    """

    def __init__(self) -> None:
        self._kept: LRUCache[Any, pc.Dataset] = LRUCache(KEPT)
        self.own: dict[str, OwnData] = {}

    def put(self, brought: OwnData) -> None:
        """Keep what a person has brought; beyond `KEPT` the oldest goes."""
        self.own.pop(brought.sha256, None)
        self.own[brought.sha256] = brought
        for sha256 in list(self.own)[:-KEPT]:
            del self.own[sha256]

    @property
    def newest(self) -> OwnData | None:
        """What was brought last."""
        return next(reversed(self.own.values()), None)

    def data(self, settings: Settings, stale: Callable[[], bool] | None = None) -> pc.Dataset | None:
        """What the problem of these settings is made of; None if it needs no data.

        Raises:
            SettingsError: not to be had, or not fit for the problem, in words.
            polyak_core.Cancelled: `stale` said that it is not wanted any more.
        """
        if settings.problem not in ON_DATA:
            return None
        key = data_key(settings)
        if key not in self._kept:
            self._kept[key] = self._load(settings, stale)
        if settings.data == "own" and settings.problem in WITH_CLASSES:
            require_classes(self._own(settings), settings.problem)
        return self._kept[key]

    def _own(self, settings: Settings) -> OwnData:
        brought = self.own.get(settings.own)
        if brought is None:
            raise SettingsError("data", LOST_FILE if settings.own else NO_FILE)
        return brought

    def _load(self, settings: Settings, stale: Callable[[], bool] | None) -> pc.Dataset:
        if settings.data == "own":
            return in_scale(self._own(settings), settings.scaling)
        if settings.data == "synthetic":
            wanted = (eigenvalues_of(settings), settings.rows, settings.seed, settings.scaling)
            return patiently(lambda: synthetic_data(*wanted), stale)
        try:
            return patiently(lambda: pc.load_dataset(settings.data, scaling=settings.scaling), stale)
        except UnfetchedError as error:  # what a network library says helps nobody on a page
            raise SettingsError("data", f"{UNFETCHED} {error.remedy}.") from None
        except ValueError as error:
            raise SettingsError("data", str(error)) from None


def in_scale(brought: OwnData, scaling: str) -> pc.Dataset:
    """The data with their features scaled.

    Raises:
        SettingsError: numbers so large that they have no mean.
    """
    with np.errstate(all="ignore"):
        scaled = brought.scaled(scaling)
    if is_dense(scaled.X) and not np.isfinite(scaled.X).all():
        raise SettingsError(
            "data", f"Numbers in {brought.name} are too large to take their means: divide them by a constant."
        )
    return scaled


def require_classes(brought: OwnData, problem: str) -> None:
    """Refuse labels that are not of two kinds where the problem tells two kinds apart.

    Raises:
        SettingsError: how many kinds there are, and which problems take them.
    """
    if brought.two_classes:
        return
    kinds = np.unique(brought.y)
    values = ", ".join(number_text(float(kind), 4) for kind in kinds[:SHOWN_KINDS])
    more = ", …" if kinds.size > SHOWN_KINDS else ""
    what = "one class" if kinds.size == 1 else f"{count_text(kinds.size)} classes"
    raise SettingsError(
        "problem",
        f"{PROBLEMS[problem]} tells two classes apart, and the labels of {brought.name} are of {what} "
        f"({values}{more}): keep the rows of two, or take least squares or LASSO, which fit the numbers.",
    )


def patiently(make: Callable[[], T], stale: Callable[[], bool] | None) -> T:
    """Make or fetch something in a thread of its own, since it may be slow and nobody may want it any more.

    Raises:
        polyak_core.Cancelled: `stale` said so; the thread ends by itself, and what it fetched is kept by it.
    """
    found: list[T] = []
    errors: list[Exception] = []

    def work() -> None:
        try:
            found.append(make())
        except Exception as error:
            errors.append(error)

    thread = begin(work, "polyak-data", lambda: None)
    while thread.is_alive():
        thread.join(PATIENCE)
        if thread.is_alive() and stale is not None and stale():
            raise pc.Cancelled("Cancelled while data were fetched or a problem was made; ask again to go on.")
    if errors:
        raise errors[0]
    return found[0]
