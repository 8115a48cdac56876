"""Thin lines of theory beside the curves: the paper's bounds where their hypotheses hold, and two rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import polyak_core as pc
from polyak_core import theory
from polyak_core.arrays import Array
from polyak_core.methods.registry import method_named
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import Look, method_look
from polyak_widgets.panels.curves import Curve, clocks, drawn
from polyak_widgets.panels.texts import (
    BOUND_ADAPT_APG,
    BOUND_APG,
    BOUND_CG,
    BOUND_FISTA,
    BOUND_ITEM,
    BOUND_TRIPLE,
    ENVELOPE,
    ENVELOPE_ADMITTED,
    ENVELOPE_SO_FAR,
    worst_case_of,
)
from polyak_widgets.panels.words.rates import is_given_no_more, long_steps_are_safe, never_below

THIN = 1.0
RATE = Look("#7F7F7F", "dot", THIN)
LATE = 0.95
"""Records after this part of a run are its last."""


def bound_lines(experiment: Experiment) -> list[Curve]:
    """What the theorems promise for the runs that are drawn, and two rates, as parts of the initial gap.

    A bound is drawn only where what it supposes is true: L is no less than the true one, and no mu_k lies
    below mu. Below the precision floor nothing is drawn, since the gap is rounding there.
    """
    problem, lines = experiment.problem, []
    runs = drawn(experiment)
    if not runs or not long_steps_are_safe(problem):
        return []
    for run, trace in runs:
        promise = bound(problem, run.method, trace)
        if promise is not None:
            name, values = promise
            above = np.where(values > trace.floor, values, np.nan) / (trace.gap[0] or 1.0)
            look = Look(method_look(run.method).colour, "solid", THIN)
            lines.append(Curve(f"bound:{run.method}", name, look, trace.k, above, clocks=clocks(trace)))
        lines += worst_lines(problem, run.method, trace)
    return lines + rates(problem, max((trace for _, trace in runs), key=len))


def distance_lines(experiment: Experiment) -> list[Curve]:
    """What is promised of the distance of `item`, as a part of the initial one: nobody can promise less."""
    problem = experiment.problem
    for run, trace in drawn(experiment):
        if run.method == "item" and long_steps_are_safe(problem) and is_given_no_more(problem, trace):
            look = Look(method_look("item").colour, "solid", THIN)
            values = np.sqrt(theory.best_distance_rate(problem, trace.k))
            return [Curve("bound:item", BOUND_ITEM, look, trace.k, values, clocks=clocks(trace))]
    return []


def bound(problem: pc.Problem, method: str, trace: pc.Trace) -> tuple[str, Array] | None:
    """The bound of one run with its name; None where no theorem applies."""
    if method == "fista":
        return BOUND_FISTA, theory.bound_fista(problem, trace)
    if not problem.mu > 0:
        return None
    promises: dict[str, tuple[bool, str, Callable[[pc.Problem, pc.Trace], Array]]] = {
        "apg": (is_given_no_more(problem, trace), BOUND_APG, theory.bound_known_mu),
        "adapt_apg": (never_below(problem, trace), BOUND_ADAPT_APG, theory.bound_estimated_mu),
        "tmm": (is_given_no_more(problem, trace), BOUND_TRIPLE, theory.bound_triple_momentum),
        "cg": (True, BOUND_CG, theory.bound_conjugate_gradients),
    }
    holds, name, promise = promises.get(method, (False, "", theory.bound_fista))
    return (name, promise(problem, trace)) if holds else None


def worst_lines(problem: pc.Problem, method: str, trace: pc.Trace) -> list[Curve]:
    """The exact worst case of a method over all problems with this mu and L, where it has been computed."""
    worst = theory.worst_case(method, problem.condition_number) if problem.mu > 0 else None
    if worst is None:
        return []
    known = worst.k < len(trace)
    k, unit = worst.k[known], problem.L * trace.distance[0] ** 2 / (trace.gap[0] or 1.0)
    look = Look(method_look(method).colour, "dot", THIN)
    name = worst_case_of(method_named(method).label)
    return [Curve(f"worst:{method}", name, look, k, worst.value[known] * unit, clocks={"gradients": k})]


def rates(problem: pc.Problem, trace: pc.Trace) -> list[Curve]:
    """The rates of gradient descent and of accelerated methods; none where mu = 0."""
    if not problem.mu > 0:
        return []
    k = trace.k
    named = {"(1 − μ/L)²ᵏ": theory.gradient_rate, "(1 − √(μ/L))ᵏ": theory.accelerated_rate}
    return [
        Curve(f"rate:{i}", name, RATE, k, rate(problem, k), clocks={"gradients": k})
        for i, (name, rate) in enumerate(named.items())
    ]


def envelopes(problem: pc.Problem, trace: pc.Trace) -> list[tuple[str, float, Array]]:
    """C/(k+1)^2 with the smallest C that a run stays below, and with the largest that proposition 2.8 admits.

    Each with its name, C, and values at the records of the run, whose mu[k] is the paper's mu_(k+1).
    """
    if not problem.mu > 0:
        return []
    named = {
        (ENVELOPE if settled(problem, trace) else ENVELOPE_SO_FAR): theory.envelope_constant(problem, trace),
        ENVELOPE_ADMITTED: admitted_constant(problem, trace),
    }
    return [(name, C, theory.envelope(C, trace.k + 1)) for name, C in named.items() if C > 0]


def admitted_constant(problem: pc.Problem, trace: pc.Trace) -> float:
    """The largest C of proposition 2.8, with the mu_0 of the run, else L/2; 0 if that is below mu."""
    mu0 = float(trace.settings.get("mu0") or problem.L / 2)
    return theory.largest_schedule_constant(problem, mu0) if mu0 >= problem.mu else 0.0


def settled(problem: pc.Problem, trace: pc.Trace) -> bool:
    """Whether a longer run would leave C as it is: it is not the last records that ask for it."""
    constants = np.maximum(trace.mu - problem.mu, 0.0) * (trace.k + 2) ** 2
    return bool(np.argmax(constants) < LATE * len(trace))
