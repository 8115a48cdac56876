"""How runs ended, in the page's words: sentences of the core with signs and numbers of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polyak_core as pc
from polyak_widgets.laboratory.experiment import MethodRun
from polyak_widgets.numbers import count_text, iterations_text, number_text, typeset

ALIKE = {
    pc.Outcome.FLOOR: "at the precision floor, below which the gap is rounding: nothing more to gain.",
    pc.Outcome.EXACT: "solved exactly.",
    pc.Outcome.TARGET: "target reached.",
}
"""Ends that need no more words here than the iteration, since the table has the numbers."""
WEAK = "The certificate is weak"
PLACE = re.compile(
    r"(?:: the gap is \S+| at a gap of \S+)? (since about|at|and from|from) iteration (\d+)( on)?"
)
"""Where something happened in a sentence of the core, and the gap there, which the table has."""
Told = tuple[str, str]
"""Where it happened, for the brackets behind a name, and what."""


def endings(runs: Iterable[tuple[str, MethodRun]]) -> str:
    """The ends of runs with their names; those that ended alike share a sentence."""
    ended: dict[str, list[str]] = {}
    for name, run in runs:
        for place, what in told(run):
            ended.setdefault(what, []).append(name + (f" ({place})" if place else ""))
    return " ".join(f"{', '.join(names)}: {what}" for what, names in ended.items())


def told(run: MethodRun) -> list[Told]:
    """What there is to say of the end of a run."""
    if run.trace is None:
        return [("", run.refusal)]
    outcome, message = run.trace.outcome, run.trace.message
    if outcome is pc.Outcome.BUDGET:
        return [_budget(run.trace), *_besides(message)]
    place, rest = _placed(message)
    if outcome in ALIKE and not message.startswith(WEAK):
        return [(place, ALIKE[outcome])]
    return [(place, typeset(rest[:1].lower() + rest[1:]))]


def _placed(sentence: str) -> Told:
    """The iteration of a sentence apart, so that many runs may share the words."""
    found = PLACE.search(sentence)
    if not found:
        return "", sentence
    word, k = found[1].removeprefix("and "), count_text(int(found[2]))
    place = {"at": f"k = {k}", "since about": f"from k ≈ {k} on"}.get(word, f"from k = {k} on")
    between = " and" if found[1].startswith("and") else ""
    return place, sentence[: found.start()] + between + sentence[found.end() :]


def _besides(message: str) -> list[Told]:
    """What a run that used up its budget has met: too small an L, a wrong f*."""
    said: list[Told] = []
    if met := re.search(r"The last step meets .*?: give that\.", message):
        said.append(("", typeset(met[0][:1].lower() + met[0][1:])))
    if found := PLACE.search(message, message.find(": from iteration")) if ": from" in message else None:
        cause = message[message.rfind(". ", 0, found.start()) + 2 : found.start()]
        place, rest = _placed(message[found.start() :])
        said.append((place, typeset(f"{cause.removesuffix(':')}:{rest.removeprefix(':')}")))
    return said


def _budget(trace: pc.Trace) -> Told:
    """Which budget ended a run, and for the time that it may take what to do."""
    last = len(trace) - 1
    if last >= trace.settings["iterations"]:
        return "", f"stopped at the budget of {iterations_text(last)}."
    return (
        f"k = {count_text(last)}",
        f"stopped, since the {number_text(trace.settings['seconds'])} seconds that a run may take here are "
        "used up. Take fewer iterations or a smaller problem.",
    )
