"""What the y axis of the first panel shows: gap, distance to x*, norm of the gradient, or a ratio of gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import polyak_core as pc
from polyak_core.arrays import Array
from polyak_core.methods.registry import METHODS
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.panels.curves import drawn
from polyak_widgets.settings.view import View

MADE_OF_THE_GAP = ("polyak", "window")
"""Estimators by which a rule makes mu_hat of the gap that the method sees."""
WITHOUT = ("certified", "model")
"""Estimators whose mu_hat is made of more than the gradient at y_k and the gap."""


def heights_of(experiment: Experiment, view: View) -> dict[str, Array]:
    """What the axis shows of each run that is drawn, by its method; NaN where that does not exist."""
    runs = drawn(experiment)
    columns = {run.method: column(trace, view.y) for run, trace in runs}
    if view.y != "ratio":
        return columns
    other = compared_with(experiment, view)
    divisor = next((trace for run, trace in runs if run.method == other), None)
    if divisor is None:
        return {method: np.full_like(values, np.nan) for method, values in columns.items()}
    return {run.method: ratio(trace.gap, divisor.gap, divisor.floor) for run, trace in runs}


def compared_with(experiment: Experiment, view: View) -> str:
    """The method whose gap the others are divided by: the chosen one, else the first that is drawn."""
    return view.beside or next((run.method for run, _ in drawn(experiment)), "")


def ratio(gap: Array, other: Array, floor: float = 0.0) -> Array:
    """A gap as a part of another at the same k; NaN where that has ended or is not above its floor."""
    both = min(len(gap), len(other))
    parts = np.full(len(gap), np.nan)
    parts[:both] = gap[:both] / np.where(other[:both] > floor, other[:both], np.nan)
    return parts


def column(trace: pc.Trace, y: str) -> Array:
    """What an axis shows of a trace by itself; of a ratio the relative gap."""
    if y == "distance":
        return np.asarray(trace.distance / (trace.distance[0] or 1.0))
    return gradient_norm(trace) if y == "gradient" else trace.relative_gap


def gradient_norm(trace: pc.Trace) -> Array:
    """||g_L(y_k)||, as it follows from the paper's quotient mu_hat = ||g_L||^2 / (2 (f - f*)).

    NaN where the trace has no such quotient. One that a rule has made is of the gap that the method saw.
    """
    settings: Mapping[str, object] = trace.settings
    method, estimator = settings.get("method", ""), settings.get("estimator")
    if estimator in WITHOUT or method == "adapt_apg_free":
        return np.full_like(trace.gap, np.nan)
    ruled = method in METHODS and "rule" in METHODS[str(method)].parameters
    gap = trace.gap_seen if ruled and estimator in MADE_OF_THE_GAP else trace.gap
    squared = 2 * gap * trace.mu_hat
    return np.asarray(np.sqrt(np.where(squared >= 0, squared, np.nan)))
