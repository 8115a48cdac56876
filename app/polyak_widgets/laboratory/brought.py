"""Data of one's own on the page: kept under their sha256, described in a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.data.datasets import column_notes
from polyak_core.matrices.kinds import column_kinds, is_dense
from polyak_widgets.laboratory.columns import Columns
from polyak_widgets.laboratory.texts import (
    ALL_ZERO,
    CONSTANT,
    FILE,
    INFINITE,
    LABELS,
    NO_CONDITION,
    NONE,
    NOT_FINITE,
    NOT_WORKED_OUT,
    OUT_OF_SCALE,
    READ,
    SHAPE,
    ZERO,
    columns_text,
    low_rank,
    many_labels,
    same_labels,
    shape_text,
    two_labels,
)
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.settings.choices import SCALINGS
from polyak_widgets.settings.presets import OWN_SCALING, usual_values, values_with

MOST_WORK = 3e9
"""Rows × columns × the smaller of them: up to here singular values take a second or two."""
USUAL_CONDITION, USUAL_PART = 1e4, 0.1
LARGEST_LAM = 1e8
SHOWN_NAME = 28


class Condition(NamedTuple):
    """A condition number in words.

    Attributes:
        short: the number, or that there is none.
        reason: why there is none, or why it is infinite.
    """

    short: str
    reason: str = ""

    @property
    def words(self) -> str:
        """Both."""
        return f"{self.short}: {self.reason}" if self.reason else self.short


@dataclass(frozen=True, eq=False)
class OwnData:
    """A data set as it came: nothing scaled yet.

    Attributes:
        X: features, shape (m, n), dense or sparse.
        y: labels, shape (m,).
        name: of the file.
        sha256: of its bytes, or of the numbers where there is no file.
        notes: what was done to it in reading, in words.
        columns: what the columns of its file are for.
        read: the same file by other columns; None where there is no file.
        preview: of the columns of a table, for the rail.
    """

    X: Any = field(repr=False)
    y: Array = field(repr=False)
    name: str
    sha256: str
    _: KW_ONLY
    notes: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    read: Callable[[Columns], OwnData] | None = field(default=None, repr=False)
    preview: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def meant(self) -> dict[str, str]:
        """The values of settings that mean these data."""
        return {"own": self.sha256, **self.columns._asdict()}

    @property
    def two_classes(self) -> bool:
        """Whether the labels are -1 and +1."""
        return bool((np.abs(self.y) == 1).all() and np.ptp(self.y) > 0)

    def scaled(self, scaling: str) -> pc.Dataset:
        """With its features scaled."""
        return pc.dataset(self.X, self.y, name=self.name, scaling=scaling)

    @cached_property
    def usual_lam(self) -> dict[tuple[str, str], float]:
        """Weights that make pictures worth looking at, with one digit: there is none of the paper.

        Logistic: a condition number near 10^4. LASSO: a tenth of the weight at which x* = 0.
        """
        with np.errstate(all="ignore"):  # numbers out of scale have no usual weight
            data = self.scaled(OWN_SCALING)
            usual = {("lasso", "own"): USUAL_PART * float(np.abs(data.X.T @ data.y).max())}
            if self.two_classes:
                with suppress(ValueError):
                    usual["logistic", "own"] = pc.logistic(data.X, data.y, 0.0).L / (2 * USUAL_CONDITION)
        return {key: float(f"{value:.0e}") for key, value in usual.items() if 0 < value <= LARGEST_LAM}

    def usual_values(self) -> list[dict[str, Any]]:
        """For the rail: which fields follow others, with these data as the newest ones."""
        return usual_values(self.meant, self.usual_lam)

    def values_with(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values that show these data: the problem stays if they fit it, else the simplest that does."""
        return values_with(self.meant, self.two_classes, self.usual_lam, values)

    @cached_property
    def card(self) -> list[list[str]]:
        """What people should know of the data before they trust a picture: pairs of a word and a fact."""
        rows, columns = self.X.shape
        zero, constant = column_kinds(self.X)
        name = self.name if len(self.name) <= SHOWN_NAME else f"…{self.name[1 - SHOWN_NAME :]}"
        facts = [
            [FILE, name],
            [SHAPE, shape_text(count_text(rows), count_text(columns), self._stored())],
            [LABELS, self._labels()],
            [CONSTANT, columns_text(constant, count_text(constant))],
            [ZERO, columns_text(zero, count_text(zero))],
            [NOT_FINITE, NONE],
            *([f"κ {words}", self.conditions[scaling].words] for scaling, words in SCALINGS.items()),
        ]
        counted = column_notes(self.X, "none")  # above
        return facts + [[READ, note] for note in self.notes if note not in counted]

    def _stored(self) -> str:
        return "" if is_dense(self.X) else count_text(int(self.X.nnz))

    def _labels(self) -> str:
        if self.two_classes:
            minus = int((self.y < 0).sum())
            return two_labels(count_text(minus), count_text(self.y.size - minus))
        kinds = np.unique(self.y).size
        low, high = number_text(float(self.y.min()), 3), number_text(float(self.y.max()), 3)
        if kinds == 1:
            return same_labels(low)
        return many_labels(count_text(kinds), low, high)

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """The condition number of A'A after each scaling."""
        return {scaling: self._condition(scaling) for scaling in SCALINGS}

    def _condition(self, scaling: str) -> Condition:
        """Largest by smallest eigenvalue of A'A after a scaling."""
        rows, columns = self.X.shape
        if float(rows) * columns * min(rows, columns) > MOST_WORK:
            return Condition(NOT_WORKED_OUT)
        with np.errstate(all="ignore"):
            X = self.scaled(scaling).X
        if is_dense(X) and not np.isfinite(X).all():
            return Condition(NO_CONDITION, OUT_OF_SCALE)
        sigma = np.linalg.svd(X if is_dense(X) else X.toarray(), compute_uv=False)
        positive = sigma[sigma > max(rows, columns) * np.finfo(float).eps * sigma[0]]
        if not positive.size:
            return Condition(NO_CONDITION, ALL_ZERO)
        ratio = number_text(float(positive[0] / positive[-1]) ** 2)
        if positive.size < columns:
            return Condition(INFINITE, low_rank(positive.size, columns, ratio))
        return Condition(ratio)
