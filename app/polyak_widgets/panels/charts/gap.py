"""The panel of the relative gap (f(y_k) - f*)/(f(x_0) - f*), and of what else its y axis can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import f_star_in_use
from polyak_widgets.look import F_STAR_ERROR, method_look
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.charts.captions import gap_caption, y_caption
from polyak_widgets.panels.charts.formulas import loss_formula
from polyak_widgets.panels.charts.marks import (
    end_marks,
    floor_bands,
    freeze_marks,
    key_of,
    ring_words,
    ringed,
)
from polyak_widgets.panels.charts.theory_lines import bound_lines, distance_lines
from polyak_widgets.panels.charts.y_axis import compared_with, heights_of
from polyak_widgets.panels.crowd import headings
from polyak_widgets.panels.curves import DEEPEST, Curve, clocks, decades, drawn, last_k, level, max_of, x_axis
from polyak_widgets.panels.texts import (
    BESIDE_LABEL,
    BOUNDS,
    BOUNDS_HELP,
    DISTANCE_BOUNDS_HELP,
    F_STAR_IS_AN_ESTIMATE,
    F_STAR_IS_EXACT,
    GAP_TITLE,
    GRADIENT_NOTE,
    NO_OTHER,
    ONE_BOUND_HELP,
    ONLY_OWN_LINE_HELP,
    OWN_LINE_EXAMPLE,
    OWN_LINE_LABEL,
    RATIO_NOTE,
    Y_LABEL,
    Y_TITLES,
    certified_to,
    error_of_f_star,
    f_star_in_words,
    initial_distance,
    initial_gap,
    to_a_method,
)
from polyak_widgets.panels.typed_line import OWN_LINE, typed_line
from polyak_widgets.panels.words.unusual import f_star_words, takers
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.view import FIRST_VIEW, Y_AXES, View

RESTARTING = ("restart", "restart_function", "restart_gradient")
"""These have rings from the first frame on, even if nowhere: another curve would cost a whole drawing."""
EXPLAINED: Mapping[str, tuple[str, ...]] = {
    "distance": ("x_star",),
    "gradient": ("g_L", "T_L"),
    "ratio": ("gap", "f_star"),
}
"""The symbols that the title opens, where no gap is drawn."""
NOWHERE = np.array([np.nan])


def gap_panel(experiment: Experiment, view: View = FIRST_VIEW) -> dict[str, Any]:
    """The relative gap of every run, or what `view.y` names; of ended runs marks and what is promised."""
    heights = heights_of(experiment, view)
    axis = decades(list(heights.values()), lowest=DEEPEST * max_of(list(heights.values())))
    curves = run_curves(experiment, heights, axis)
    lines = promised(experiment, view) if view.bounds and experiment.finished else []
    axis[1] = max(axis[1], decades([line.y for line in lines], lowest=0.0)[1]) if lines else axis[1]
    own, problem = own_line(experiment, view.line) if view.bounds and experiment.finished else ([], "")
    field = {"name": "line", "label": OWN_LINE_LABEL, "example": OWN_LINE_EXAMPLE, "value": view.line}
    marks = end_marks(experiment, heights) + freeze_marks(experiment, heights)
    is_gap = view.y == "gap"
    return {
        **(gap_words if is_gap else other_words)(experiment, view, heights),
        "formula": loss_formula(experiment, view),
        "x": x_axis(experiment, "linear"),
        "y": {"title": "", "type": "log", "range": axis},
        "curves": curves + (error_line(experiment) if is_gap else []),
        "lines": lines + own,
        "marks": marks,
        "bands": floor_bands(experiment, axis[0]) if is_gap else [],
        "key": key_of(marks, ring_words(experiment, curves)),
        "choices": y_choices(experiment, view),
        "fields": [field | {"problem": problem}] if view.bounds else [],
        "toggles": bounds_toggle(experiment, view),
    }


def gap_words(experiment: Experiment, view: View, heights: Mapping[str, Array]) -> dict[str, Any]:
    """Title, subtitle and sentence where the gap is drawn."""
    bound = ["bound", "A_k"] if view.bounds else []
    return {
        "title": GAP_TITLE,
        "explains": ["gap", *bound, "f_star", "relative_gap", "f", "h", "psi"],
        "subtitle": subtitle(experiment),
        "summary": gap_caption(experiment, view.x) if experiment.finished else "",
    }


def other_words(experiment: Experiment, view: View, heights: Mapping[str, Array]) -> dict[str, Any]:
    """The same where something else is drawn: a distance, a norm, or a ratio to a method."""
    other, names = compared_with(experiment, view), names_of(experiment)
    return {
        "title": Y_TITLES[view.y] + (f" {names.get(other, NO_OTHER)}" if view.y == "ratio" else ""),
        "explains": [*EXPLAINED[view.y], "f", "h", "psi"],
        "subtitle": y_note(experiment, view),
        "summary": y_caption(experiment, view.y, heights, other) if experiment.finished else "",
    }


def y_note(experiment: Experiment, view: View) -> str:
    """What the values are parts of, or what they are."""
    if view.y == "distance":
        starts = [trace.distance[0] for _, trace in drawn(experiment)]
        return initial_distance(number_text(float(starts[0]), 3)) if starts else ""
    return GRADIENT_NOTE if view.y == "gradient" else RATIO_NOTE


def y_choices(experiment: Experiment, view: View) -> list[dict[str, Any]]:
    """What else the axis can show, and where that is a ratio, to which method."""
    axis = {
        "name": "y",
        "label": Y_LABEL,
        "options": [list(pair) for pair in Y_AXES.items()],
        "value": view.y,
    }
    if view.y != "ratio":
        return [axis]
    names, other = names_of(experiment), compared_with(experiment, view)
    options = [[method, to_a_method(name)] for method, name in names.items()]
    if other not in names:
        options.append([other, to_a_method(NO_OTHER)])
    return [axis, {"name": "beside", "label": BESIDE_LABEL, "options": options, "value": other}]


def names_of(experiment: Experiment) -> dict[str, str]:
    """The names of the runs that are drawn, by their methods."""
    return {run.method: label(run.method, experiment.settings) for run, _ in drawn(experiment)}


def run_curves(experiment: Experiment, heights: Mapping[str, Array], axis: Sequence[float]) -> list[Curve]:
    """Every run at its heights, with rings at restarts; `axis` is the range of the heights."""
    curves = []
    last, (low, high) = last_k(experiment), axis
    groups = headings(experiment)
    for run, trace in sorted(drawn(experiment), key=lambda pair: list(groups).index(pair[0].method)):
        values = heights[run.method]
        with np.errstate(divide="ignore", invalid="ignore"):
            height = np.log(values / low) / np.log(high / low)
        look, at = method_look(run.method), ringed(trace, trace.k / last, height)
        name = label(run.method, experiment.settings)
        line = Curve(f"gap:{run.method}", name, look, trace.k, values, clocks=clocks(trace))
        curves.append(replace(line, group=groups[run.method]) if groups[run.method] else line)
        if at.size or run.method in RESTARTING:
            x, y, shown = trace.k[at], values[at], clocks(trace, at)
            if not at.size:
                x, y, shown = NOWHERE, NOWHERE, dict.fromkeys(shown, NOWHERE)
            curves.append(Curve(f"restarts:{run.method}", "", look, x, y, "markers", clocks=shown))
    return curves


def error_line(experiment: Experiment) -> list[Curve]:
    """A line at delta, where the methods that are drawn are given an f* that is so far from the true one.

    Below it the gap that these methods see is mostly this error, and so are their estimates.
    """
    settings = experiment.settings
    takes = takers("f_star", [run.method for run, _ in drawn(experiment)])
    if not takes or f_star_in_use(settings) not in ("too_low", "too_high"):
        return []
    text = error_of_f_star(number_text(settings.f_star_delta, 3))
    return [level("f_star_error", text, F_STAR_ERROR, experiment, settings.f_star_delta)]


def promised(experiment: Experiment, view: View) -> list[Curve]:
    """The lines of theory that belong to what is drawn."""
    if view.y == "gap":
        return bound_lines(experiment)
    return distance_lines(experiment) if view.y == "distance" else []


def own_line(experiment: Experiment, text: str) -> tuple[list[Curve], str]:
    """The line that the reader has typed, or what is wrong with it; nothing where there is none."""
    if not text.strip():
        return [], ""
    k = np.arange(last_k(experiment) + 1)
    try:
        legend, values = typed_line(text, k)
    except ValueError as error:
        return [], str(error)
    return [Curve("own_line", legend, OWN_LINE, k, values, clocks={"gradients": k})], ""


def bounds_toggle(experiment: Experiment, view: View) -> list[dict[str, Any]]:
    """The button that draws what theorems promise, and brings the field for a line of one's own."""
    of_gap = BOUNDS_HELP if experiment.problem.mu > 0 else ONE_BOUND_HELP
    help = {"gap": of_gap, "distance": DISTANCE_BOUNDS_HELP}.get(view.y, ONLY_OWN_LINE_HELP)
    return [{"name": "bounds", "value": not view.bounds, "label": BOUNDS, "on": view.bounds, "help": help}]


def subtitle(experiment: Experiment) -> str:
    """The initial gap, which relative gaps are parts of, and the f* that is drawn and given."""
    problem = experiment.problem
    initial = initial_gap(number_text(problem.gap(problem.x0), 3))
    if takers("f_star", experiment.settings.methods) and (words := f_star_words(experiment.settings)):
        return f"{initial} · {f_star_in_words(certainty(problem), words)}"
    return f"{initial} · f* {certainty(problem)}"


def certainty(problem: pc.Problem) -> str:
    """How well f* is known, beside the initial gap."""
    if not problem.f_star_error:
        return F_STAR_IS_EXACT
    if not problem.reference.proven:
        return F_STAR_IS_AN_ESTIMATE
    initial = float(problem.gap(problem.x0))
    if not initial > 0:
        return certified_to(number_text(problem.f_star_error), of_it=False)
    return certified_to(number_text(problem.f_star_error / initial), of_it=True)
