"""The closer look's band: the gap of twenty runs of each method, which differ in x_0, or in gamma or mu_0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_core.runs.stack import Task
from polyak_widgets.laboratory.experiment import Experiment, method_task
from polyak_widgets.laboratory.problems import normal_start, task_from
from polyak_widgets.look import method_look
from polyak_widgets.panels.charts.mu import positive
from polyak_widgets.panels.closer_look.band.band import RUNS, Band, BandStudy
from polyak_widgets.panels.closer_look.band.words import band_sentence, band_subtitle, band_summary, floor_of
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import even_ratios
from polyak_widgets.panels.closer_look.sensitivity.sweeps import METHOD_OF, slider_range
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import DEEPEST, Curve, axis_end, decades, drawn
from polyak_widgets.panels.frame import thin
from polyak_widgets.panels.texts import FIRST_RUNS, HEADINGS, STOPPED
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS

UNSEEN = 1e-9 * DEEPEST
EDGE_POINTS = 400
"""Points of each edge of a band."""


@dataclass(frozen=True)
class Bands:
    """What there is to draw.

    Attributes:
        spread: in what the runs of a band differ, a name of `SPREADS`.
        values: of a parameter, if that is it.
        studies: by method.
    """

    spread: str
    values: tuple[float, ...]
    studies: Mapping[str, BandStudy]


def band_studies(experiment: Experiment, spread: str, studies: Studies) -> Bands:
    """The studies, remembered: of all methods that are drawn, or of the one that has the parameter."""
    problem, settings = experiment.problem, experiment.settings
    methods = [run.method for run, _ in drawn(experiment)]
    values: tuple[float, ...] = ()
    if spread != "starts":
        methods = [method for method in methods if method == METHOD_OF[spread]]
        values = tuple(even_ratios(*slider_range(spread), RUNS))

    def tasks(method: str) -> list[Task]:
        if not values:
            starts = (normal_start(settings, problem, seed) for seed in range(RUNS))
            return [task_from(problem, settings, method, start) for start in starts]
        task, keywords = method_task(problem, settings, method)
        scale = problem.L if spread == "mu0" else 1.0
        return [(task, keywords | {spread: scale * value}) for value in values]

    def study(method: str) -> BandStudy:
        _, keywords = method_task(problem, settings, method)
        known = tuple(each for each in keywords.items() if each[0] != spread)
        key = ("band", spread, id(problem), *known)
        return studies.of(key, lambda: BandStudy(tasks(method), studies.seconds), problem)

    return Bands(spread, values, {method: study(method) for method in methods})


def band_panel(experiment: Experiment, bands: Bands, stopped: bool = False) -> dict[str, Any]:
    """The median of each method and the band around it; with a parameter the other methods as they are."""
    results = {method: study.band() for method, study in bands.studies.items()}
    known = {method: band for method, band in results.items() if band is not None}
    if not known:
        over = stopped or all(study.finished for study in bands.studies.values())
        return {"empty": STOPPED} if over else {"waiting": FIRST_RUNS}
    medians = {method: band.median for method, band in known.items()}
    if bands.spread != "starts":
        medians |= {run.method: its.relative_gap for run, its in drawn(experiment) if run.method not in known}
    last = last_of([*medians.values(), *(band.high for band in known.values())])
    end = axis_end(last, experiment.settings.iterations)
    lowest = max(floor_of(known), DEEPEST)
    edges = [edge[: last + 1] for band in known.values() for edge in (band.low, band.high)]
    heights = [values[: last + 1] for values in medians.values()]
    names = {method: label(method, experiment.settings, without=bands.spread) for method in medians}
    return {
        "title": HEADINGS["band"],
        "subtitle": band_subtitle(bands.spread, bands.values, known, lowest),
        "sentence": band_sentence(experiment, bands, known),
        "summary": band_summary(names, known),
        "x": {"title": UNITS["iterations"].axis, "type": "linear", "range": [0.0, end]},
        "y": {
            "title": "",
            "type": "log",
            "range": decades([*edges, *heights], lowest),
        },
        "clock": True,
        "curves": [
            *(area(method, band, last) for method, band in known.items()),
            *(median_line(method, names[method], values) for method, values in medians.items()),
        ],
    }


def last_of(rows: Sequence[Array]) -> int:
    """The last k at which one of them is seen."""
    return max(int(np.flatnonzero(row > DEEPEST)[-1]) if (row > DEEPEST).any() else 1 for row in rows)


def median_line(method: str, name: str, values: Array) -> Curve:
    """The median, or the one run of a method that has no band."""
    k, heights = np.arange(float(values.size)), positive(values, 0.0)
    return Curve(f"median:{method}", name, method_look(method), k, heights)


def area(method: str, band: Band, last: int) -> Curve:
    """The band as one closed line, along its highest values and back along its lowest ones.

    It ends where it leaves the chart; a value that is 0, or far below the chart, is drawn as one far below.
    """
    end = 1 + last_of([band.high[: last + 1]])
    high, low = band.high[:end], np.maximum(band.low[:end], UNSEEN)
    k = thin(low, EDGE_POINTS)
    k = k[np.isfinite(high[k])]
    high = np.maximum(high, UNSEEN)
    x, y = np.concatenate([k, k[::-1]]), np.concatenate([high[k], low[k[::-1]]])
    return Curve(f"band:{method}", "", method_look(method), x.astype(float), y, "band")
