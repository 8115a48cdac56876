"""The closer look's sensitivity: what a parameter costs where it is chosen badly, and who needs none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING, START, TRUE_MU, method_look
from polyak_widgets.numbers import count_text, multiple_text, number_text, power_text
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import DEPTHS, Swept
from polyak_widgets.panels.closer_look.sensitivity.sweeps import METHOD_OF, Sweeps, slider_range
from polyak_widgets.panels.closer_look.sensitivity.words import (
    counted,
    sensitivity_sentence,
    sensitivity_summary,
    why_none,
)
from polyak_widgets.panels.curves import Curve, drawn, true_mu
from polyak_widgets.panels.texts import (
    FIRST_RUNS,
    SWEEP_AXES,
    SWEEP_OUT_OF_TIME,
    SWEEP_STOPPED,
    SWEEP_TITLES,
    cost_of_goal,
    line_ends,
    of_initial_gap,
    runs_known,
    value_now,
)
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.units import UNITS
from polyak_widgets.settings.view import View


@dataclass(frozen=True)
class Cost:
    """How much a run needs to a tolerance, in the unit that is shown.

    Attributes:
        tolerance: part of the initial gap.
        gradients: gradient calls are counted, not iterations.
    """

    tolerance: float
    gradients: bool

    @property
    def unit(self) -> str:
        """For people."""
        return UNITS["gradients" if self.gradients else "iterations"].label

    def text(self, need: float) -> str:
        """So many of them."""
        count = round(need)
        return f"{count_text(count)} {self.unit[:-1] if count == 1 else self.unit}"

    @property
    def goal(self) -> str:
        """The tolerance in words."""
        return of_initial_gap(power_text(round(np.log10(self.tolerance))))

    def swept(self, result: Swept) -> Array:
        """Of the runs of a study, NaN where it is not known or never comes."""
        before, each = result.gradients if self.gradients else (0.0, 1.0)
        return before + each * result.needed[self.tolerance]

    def most(self, result: Swept) -> float:
        """What no run of a study goes beyond."""
        before, each = result.gradients if self.gradients else (0.0, 1.0)
        return before + each * result.iterations

    def levels(self, experiment: Experiment) -> dict[str, float]:
        """Of the runs of the picture that reach the tolerance."""
        levels = {}
        for run, trace in drawn(experiment):
            k = trace.first_below(self.tolerance)
            if k is not None:
                levels[run.method] = float(trace.gradients[k]) if self.gradients else float(k)
        return levels


def strictest(experiment: Experiment, results: dict[str, Swept]) -> float | None:
    """The strictest tolerance, no stricter than the target, that some run reaches; None if there is none.

    Where a study ended before it knew all, it is one that a run of the study reaches, if there is any.
    """
    target = experiment.settings.target
    allowed = [t for t in DEPTHS if t >= target * (1 - 1e-9)] or [DEPTHS[-1]]
    swept = [t for t in allowed if any(np.isfinite(r.needed[t]).any() for r in results.values())]
    drawn_too = [
        t for t in allowed if any(trace.first_below(t) is not None for _, trace in drawn(experiment))
    ]
    reached = [t for t in allowed if t in swept or t in drawn_too]
    if swept and reached[0] not in swept and not all(r.complete(reached[0]) for r in results.values()):
        return swept[0]
    return reached[0] if reached else None


def sensitivity_panel(
    experiment: Experiment, view: View, sweeps: Sweeps, stopped: bool = False
) -> dict[str, Any]:
    """What is needed to the strictest tolerance that is reached, against the parameter."""
    results = {method: study.result() for method, study in sweeps.many.items()}
    over = stopped or all(result.finished for result in results.values())
    tolerance = strictest(experiment, results)
    if not results or (tolerance is None and over):
        return {"empty": why_none(experiment, view.swept, results, stopped)}
    if tolerance is None:
        return {"waiting": FIRST_RUNS}
    cost = Cost(tolerance, view.x == "gradients")
    now = {method: float(cost.swept(study.result())[0]) for method, study in sweeps.now.items()}
    low, high = slider_range(view.swept)
    curves = _swept_curves(experiment, view.swept, results, cost)
    levels = _levels(experiment, view.swept, cost)
    there = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in (*curves, *levels)])
    if not there.size:  # other methods of the picture are there, these runs not yet or never
        why = why_none(experiment, view.swept, results, stopped, cost)
        return {"empty": why} if over else {"waiting": FIRST_RUNS}
    bottom, top = max(float(there.min()), 0.7) / 1.15, float(there.max())
    span = [bottom, max(1.3 * top, 2.3 * bottom)]
    return {
        "title": SWEEP_TITLES[view.swept],
        "subtitle": cost_of_goal(cost.unit, cost.goal) + _how_far(view.swept, results, cost, stopped),
        "sentence": sensitivity_sentence(experiment, view.swept, results, cost, now, stopped),
        "summary": sensitivity_summary(experiment, view.swept, results, cost),
        "x": {"title": SWEEP_AXES[view.swept], "type": "log", "range": [low / 1.12, high * 1.12]},
        "y": {"title": "", "type": "log", "range": span},
        "legend": view.swept == "condition_number",
        "curves": [*_places(experiment, view.swept, now, span), *levels, *curves],
    }


def _how_far(swept: str, results: dict[str, Swept], cost: Cost, stopped: bool) -> str:
    """How far the studies are, unless they are complete; then why lines end, where no marks say it."""
    known, whole = counted(results, cost)
    if known < whole:
        growing = not all(result.finished for result in results.values())
        over = SWEEP_STOPPED if stopped else "" if growing else SWEEP_OUT_OF_TIME
        return f" · {runs_known(known, whole)}{over}"
    if swept != "condition_number":
        return ""
    most = max(cost.most(result) for result in results.values())
    return f" · {line_ends(count_text(round(most)))}"


def _swept_curves(experiment: Experiment, swept: str, results: dict[str, Swept], cost: Cost) -> list[Curve]:
    curves = []
    sets = "" if swept == "condition_number" else swept
    for method, result in results.items():
        look, x, y = method_look(method), result.values, cost.swept(result)
        curves.append(Curve(f"line:{method}", _name(experiment, swept, method), look, x, y))
        if not sets:
            continue
        points = Curve(f"points:{method}", "", look, x, y, "markers", symbol="circle", size=6, sets=sets)
        curves.append(points)
        never = result.ended & np.isnan(y)
        if never.any():
            above, symbol = cost.most(result), "triangle-up-open"
            text, flat = f"> {count_text(round(above))}", np.full(np.count_nonzero(never), 1.1 * above)
            there = (f"never:{method}", text, look, x[never], flat)
            curves.append(Curve(*there, "markers", symbol=symbol, sets=sets))
    return curves


def _name(experiment: Experiment, swept: str, method: str) -> str:
    return label(method, experiment.settings, without=swept)


def _levels(experiment: Experiment, swept: str, cost: Cost) -> list[Curve]:
    """Methods that do not have the parameter, as lines across; with kappa, where each of them stands now."""
    settings, span = experiment.settings, np.array(slider_range(swept))
    curves = []
    for method, need in cost.levels(experiment).items():
        look = method_look(method)
        if swept == "condition_number":
            spot = np.array([settings.condition_number]), np.array([need])
            curves.append(Curve(f"now:{method}", "", look, *spot, "markers", symbol="diamond", size=9))
        elif method in ("apg", *ESTIMATING) and method != METHOD_OF[swept]:
            name, y = label(method, settings), np.full(2, need)
            curves.append(Curve(f"level:{method}", name, look, span, y))
    return curves


def _places(experiment: Experiment, swept: str, now: dict[str, float], span: list[float]) -> list[Curve]:
    """Where the parameter stands, as an upright line and a mark on the curve; for mu_0 also mu."""
    settings, ends = experiment.settings, np.array(span)
    value = float(getattr(settings, swept))
    curves = [Curve("here", "", START, np.full(2, value), ends)]
    for method, need in now.items():
        spot = np.array([value]), np.array([need])
        text, look = _now_text(swept, value), method_look(method)
        curves.append(Curve("now", text, look, *spot, "markers", symbol="diamond", size=13))
    mu = true_mu(experiment.problem)
    if swept == "mu0" and mu is not None:
        where = np.full(2, mu / experiment.problem.L)
        curves.append(Curve("mu", "μ", TRUE_MU._replace(width=1.5), where, ends, faint=True))
    return curves


def _now_text(swept: str, value: float) -> str:
    if swept == "gamma":
        return value_now("γ", number_text(value, 3))
    return value_now("μ₀", multiple_text(value, "L"))


def best_value(experiment: Experiment, sweeps: Sweeps) -> float | None:
    """The value that needs the least; None unless all runs are known, or if the values do not differ."""
    results = {method: study.result() for method, study in sweeps.many.items()}
    tolerance = strictest(experiment, results)
    if tolerance is None or not all(result.complete(tolerance) for result in results.values()):
        return None
    result = next(iter(results.values()))
    needed = result.needed[tolerance]
    if not np.isfinite(needed).any():
        return None
    best = np.flatnonzero(needed == np.nanmin(needed))
    return float(result.values[best[best.size // 2]]) if best.size < needed.size else None
