"""The panel of the gap f(y_k) - f*."""

from __future__ import annotations

from typing import Any

import polyak_core as pc

from .curves import Curve, clocks, decades, drawn, max_of, x_axis
from .experiment import Experiment
from .look import method_look
from .numbers import number_text
from .view import View
from .words import gap_summary, label

DEEPEST = 1e-30
"""The gap axis ends at this part of the first gap; zoom out for what lies below."""
FIRST_VIEW = View()


def gap_panel(experiment: Experiment, view: View = FIRST_VIEW) -> dict[str, Any]:
    """f(y_k) - f* of every run, restarts as rings."""
    curves = []
    for run, trace in drawn(experiment):
        look = method_look(run.method)
        name = label(run.method, experiment.settings)
        curves.append(Curve(f"gap:{run.method}", name, look, trace.k, trace.gap, clocks=clocks(trace)))
        if trace.restarted.any():
            at = trace.restarted
            uid = f"restarts:{run.method}"
            curves.append(
                Curve(uid, "", look, trace.k[at], trace.gap[at], "markers", clocks=clocks(trace, at))
            )
    gaps = [curve.y for curve in curves]
    return {
        "title": "Gap f(yₖ) − f*",
        "subtitle": f"f* {certainty(experiment.problem)} · ○ restarts"
        if "restart" in experiment.settings.methods
        else f"f* {certainty(experiment.problem)}",
        "summary": gap_summary(experiment),
        "x": x_axis(experiment, "linear"),
        "y": {"title": "", "type": "log", "range": decades(gaps, lowest=DEEPEST * max_of(gaps))},
        "curves": curves,
    }


def certainty(problem: pc.Problem) -> str:
    """How well f* is known."""
    return f"certified to {number_text(problem.f_star_error)}" if problem.f_star_error else "exact"
