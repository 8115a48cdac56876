"""The panel of the estimates of mu: the values, or how far they lie above mu and mu_loc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.laboratory.problems import f_star_in_use
from polyak_widgets.look import ESTIMATING, MU_LOC, TRUE_MU, WITHOUT_BOUND, Look, method_look
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.charts.captions import difference_caption, mu_caption
from polyak_widgets.panels.charts.estimates import estimate_choices, rules_view
from polyak_widgets.panels.charts.formulas import estimate_formula
from polyak_widgets.panels.charts.marks import freeze_marks, key_of
from polyak_widgets.panels.charts.theory_lines import THIN, envelopes
from polyak_widgets.panels.curves import Curve, clocks, decades, drawn, level, true_mu, x_axis
from polyak_widgets.panels.texts import (
    BECAUSE_CERTIFIED,
    BECAUSE_NO_PENALTY,
    BUT_ADGD,
    BY_SIX_RULES,
    DIFFERENCES_HELP,
    DIFFERENCES_TITLE,
    F_STAR_EFFECTS,
    L_TOO_SMALL,
    LEAST_NAME,
    LOCAL_ESTIMATES,
    MU0_BELOW,
    MU_TITLE,
    NO_BOUND,
    NO_RUN,
    NONE_ABOVE,
    POWERS_ARE_STRAIGHT,
    TRUE_MU_NAME,
    mu_hat_at,
    slope_of_envelope,
    upper_bounds,
)
from polyak_widgets.panels.words.rates import long_steps_are_safe
from polyak_widgets.panels.words.unusual import f_star_words, takers
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.view import FIRST_VIEW, View

CERTIFIED = ("adapt_apg_free", "auto_restart")
ROUNDING = 1e-13
"""Differences below this part of L are rounding."""


def mu_panel(experiment: Experiment, view: View = FIRST_VIEW) -> dict[str, Any]:
    """mu_k of the methods that estimate, or what six rules make of mu, once that is there; the true mu."""
    rules = rules_view(experiment, view)
    chart = own_panel(experiment, view) if rules is None else rules
    if rules is None and view.estimates != "own" and experiment.finished and drawn(experiment):
        chart |= {"subtitle": BY_SIX_RULES}
    return {"x": x_axis(experiment, "log"), "choices": estimate_choices(view), "toggles": [], **chart}


def own_panel(experiment: Experiment, view: View) -> dict[str, Any]:
    """mu_k of the methods that estimate; of the first of them also mu_hat and mu_loc; the true mu."""
    runs = drawn(experiment)
    estimating = sorted(
        (r for r in runs if r[0].method in ESTIMATING), key=lambda r: ESTIMATING.index(r[0].method)
    )
    toggle = differences_toggle(view)
    bounds = [each for each in estimating if is_bound_throughout(*each)]
    chart = difference_view(experiment, bounds) if view.differences and bounds else None
    if chart is None:
        chart = value_view(experiment, estimating, (*estimating, *runs)[:1], view.x)
        if view.differences and estimating:
            chart["subtitle"] = NONE_ABOVE
        view = replace(view, differences=False)
    return {
        "formula": estimate_formula(experiment, view),
        "toggles": [toggle] if estimating else [],
        **chart,
    }


def is_bound_throughout(run: MethodRun, trace: pc.Trace) -> bool:
    """Whether a method's mu_k is one from the first record on, and meant as a bound."""
    return run.method not in WITHOUT_BOUND and bool(np.isfinite(trace.mu).all())


def value_view(
    experiment: Experiment,
    estimating: list[tuple[MethodRun, pc.Trace]],
    leads: Sequence[tuple[MethodRun, pc.Trace]],
    unit: str,
) -> dict[str, Any]:
    """The estimates as they are; of the run that leads, if any method can run here, mu_hat and mu_loc too."""
    curves = [
        Curve(
            f"mu:{each.method}",
            f"μₖ {label(each.method, experiment.settings)}",
            estimate_look(each.method),
            its.k,
            its.mu,
            faint=each.method in WITHOUT_BOUND,
            clocks=clocks(its),
        )
        for each, its in estimating
    ]
    for run, trace in leads:
        name = label(run.method, experiment.settings, without="f_star")  # the name of its mu_k has that
        known = clocks(trace)
        mu_hat = np.where(trace.frozen, np.nan, trace.mu_hat)
        pale = method_look(run.method)._replace(dash="dot", width=1.5, marker="")
        where = "xₖ" if run.method == "adapt_apg_free" else "yₖ"
        curves += [
            Curve("mu_loc", f"μ_loc(xₖ), {name}", MU_LOC, trace.k, trace.mu_loc, clocks=known),
            Curve("mu_hat", mu_hat_at(where, name), pale, trace.k, mu_hat, faint=True, clocks=known),
        ]
    mu = true_mu(experiment.problem)
    if mu is not None:
        name = TRUE_MU_NAME if experiment.problem.mu > 0 else LEAST_NAME
        text = f"{name} {number_text(mu, 3)}"
        curves.append(level("true_mu", text, TRUE_MU, experiment, mu))
    marks = freeze_marks(experiment, {run.method: trace.mu for run, trace in drawn(experiment)})
    summary = mu_caption(experiment, unit) if leads else NO_RUN
    return {
        "title": MU_TITLE,
        "explains": ["mu_k", "mu_hat", "mu", "mu_loc", "g_L"],
        "subtitle": meaning(experiment),
        "summary": summary if experiment.finished else "",
        "y": {"title": "", "type": "log", "range": decades([curve.y for curve in calm(curves)], lowest=0.0)},
        "curves": curves,
        "marks": marks,
        "key": key_of(marks),
    }


