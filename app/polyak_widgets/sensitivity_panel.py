"""The third panel's sensitivity: what a parameter costs where it is chosen badly, and who needs none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .curves import drawn
from .experiment import Experiment
from .look import ESTIMATING, TRUE_MU, method_look
from .mu_chart import true_mu
from .numbers import count_text, power_text
from .sensitivity import TOLERANCES, Sensitivity, Swept
from .sensitivity_words import sensitivity_sentence, sensitivity_summary, why_none
from .sweeps_shown import slider_range
from .third_frame import Shape
from .view import View
from .words import label

Numbers = npt.NDArray[np.float64]
AXES = {"gamma": "γ", "mu0": "μ₀ / L", "condition_number": "condition number κ = L/μ"}
TITLES = {
    "gamma": "What γ costs the restarted method",
    "mu0": "What μ₀ costs AdaptAPG",
    "condition_number": "What the condition number costs",
}


@dataclass(frozen=True)
class Cost:
    """How much a run needs to a tolerance, in the unit that is shown.

    Attributes:
        tolerance: part of the first gap.
        gradients: gradient calls are counted, not iterations.
    """

    tolerance: float
    gradients: bool

    @property
    def unit(self) -> str:
        """For people."""
        return "gradient calls" if self.gradients else "iterations"

    @property
    def goal(self) -> str:
        """The tolerance in words."""
        return f"{power_text(round(np.log10(self.tolerance)))} of the first gap"

    def swept(self, result: Swept) -> Numbers:
        """Of the runs of a study, NaN where it is not known or never comes."""
        before, each = result.gradients if self.gradients else (0.0, 1.0)
        return before + each * result.needed[self.tolerance]

    def most(self, result: Swept) -> float:
        """What no run of a study goes beyond."""
        before, each = result.gradients if self.gradients else (0.0, 1.0)
        return before + each * result.iterations

    def levels(self, experiment: Experiment) -> dict[str, float]:
        """Of the runs of the picture that reach the tolerance."""
        found = {}
        for run, trace in drawn(experiment):
            k = trace.first_below(self.tolerance)
            if k is not None:
                found[run.method] = float(trace.gradients[k]) if self.gradients else float(k)
        return found


def strictest(experiment: Experiment, results: dict[str, Swept]) -> float | None:
    """The strictest tolerance that some run reaches; None if none of them is."""
    for tolerance in TOLERANCES:
        if any(trace.first_below(tolerance) is not None for _, trace in drawn(experiment)):
            return tolerance
        if any(np.isfinite(result.needed[tolerance]).any() for result in results.values()):
            return tolerance
    return None


def sensitivity_panel(experiment: Experiment, view: View, found: dict[str, Any]) -> dict[str, Any]:
    """What is needed to the strictest tolerance that is reached, against the parameter."""
    results = {m: study.result() for m, study in found.items() if isinstance(study, Sensitivity)}
    tolerance = strictest(experiment, results)
    if not results or (tolerance is None and all(result.finished for result in results.values())):
        return {"empty": why_none(experiment, view.swept, results)}
    if tolerance is None:
        return {"waiting": "The first of the runs are not there yet…"}
    cost = Cost(tolerance, view.x == "gradients")
    low, high = slider_range(view.swept)
    shapes = _swept_shapes(experiment, view.swept, results, cost)
    levels = _levels(experiment, view.swept, cost, (low, high))
    there = np.concatenate([shape.y[np.isfinite(shape.y)] for shape in (*shapes, *levels)])
    bottom, top = max(float(there.min()), 0.7), float(there.max())
    return {
        "title": TITLES[view.swept],
        "subtitle": f"{cost.unit} to {cost.goal}{_done(results)}",
        "sentence": sensitivity_sentence(experiment, view.swept, results, cost),
        "summary": sensitivity_summary(view.swept, results, cost),
        "x": {"title": AXES[view.swept], "type": "log", "range": [low, high]},
        "y": {"title": cost.unit, "type": "log", "range": [bottom / 1.15, max(1.3 * top, 2 * bottom)]},
        "curves": [*levels, *shapes],
    }


def _done(results: dict[str, Swept]) -> str:
    """How far the studies are, while they grow."""
    ended = sum(int(result.ended.sum()) for result in results.values())
    total = sum(result.values.size for result in results.values())
    if ended == total:
        return ""
    growing = not all(result.finished for result in results.values())
    over = "" if growing else "; the time for this chart is used up"
    return f" · {ended} of {total} runs are there{over}"


def _swept_shapes(experiment: Experiment, swept: str, results: dict[str, Swept], cost: Cost) -> list[Shape]:
    shapes = []
    for method, result in results.items():
        look, y = method_look(method), cost.swept(result)
        name = _name(experiment, swept, method)
        sets = "" if swept == "condition_number" else swept
        shapes.append(Shape(f"line:{method}", name, look, result.values, y))
        if sets:
            shapes.append(
                Shape(f"points:{method}", "", look, result.values, y, "markers", "circle", 6, sets=sets)
            )
        never = result.ended & np.isnan(y)
        if never.any():
            where, above = result.values[never], cost.most(result)
            text = f"> {count_text(round(above))}" if len(results) == 1 else ""
            flat = np.full(where.size, 1.1 * above)
            shapes.append(
                Shape(f"never:{method}", text, look, where, flat, "markers", "triangle-up-open", 8, sets=sets)
            )
    return shapes


def _name(experiment: Experiment, swept: str, method: str) -> str:
    return {"gamma": "Restart", "mu0": "AdaptAPG"}.get(swept) or label(method, experiment.settings)


def _levels(experiment: Experiment, swept: str, cost: Cost, span: tuple[float, float]) -> list[Shape]:
    """Methods that do not care, as lines; where the parameter stands now, and mu, as marks."""
    settings = experiment.settings
    reached = cost.levels(experiment)
    now = float(getattr(settings, swept))
    shapes = []
    if swept != "condition_number":
        own = {"gamma": "restart", "mu0": "adapt_apg"}[swept]
        for method in ("apg", *ESTIMATING):
            if method in reached and method != own:
                y = np.full(2, reached[method])
                shapes.append(
                    Shape(f"level:{method}", label(method, settings), method_look(method), np.array(span), y)
                )
        if own in reached:
            look = method_look(own)
            spot = np.array([now]), np.array([reached[own]])
            shapes.append(Shape("now", "", look, *spot, "markers", "diamond", 13))
    else:
        for method, value in reached.items():
            spot = np.array([now]), np.array([value])
            shapes.append(Shape(f"now:{method}", "", method_look(method), *spot, "markers", "diamond", 9))
    mu = true_mu(experiment.problem)
    if swept == "mu0" and mu is not None and span[0] <= mu / experiment.problem.L <= span[1]:
        at = mu / experiment.problem.L
        height = list(reached.values())
        if height:
            y = np.array([min(height) / 1.15, 1.3 * max(height)])
            shapes.append(Shape("mu", "", TRUE_MU._replace(width=1.0), np.full(2, at), y, faint=True))
    return shapes


def best_value(experiment: Experiment, found: dict[str, Sensitivity]) -> float | None:
    """The value of the parameter that needs the least; None before all runs are there, or if none gets there."""
    results = {method: study.result() for method, study in found.items()}
    tolerance = strictest(experiment, results)
    if tolerance is None or not all(result.finished for result in results.values()):
        return None
    result = next(iter(results.values()))
    needed = result.needed[tolerance]
    return float(result.values[np.nanargmin(needed)]) if np.isfinite(needed).any() else None
