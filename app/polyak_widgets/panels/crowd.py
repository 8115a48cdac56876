"""Which runs are drawn where more are chosen than can be told apart: eight, until the reader asks for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import METHOD_LOOKS
from polyak_widgets.numbers import count_word
from polyak_widgets.panels.texts import all_methods, all_methods_help, few_methods
from polyak_widgets.settings.view import View

MOST_DRAWN = 8
FIRST = ("adapt_apg_v2", "apg", "fista", "pgd", "cg", "heavy_ball_polyak", "auto_restart", "ac_fgm")
"""Drawn before others: of most groups of methods, by what they must be given, the best known one."""


def first_drawn(experiment: Experiment, view: View) -> Experiment:
    """The experiment with the runs alone that are drawn; the table and the headline have all of them.

    Those of `FIRST` come first, after people's own methods, whatever the curves look like: while they grow
    none comes or goes.
    """
    able = [run.method for run in experiment.runs if not run.refusal]
    if view.all_runs or len(able) <= MOST_DRAWN:
        return experiment
    order = [*FIRST, *METHOD_LOOKS]
    eight = sorted(able, key=lambda method: order.index(method) if method in order else -1)[:MOST_DRAWN]
    runs = tuple(run for run in experiment.runs if run.method in eight)
    methods = tuple(method for method in experiment.settings.methods if method in eight)
    return replace(experiment, runs=runs, settings=replace(experiment.settings, methods=methods))


def all_toggle(experiment: Experiment, view: View) -> list[dict[str, Any]]:
    """The button that draws all runs; none where all are drawn anyhow."""
    count = sum(not run.refusal for run in experiment.runs)
    if count <= MOST_DRAWN:
        return []
    return [
        {
            "name": "all_runs",
            "value": not view.all_runs,
            "label": all_methods(count),
            "on": view.all_runs,
            "help": all_methods_help(count, count_word(MOST_DRAWN)),
        }
    ]


def crowd_words(whole: Experiment, few: Experiment) -> str:
    """How many of the runs are drawn; nothing where that is all of them."""
    if few is whole:
        return ""
    count = sum(not run.refusal for run in whole.runs)
    return few_methods(count_word(MOST_DRAWN), count)
