"""What the momentum says in words; every number comes from the runs."""

from __future__ import annotations

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.paper import momentum
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.panels.curves import drawn
from polyak_widgets.panels.texts import NO_METHOD
from polyak_widgets.panels.words.headline import FAILING
from polyak_widgets.panels.words.words import label

AVERAGES = "AdaptAPG extrapolates from an averaged point, so it has no single βₖ"
MOMENTUM_NOTE = "xₖ₊₁ = yₖ + βₖ(yₖ − yₖ₋₁) · axis: log of the memory 1/(1 − β)"


def memory(beta: Array) -> Array:
    """1/(1 - beta): how many steps back momentum remembers; it spreads out what is crowded below 1."""
    return 1 / np.maximum(1 - beta, 1e-16)


def beta_text(remembered: float) -> str:
    """The beta of so many steps, with as many nines as it takes.

    >>> beta_text(1), beta_text(50), beta_text(1000)
    ('0', '0.98', '0.999')
    """
    digits = max(1, int(np.ceil(np.log10(max(remembered, 1.0)))))
    return f"{1 - 1 / remembered:.{digits}f}".rstrip("0").rstrip(".") if remembered > 1 else "0"


def why_no_momentum(experiment: Experiment) -> str:
    """Why there is nothing to draw, after "because"."""
    if not drawn(experiment):
        return NO_METHOD
    return f"{AVERAGES}; add another method."


def ideal_text(ideal: float) -> str:
    """The momentum that the true mu asks for, by its memory."""
    return f"ideal β = {beta_text(ideal)}"


def momentum_sentence(experiment: Experiment, mu: float | None) -> str:
    """What is seen: where the estimating method and FISTA stand against the ideal."""
    L = experiment.problem.L
    traces = {run.method: trace for run, trace in drawn(experiment)}
    if mu is None or mu > L:
        return "No curvature is above 0, so there is no ideal momentum."
    ideal = float(momentum(mu, L))
    who = "The true μ" if experiment.problem.mu > 0 else "The smallest curvature above 0"
    parts = [f"{who} asks for β = {beta_text(float(memory(np.array(ideal))))}."]
    if not ideal > 0:
        return "All curvatures are L, so it is best to have no momentum at all."
    if "fista" in traces:
        past = np.flatnonzero(traces["fista"].beta > ideal)
        if past.size:
            ripples = ", which shows as ripples" if _ripples(traces["fista"], int(past[0])) else ""
            parts.append(
                f"FISTA passes it after {iterations_text(int(past[0]))} and goes on towards 1: "
                f"too much momentum{ripples}."
            )
        else:
            parts.append("FISTA has not reached it yet.")
    if "restart" in traces and (count := int(traces["restart"].restarted.sum())):
        times = {1: "once", 2: "twice"}.get(count, f"{count_text(count)} times")
        parts.append(f"The restarted method restarts {times}.")
    for method in ("adapt_apg_v2", "adapt_apg_free"):
        if method in traces and len(traces[method]) > 1:
            end = float(memory(traces[method].beta[-1:])[0])
            parts.append(f"{label(method, experiment.settings)} ends at β = {beta_text(end)}.")
            break
    if "adapt_apg" in traces:
        parts.append(f"{AVERAGES}.")
    return " ".join(parts)


def _ripples(trace: pc.Trace, start: int) -> bool:
    """Whether the gap of a run that comes down rises on the way, from some iteration on."""
    rises = np.diff(trace.gap[start:]) > trace.floor
    return bool(rises.any()) and trace.outcome not in FAILING


def momentum_summary(experiment: Experiment) -> str:
    """Where the methods end, for those who hear the chart."""
    ends = [
        f"{label(run.method, experiment.settings)} ends at {number_text(float(trace.beta[-1]), 4)}"
        for run, trace in drawn(experiment)
        if np.isfinite(trace.beta[-1])
    ]
    return "Momentum against iterations: " + "; ".join(ends) + "."
