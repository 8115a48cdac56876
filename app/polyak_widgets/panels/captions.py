"""One or two sentences below each chart, also what a screen reader gets of it; numbers come from the runs."""

from __future__ import annotations

import numpy as np

import polyak_core as pc
from polyak_core import theory
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING
from polyak_widgets.numbers import count_text, iterations_text, number_text, power_text
from polyak_widgets.panels.curves import drawn
from polyak_widgets.panels.theory_lines import admitted_constant, settled
from polyak_widgets.panels.words import EXPONENTS, label

NEAR = 0.01
"""mu_k has found mu when it is this near."""
LITTLE = 1.5
"""Up to here a ratio is said in per cent."""


def gap_caption(experiment: Experiment) -> str:
    """Who is first, who is last, and what is special: a wrong f*, rounding, runs that do not get on."""
    runs = {label(run.method, experiment.settings): trace for run, trace in drawn(experiment)}
    if not runs:
        return "No curve can be drawn here; the table says why."
    return " ".join([_race(runs), *_f_star_words(runs), *_ends(runs)])


def _race(runs: dict[str, pc.Trace]) -> str:
    """The fastest to the strictest tolerance that is reached, and the one with the largest gap at the end."""
    runs = {name: t for name, t in runs.items() if t.gap[-1] < t.gap[0] or (len(t) == 1 and _known(t))}
    if not runs:
        return "No run ends below the gap that it began with."
    last = max(runs, key=lambda name: _end(runs[name]))
    left = f"{number_text(_end(runs[last]))} left after {iterations_text(len(runs[last]) - 1)}"
    for exponent in reversed(EXPONENTS):
        steps = {name: trace.first_below(10.0**exponent) for name, trace in runs.items()}
        reached = {name: k for name, k in steps.items() if k is not None}
        if reached:
            first = min(reached, key=lambda name: reached[name])
            k = count_text(reached[first])
            opening = f"{first} is first at {power_text(exponent)} of the first gap, at k = {k}"
            return f"{opening}; {last} has {left}." if last != first else f"{opening}."
    first = min(runs, key=lambda name: _end(runs[name]))
    text = f"{first} is lowest at the end, {number_text(_end(runs[first]))}"
    return f"{text}; {last} has {left}." if last != first else f"{text}."


def _end(trace: pc.Trace) -> float:
    return float(trace.gap[-1])


def _known(trace: pc.Trace) -> bool:
    return bool(np.isfinite(trace.gap_seen[-1]) and np.isfinite(trace.gap[-1]))


def _f_star_words(runs: dict[str, pc.Trace]) -> list[str]:
    """What a wrong f* does: the methods see another gap than the one that is drawn."""
    said = []
    negative = {name: np.flatnonzero(t.gap_seen < 0) for name, t in runs.items()}
    first = {name: int(ks[0]) for name, ks in negative.items() if ks.size}
    if first:
        name = min(first, key=lambda each: first[each])
        said.append(
            f"f* is given too high: from k = {count_text(first[name])} on the gap that {name} sees is "
            "negative, and nothing more is learned from it. Drawn is the true gap, which never is."
        )
    excess = max((float(t.gap_seen[-1] - t.gap[-1]) for t in runs.values() if _known(t)), default=0.0)
    low = [name for name, t in runs.items() if t.gap[-1] < 40 * excess]
    if excess > 0 and low:
        said.append(
            f"f* is given too low by {number_text(excess)}: once the true gap comes near that, the gap that "
            "methods see is mostly this error."
        )
    return said


def _ends(runs: dict[str, pc.Trace]) -> list[str]:
    """Ends that need a word, methods that ended alike together."""
    words = {
        pc.Outcome.FLOOR: "at the precision floor: in the grey band the gap is rounding.",
        pc.Outcome.STALLED: "stalled: the gap falls slowly now, or not at all.",
        pc.Outcome.BOUNCING: "bouncing at one level: the step 1/L is too long.",
        pc.Outcome.DIVERGED: "diverged.",
        pc.Outcome.NON_FINITE: "no finite numbers any more.",
    }
    ended = {outcome: [name for name, t in runs.items() if t.outcome is outcome] for outcome in words}
    return [f"{', '.join(names)}: {words[outcome]}" for outcome, names in ended.items() if names]


def mu_caption(experiment: Experiment) -> str:
    """How near the estimates come to mu, and from which side."""
    mu = experiment.problem.mu
    runs = {
        label(run.method, experiment.settings): trace.mu
        for run, trace in drawn(experiment)
        if run.method in ESTIMATING
    }
    opening = f"True μ = {number_text(mu)}." if mu > 0 else "μ = 0 here, so there is nothing to find."
    parts = [f"μₖ of {name} {_estimate_words(values, mu)}" for name, values in runs.items()]
    return f"{opening} {'; '.join(parts)}." if parts else f"{opening} No method that is drawn estimates it."


def _estimate_words(values: np.ndarray, mu: float) -> str:
    end = float(values[-1])
    if not mu > 0:
        return f"sinks to {number_text(end)}"
    near = np.flatnonzero(np.abs(values / mu - 1) > NEAR)
    found = int(near[-1]) + 1 if near.size else 0
    if found < len(values):
        return f"is within 1 % of it from k = {count_text(found)} on"
    ratio = end / mu
    if ratio < 1:
        return f"ends below it, at {number_text(ratio)} μ"
    if ratio < LITTLE:
        return f"ends {number_text(100 * (ratio - 1))} % above it"
    return f"ends at {number_text(ratio)} times it"


def difference_caption(experiment: Experiment, method: str, trace: pc.Trace) -> str:
    """How large C of the envelope is, and what proposition 2.8 would ask for."""
    problem, name = experiment.problem, label(method, experiment.settings)
    if not problem.mu > 0:
        return f"μ = 0 here, so μₖ − μ is μₖ itself, and no theorem asks for an envelope. {_hidden(trace)}"
    seen = theory.envelope_constant(problem, trace)
    most = admitted_constant(problem, trace)
    if seen == 0:
        return f"μₖ of {name} never lies above μ. {_hidden(trace)}"
    size = number_text(seen) if problem.L == 1 else f"{number_text(seen)} = {number_text(seen / problem.L)} L"
    text = f"μₖ − μ of {name} stays below C/(k+1)² with C = {size}"
    if most > 0:
        text += f", {number_text(seen / most)} times the largest C that Prop. 2.8 admits"
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
        f"At {count_text(share)} of {count_text(len(trace))} records μ_loc(xₖ) is above μₖ: no point there."
    )
