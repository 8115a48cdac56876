"""The bands of many runs as columns of a file, and what they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from polyak_widgets.panels.closer_look.band.band import Band
from polyak_widgets.panels.closer_look.band.panel import Bands

BAND_COLUMNS = ("band_low", "band_median", "band_high")


class DrawnBands(NamedTuple):
    """What a file has of them.

    Attributes:
        spread: in what the runs of a band differ, a name of `SPREADS`.
        values: of a parameter, if that is it.
        bands: by method.
    """

    spread: str
    values: tuple[float, ...]
    bands: Mapping[str, Band]

    def facts(self) -> dict[str, Any]:
        """What the bands are, without their numbers."""
        about = {
            method: {"runs": band.runs, "inside": band.inside, "floor": band.floor}
            for method, band in self.bands.items()
        }
        return {"over": self.spread, "values": list(self.values), "methods": about}

    def columns(self) -> dict[str, dict[str, list[float]]]:
        """By method the numbers at k = 0, 1, ..."""
        return {
            method: {"k": list(range(band.median.size))}
            | dict(zip(BAND_COLUMNS, (each.tolist() for each in _heights(band)), strict=True))
            for method, band in self.bands.items()
        }

    def cells(self, method: str) -> Iterator[tuple[float, ...]]:
        """For k = 0, 1, ... what stands in the three columns; nothing for a method that has no band."""
        band = self.bands.get(method)
        if band is not None:
            yield from zip(*(each.tolist() for each in _heights(band)), strict=True)

    @property
    def numbers(self) -> int:
        """How many there are."""
        return sum(len(BAND_COLUMNS) * band.median.size for band in self.bands.values())


def _heights(band: Band) -> tuple[Any, ...]:
    return band.low, band.median, band.high


def bands_of(drawn: Bands | None) -> DrawnBands | None:
    """Those that a closer look draws; None where it draws none."""
    if drawn is None:
        return None
    results = {method: study.band() for method, study in drawn.studies.items()}
    known = {method: band for method, band in results.items() if band is not None}
    return DrawnBands(drawn.spread, drawn.values, known) if known else None
