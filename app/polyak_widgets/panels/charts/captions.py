"""One or two sentences below each chart, also what a screen reader gets of it; numbers come from the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import polyak_core as pc
from polyak_core import theory
from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING
from polyak_widgets.numbers import count_text, list_text, number_text, power_text
from polyak_widgets.panels.charts.theory_lines import admitted_constant, settled
from polyak_widgets.panels.curves import drawn, true_mu
from polyak_widgets.panels.words.headline import nothing_to_do
from polyak_widgets.panels.words.race import (
    Race,
    amount,
    cost,
    end_text,
    place,
    race,
    relative_end,
    too_short,
    traces_of,
)
from polyak_widgets.panels.words.words import label

NEAR = 0.01
"""mu_k has found mu when it is this near."""
SHOWN = 1e-20
"""Gaps that differ by less than this part of the initial gap look equal in any chart."""
ALWAYS = 20
"""So many restarts in a row are no coincidence."""
LITTLE = 1.5
"""Up to here a ratio is said in per cent."""


def gap_caption(experiment: Experiment, unit: str = "iterations") -> str:
    """Who is first, who is last, and what is special: a wrong f*, rounding, runs that do not get on."""
    runs = {label(run.method, experiment.settings): trace for run, trace in drawn(experiment)}
    if not runs:
        return "No curve can be drawn here; the table says why."
    if all(trace.gap[0] == 0 for trace in runs.values()):
        return nothing_to_do(experiment)
    short = {label(run.method, experiment.settings, without="f_star"): t for run, t in drawn(experiment)}
    return " ".join(
        [_race(experiment, unit), *_hidden_curves(runs), *_f_star_words(short, unit), *_ends(short)]
    )


def y_caption(experiment: Experiment, y: str, heights: Mapping[str, Array], other: str = "") -> str:
    """Which curve ends lowest and which highest, where the axis shows no gap, and which have none, with why.

    `other` is the method whose gap the others are divided by, if they are.
    """
    names = {run.method: label(run.method, experiment.settings) for run, _ in drawn(experiment)}
    if names and all(trace.gap[0] == 0 for _, trace in drawn(experiment)):
        return nothing_to_do(experiment)
    if y == "ratio" and other not in names:
        return "The method to compare with is not drawn: choose another, or draw it."
    whole = {method: values[np.isfinite(values)] for method, values in heights.items()}
    ends = {method: float(values[-1]) for method, values in whole.items() if values.size and method != other}
    without = [names[method] for method, values in whole.items() if not values.size]
    sentences = [_lowest_and_highest({names[m]: end for m, end in ends.items()}, y, names.get(other, ""))]
    if without and y == "gradient":
        sentences.append(
            f"No curve for {list_text(without)}: such a run computes no gradient at yₖ, or its "
            "estimate does not reveal the gradient."
        )
    elif without:
        sentences.append(f"No curve for {list_text(without)}: the distance to x* is not known there.")
    if y == "ratio" and any(np.isnan(values[-1]) for values in heights.values()):
        sentences.append(
            f"A curve stops where {names[other]} has ended, or where its gap is only rounding error."
        )
    return " ".join(filter(None, sentences))


def _lowest_and_highest(ends: Mapping[str, float], y: str, other: str) -> str:
    if not ends:
        return "" if y == "gradient" else "There is no other method to compare it with." if other else ""
    low, high = min(ends, key=lambda name: ends[name]), max(ends, key=lambda name: ends[name])
    words = {
        "distance": ("ends nearest to x*, at {} of the initial distance", "farthest, at {}"),
        "gradient": ("ends with the smallest norm, {}", "with the largest, {}"),
        "ratio": (f"ends with {{}} times the gap of {other}", "with {} times"),
    }[y]
    text = f"{low} {words[0].format(number_text(ends[low]))}"
    return f"{text}; {high} {words[1].format(number_text(ends[high]))}." if high != low else f"{text}."


def _hidden_curves(runs: dict[str, pc.Trace]) -> list[str]:
    """Curves that lie on each other, so that only the last of them is seen."""
    sentences, rest = [], dict(runs)
    while rest:
        name, trace = rest.popitem()
        alike = [other for other, its in rest.items() if _same(trace, its)]
        for other in alike:
            rest.pop(other)
        if alike:
            sentences.append(f"{list_text([*alike, name])} coincide.")
    return sentences[::-1]


def _same(one: pc.Trace, other: pc.Trace) -> bool:
    """Whether two gaps are equal wherever a chart could tell them apart."""
    count = min(len(one), len(other))
    smallest = max(one.floor, other.floor, SHOWN * float(one.gap[0]))
    return np.allclose(one.gap[:count], other.gap[:count], rtol=NEAR, atol=smallest, equal_nan=True)


def _race(experiment: Experiment, unit: str) -> str:
    """The first at the strictest level that is reached, and the one with the largest gap at the end."""
    runs = {run.method: t for run, t in drawn(experiment) if relative_end(t) < 1}
    if not runs:
        return "No run ends below its initial gap."
    order, problem = race(experiment, unit), experiment.problem
    names = {method: label(method, experiment.settings) for method in traces_of(experiment)}
    last = max(runs, key=lambda method: relative_end(runs[method]))
    after = amount(cost(runs[last], len(runs[last]) - 1, unit), unit)
    ends = f"{names[last]} ends at {end_text(runs[last], problem)} of it after {after}"
    if order:
        first = order.first
        text = f"{list_text([names[m] for m in first])} {_there(order, traces_of(experiment), unit)}"
    else:
        least = min(relative_end(trace) for trace in runs.values())
        first = [method for method, trace in runs.items() if relative_end(trace) == least]
        several = len(first) > 1
        verb = f"{'are' if several else 'is'} lowest at the end,"
        if len(first) == len(runs):
            verb = f"end{'' if several else 's'} at"
        lowest = f"{end_text(runs[first[0]], problem)} of the initial gap"
        text = f"{list_text([names[m] for m in first])} {verb} {lowest}"
    all_there = last in first or relative_end(runs[last]) == 0
    return f"{text}." if all_there else f"{text}; {ends}."


def _there(order: Race, traces: dict[str, pc.Trace], unit: str) -> str:
    """Where the first methods reach the level; that they are the first is said only if no other can be."""
    several, level = len(order.first) > 1, f"{power_text(order.exponent)} of the initial gap"
    reach = "reach" if several else "reaches"
    least = order.costs[order.first[0]]
    if too_short(least, unit):
        return f"{reach} {level} in less than {amount(least, unit)}"
    trace = traces[order.first[0]]
    where = place(trace, trace.first_below(10.0**order.exponent) or 0, unit)
    if len(traces) == 1 or not order.won:
        return f"{reach} {level} at {where}"
    return f"{'are first together' if several else 'is first'} at {level}, at {where}"


def _known(trace: pc.Trace) -> bool:
    return bool(np.isfinite(trace.gap_seen[-1]) and np.isfinite(trace.gap[-1]))


def _f_star_words(runs: dict[str, pc.Trace], unit: str) -> list[str]:
    """What a wrong f* does: the methods see another gap than the one that is drawn."""
    sentences = []
    negative = {name: np.flatnonzero(t.gap_seen < 0) for name, t in runs.items()}
    first = {name: int(ks[0]) for name, ks in negative.items() if ks.size}
    if first:
        name = min(first, key=lambda each: first[each])
        sentences.append(
            f"f* is given too high: from {place(runs[name], first[name], unit)} on the gap that {name} sees "
            f"is negative. {_use_of_negative_gaps(runs)}The chart shows the true gap, which is never "
            "negative."
        )
    excess = max((_excess(t) for t in runs.values() if _known(t)), default=0.0)
    low = [name for name, t in runs.items() if relative_end(t) < 40 * excess]
    if excess > 0 and low:
        sentences.append(
            f"f* is given too low by {number_text(excess)} of the initial gap: once the true gap comes near "
            "that, the gap that methods see is mostly this error."
        )
    return sentences


def _use_of_negative_gaps(runs: dict[str, pc.Trace]) -> str:
    """What methods do with a gap that is negative: some refuse it, to some it is a small one."""
    negative = {name: trace for name, trace in runs.items() if trace.gap_seen[-1] < 0}
    refusing = [name for name, trace in negative.items() if trace.frozen[-1]]
    restarting = [name for name, trace in negative.items() if trace.restarted[-ALWAYS:].all()]
    words = ""
    if refusing:
        words += f"{list_text(refusing)} make{'s' * (len(refusing) == 1)} no estimate from it. "
    if restarting:
        words += f"{list_text(restarting)} restart{'s' * (len(restarting) == 1)} at every iteration. "
    return words


def _excess(trace: pc.Trace) -> float:
    """How much larger the seen gap is than the true one, as a part of the initial gap."""
    return float((trace.gap_seen[-1] - trace.gap[-1]) / trace.gap[0])


def _ends(runs: dict[str, pc.Trace]) -> list[str]:
    """Ends that need a word, methods that ended alike together."""
    words = {
        pc.Outcome.FLOOR: "at the precision floor (in the grey band the gap is only rounding error).",
        pc.Outcome.STALLED: "stalled, with hardly any progress.",
        pc.Outcome.BOUNCING: "bouncing at one level, since the step 1/L is too long.",
        pc.Outcome.DIVERGED: "diverged.",
        pc.Outcome.NON_FINITE: "no longer finite.",
    }
    ended = {outcome: [name for name, t in runs.items() if t.outcome is outcome] for outcome in words}
    return [f"{list_text(names)}: {words[outcome]}" for outcome, names in ended.items() if names]


def mu_caption(experiment: Experiment, unit: str = "iterations") -> str:
    """How near the estimates come to mu, or to the smallest curvature above 0, and from which side."""
    if all(trace.gap[0] == 0 for _, trace in drawn(experiment)):
        return nothing_to_do(experiment)
    mu, least = experiment.problem.mu, true_mu(experiment.problem)
    runs = {
        label(run.method, experiment.settings): trace
        for run, trace in drawn(experiment)
        if run.method in ESTIMATING
    }
    if mu > 0:
        opening = f"True μ = {number_text(mu, 3)}."
    elif least is not None:
        opening = f"μ = 0 here; the smallest curvature above 0 is {number_text(least, 3)}."
    else:
        opening = "μ = 0 here, so there is no value to approach."
    parts = [f"μₖ of {name} {_nearness(trace, least, unit)}" for name, trace in runs.items()]
    return f"{opening} {'; '.join(parts)}." if parts else f"{opening} No method that is drawn estimates it."


def _nearness(trace: pc.Trace, mu: float | None, unit: str) -> str:
    values = trace.mu
    end = float(values[-1])
    if mu is None:
        return f"sinks to {number_text(end, 3)}" if end < values[0] else f"stays at {number_text(end, 3)}"
    far = np.flatnonzero(~(np.abs(values / mu - 1) <= NEAR))
    near = int(far[-1]) + 1 if far.size else 0
    if near < len(values):
        return f"is within 1 % of it from {place(trace, near, unit)} on"
    ratio = end / mu
    if ratio < 1:
        return f"ends below it, at {number_text(ratio)} of it"
    if ratio < LITTLE:
        return f"ends {number_text(100 * (ratio - 1))} % above it"
    return f"ends at {number_text(ratio)} times it"


def difference_caption(experiment: Experiment, method: str, trace: pc.Trace) -> str:
    """How large C of the envelope is, and what proposition 2.8 would ask for."""
    problem, name = experiment.problem, label(method, experiment.settings)
    if not problem.mu > 0:
        return f"μ = 0 here, so μₖ − μ is μₖ itself, and no theorem asks for an envelope. {_hidden(trace)}"
    C = theory.envelope_constant(problem, trace)
    most = admitted_constant(problem, trace)
    if C == 0:
        return f"μₖ of {name} never lies above μ. {_hidden(trace)}"
    size = number_text(C) if problem.L == 1 else f"{number_text(C)} = {number_text(C / problem.L)} L"
    text = f"μₖ − μ of {name} stays below C/(k+1)² with C = {size}"
    if most > 0:
        whom = "" if method == "adapt_apg" else " for AdaptAPG"
        text += f", {number_text(C / most)} times the largest C that Prop. 2.8 admits{whom}"
    if not settled(problem, trace):
        text += "; but μₖ stays above μ, so a longer run needs a larger C"
    return f"{text}. {_hidden(trace)}".strip()


def _hidden(trace: pc.Trace) -> str:
    """What a logarithmic axis cannot show is said."""
    below = trace.mu < trace.mu_loc
    share = int(below.sum())
    if not share:
        return ""
    return (
        f"At {count_text(share)} of {count_text(len(trace))} records μ_loc(xₖ) is above μₖ: the curve is "
        "interrupted there."
    )
