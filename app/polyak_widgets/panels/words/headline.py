"""The headline: the most important fact of a picture, in the unit that is counted.

Failure comes first, then the order at the strictest relative gap that any method has reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.weights import largest_lam
from polyak_widgets.look import ESTIMATING, METHOD_LOOKS, method_look
from polyak_widgets.numbers import (
    change_text,
    comparison_text,
    count_text,
    count_word,
    number_text,
    power_text,
)
from polyak_widgets.panels.words.race import (
    Race,
    amount,
    cost,
    end_text,
    race,
    relative_end,
    too_short,
    traces_of,
)
from polyak_widgets.panels.words.words import label

FAILING = {
    pc.Outcome.DIVERGED: "diverges",
    pc.Outcome.NON_FINITE: "no longer has finite numbers",
    pc.Outcome.BOUNCING: "bounces",
}
MOST_NAMES = 2
"""More methods are counted and not named."""
ALIKE = 1.25
"""Times that differ by less are said to be alike."""
SentencePart = list[str | None]
"""A piece of text and its colour, None for the colour of text."""
Parts = list[SentencePart]


def sentence(experiment: Experiment, unit: str = "iterations") -> Parts:
    """What is seen, in a few sentences; parts with a colour name a curve of that colour."""
    traces = traces_of(experiment)
    if not traces:
        return [["No curve can be drawn here; the table says why.", None]]
    if all(trace.gap[0] == 0 for trace in traces.values()):
        return [[nothing_to_do(experiment), None]]
    return _Headline(experiment, unit, traces).parts()


def nothing_to_do(experiment: Experiment) -> str:
    """Where the initial gap is 0."""
    largest = largest_lam(experiment.problem)
    if largest is not None and experiment.settings.lam >= largest:
        where = f"λ ≥ λ_max = {number_text(largest, 3)}: x* = 0 is where all methods start"
    else:
        where = "All methods start at x*: the initial gap is 0"
    return f"{where}, so nothing is left to do."


def leading(experiment: Experiment) -> pc.Trace | None:
    """The run that the picture is about: of the method that estimates mu, else the first."""
    traces = traces_of(experiment)
    return next((traces[name] for name in (*ESTIMATING, *traces) if name in traces), None)


class _Headline:
    """The sentences of one picture."""

    def __init__(self, experiment: Experiment, unit: str, traces: dict[str, pc.Trace]) -> None:
        self.experiment, self.unit, self.traces = experiment, unit, traces
        self.failing = [method for method, trace in traces.items() if trace.outcome in FAILING]
        self.lead = next((name for name in ESTIMATING if name in traces), None)

    def parts(self) -> Parts:
        """Failure, then the order."""
        sentences = [self._failure()] if self.failing else []
        if len(self.failing) < len(self.traces):
            order = race(self.experiment, self.unit)
            sentences += self._order(order) if order else [self._lowest()]
        return [part for i, each in enumerate(sentences) for part in ([[" ", None]] if i else []) + each]

    def _named(self, methods: Sequence[str], whole: int) -> Parts:
        """Up to two names, a number of more, or that it is all of so many."""
        if len(methods) <= MOST_NAMES:
            names: list[Parts] = [
                [[label(method, self.experiment.settings), method_look(method).colour]] for method in methods
            ]
            return [*names[0], *([[" and ", None], *names[1][:1]] if len(names) > 1 else [])]
        number = count_word(len(methods))
        return [
            [f"All {number} methods" if len(methods) == whole else f"{number.capitalize()} methods", None]
        ]

    def _spent(self, method: str) -> float:
        trace = self.traces[method]
        return cost(trace, len(trace) - 1, self.unit)

    def _bare(self, method: str) -> str:
        """What a method has spent, behind a sentence that has named what is counted."""
        spent = self._spent(method)
        return amount(spent, self.unit) if self.unit == "seconds" else count_text(round(spent))

    def _share(self, method: str) -> str:
        """The last gap beside the initial one."""
        trace = self.traces[method]
        end = relative_end(trace)
        if end == 1:
            return "the initial gap"
        if end > 1:
            return f"{number_text(end)} times the initial gap"
        return f"{end_text(trace, self.experiment.problem)} of the initial gap"

    def _failure(self) -> Parts:
        """Who diverges or bounces, one of those that end first by name, and where it is by then."""
        first = min(self.failing, key=lambda method: len(self.traces[method]))
        after = f"after {amount(self._spent(first), self.unit)}"
        finite = bool(np.isfinite(relative_end(self.traces[first])))
        name = self._named([first], 0)
        if len(self.failing) == 1:
            by_then = f": {after} it is at {self._share(first)}" if finite else f" {after}"
            return [*name, [f" {FAILING[self.traces[first].outcome]}{by_then}.", None]]
        bounce = {self.traces[method].outcome is pc.Outcome.BOUNCING for method in self.failing}
        verb = "diverge or bounce" if len(bounce) == 2 else "bounce" if True in bounce else "diverge"
        count, whole = count_word(len(self.failing)), count_word(len(self.traces))
        some = "Both" if count == "two" else f"All {whole}"
        who = some if count == whole else f"{count.capitalize()} of {whole}"
        is_at = f" is at {self._share(first)} {after}." if finite else f" has no finite gap {after}."
        return [[f"{who} methods {verb}: ", None], *name, [is_at, None]]

    def _order(self, order: Race) -> list[Parts]:
        """Who is first at the level, how the method that estimates compares, and who is not there."""
        level = f"{power_text(order.exponent)} of the initial gap"
        least = order.costs[order.first[0]]
        needs = amount(least, self.unit)
        first = self._named(order.first, len(self.traces))
        several = len(order.first) > 1
        if too_short(least, self.unit):
            reach = f" reach{'' if several else 'es'} {level} in less than {needs}: too short to compare."
            sentences = [[*first, [reach, None]]]
        elif several and order.won:
            sentences = [[*first, [f" are equally fast: they reach {level} in {needs}.", None]]]
        elif several:
            sentences = [[*first, [f" reach {level} in {needs}.", None]]]
        else:
            alone = len(self.traces) == 1 or not order.won
            does = f" reaches {level} in {needs}" if alone else f" is first at {level}, in {needs}"
            blind = self.lead in order.first and self.experiment.problem.mu > 0
            opening: Parts = [["Without knowing μ, ", None]] if blind else []
            rival = self._rival(order) if self.lead in order.first else [[".", None]]
            sentences = [[*opening, *first, [does, None], *rival]]
        own = [name for name in self.traces if name not in METHOD_LOOKS]
        for method in dict.fromkeys([*([self.lead] if self.lead else []), *own]):
            if method in order.costs and method not in order.first:
                sentences.append(self._behind(method, order, least))
        return sentences + self._late([method for method in order.late if method not in self.failing])

    def _rival(self, order: Race) -> Parts:
        """Whom the first is compared with: the method that is given mu, else the second."""
        rival = (
            "apg" if "apg" in order.costs else next((m for m in order.costs if m not in order.first), None)
        )
        if rival is None:
            return [[".", None]]
        time = self.unit == "seconds"
        compared = comparison_text(order.costs[order.first[0]] / order.costs[rival], time)
        if self._alike(order.costs[order.first[0]], order.costs[rival]):
            compared = "about as long as"
        return [[f": {compared} ", None], *self._named([rival], 0), [".", None]]

    def _behind(self, method: str, order: Race, least: float) -> Parts:
        """What a method takes that is not first."""
        knows = ", which does not know μ," if method == self.lead and order.first == ["apg"] else ""
        time = self.unit == "seconds"
        more = change_text(order.costs[method] / least, time) if least else "the first needs none"
        more = "about as long" if self._alike(order.costs[method], least) else more
        takes = amount(order.costs[method], self.unit) if time else count_text(round(order.costs[method]))
        compared = "" if too_short(least, self.unit) else f": {more}"
        return [*self._named([method], 0), [f"{knows} takes {takes}{compared}.", None]]

    def _alike(self, one: float, other: float) -> bool:
        """Whether two times are too near to each other to mean anything."""
        return self.unit == "seconds" and one < ALIKE * other and other < ALIKE * one

    def _late(self, late: list[str]) -> list[Parts]:
        """Who is not there, and above all the method that estimates."""
        if not late:
            return []
        if self.lead in late:
            after = self._bare(self.lead)
            where = f" has not got there after {after}: it is at {self._share(self.lead)}."
            return [[*self._named([self.lead], 0), [where, None]]]
        spent = {self._bare(method) for method in late}
        after = f" after {spent.pop()}" if len(spent) == 1 else ""
        verb = "has" if len(late) == 1 else "have"
        return [[*self._named(late, 0), [f" {verb} not got there{after}.", None]]]

    def _lowest(self) -> Parts:
        """Where no level is reached: who has come lowest."""
        ends = {m: relative_end(trace) for m, trace in self.traces.items() if m not in self.failing}
        ends = {method: end for method, end in ends.items() if np.isfinite(end)}
        if not ends:
            return [["No method has a finite gap left.", None]]
        first = [method for method, end in ends.items() if end == min(ends.values())]
        spent = {amount(self._spent(method), self.unit) for method in ends}
        opening = "At the end " if self.experiment.finished else "So far "
        if len(spent) == 1:
            opening = f"After {spent.pop()} "
        verb = "is" if len(first) == 1 else "are"
        lowest = " lowest," if len(first) < len(ends) else " equal," if len(ends) > 1 else ""
        who = self._named(first, 0)
        if len(first) > MOST_NAMES:
            who = [[f"{count_word(len(first))} methods", None]]
        return [[opening, None], *who, [f" {verb}{lowest} at {self._share(first[0])}.", None]]
