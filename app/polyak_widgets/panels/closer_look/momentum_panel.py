"""The closer look's momentum: beta_k of every method, and the one that the true mu would ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.paper import momentum
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import TRUE_MU, method_look
from polyak_widgets.numbers import count_text, iterations_text, number_text
from polyak_widgets.panels.charts.marks import ring_words, ringed
from polyak_widgets.panels.curves import Curve, drawn, last_k, true_mu
from polyak_widgets.panels.pins import Pin, old_runs
from polyak_widgets.panels.words.headline import FAILING
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS

AVERAGES = "AdaptAPG extrapolates from an averaged point, so it has no single βₖ"
MARKS = [m * 10.0**e for e in range(9) for m in (1, 2, 5)]


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


def momentum_panel(experiment: Experiment, pins: Sequence[Pin] = ()) -> dict[str, Any]:
    """beta_k against k, restarts as rings; pinned runs paler."""
    curves, tops = [], [10.0]
    old = list(_pinned(experiment, pins))
    for run, trace in drawn(experiment):
        if not np.isfinite(trace.beta).any():
            continue
        look, y = method_look(run.method), memory(trace.beta)
        curves.append(Curve(f"beta:{run.method}", label(run.method, experiment.settings), look, trace.k, y))
        along = np.log(np.maximum(trace.k, 1)) / np.log(max(2.0, last_k(experiment)))
        at = ringed(trace, along, np.log(y) / np.log(np.nanmax(y, initial=2.0)))
        if at.size:
            curves.append(Curve(f"restarts:{run.method}", "", look, trace.k[at], y[at], "markers"))
        tops.append(float(np.nanmax(y)))
    if not curves:
        return {"empty": _why_empty(experiment)}
    last = max(10.0, last_k(experiment), *(float(curve.x[-1]) for curve in old))
    mu = true_mu(experiment.problem)
    if mu is not None and mu <= experiment.problem.L:
        ideal = float(memory(np.array(momentum(mu, experiment.problem.L))))
        text = f"ideal β = {beta_text(ideal)}"
        ends = np.array([0.0, 1.0, last])
        curves.insert(0, Curve("ideal", text, TRUE_MU, ends, np.full(3, ideal), faint=True))
        tops.append(ideal)
    tops += [float(np.nanmax(curve.y)) for curve in old]
    top = float(10 ** (np.ceil(4 * np.log10(max(tops)) + 0.4) / 4))
    return {
        "subtitle": "xₖ₊₁ = yₖ + βₖ(yₖ − yₖ₋₁) · axis: log of the memory 1/(1 − β)"
        + (f" · ○ {ring}" if (ring := ring_words(experiment, curves)) else ""),
        "sentence": _sentence(experiment, mu),
        "summary": _summary(experiment),
        "x": {"title": UNITS["iterations"].axis, "type": "log", "range": [1.0, last]},
        "y": {"title": "", "type": "log", "range": [1.0, top], "ticks": _ticks(top)},
        "hover": "beta",
        "clock": True,
        "curves": [*old, *curves],
    }


def _pinned(experiment: Experiment, pins: Sequence[Pin]) -> Iterator[Curve]:
    """The momentum of the runs that were pinned and are others now."""
    for uid, name, look, trace in old_runs(pins, experiment, lambda each: bool(np.isfinite(each.beta).any())):
        yield Curve(uid, name, look, trace.k, memory(trace.beta), faint=True)


def _ticks(top: float) -> list[list[Any]]:
    marks = [m for m in MARKS if m <= top]
    step = 1 if top <= 3000 else 3
    return [[m, beta_text(m)] for m in marks[::step]]


def _why_empty(experiment: Experiment) -> str:
    if not drawn(experiment):
        return "no method can run here; the table says why."
    return f"{AVERAGES}; draw one more method."


def _sentence(experiment: Experiment, mu: float | None) -> str:
    """What is seen: where the estimating method and FISTA stand against the ideal."""
    L = experiment.problem.L
    traces = {run.method: trace for run, trace in drawn(experiment)}
    if mu is None or mu > L:
        return "There is no curvature to aim at, so no momentum is the ideal one."
    ideal = float(momentum(mu, L))
    who = "The true μ" if experiment.problem.mu > 0 else "The smallest curvature above 0"
    parts = [f"{who} asks for β = {beta_text(float(memory(np.array(ideal))))}."]
    if not ideal > 0:
        return "All curvatures are L, so no momentum at all is the best."
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


def _summary(experiment: Experiment) -> str:
    ends = [
        f"{label(run.method, experiment.settings)} ends at {number_text(float(trace.beta[-1]), 4)}"
        for run, trace in drawn(experiment)
        if np.isfinite(trace.beta[-1])
    ]
    return "Momentum against iterations: " + "; ".join(ends) + "."
