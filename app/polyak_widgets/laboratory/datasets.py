"""The data sets of one page: the paper's, made-up ones, and what a person has brought."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from cachetools import LRUCache

import polyak_core as pc
from polyak_core.data.madelon import UnfetchedError, can_be_had
from polyak_core.matrices.kinds import is_dense
from polyak_core.progress.background import Background
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.columns import Columns
from polyak_widgets.laboratory.problems import data_key
from polyak_widgets.laboratory.synthetic import synthetic_data
from polyak_widgets.laboratory.texts import LOST_FILE, NO_FILE, NOT_HERE, UNFETCHED, classes_text
from polyak_widgets.laboratory.upload import OwnFile
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.settings.choices import ON_DATA, PROBLEMS, WITH_CLASSES
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.spectrum import eigenvalues_of

KEPT = 4
SHOWN_KINDS = 5
T = TypeVar("T")


class Shelf:
    """Loads each data set once, scaled as asked, and keeps the newest ones.

    Attributes:
        own: what a person has brought, by its sha256, the newest last.
        file: the table that came last, readable or not.
        unavailable: why some of the paper's data sets cannot be had, by their names.
    """

    def __init__(self) -> None:
        self._newest: LRUCache[Any, pc.Dataset] = LRUCache(KEPT)
        self.own: dict[str, OwnData] = {}
        self.file: OwnFile | None = None
        self._tried: Columns | None = None
        self.unavailable: dict[str, str] = {} if can_be_had() else {"madelon": NOT_HERE}

    def put(self, own: OwnData) -> None:
        """Keep what a person has brought; beyond `KEPT` the oldest goes."""
        self.own.pop(own.sha256, None)
        self.own[own.sha256] = own
        self._tried = None
        for sha256 in list(self.own)[:-KEPT]:
            del self.own[sha256]

    def read(self, file: OwnFile, columns: Columns | None) -> OwnData:
        """What is in a file, which stays at hand: whoever chooses other columns may make it readable.

        Raises:
            SettingsError: what is wrong with it.
        """
        if file.table is not None:
            self.file, self._tried = file, columns or file.usual
        return file.read(columns)

    @property
    def preview(self) -> Mapping[str, Any] | None:
        """Of the columns of the newest data, or of a table that came later and could not be read."""
        if self.file is not None and self._tried is not None:
            return self.file.preview(self._tried)
        return self.newest.preview if self.newest else None

    def settings_of(self, own: OwnData, settings: Settings | None) -> Settings:
        """Keep data from a notebook; the settings that mean them."""
        self.put(own)
        if settings is None:
            return Settings.from_values(own.values_with({}))
        return replace(settings, own=own.sha256) if settings.data == "own" else settings

    @property
    def files(self) -> tuple[Any, ...]:
        """Which data, table and columns are the newest: the same as long as `newest` and `preview` are."""
        newest = self.newest
        return newest and (newest.sha256, newest.columns), self.file and self.file.sha256, self._tried

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
        if key not in self._newest:
            self._newest[key] = self._load(settings, stale)
        if settings.data == "own" and settings.problem in WITH_CLASSES:
            require_classes(self._own(settings), settings.problem)
        return self._newest[key]

    def _own(self, settings: Settings) -> OwnData:
        own = self.own.get(settings.own)
        if own is None:
            raise SettingsError("data", LOST_FILE if settings.own else NO_FILE)
        columns = Columns(settings.label, settings.leave_out)
        if own.read is not None and own.columns != columns:
            try:
                own = self.own[settings.own] = own.read(columns)
            except SettingsError as error:
                raise SettingsError("data", str(error)) from None
        return own

    def _load(self, settings: Settings, stale: Callable[[], bool] | None) -> pc.Dataset:
        if settings.data == "own":
            return in_scale(self._own(settings), settings.scaling)
        if settings.data == "synthetic":
            arguments = (eigenvalues_of(settings), settings.rows, settings.seed, settings.scaling)
            return patiently(lambda: synthetic_data(*arguments), stale)
        try:
            return patiently(lambda: pc.load_dataset(settings.data, scaling=settings.scaling), stale)
        except UnfetchedError as error:  # what a network library says helps nobody on a page
            self.unavailable[settings.data] = NOT_HERE
            raise SettingsError("data", f"{UNFETCHED} {error.remedy}.") from None
        except ValueError as error:
            raise SettingsError("data", str(error)) from None


def in_scale(own: OwnData, scaling: str) -> pc.Dataset:
    """The data with their features scaled.

    Raises:
        SettingsError: numbers so large that they have no mean.
    """
    with np.errstate(all="ignore"):
        scaled = own.scaled(scaling)
    if is_dense(scaled.X) and not np.isfinite(scaled.X).all():
        raise SettingsError(
            "data", f"Numbers in {own.name} are too large to take their means: divide them by a constant."
        )
    return scaled


def require_classes(own: OwnData, problem: str) -> None:
    """Refuse labels that are not of two kinds where the problem tells two kinds apart.

    Raises:
        SettingsError: how many kinds there are, and which problems take them.
    """
    if own.two_classes:
        return
    kinds = np.unique(own.y)
    values = ", ".join(number_text(float(kind), 4) for kind in kinds[:SHOWN_KINDS])
    more = ", …" if kinds.size > SHOWN_KINDS else ""
    what = classes_text(kinds.size, count_text(kinds.size))
    raise SettingsError(
        "problem",
        f"{PROBLEMS[problem]} tells two classes apart, and the labels of {own.name} are of {what} "
        f"({values}{more}): keep the rows of two, or take least squares or LASSO, which fit the numbers.",
    )


def patiently(make: Callable[[], T], stale: Callable[[], bool] | None) -> T:
    """Make or fetch something that may be slow while nobody may want it any more.

    It lies in a thread of its own, where there are threads; else it is left at its next step.

    Raises:
        polyak_core.Cancelled: `stale` said so.
    """
    with pc.watched(cancel=stale):
        return Background(make, long=True).result()
