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
from polyak_widgets.numbers import THIN, count_text, iterations_text, number_text
from polyak_widgets.panels.closer_look.components import Components, ComponentsRun
from polyak_widgets.panels.closer_look.directions import Directions, directions
from polyak_widgets.panels.closer_look.studies import Studies
from polyak_widgets.panels.curves import Curve, drawn
from polyak_widgets.panels.frame import beginning
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
        return {"empty": "the start is x* itself in all of these directions."}
    curves = [Curve("start", "at the start", START, values, drawable(first), faint=True)]
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
        "subtitle": _subtitle(basis),
        "sentence": _sentence(experiment, basis, results),
        "summary": _summary(experiment, basis, results),
        "x": {"title": "eigenvalue (slow to fast)", "type": "log", "range": [low / edge, high * edge]},
        "y": {"title": "", "type": "log", "range": [DEEPEST * top, 5 * top]},
        "curves": curves,
        "legend": True,
        "at": "k = ",
    }


def drawable(sizes: Array) -> Array:
    """NaN where a logarithmic axis has no place."""
    return np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.nan)


def _subtitle(basis: Directions) -> str:
    count = basis.eigenvalues.size
    where = "|component| along each eigenvector of the Hessian at x*"
    if basis.free < basis.n:
        where += f" on the {count_text(basis.free)} of {count_text(basis.n)} coordinates that are free there"
    return where + (f", {count} of {basis.free} drawn" if count < basis.free else "")


def step_at(result: Components, k: int) -> int:
    """The last step that is not after k."""
    return int(np.searchsorted(result.iterations, k, side="right")) - 1


def _sentence(experiment: Experiment, basis: Directions, results: dict[str, Components]) -> str:
    """Where the error that is left lies, at the iteration where the cursor begins."""
    count = basis.eigenvalues.size
    if count == 1:
        return "There is one direction only, so every method sees one number."
    slow = max(1, count // 10)
    which = "the slowest one holds" if slow == 1 else f"the {slow} slowest hold"
    steps = {method: step_at(result, beginning(experiment)) for method, result in results.items()}
    ks = {method: int(results[method].iterations[step]) for method, step in steps.items()}
    shares, after = [], max(ks.values())
    for method, result in results.items():
        squares = result.components[steps[method]] ** 2
        if np.isfinite(squares).all() and squares.sum() > 0:
            share = 100 * squares[:slow].sum() / squares.sum()
            ended = "" if ks[method] == after else f" (at k = {count_text(ks[method])})"
            shares.append(f"{label(method, experiment.settings)} {round(share)}{THIN}%{ended}")
    if not shares:
        return "No error is left to be told apart."
    left = f"what is left in these {count} directions of ‖yₖ − x*‖² after {iterations_text(after)}"
    return f"Of {left} {which}: {'; '.join(shares)}.{_below(experiment, results)}"


def _below(experiment: Experiment, results: dict[str, Components]) -> str:
    """In how many directions no mark is seen at that iteration, if in any."""
    first = next(iter(results.values()))
    lowest = DEEPEST * np.abs(first.components[0]).max()
    at = [result.components[step_at(result, beginning(experiment))] for result in results.values()]
    unseen = int((np.abs(at).max(axis=0) < lowest).sum())
    if not unseen:
        return ""
    return f" In {unseen} of the {first.components.shape[1]} directions every method is below the axis."


def _summary(experiment: Experiment, basis: Directions, results: dict[str, Components]) -> str:
    parts = []
    for method, result in results.items():
        step = step_at(result, beginning(experiment))
        sizes = np.abs(result.components[step])
        worst = int(np.argmax(sizes))
        parts.append(
            f"{label(method, experiment.settings)} at iteration {count_text(int(result.iterations[step]))}: "
            f"{number_text(float(sizes[0]))} in the slowest direction, "
            f"{number_text(float(sizes[-1]))} in the fastest, largest {number_text(float(sizes[worst]))} "
            f"at eigenvalue {number_text(float(basis.eigenvalues[worst]))}"
        )
    return "Size of the error by direction. " + "; ".join(parts) + "."
