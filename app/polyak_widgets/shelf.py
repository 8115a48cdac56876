"""The data sets of one page: the paper's, made-up ones, and what a person has brought."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from cachetools import LRUCache

import polyak_core as pc

from .choices import ON_DATA
from .eigenvalues import eigenvalues_of
from .fields import SettingsError
from .problems import data_key
from .settings import Settings
from .synthetic import synthetic_data

T = TypeVar("T")
KEPT = 4
PATIENCE = 0.05
"""Seconds between two looks whether what is made is still wanted."""


class Shelf:
    """Loads each data set once, scaled as asked, and keeps the newest ones."""

    def __init__(self) -> None:
        self._kept: LRUCache[Any, pc.Dataset] = LRUCache(KEPT)

    def data(self, settings: Settings, stale: Callable[[], bool] | None = None) -> pc.Dataset | None:
        """What the problem of these settings is made of; None if it needs no data.

        Raises:
            SettingsError: not to be had, in words.
            polyak_core.Cancelled: `stale` said that it is not wanted any more.
        """
        if settings.problem not in ON_DATA:
            return None
        key = data_key(settings)
        if key not in self._kept:
            self._kept[key] = self._load(settings, stale)
        return self._kept[key]

    def _load(self, settings: Settings, stale: Callable[[], bool] | None) -> pc.Dataset:
        if settings.data == "own":
            raise SettingsError("data", "There is no file yet: bring one first, or take another data set.")
        if settings.data == "synthetic":
            return synthetic_data(eigenvalues_of(settings), settings.rows, settings.seed, settings.scaling)
        try:
            return patiently(lambda: pc.load_dataset(settings.data, scaling=settings.scaling), stale)
        except ValueError as error:
            raise SettingsError("data", str(error)) from None


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

    thread = threading.Thread(target=work, name="polyak-data", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(PATIENCE)
        if thread.is_alive() and stale is not None and stale():
            raise pc.Cancelled("Cancelled while data were fetched or a problem was made; ask again to go on.")
    if errors:
        raise errors[0]
    return found[0]
