"""The panel of the estimates of mu."""

from __future__ import annotations

from typing import Any

import numpy as np

import polyak_core as pc

from .curves import Curve, clocks, decades, drawn, level, x_axis
from .experiment import Experiment
from .look import ESTIMATING, MU_LOC, TRUE_MU, method_look
from .numbers import number_text
from .view import View
from .words import label, mu_summary

FIRST_VIEW = View()


def mu_panel(experiment: Experiment, view: View = FIRST_VIEW) -> dict[str, Any]:
    """mu_k of the methods that estimate; of the first of them also mu_hat and mu_loc; the true mu."""
    runs = drawn(experiment)
    estimating = sorted(
        (r for r in runs if r[0].method in ESTIMATING), key=lambda r: ESTIMATING.index(r[0].method)
    )
    lead, trace = (estimating or runs)[0]
    name = label(lead.method, experiment.settings)
    mu_loc = np.where(trace.gap > trace.floor, trace.mu_loc, np.nan)  # below the floor it is rounding
    mu_hat = np.where(trace.frozen, np.nan, trace.mu_hat)
    pale = method_look(lead.method)._replace(dash="dot", width=1.5)
    curves = [
        Curve("mu_hat", f"μ̂ at yₖ, {name}", pale, trace.k, mu_hat, faint=True, clocks=clocks(trace)),
        Curve("mu_loc", f"μ_loc(xₖ), {name}", MU_LOC, trace.k, mu_loc, clocks=clocks(trace)),
    ]
    for run, each in reversed(estimating):
        text = f"μₖ {label(run.method, experiment.settings)}"
        look = method_look(run.method)
        curves.append(Curve(f"mu:{run.method}", text, look, each.k, each.mu, clocks=clocks(each)))
    mu = true_mu(experiment.problem)
    if mu is not None:
        known = experiment.problem.mu > 0
        text = f"true μ = {number_text(mu)}" if known else f"smallest curvature > 0: {number_text(mu)}"
        curves.append(level("true_mu", text, TRUE_MU, experiment, mu))
    return {
        "title": "Estimate μₖ against the true μ and μ_loc(xₖ)",
        "subtitle": f"{meaning(experiment)} · both axes logarithmic",
        "summary": mu_summary(experiment),
        "x": x_axis(experiment, "log"),
        "y": {"title": "", "type": "log", "range": decades([curve.y for curve in curves], lowest=0.0)},
        "curves": curves,
    }


def meaning(experiment: Experiment) -> str:
    """What the estimates are worth on this problem."""
    if experiment.problem.penalty is None:
        return "upper bounds on μ, since ψ = 0 here"
    if experiment.settings.estimator == "polyak":
        return "local estimates: where ψ ≠ 0 they may fall below μ"
    return "upper bounds on μ, certified"


def true_mu(problem: pc.Problem) -> float | None:
    """mu, or the smallest non-zero curvature where mu = 0, or None."""
    if problem.mu > 0:
        return problem.mu
    return problem.mu_restricted if problem.mu_restricted > 0 else None
