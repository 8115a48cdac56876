"""What the error by direction says in words; every number comes from the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import THIN, count_text, iterations_text, number_text
from polyak_widgets.panels.closer_look.directions.components import Components, step_at
from polyak_widgets.panels.closer_look.directions.directions import Directions
from polyak_widgets.panels.frame import beginning
from polyak_widgets.panels.words.words import label


def components_subtitle(basis: Directions) -> str:
    """What is drawn, and of how many directions."""
    count = basis.eigenvalues.size
    where = "|component| along each eigenvector of the Hessian at x*"
    if basis.free < basis.n:
        where += f" on the {count_text(basis.free)} of {count_text(basis.n)} coordinates that are free there"
    return where + (f", {count} of {basis.free} drawn" if count < basis.free else "")


def components_sentence(
    experiment: Experiment, basis: Directions, results: Mapping[str, Components], lowest: float
) -> str:
    """Where the error that is left lies, at the iteration of the cursor; `lowest` ends the axis."""
    count = basis.eigenvalues.size
    if count == 1:
        return "There is only one direction, so the error of each method is a single number."
    slow = max(1, count // 10)
    which = "the slowest direction holds" if slow == 1 else f"the {slow} slowest directions hold"
    steps = {method: step_at(result, beginning(experiment)) for method, result in results.items()}
    ks = {method: int(results[method].iterations[step]) for method, step in steps.items()}
    shares, after = [], max(ks.values())
    for method, result in results.items():
        squares = result.components[steps[method]] ** 2
        if np.isfinite(squares).all() and squares.sum() > 0:
            share = 100 * squares[:slow].sum() / squares.sum()
            ended = "" if ks[method] == after else f" (at k = {count_text(ks[method])})"
            shares.append(f"{label(method, experiment.settings)}: {round(share)}{THIN}%{ended}")
    if not shares:
        return "No error is left to compare."
    whole = f"this share of ‖yₖ − x*‖², summed over the {count} directions that are drawn"
    sentence = f"After {iterations_text(after)} {which} {whole}: {'; '.join(shares)}."
    return f"{sentence}{_below(experiment, results, lowest)}"


def _below(experiment: Experiment, results: Mapping[str, Components], lowest: float) -> str:
    """In how many directions no mark is seen at that iteration, if in any."""
    first = next(iter(results.values()))
    at = [result.components[step_at(result, beginning(experiment))] for result in results.values()]
    unseen = int((np.abs(at).max(axis=0) < lowest).sum())
    if not unseen:
        return ""
    return f" In {unseen} of the {first.components.shape[1]} directions every method is below the axis."


def components_summary(experiment: Experiment, basis: Directions, results: Mapping[str, Components]) -> str:
    """The sizes at that iteration, for those who hear the chart."""
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
