"""The panel of the relative gap (f(y_k) - f*)/(f(x_0) - f*)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import f_star_in_use
from polyak_widgets.look import F_STAR_ERROR, method_look
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.charts.captions import gap_caption
from polyak_widgets.panels.charts.formulas import loss_formula
from polyak_widgets.panels.charts.marks import (
    end_marks,
    floor_bands,
    freeze_marks,
    key_of,
    ring_words,
    ringed,
)
from polyak_widgets.panels.charts.theory_lines import bound_lines
from polyak_widgets.panels.curves import DEEPEST, Curve, clocks, decades, drawn, last_k, level, max_of, x_axis
from polyak_widgets.panels.texts import (
    BOUNDS,
    BOUNDS_HELP,
    GAP_TITLE,
    ONE_BOUND_HELP,
    certified_to,
    error_of_f_star,
    f_star_in_words,
    initial_gap,
)
from polyak_widgets.panels.words.unusual import f_star_words, takers
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.view import FIRST_VIEW, View

RESTARTING = ("restart", "restart_function", "restart_gradient")
"""These have rings from the first frame on, even if nowhere: another curve would cost a whole drawing."""
NOWHERE = np.array([np.nan])


def gap_panel(experiment: Experiment, view: View = FIRST_VIEW) -> dict[str, Any]:
    """The relative gap of every run; of runs that have ended marks, bands and what theory promises."""
    gaps = [trace.relative_gap for _, trace in drawn(experiment)]
    axis = decades(gaps, lowest=DEEPEST * max_of(gaps))
    curves = gap_curves(experiment, axis)
    lines = bound_lines(experiment) if view.bounds and experiment.finished else []
    axis[1] = max(axis[1], decades([line.y for line in lines], lowest=0.0)[1]) if lines else axis[1]
    marks = end_marks(experiment) + freeze_marks(experiment, "relative_gap")
    return {
        "title": GAP_TITLE,
        "explains": [
            "gap",
            *(["bound", "A_k"] if view.bounds else []),
            "f_star",
            "relative_gap",
            "f",
            "h",
            "psi",
        ],
        "formula": loss_formula(experiment, view),
        "subtitle": subtitle(experiment),
        "summary": gap_caption(experiment, view.x) if experiment.finished else "",
        "x": x_axis(experiment, "linear"),
        "y": {"title": "", "type": "log", "range": axis},
        "curves": curves + error_line(experiment),
        "lines": lines,
        "marks": marks,
        "bands": floor_bands(experiment, axis[0]),
        "key": key_of(marks, ring_words(experiment, curves)),
        "toggles": [bounds_toggle(experiment, view)],
    }


def gap_curves(experiment: Experiment, axis: Sequence[float]) -> list[Curve]:
    """The relative gap of every run, with rings at restarts; `axis` is the range of the gaps."""
    curves = []
    last, (low, high) = last_k(experiment), axis
    for run, trace in drawn(experiment):
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = trace.relative_gap
            height = np.log(gap / low) / np.log(high / low)
        look, at = method_look(run.method), ringed(trace, trace.k / last, height)
        name = label(run.method, experiment.settings)
        curves.append(Curve(f"gap:{run.method}", name, look, trace.k, gap, clocks=clocks(trace)))
        if at.size or run.method in RESTARTING:
            x, y, shown = trace.k[at], gap[at], clocks(trace, at)
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


def bounds_toggle(experiment: Experiment, view: View) -> dict[str, Any]:
    """The button that draws the paper's bounds."""
    help = BOUNDS_HELP if experiment.problem.mu > 0 else ONE_BOUND_HELP
    return {"name": "bounds", "value": not view.bounds, "label": BOUNDS, "on": view.bounds, "help": help}


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
        return "exact"
    if not problem.reference.proven:
        return "estimated"
    initial = float(problem.gap(problem.x0))
    if not initial > 0:
        return certified_to(number_text(problem.f_star_error), of_it=False)
    return certified_to(number_text(problem.f_star_error / initial), of_it=True)
