"""The closer look's momentum: beta_k of every method, and the one that the true mu would ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from polyak_core.methods.paper import momentum
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import TRUE_MU, method_look
from polyak_widgets.panels.charts.marks import ring_words, ringed
from polyak_widgets.panels.closer_look.momentum_words import (
    MOMENTUM_NOTE,
    beta_text,
    ideal_text,
    memory,
    momentum_sentence,
    momentum_summary,
    why_no_momentum,
)
from polyak_widgets.panels.curves import Curve, drawn, last_k, true_mu
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.pins import old_runs
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS

MARKS = [m * 10.0**e for e in range(9) for m in (1, 2, 5)]


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
        return {"empty": why_no_momentum(experiment)}
    last = max(10.0, last_k(experiment), *(float(curve.x[-1]) for curve in old))
    mu = true_mu(experiment.problem)
    if mu is not None and mu <= experiment.problem.L:
        ideal = float(memory(np.array(momentum(mu, experiment.problem.L))))
        text = ideal_text(ideal)
        ends = np.array([0.0, 1.0, last])
        curves.insert(0, Curve("ideal", text, TRUE_MU, ends, np.full(3, ideal), faint=True))
        tops.append(ideal)
    tops += [float(np.nanmax(curve.y)) for curve in old]
    top = float(10 ** (np.ceil(4 * np.log10(max(tops)) + 0.4) / 4))
    return {
        "subtitle": MOMENTUM_NOTE + (f" · ○ {ring}" if (ring := ring_words(experiment, curves)) else ""),
        "sentence": momentum_sentence(experiment, mu),
        "summary": momentum_summary(experiment),
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