def estimate_look(method: str) -> Look:
    """The look of a method; thin where its mu_k is no bound, since that goes up and down in every step."""
    look = method_look(method)
    return look._replace(dash="solid", width=THIN) if method in WITHOUT_BOUND else look


def calm(curves: list[Curve]) -> list[Curve]:
    """Those that the axis is made for: an estimate that is no bound may leave it, unless it is alone."""
    wild = {f"mu:{method}" for method in WITHOUT_BOUND}
    return [curve for curve in curves if curve.uid not in wild] or curves


def difference_view(
    experiment: Experiment, estimating: list[tuple[MethodRun, pc.Trace]]
) -> dict[str, Any] | None:
    """How far mu_k lies above mu and, for one method, above mu_loc(x_k); the envelope C/(k+1)^2.

    That one is AdaptAPG where it is drawn, of which proposition 2.8 speaks. None where nothing lies above.
    """
    problem = experiment.problem
    lead, trace = next((run for run in estimating if run[0].method == "adapt_apg"), estimating[0])
    lowest = ROUNDING * problem.L
    name = label(lead.method, experiment.settings)
    over_local = positive(trace.mu - trace.mu_loc, lowest)
    curves = [
        Curve("above_loc", f"μₖ − μ_loc(xₖ), {name}", MU_LOC, trace.k, over_local, clocks=clocks(trace))
    ]
    for run, its in sorted(estimating, key=lambda each: each[1] is trace):
        text = f"μₖ − μ {label(run.method, experiment.settings)}"
        above = positive(its.mu - problem.mu, lowest)
        curves.append(
            Curve(f"above:{run.method}", text, method_look(run.method), its.k, above, clocks=clocks(its))
        )
    if not any(np.isfinite(curve.y).any() for curve in curves):
        return None
    lines = []
    if experiment.finished:
        for i, (text, _, values) in enumerate(envelopes(problem, trace)):
            look = Look("ink", "dash" if i else "solid", THIN)
            visible = positive(values, lowest)
            lines.append(Curve(f"envelope:{i}", text, look, trace.k, visible, clocks=clocks(trace)))
    return {
        "title": DIFFERENCES_TITLE,
        "explains": ["rate_C", "mu_k", "mu", "mu_loc"],
        "subtitle": slope_of_envelope(name) if lines else POWERS_ARE_STRAIGHT,
        "summary": difference_caption(experiment, lead.method, trace) if experiment.finished else "",
        "y": {"title": "", "type": "log", "range": decades([c.y for c in (*curves, *lines)], lowest)},
        "curves": curves,
        "lines": lines,
    }


def positive(values: Array, lowest: float) -> Array:
    """What a logarithmic axis can show and is no rounding; elsewhere the line breaks."""
    return np.where(values > lowest, values, np.nan)


def differences_toggle(view: View) -> dict[str, Any]:
    """The button between values and differences."""
    return {
        "name": "differences",
        "value": not view.differences,
        "label": "μₖ − μ",
        "on": view.differences,
        "help": DIFFERENCES_HELP,
    }


def meaning(experiment: Experiment) -> str:
    """What the estimates are worth on this problem."""
    settings, problem = experiment.settings, experiment.problem
    estimating = [run.method for run, _ in drawn(experiment) if run.method in ESTIMATING]
    methods = [method for method in estimating if method not in WITHOUT_BOUND]
    if estimating and not methods:
        return NO_BOUND
    but = "" if methods == estimating else BUT_ADGD
    smooth, paper_rule = problem.penalty is None, settings.estimator == "polyak"
    certified = [m for m in methods if m in CERTIFIED or (takers("estimator", [m]) and not paper_rule)]
    if settings.mu0 * problem.L < problem.mu and "adapt_apg" in methods:
        return MU0_BELOW
    if takers("f_star", methods) and f_star_words(settings):
        return F_STAR_EFFECTS[f_star_in_use(settings)]
    if methods and not long_steps_are_safe(problem) and (certified or not smooth or problem.mu > problem.L):
        return L_TOO_SMALL
    if smooth or certified == methods != []:
        return upper_bounds(BECAUSE_NO_PENALTY if smooth else BECAUSE_CERTIFIED, but)
    return LOCAL_ESTIMATES
