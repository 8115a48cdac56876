"""What a reader can try after a story: a goal for one setting, which the page checks by the drawn runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import iterations_text, number_text, power_text
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.stories.answers import DEEP, MIDDLE, Traces, steps

VERY_DEEP = 1e-20


class Standing(NamedTuple):
    """Whether a goal is met, how things stand, in words, and whether anything has been changed yet."""

    is_met: bool
    words: str
    has_changed: bool = True


@dataclass(frozen=True)
class Goal:
    """Something to bring about.

    Attributes:
        text: what, and by which control.
        setting: the one that may change in the picture of the answer.
        check: how the runs stand, by the names of their methods.
    """

    text: str
    setting: str
    check: Callable[[Traces], Standing]

    def standing(self, experiment: Experiment, start: Settings) -> Standing:
        """How the drawn runs stand; `start` is the picture of the answer."""
        changed = [name for name in FIELDS if getattr(experiment.settings, name) != getattr(start, name)]
        others = [FIELDS[name].metadata["label"] for name in changed if name != self.setting]
        if others:
            return Standing(False, f"Take this back first, it differs from the answer: {', '.join(others)}.")
        traces = {run.method: run.trace for run in experiment.runs if run.trace is not None}
        return self.check(traces)._replace(has_changed=bool(changed))


def within(most: int, method: str, tolerance: float = DEEP) -> Callable[[Traces], Standing]:
    """A method comes down to a tolerance in fewer iterations than `most`."""

    def check(traces: Traces) -> Standing:
        return Standing(steps(traces[method], tolerance) < most, _reached(traces[method], method, tolerance))

    return check


def ahead(method: str, other: str) -> Callable[[Traces], Standing]:
    """A method is at the tolerance sooner than another."""

    def check(traces: Traces) -> Standing:
        success = steps(traces[method], DEEP) < steps(traces[other], DEEP)
        return Standing(success, " ".join(_reached(traces[each], each, DEEP) for each in (method, other)))

    return check


def one_alone(method: str, other: str) -> Callable[[Traces], Standing]:
    """A method converges where another diverges."""

    def check(traces: Traces) -> Standing:
        good, bad = (traces[each].outcome for each in (method, other))
        lost = (pc.Outcome.DIVERGED, pc.Outcome.NON_FINITE)
        success = good not in (*lost, pc.Outcome.BOUNCING) and bad in lost
        return Standing(success, " ".join(_ended(traces[each], each) for each in (method, other)))

    return check


def falls_below(method: str, other: str) -> Callable[[Traces], Standing]:
    """The least estimate of a method lies below that of another."""

    def check(traces: Traces) -> Standing:
        low, bound = (float(np.nanmin(traces[each].mu)) for each in (method, other))
        names = [pc.METHODS[each].label for each in (method, other)]
        words = f"The smallest μₖ of {names[0]} is {number_text(low / bound)} times that of {names[1]}."
        return Standing(low < bound, words)

    return check


def _reached(trace: pc.Trace, method: str, tolerance: float) -> str:
    name, k = pc.METHODS[method].label, trace.first_below(tolerance)
    level = f"{number_text(tolerance)} of the initial gap"
    if k is None:
        return f"{name} has not reached {level} after {iterations_text(len(trace) - 1)}."
    return f"{name} reaches {level} after {iterations_text(k)}."


def _ended(trace: pc.Trace, method: str) -> str:
    share = number_text(float(trace.gap[-1] / trace.gap[0]))
    return f"{pc.METHODS[method].label} ends at {share} times the initial gap."


def card(goal: Goal, standing: Standing | None) -> dict[str, Any]:
    """What the page shows of a goal; nothing is known before the first check."""
    return {"text": goal.text, **(standing or Standing(False, "", False))._asdict()}


GOALS: Mapping[str, Goal] = {
    "misprint": Goal(
        "Find a condition number κ for which FISTA as printed comes down to "
        f"{power_text(-6)} in fewer than 555 iterations. Change κ alone.",
        "condition_number",
        within(555, "fista_printed", MIDDLE),
    ),
    "v2_or_theorem": Goal(
        f"Let AdaptAPG reach {power_text(-10)} before v2. Change μ₀ alone.",
        "mu0",
        ahead("adapt_apg", "adapt_apg_v2"),
    ),
    "gamma": Goal(
        f"Bring the restarted method to {power_text(-10)} in fewer than 1\u202f100 iterations. "
        "Change γ alone.",
        "gamma",
        within(1100, "restart"),
    ),
    "mu0": Goal(
        f"Bring AdaptAPG to {power_text(-10)} in fewer than 900 iterations. Change μ₀ alone.",
        "mu0",
        within(900, "adapt_apg"),
    ),
    "f_star_too_low": Goal(
        "How exact must f* be? It stays too low; bring v2 to "
        f"{power_text(-10)} in fewer than 1\u202f100 iterations. Change the error δ of f* alone.",
        "f_star_delta",
        within(1100, "adapt_apg_v2"),
    ),
    "f_star_too_high": Goal(
        "How exact must f* be? It stays too high; bring the restarted method to "
        f"{power_text(-10)} in fewer than 2\u202f000 iterations. Change the error δ of f* alone.",
        "f_star_delta",
        within(2000, "restart"),
    ),
    "below_rounding": Goal(
        f"Bring the gap to {power_text(-20)} of its initial value in fewer than 300 iterations. "
        "Change λ alone.",
        "lam",
        within(300, "adapt_apg_v2", VERY_DEEP),
    ),
    "wrong_L": Goal(
        "Find a value of L with which the proximal gradient method converges while FISTA diverges. "
        "Change “L given / true L” alone.",
        "L_factor",
        one_alone("pgd", "fista"),
    ),
    "six_estimates": Goal(
        "Show that the estimate of AdGD is no bound: bring it below that of v2 at some iteration. "
        "Change the iterations alone.",
        "iterations",
        falls_below("adgd_accel", "adapt_apg_v2"),
    ),
    "silver": Goal(
        f"Bring silver steps to {power_text(-10)} before APG. Change κ alone.",
        "condition_number",
        ahead("silver_mu", "apg"),
    ),
    "cg": Goal(
        f"Bring CG to {power_text(-10)} in fewer than 40 iterations, with the same κ. "
        "Change the spectrum alone.",
        "spectrum",
        within(40, "cg"),
    ),
}
"""By the names of their stories."""

EXPLANATIONS: Mapping[str, str] = {
    "misprint": "Without the 4 the sequence t stays bounded, so β stays far below 1, and a method with "
    "bounded momentum needs a multiple of κ iterations.",
    "v2_or_theorem": "AdaptAPG averages over all its estimates and v2 uses the newest one, so the first "
    "estimates, which are far too large, delay AdaptAPG alone.",
    "gamma": "Restarting too often throws the momentum away before it has grown, and restarting too seldom "
    "lets it overshoot, so every problem has a γ of its own.",
    "mu0": "μₖ can only decrease, so an estimate that starts too large is corrected and one that starts too "
    "small never is.",
    "f_star_too_low": "Near the end the gap that v2 computes is mostly the error of f*, so the estimate of μ "
    "becomes too small and the momentum too large.",
    "f_star_too_high": "Once the computed gap is negative the test for a restart always succeeds, and a "
    "method that restarts at every iteration has no momentum.",
    "below_rounding": "A difference of two nearly equal numbers loses its digits, and a sum of positive "
    "terms keeps them.",
    "wrong_L": "With half of the true L the error along the largest eigenvalue is multiplied by −1 in every "
    "step, so it neither shrinks nor grows, until momentum makes it grow.",
    "six_estimates": "A bound holds at every iteration, so its least value may be kept; the curvature of one "
    "step says nothing about the directions that this step did not take.",
    "silver": "A long step helps the slow directions and harms the fast ones, and the short steps around it "
    "repair that, so a good order of steps does part of what momentum does.",
    "cg": "CG takes the best of all combinations of the gradients that it has met, so it deals with "
    "eigenvalues that lie apart one by one, and with a cluster at once.",
}
"""A model of the sentence that the reader is asked for, by the name of the story."""
