"""The panel of the estimates of mu where it shows what six rules make of it, along one run or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_core.runs.six_estimates import SIX
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATE_LOOKS, ESTIMATING, TRUE_MU, method_look
from polyak_widgets.panels.charts.formulas import ESTIMATE_FORMULAS
from polyak_widgets.panels.curves import Curve, clocks, decades, drawn, level, true_mu
from polyak_widgets.panels.texts import (
    ALL_BOUNDS,
    ALONG_LABEL,
    ESTIMATES_LABEL,
    HEADINGS,
    MU_TITLE,
    NONE_BOUNDS,
)
from polyak_widgets.panels.words.estimates import (
    NAMES,
    along_runs,
    along_words,
    is_bound,
    least_values,
    mu_words,
    rule_words,
    worth,
)
from polyak_widgets.panels.words.words import bare_name, label
from polyak_widgets.settings.view import ALONG, ESTIMATES, View

BELOW = 0.1
"""The axis ends at this part of mu, however far below an estimate falls that is no bound."""
GROWTH = "auto_restart"
"""The method whose run gives the sixth estimate."""


def method_along(experiment: Experiment, along: str) -> str | None:
    """The method that is meant by one of `ALONG`; None where no method can run here."""
    runs = [run.method for run, _ in drawn(experiment)]
    lead = next((method for method in (*ESTIMATING, *runs) if method in runs), None)
    return lead if along == "lead" else along


def methods_asked(experiment: Experiment, view: View) -> list[str]:
    """Along which runs the six are needed for what the panel is to show."""
    if view.estimates == "own":
        return []
    if view.estimates == "growth":
        return [GROWTH]
    if view.estimates != "six":
        return [run.method for run, _ in drawn(experiment)]
    method = method_along(experiment, view.along)
    return [] if method is None else [method]


def rules_view(experiment: Experiment, view: View) -> dict[str, Any] | None:
    """What the panel shows of the six rules; None where it shows none, or where they are not there yet."""
    methods = methods_asked(experiment, view)
    if not methods or not set(methods) <= set(experiment.estimates):
        return None
    six = view.estimates == "six"
    curves = six_along(experiment, methods[0]) if six else rule_along(experiment, view.estimates, methods)
    words = (
        six_words(experiment, methods[0]) if six else rule_along_words(experiment, view.estimates, methods)
    )
    problem, mu = experiment.problem, true_mu(experiment.problem)
    heights = [curve.y for curve in curves]
    if mu is not None:
        curves.append(level("true_mu", mu_words(problem, mu), TRUE_MU, experiment, mu))
        heights.append(np.array([mu]))
    return {
        **words,
        "formula": [part[:-1] for part in ESTIMATE_FORMULAS.get(view.estimates, [])[:1]],
        "explains": ["mu_k", "mu", "g_L", "T_L"],
        "y": {"title": "", "type": "log", "range": decades(heights, lowest=BELOW * (mu or 0.0))},
        "curves": curves,
    }


def six_along(experiment: Experiment, method: str) -> list[Curve]:
    """All six along one run, each with its word on whether it is a bound."""
    problem = experiment.problem
    return [
        Curve(f"rule:{name}", f"{NAMES[name]}{worth(problem, name)}", ESTIMATE_LOOKS[name], k, values,
              clocks=clocks_of(experiment, GROWTH if name == "growth" else method, k))
        for name, (k, values) in experiment.estimates[method].items()
    ]  # fmt: skip


def rule_along(experiment: Experiment, name: str, methods: Sequence[str]) -> list[Curve]:
    """One of them along several runs."""
    curves = []
    for method in methods:
        k, values = experiment.estimates[method][name]
        text, its = label(method, experiment.settings), clocks_of(experiment, method, k)
        curves.append(Curve(f"rule:{method}", text, method_look(method), k, values, clocks=its))
    return curves


def clocks_of(experiment: Experiment, method: str, k: Array) -> dict[str, Array]:
    """What the points of a run cost; of one that the picture does not have only iterations are known."""
    runs = {run.method: its for run, its in drawn(experiment)}
    trace = runs.get(method, experiment.restarts if method == GROWTH else None)
    if trace is None or len(trace) < k.size:
        return {"iterations": k}
    return clocks(trace, slice(k.size))


def six_words(experiment: Experiment, method: str) -> dict[str, Any]:
    """Title, subtitle and sentence of all six."""
    estimates = experiment.estimates[method]
    last = max(max(k.size for k, _ in estimates.values()) - 1, 0)
    return {
        "title": HEADINGS["estimates"],
        "subtitle": along_words(label(method, experiment.settings), bare_name(GROWTH)),
        "summary": least_values(experiment.problem, last, estimates),
    }


def rule_along_words(experiment: Experiment, name: str, methods: Sequence[str]) -> dict[str, Any]:
    """The same of one rule."""
    values = {label(m, experiment.settings): experiment.estimates[m][name][1] for m in methods}
    return {
        "title": MU_TITLE + (ALL_BOUNDS if is_bound(experiment.problem, name) else NONE_BOUNDS),
        "subtitle": rule_words(experiment.problem, name),
        "summary": along_runs(experiment.problem, name, values),
    }


def estimate_choices(view: View) -> list[dict[str, Any]]:
    """What else the panel can show, and where that is all six, along which run."""
    which = [["own", ESTIMATES["own"]], ["six", ESTIMATES["six"]], *([name, NAMES[name]] for name in SIX)]
    menu = {"name": "estimates", "label": ESTIMATES_LABEL, "options": which, "value": view.estimates}
    if view.estimates != "six":
        return [menu]
    runs = [list(pair) for pair in ALONG.items()]
    return [menu, {"name": "along", "label": ALONG_LABEL, "options": runs, "value": view.along}]
