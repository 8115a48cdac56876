"""From runs to panels: pure functions that know neither a widget nor a plotting library.

A panel is a dictionary: name, title, subtitle, summary (a sentence, also for screen readers), two axes,
and the curves with their numbers. `polyak_widgets.frame` packs panels for the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import polyak_core as pc

from .experiment import Experiment, MethodRun
from .look import ESTIMATING, MU_LOC, TRUE_MU, Look, method_look
from .numbers import number_text
from .words import gap_summary, label, mu_summary

Numbers = npt.NDArray[np.float64]
DEEPEST = 1e-30
"""The gap axis ends at this part of the first gap; zoom out for what lies below."""


@dataclass(frozen=True)
class Curve:
    """One line or one set of marks."""

    uid: str
    label: str
    look: Look
    x: Numbers
    y: Numbers
    mode: str = "lines"
    faint: bool = False


def gap_panel(experiment: Experiment) -> dict[str, Any]:
    """f(y_k) - f* of every run, restarts as rings."""
    curves = []
    for run, trace in drawn(experiment):
        look = method_look(run.method)
        curves.append(
            Curve(f"gap:{run.method}", label(run.method, experiment.settings), look, trace.k, trace.gap)
        )
        if trace.restarted.any():
            at = trace.restarted
            curves.append(Curve(f"restarts:{run.method}", "", look, trace.k[at], trace.gap[at], "markers"))
    gaps = [curve.y for curve in curves]
    problem = experiment.problem
    return {
        "name": "gap",
        "title": "Gap f(yₖ) − f*",
        "subtitle": f"f* {certainty(problem)} · ○ restarts"
        if "restart" in experiment.settings.methods
        else f"f* {certainty(problem)}",
        "summary": gap_summary(experiment),
        "x": {"title": "iteration k", "type": "linear", "range": [0, last_k(experiment)]},
        "y": {"title": "", "type": "log", "range": decades(gaps, lowest=DEEPEST * max_of(gaps))},
        "curves": curves,
    }


def mu_panel(experiment: Experiment) -> dict[str, Any]:
    """mu_k of the methods that estimate; of the first of them also mu_hat and mu_loc; the true mu."""
    runs = drawn(experiment)
    estimating = sorted(
        (r for r in runs if r[0].method in ESTIMATING), key=lambda r: ESTIMATING.index(r[0].method)
    )
    lead, trace = (estimating or runs)[0]
    name = label(lead.method, experiment.settings)
    mu_loc = np.where(trace.gap > trace.floor, trace.mu_loc, np.nan)  # below the floor it is rounding
    curves = [
        Curve(
            "mu_hat",
            f"μ̂ at yₖ, {name}",
            method_look(lead.method)._replace(dash="dot", width=1.5),
            trace.k,
            np.where(trace.frozen, np.nan, trace.mu_hat),
            faint=True,
        ),
        Curve("mu_loc", f"μ_loc(xₖ), {name}", MU_LOC, trace.k, mu_loc),
    ]
    for run, each in reversed(estimating):
        text = f"μₖ {label(run.method, experiment.settings)}"
        curves.append(Curve(f"mu:{run.method}", text, method_look(run.method), each.k, each.mu))
    mu = true_mu(experiment.problem)
    if mu is not None:
        ends = np.array([0.0, 1.0, last_k(experiment)])
        text = (
            f"true μ = {number_text(mu)}"
            if experiment.problem.mu > 0
            else f"smallest curvature > 0: {number_text(mu)}"
        )
        curves.append(Curve("true_mu", text, TRUE_MU, ends, np.full(3, mu)))
    return {
        "name": "mu",
        "title": "Estimate μₖ against the true μ and μ_loc(xₖ)",
        "subtitle": f"{meaning(experiment)} · both axes logarithmic",
        "summary": mu_summary(experiment),
        "x": {"title": "iteration k", "type": "log", "range": [1, max(10.0, last_k(experiment))]},
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


PANELS = {"gap": gap_panel, "mu": mu_panel}


def drawn(experiment: Experiment) -> list[tuple[MethodRun, pc.Trace]]:
    """The runs that have a curve."""
    return [(run, run.trace) for run in experiment.runs if run.trace is not None and len(run.trace)]


def true_mu(problem: pc.Problem) -> float | None:
    """mu, or the smallest non-zero curvature where mu = 0, or None."""
    if problem.mu > 0:
        return problem.mu
    return problem.mu_restricted if problem.mu_restricted > 0 else None


def certainty(problem: pc.Problem) -> str:
    """How well f* is known."""
    return f"certified to {number_text(problem.f_star_error)}" if problem.f_star_error else "exact"


def last_k(experiment: Experiment) -> float:
    """The last iteration that any run may reach."""
    return float(experiment.settings.iterations)


def max_of(values: list[Numbers]) -> float:
    """The largest finite positive number, 1 if there is none."""
    return float(max((v[usable(v)].max() for v in values if usable(v).any()), default=1.0))


def usable(values: Numbers) -> npt.NDArray[np.bool_]:
    """What a logarithmic axis can show."""
    return np.isfinite(values) & (values > 0)


def decades(values: list[Numbers], lowest: float) -> list[float]:
    """A range around what is drawn, two decades at least, ending at `lowest`.

    Ends are rounded outwards to quarters of a decade, so that axes do not tremble while a slider moves.
    """
    high = np.ceil(4 * np.log10(max_of(values)) + 0.5) / 4
    least = min((v[usable(v)].min() for v in values if usable(v).any()), default=1.0)
    low = np.floor(4 * np.log10(max(least, lowest, 1e-300)) - 0.5) / 4
    return [float(10.0 ** min(low, high - 2)), float(10.0**high)]
