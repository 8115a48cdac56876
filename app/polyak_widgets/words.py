"""Every sentence of the page; numbers in them come from the runs."""

from __future__ import annotations

import re

import polyak_core as pc

from .experiment import Experiment, MethodRun
from .look import ESTIMATING, method_look
from .numbers import comparison_text, count_text, iterations_text, number_text, power_text
from .settings import Settings

TOLERANCES = (-3, -6, -10)
RUNNING = "running"
CANCELLED = "Cancelled; the picture is the one before. Change a setting to go on."
Part = list[str | None]
"""A piece of text and its colour, None for the colour of text."""


def label(method: str, settings: Settings) -> str:
    """The name of a curve."""
    name = pc.METHODS[method].label
    return f"{name}, γ = {number_text(settings.gamma)}" if method == "restart" else name


def sentence(experiment: Experiment) -> list[Part]:
    """What is seen, in one or two sentences; parts with a colour name a curve of that colour."""
    settings = experiment.settings
    traces = {run.method: run.trace for run in experiment.runs if run.trace is not None}
    if not traces:
        return [["No curve can be drawn here; the table says why.", None]]
    leads = [name for name in ESTIMATING if name in traces]
    lead = (leads or list(traces))[0]
    subject: Part = [pc.METHODS[lead].label, method_look(lead).colour]
    reached = [t for t in TOLERANCES if traces[lead].first_below(10.0**t) is not None]
    if not reached:
        gap = traces[lead].gap
        return [
            ["After ", None],
            [f"{iterations_text(len(gap) - 1)} ", None],
            subject,
            [f" has brought the gap down to {number_text(gap[-1] / gap[0])} of the first.", None],
        ]
    tolerance = reached[-1]
    steps = traces[lead].first_below(10.0**tolerance) or 0
    opening = "Without knowing μ, " if leads else ""
    parts: list[Part] = [
        [opening, None],
        subject,
        [f" reaches {power_text(tolerance)} of the first gap in {iterations_text(steps)}", None],
    ]
    known = traces["apg"].first_below(10.0**tolerance) if leads and "apg" in traces else None
    parts.append([f": {comparison_text(steps / known)} the method that is told μ." if known else ".", None])
    late = [
        name
        for name in ("fista", "restart", "pgd")
        if name in traces and traces[name].first_below(10.0**tolerance) is None
    ]
    if late:
        parts.append([f" {label(late[0], settings)}", method_look(late[0]).colour])
        parts.append([f" is not there after {count_text(len(traces[late[0]]) - 1)}.", None])
    return parts


def leading(experiment: Experiment) -> pc.Trace | None:
    """The run that the sentence speaks of."""
    traces = {run.method: run.trace for run in experiment.runs if run.trace is not None}
    return next((traces[name] for name in (*ESTIMATING, *traces) if name in traces), None)


def outcome(run: MethodRun) -> str:
    """How a run ended, or that it runs, with the gap that is left."""
    if run.trace is None:
        return "not run"
    if not run.finished:
        return f"{RUNNING}, k = {count_text(len(run.trace) - 1)}"
    left = f"{number_text(run.trace.gap[-1])} left"
    if run.trace.outcome is pc.Outcome.BUDGET:
        return left
    return f"{run.trace.outcome}, {left}" if run.trace.gap[-1] > 0 else str(run.trace.outcome)


def status(experiment: Experiment) -> dict[str, str]:
    """The outcome of each run in words, runs that ended alike together."""
    if not experiment.finished:
        furthest = max((len(run.trace) - 1 for run in experiment.runs if run.trace is not None), default=0)
        return {"kind": "running", "text": f"Running: {iterations_text(furthest)} so far."}
    ended: dict[str, list[str]] = {}
    for run in experiment.runs:
        ended.setdefault(_ending(run), []).append(label(run.method, experiment.settings) + _where(run))
    text = " ".join(f"{', '.join(names)}: {how}" for how, names in ended.items())
    stopped = any(
        run.trace is not None and run.trace.outcome is pc.Outcome.CANCELLED for run in experiment.runs
    )
    return {"kind": "cancelled" if stopped else "done", "text": text}


ALIKE = {
    pc.Outcome.FLOOR: "at the precision floor, below which the gap is rounding: nothing more to gain.",
    pc.Outcome.EXACT: "solved exactly.",
    pc.Outcome.TARGET: "target reached.",
}
"""Ends that need no more words here than the iteration, since the table has the numbers."""


def _where(run: MethodRun) -> str:
    """The iteration of an end that many runs may share in words."""
    if run.trace is None or run.trace.outcome not in ALIKE:
        return ""
    found = re.search(r"at iteration (\d+)", run.trace.message)
    return f" (k = {count_text(int(found[1]))})" if found else ""


def _ending(run: MethodRun) -> str:
    if run.trace is None:
        return run.refusal
    if run.trace.outcome in ALIKE:
        return ALIKE[run.trace.outcome]
    if run.trace.outcome is pc.Outcome.BUDGET and " f* " not in run.trace.message:
        return _budget(run.trace)
    return run.trace.message[:1].lower() + run.trace.message[1:]


def _budget(trace: pc.Trace) -> str:
    """Which budget ended a run, and for the time that it may take what to do."""
    done = iterations_text(len(trace) - 1)
    if len(trace) > trace.settings["iterations"]:
        return f"stopped at the budget of {done}."
    return (
        f"stopped after {done}: the {number_text(trace.settings['seconds'])} seconds that a run may take "
        "here are used up. Take fewer iterations or a smaller problem."
    )
