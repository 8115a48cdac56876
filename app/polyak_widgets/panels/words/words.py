"""The names of the curves, how each run ended, the status line; numbers in them come from the runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

import polyak_core as pc
from polyak_core.methods.registry import method_named
from polyak_core.runs.endings import Cause, Note, Place
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import Experiment, MethodRun
from polyak_widgets.numbers import (
    count_text,
    count_word,
    given_text,
    iterations_text,
    list_text,
    multiple_text,
    number_text,
    typeset,
)
from polyak_widgets.panels.words.race import end_text
from polyak_widgets.panels.words.unusual import DIGITS, f_star_words, guard_words, mu0_words, takers, usual
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import FIELDS, Settings

RUNNING = "running"
GO_ON = "Change a setting to go on, or press Reset."
PLACES = dict.fromkeys(Place, "k = {}") | {
    Place.NOWHERE: "",
    Place.FROM: "from k = {} on",
    Place.SINCE: "from k ≈ {} on",
}
"""Where something happened, for the brackets behind a name."""
ENDS = {
    Cause.TARGET: "reached the target.",
    Cause.EXACT: "solved it exactly.",
    Cause.FLOOR: "reached the precision floor: below it, the gap is only rounding error.",
}
"""Ends that need no more words here than the iteration, since the table has the numbers."""
BARE_NAMES = {"apg": "APG"}
"""Of methods whose label says what they are given."""
NORMAL = {Cause.ITERATIONS, *ENDS}
"""Ends that are as they should be: the methods that share one are counted, not named."""
ELSEWHERE = {Cause.LOW_START}
"""What other panels say: a mu_0 below mu is named at the panel of mu."""


def label(method: str, settings: Settings, without: str = "") -> str:
    """The name of a curve: its method and what that was given, without a setting that is told apart.

    >>> [label(name, Settings(mu_factor=0.5, f_star="too_low")) for name in ("apg", "adapt_apg_v2", "fista")]
    ['APG, given μ/2', 'Adaptive v2, f* too low by 10⁻⁶', 'FISTA']
    """
    kind = method_named(method)
    slots = set(kind.parameters)
    name, parts = kind.label, []
    if "mu" in slots and settings.mu_factor != 1:
        name = bare_name(method)
        parts.append(f"given {multiple_text(settings.mu_factor, 'μ')}")
    if "mu0" in slots and settings.mu0 != usual("mu0", settings) and without != "mu0":
        parts.append(mu0_words(settings))
    if "gamma" in slots and without != "gamma":
        parts.append(f"γ = {number_text(settings.gamma, DIGITS)}")
    if without != "f_star" and takers("f_star", [method]) and (words := f_star_words(settings)):
        parts.append(words)
    if words := guard_words(settings, method):
        parts.append(words)
    return ", ".join([name, *parts])


def bare_name(method: str) -> str:
    """The name of a method, whatever it is given.

    >>> bare_name("apg"), bare_name("fista")
    ('APG', 'FISTA')
    """
    return BARE_NAMES.get(method) or method_named(method).label


def outcome(run: MethodRun, problem: pc.Problem) -> str:
    """How a run ended, or that it runs, with its last relative gap."""
    if run.trace is None:
        return "not run"
    if not run.finished:
        return f"{RUNNING}, k = {count_text(len(run.trace) - 1)}"
    if not run.trace.gap[0] > 0:
        return str(run.trace.outcome)
    at = end_text(run.trace, problem)
    if run.trace.outcome is pc.Outcome.BUDGET:
        return f"ends at {at}"
    return f"{run.trace.outcome} at {at}" if 0 < run.trace.gap[-1] < np.inf else str(run.trace.outcome)


def status(experiment: Experiment) -> dict[str, str]:
    """The outcome of each run in words, runs that ended alike together."""
    if not experiment.finished:
        furthest = max((len(run.trace) - 1 for run in experiment.runs if run.trace is not None), default=0)
        return {"kind": "running", "text": f"Running: {iterations_text(furthest)} so far."}
    names = (label(run.method, experiment.settings, without="f_star") for run in experiment.runs)
    text = endings(zip(names, experiment.runs, strict=True))
    stopped = any(
        run.trace is not None and run.trace.outcome is pc.Outcome.CANCELLED for run in experiment.runs
    )
    return {"kind": "cancelled", "text": f"{text} {GO_ON}"} if stopped else {"kind": "done", "text": text}


def endings(runs: Iterable[tuple[str, MethodRun]]) -> str:
    """The ends of runs: the largest group with a normal one as a number, the others by name.

    Those that ended alike share a sentence.
    """
    normal: dict[str, list[str]] = {}
    ended: dict[str, list[str]] = {}
    count, special = 0, set()
    for name, run in runs:
        count += 1
        for cause, where, what in notes_of(run):
            if cause in NORMAL:
                normal.setdefault(what, []).append(name)
            else:
                special.add(name)
            ended.setdefault(what, []).append(name + (f" ({where})" if where else ""))
    most = max(normal, key=lambda what: len(normal[what]), default="")
    sentences = [f"{list_text(names)}: {what}" for what, names in ended.items() if what != most]
    if not most:
        return " ".join(sentences)
    size = len(normal[most])
    some = f"{count_word(size).capitalize()} of {count_word(count)}"
    others = some if special & set(normal[most]) else f"The other {count_word(size)}"
    who = {count: _all(count), 1: ended[most][0]}.get(size) or others
    return " ".join([f"{who} {most}", *sentences] if size == count else [*sentences, f"{who} {most}"])


def _all(count: int) -> str:
    return "Both" if count == 2 else f"All {count_word(count)}"


def notes_of(run: MethodRun) -> list[tuple[Cause | None, str, str]]:
    """What there is to say of the end of a run: its cause, its place in brackets behind a name, its words."""
    if run.trace is None:
        return [(None, "", run.refusal)]
    ending = run.trace.ending
    assert ending is not None, "only traces from old files have none"
    notes = [note for note in (ending, *ending.notes) if note.cause not in ELSEWHERE]
    facts: list[tuple[Cause | None, str, str]] = [
        (note.cause, *place_and_words(note, run.trace)) for note in notes
    ]
    if run.picture_seconds is None:
        return facts
    seconds = number_text(run.picture_seconds)
    words = (
        f"stopped at the limit of {seconds} seconds of processor time for a picture. Take fewer methods, "
        "fewer iterations or a smaller problem."
    )
    return [(cause, where, words if cause is Cause.SECONDS else what) for cause, where, what in facts]


def place_and_words(note: Note, trace: pc.Trace) -> tuple[str, str]:
    """Where a run met something, and what: iterations apart, so that many runs may share the words."""
    where = PLACES[note.cause.place].format(count_text(note.k or 0))
    if note.cause is Cause.ITERATIONS:
        return "", f"stopped at {iterations_text(note.k or 0)}."
    if note.cause is Cause.SECONDS:
        seconds = number_text(float(note.numbers["seconds"]))
        return where, (
            f"stopped at the limit of {seconds} seconds of processor time for a run. Take fewer iterations "
            "or a smaller problem."
        )
    words = with_relative_error(note, trace).words(place="")
    if note.cause is Cause.F_STAR_HIGH:
        words = f"f* is given too high by {_error(trace)}: the computed gap is negative."
    if note.cause is Cause.NO_ROOT:
        words = "f* is given too high, so μₖ is negative and its root is NaN, as in the listing."
    if note.cause is Cause.WEAK:
        known = number_text(float(note.numbers["floor"]) / float(trace.gap[0]))
        words = (
            f"the certificate is weak: f* is known only to {known} of the initial gap, and a smaller gap "
            f"means nothing. How f* was found: {note.numbers['source']}."
        )
    return where, ENDS.get(note.cause) or typeset(words[:1].lower() + words[1:])


def with_relative_error(note: Note, trace: pc.Trace) -> Note:
    """A note that blames a wrong f*, with its error as a part of the initial gap."""
    if "f_star" not in note.numbers:
        return note
    dual = note.numbers["f_star"] == "dual"
    why = "the dual bound lies below f*" if dual else f"f* is given too low by {_error(trace)}"
    return replace(note, numbers={**note.numbers, "why": why})


def _error(trace: pc.Trace) -> str:
    error = abs(float(trace.gap_seen[-1] - trace.gap[-1])) / float(trace.gap[0])
    return f"{number_text(error)} of the initial gap"


def unfound(cancelled: bool, budget: Budget) -> dict[str, str]:
    """The status line where the search for x* was left, so that there is no new picture."""
    if cancelled:
        return {"kind": "cancelled", "text": f"Cancelled; the picture shown is the previous one. {GO_ON}"}
    return {"kind": "error", "text": budget.search_ended()}


def refused(error: ValueError, picture: Settings) -> dict[str, str]:
    """What is wrong, by the name of the field; the core's sentences in the signs of the page.

    Args:
        error: why settings are not allowed.
        picture: the settings of what stays on the screen; a number that is refused is told from its own.
    """
    if isinstance(error, SettingsError):
        field = FIELDS.get(error.name)
        if field is None or field.metadata["kind"] != "slider":
            return {error.name: str(error)}
        value = given_text(getattr(picture, error.name))
        return {error.name: f"{error} The picture still shows {field.metadata['label']} = {value}."}
    return {"problem": typeset(str(error))}


def fault(error: Exception) -> dict[str, str]:
    """The status line of a fault in the page itself."""
    why = f"{type(error).__name__}: {error}"
    text = f"This picture could not be computed ({why}). Change a setting to go on."
    return {"kind": "error", "text": text}
