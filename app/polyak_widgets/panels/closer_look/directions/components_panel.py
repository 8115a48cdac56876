"""The closer look's error by direction: what is left of it at the iteration that the cursor points at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import method_keywords
from polyak_widgets.look import START, method_look
from polyak_widgets.panels.closer_look.directions.components import Components, ComponentsRun
from polyak_widgets.panels.closer_look.directions.components_words import (
    components_sentence,
    components_subtitle,
    components_summary,
)
from polyak_widgets.panels.closer_look.directions.directions import Directions, directions
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import Curve, drawn
from polyak_widgets.panels.texts import AT_START, EIGENVALUE_AXIS, NO_ERROR
from polyak_widgets.panels.words.words import label

MOST_METHODS = 6
DEEPEST = 1e-16
"""The axis ends at this part of the largest component."""
SIGNS = {"apg": "circle", "restart": "diamond", "fista": "triangle-down", "pgd": "cross"}
"""For methods whose curves carry no marker of their own."""


def component_studies(
    experiment: Experiment, studies: Studies
) -> tuple[Directions, dict[str, ComponentsRun]]:
    """The directions, remembered, and one study for each of the first methods that have run.

    Raises:
        NoDirectionsError: there are none, in words.
    """
    problem = experiment.problem
    basis = studies.of(("directions", id(problem)), lambda: directions(problem), problem)
    runs: dict[str, ComponentsRun] = {}
    for run, trace in drawn(experiment)[:MOST_METHODS]:
        keywords = method_keywords(experiment.settings, run.method, problem)
        key = ("components", id(problem), run.method, len(trace), *keywords.items())
        runs[run.method] = studies.of(
            key, _make(problem, basis, run.method, len(trace) - 1, keywords), problem
        )
    return basis, runs


def _make(
    problem: pc.Problem, basis: Directions, method: str, last: int, keywords: dict[str, Any]
) -> Callable[[], ComponentsRun]:
    return lambda: ComponentsRun(problem, basis, method, last, keywords)


def components_panel(
    experiment: Experiment, basis: Directions, results: dict[str, Components]
) -> dict[str, Any]:
    """|component of y_k - x*| against its eigenvalue, for every method at the cursor's k."""
    values = basis.eigenvalues
    first = np.abs(next(iter(results.values())).components[0])
    if not first.any():
        return {"empty": NO_ERROR}
    curves = [Curve("start", AT_START, START, values, drawable(first), faint=True)]
    for method, result in results.items():
        symbol = f"{method_look(method).marker or SIGNS.get(method, 'circle')}-open"
        name, look = label(method, experiment.settings), method_look(method)
        sizes = drawable(np.abs(result.components))
        curves.append(
            Curve(
                f"error:{method}",
                name,
                look,
                values,
                sizes,
                "markers",
                symbol=symbol,
                size=7,
                steps=result.iterations.astype(float),
            )
        )
    low, high, top = float(values[0]), float(values[-1]), float(first.max())
    edge = max((high / low) ** 0.03, 1.1)
    return {
        "subtitle": components_subtitle(basis),
        "sentence": components_sentence(experiment, basis, results, DEEPEST * top),
        "summary": components_summary(experiment, basis, results),
        "x": {"title": EIGENVALUE_AXIS, "type": "log", "range": [low / edge, high * edge]},
        "y": {"title": "", "type": "log", "range": [DEEPEST * top, 5 * top]},
        "curves": curves,
        "legend": True,
        "at": "k = ",
    }


def drawable(sizes: Array) -> Array:
    """NaN where a logarithmic axis has no place."""
    return np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.nan)
