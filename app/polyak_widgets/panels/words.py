"""Every sentence of the page; numbers in them come from the runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import polyak_core as pc
from polyak_core.runs.endings import Cause, Note, Place
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.look import ESTIMATING, method_look
from polyak_widgets.numbers import (
    comparison_text,
    count_text,
    given_text,
    iterations_text,
    number_text,
    power_text,
    typeset,
)
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import FIELDS, Settings

EXPONENTS = (-3, -6, -10)
"""Of the powers of ten, as parts of the first gap, to which the page says what methods need."""
RUNNING = "running"
GO_ON = "Change a setting to go on, or press Reset."
PLACES = dict.fromkeys(Place, "k = {}") | {
    Place.NOWHERE: "",
    Place.FROM: "from k = {} on",
    Place.SINCE: "from k ≈ {} on",
}
"""Where something happened, for the brackets behind a name."""
ENDS = {
    Cause.TARGET: "target reached.",
    Cause.EXACT: "solved exactly.",
    Cause.FLOOR: "at the precision floor, below which the gap is rounding: nothing more to gain.",
}
"""Ends that need no more words here than the iteration, since the table has the numbers."""
ELSEWHERE = {Cause.LOW_START}
"""What other panels say: a mu_0 below mu is named at the panel of mu."""
SentencePart = list[str | None]
"""A piece of text and its colour, None for the colour of text."""


def label(method: str, settings: Settings) -> str:
    """The name of a curve."""
    name = pc.METHODS[method].label
    return f"{name}, γ = {number_text(settings.gamma)}" if method == "restart" else name


def sentence(experiment: Experiment) -> list[SentencePart]:
    """What is seen, in one or two sentences; parts with a colour name a curve of that colour."""
    settings = experiment.settings
    traces = {run.method: run.trace for run in experiment.runs if run.trace is not None}
    if not traces:
        return [["No curve can be drawn here; the table says why.", None]]
    leads = [name for name in ESTIMATING if name in traces]
    lead = (leads or list(traces))[0]
    subject: SentencePart = [pc.METHODS[lead].label, method_look(lead).colour]
    reached = [t for t in EXPONENTS if traces[lead].first_below(10.0**t) is not None]
    if not reached:
        gap = traces[lead].gap
        after = f"{iterations_text(len(gap) - 1)} "
        return [["After ", None], [after, None], subject, [_brought(float(gap[-1] / gap[0])), None]]
    tolerance = reached[-1]
    steps = traces[lead].first_below(10.0**tolerance) or 0
    opening = "Without knowing μ, " if leads else ""
    parts: list[SentencePart] = [
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


def _brought(share: float) -> str:
    """What has become of the gap; `share` is its part of the first."""
    if not np.isfinite(share):
        return " has no finite gap any more."
    if share < 1:
        return f" has brought the gap down to {number_text(share)} of the first."
    return f" is at {number_text(share)} times the first gap." if share > 1 else " is at the first gap still."


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
    return f"{run.trace.outcome}, {left}" if 0 < run.trace.gap[-1] < np.inf else str(run.trace.outcome)


def status(experiment: Experiment) -> dict[str, str]:
    """The outcome of each run in words, runs that ended alike together."""
    if not experiment.finished:
        furthest = max((len(run.trace) - 1 for run in experiment.runs if run.trace is not None), default=0)
        return {"kind": "running", "text": f"Running: {iterations_text(furthest)} so far."}
    text = endings((label(run.method, experiment.settings), run) for run in experiment.runs)
    stopped = any(
        run.trace is not None and run.trace.outcome is pc.Outcome.CANCELLED for run in experiment.runs
    )
    return {"kind": "cancelled", "text": f"{text} {GO_ON}"} if stopped else {"kind": "done", "text": text}


def endings(runs: Iterable[tuple[str, MethodRun]]) -> str:
    """The ends of runs with their names; those that ended alike share a sentence."""
    ended: dict[str, list[str]] = {}
    for name, run in runs:
        for place, what in notes_of(run):
            ended.setdefault(what, []).append(name + (f" ({place})" if place else ""))
    return " ".join(f"{', '.join(names)}: {what}" for what, names in ended.items())


def notes_of(run: MethodRun) -> list[tuple[str, str]]:
    """What there is to say of the end of a run, with the place of each, for the brackets behind a name."""
    if run.trace is None:
        return [("", run.refusal)]
    ending = run.trace.ending
    assert ending is not None, "only traces from old files have none"
    return [place_and_words(note) for note in (ending, *ending.notes) if note.cause not in ELSEWHERE]


def place_and_words(note: Note) -> tuple[str, str]:
    """Where a run met something, and what: iterations apart, so that many runs may share the words."""
    place = PLACES[note.cause.place].format(count_text(note.k or 0))
    if note.cause is Cause.ITERATIONS:
        return "", f"stopped at the budget of {iterations_text(note.k or 0)}."
    if note.cause is Cause.SECONDS:
        seconds = number_text(float(note.numbers["seconds"]))
        return place, (
            f"stopped, since the {seconds} seconds that a run may take here are used up. Take fewer "
            "iterations or a smaller problem."
        )
    words = note.words(place="")
    return place, ENDS.get(note.cause) or typeset(words[:1].lower() + words[1:])


def unfound(cancelled: bool, budget: Budget) -> dict[str, str]:
    """The status line where the search for x* was left, so that there is no new picture."""
    if cancelled:
        return {"kind": "cancelled", "text": f"Cancelled; the picture is the one before. {GO_ON}"}
    return {"kind": "error", "text": budget.search_ended()}


def refused(error: ValueError, shown: Settings) -> dict[str, str]:
    """What is wrong, by the name of the field; the core's sentences in the signs of the page.

    Args:
        error: why settings are not allowed.
        shown: the settings of the picture, which stays; a number that is refused is told from the one there.
    """
    if isinstance(error, SettingsError):
        field = FIELDS.get(error.name)
        if field is None or field.metadata["kind"] != "slider":
            return {error.name: str(error)}
        value = given_text(getattr(shown, error.name))
        return {error.name: f"{error} The picture still shows {field.metadata['label']} = {value}."}
    return {"problem": typeset(str(error))}


def fault(error: Exception) -> dict[str, str]:
    """The status line of a fault in the page itself."""
    why = f"{type(error).__name__}: {error}"
    text = f"This picture could not be computed ({why}). Change a setting to go on."
    return {"kind": "error", "text": text}
