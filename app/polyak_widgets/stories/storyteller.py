"""Who tells the stories: opens one, locks the prediction, has the answer measured, says how near it was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from typing import Any

import polyak_core as pc
from polyak_core.checks import real_number
from polyak_widgets.laboratory.experiment import Experiment, Laboratory, grown
from polyak_widgets.look import method_look
from polyak_widgets.numbers import count_text, given_text, number_text
from polyak_widgets.settings.settings import Settings
from polyak_widgets.stories.answers import Answer
from polyak_widgets.stories.beside import Beside
from polyak_widgets.stories.goals import EXPLANATIONS, GOALS, card
from polyak_widgets.stories.stories import STORIES, Choice, Guess, Story

NEAR = 1.5
"""A guess within this factor is a good one."""


class Storyteller:
    """One reader's story.

    ``show`` takes what the page is to show of it, a plain dictionary, empty where no story is open.

    What the reader does comes in another thread than the work that answers. So each changes the story and
    shows it in one turn: no card overtakes a newer one, no answer comes to a story that has been left.
    """

    def __init__(self, show: Callable[[dict[str, Any]], None]) -> None:
        self._show = show
        self._turn = threading.RLock()
        self._name = ""
        self._prediction: str | float | None = None
        self._answered = False
        self._revealed: dict[str, Any] = {}

    def open(self, name: object) -> Story:
        """Ask the question of a story.

        Raises:
            ValueError: there is no such story.
        """
        if not isinstance(name, str) or name not in STORIES:
            raise ValueError(f"There is no story {str(name)[:40]!r}; the stories are {', '.join(STORIES)}.")
        with self._turn:
            self._name, self._prediction, self._revealed = name, None, {}
            self._answered = STORIES[name].prediction is None
            self._show(opened_story(name))
        return STORIES[name]

    def predict(self, value: object) -> Story:
        """Lock the reader's prediction.

        Raises:
            ValueError: no story is open, it is locked already, or the prediction is none of the allowed ones.
        """
        story = STORIES.get(self._name)
        if story is None or story.prediction is None:
            raise ValueError("No question is open; choose a story first.")
        if self._prediction is not None:
            raise ValueError("Your prediction is locked; open the story again to give another one.")
        prediction = judged(story.prediction, value)
        with self._turn:
            self._prediction = prediction
            self.wait("measuring")
        return story

    def wait(self, stage: str) -> None:
        """Say of a prediction that waits for its answer whether that is "measuring" or "cancelled"."""
        with self._turn:
            if self._prediction is not None and not self._answered:
                self._show(opened_story(self._name) | {"stage": stage, "given": self._prediction})

    def resume(self, content: object) -> bool:
        """Go on with a story that a page has kept, {"name", "given"}; gives whether it is one.

        A prediction that was given is locked again, and its answer measured; one that is none is asked anew.
        """
        if not isinstance(content, Mapping):
            return False
        try:
            self.open(content.get("name"))
        except ValueError:
            return False
        with suppress(ValueError):
            self.predict(content.get("given"))
        return True

    @property
    def asks(self) -> bool:
        """Whether a question is open, or its answer still to come."""
        return bool(self._name) and not self._answered

    @property
    def is_open(self) -> bool:
        """Whether a question waits for a prediction."""
        return self.asks and self._prediction is None

    @property
    def compared(self) -> tuple[Beside, ...]:
        """The pictures that stay beside the answer, once that is there."""
        return STORIES[self._name].compared if self._revealed else ()

    @property
    def answered(self) -> Story:
        """The story whose answer is there.

        Raises:
            ValueError: there is none.
        """
        if not self._revealed:
            raise ValueError("No answer is shown; choose a story and predict first.")
        return STORIES[self._name]

    def named_by(self, settings: Settings) -> str:
        """The name of the open story if the settings are one of its own pictures, else ""."""
        story = STORIES.get(self._name)
        return self._name if story and settings in (story.before, story.after) else ""

    def leave(self) -> None:
        """No story any more."""
        with self._turn:
            self._name, self._prediction, self._answered, self._revealed = "", None, False, {}
            self._show({})

    def answer(self, laboratory: Laboratory, stale: Callable[[], bool]) -> Iterator[bool]:
        """Measure what is asked, if a prediction waits for it, and reveal; yields after each slice.

        Raises:
            polyak_core.Cancelled: `stale` said that it is not wanted any more; a later call goes on.
        """
        with self._turn:
            name, prediction = self._name, self._prediction
        story = STORIES.get(name)
        if story is None or story.answer is None or prediction is None or self._answered:
            return
        traces = {}
        for key, settings in story.measured.items():
            traces[key] = yield from measured(laboratory, settings, stale)
        revealed = revealed_story(name, prediction, story.answer(traces))
        with self._turn:
            if self.asks and (self._name, self._prediction) == (name, prediction):
                self._answered, self._revealed = True, revealed
                self._show(revealed)

    def tell(
        self,
        laboratory: Laboratory,
        drawn: Experiment | None,
        stale: Callable[[], bool],
        stopped: Callable[[], bool],
    ) -> Iterator[bool]:
        """Go on with the story beside the picture that is `drawn`; yields after each slice.

        It is left where that is `stale`, and says so where the reader has `stopped` it.
        """
        try:
            yield from self.answer(laboratory, lambda: stale() or stopped())
        except pc.Cancelled:
            if not stale():
                self.wait("cancelled")
        if drawn is not None and drawn.finished:
            self._watch(drawn)

    def _watch(self, drawn: Experiment) -> None:
        """Say how the runs stand to the goal; a goal that has been met stays met."""
        before = self._revealed
        if not before or before["goal"]["is_met"]:
            return
        goal, story = GOALS[before["name"]], STORIES[before["name"]]
        standing = card(goal, goal.standing(drawn, story.after))
        with self._turn:
            if self._revealed is before and standing != before["goal"]:
                self._revealed = before | {"goal": standing}
                self._show(self._revealed)


def measured(
    laboratory: Laboratory, settings: Settings, stale: Callable[[], bool]
) -> Generator[bool, None, pc.Trace]:
    """The trace of settings with one method, to its end; yields after each slice of the run.

    Raises:
        polyak_core.Cancelled: `stale` said so.
        ValueError: the method cannot run there.
    """
    (run,) = (yield from grown(laboratory, settings, stale)).runs
    if run.trace is None:
        raise ValueError(run.refusal)
    return run.trace


def judged(prediction: Choice | Guess, value: object) -> str | float:
    """The prediction, if it is an allowed one; else a ValueError."""
    if isinstance(prediction, Choice):
        keys = [key for key, _, _ in prediction.options]
        if not isinstance(value, str) or value not in keys:
            raise ValueError(f"{str(value)[:40]!r} is no answer here; choose one of {', '.join(keys)}.")
        return value
    allowed = f"a number from {number_text(prediction.low)} to {number_text(prediction.high)}"
    if isinstance(value, str):
        raise ValueError(f"Your prediction = {value[:40]!r} is not allowed: give {allowed}.")
    number = real_number(value, "Your prediction", allowed)
    if not prediction.low <= number <= prediction.high:
        raise ValueError(f"Your prediction = {given_text(number)} is not allowed: give {allowed}.")
    return number


def opened_story(name: str) -> dict[str, Any]:
    """What the page shows of a story before it is answered."""
    story = STORIES[name]
    names = list(STORIES)
    after = names[(names.index(name) + 1) % len(names)]
    return {
        "name": name,
        "title": story.title,
        "question": story.question,
        "stage": "asked" if story.prediction else "shown",
        "next": [after, STORIES[after].title],
        **(offer(story.prediction) if story.prediction else {}),
    }


def revealed_story(name: str, prediction: str | float, answer: Answer) -> dict[str, Any]:
    """What the page shows of a story once its answer is there."""
    question = STORIES[name].prediction
    assert question is not None
    shown = opened_story(name) | {
        "stage": "revealed",
        "given": prediction,
        "right": answer.right,
        "verdict": verdict(question, prediction, answer.right),
        "happened": answer.happened,
        "why": answer.why,
        "explain": EXPLANATIONS[name],
        "goal": card(GOALS[name], None),
    }
    if isinstance(question, Guess):
        shown["guess"] |= {"right": question.range_of(float(answer.right))}
    return shown


def offer(prediction: Choice | Guess) -> dict[str, Any]:
    """What the card offers: options, each with its colour if it is a curve, or the ends of a slider."""
    if isinstance(prediction, Choice):
        return {
            "options": [
                [key, text, method_look(method).colour if method else ""]
                for key, text, method in prediction.options
            ]
        }
    ends = {"min": prediction.low, "max": prediction.high, "unit": prediction.unit}
    ranges = [list(pair) for pair in prediction.ranges] if prediction.limits else []
    return {"guess": {**ends, "scale": "log", "integer": prediction.whole, "ranges": ranges}}


def verdict(prediction: Choice | Guess, value: str | float, right: str | float) -> str:
    """How near the prediction was."""
    if isinstance(prediction, Choice):
        texts = {key: text for key, text, _ in prediction.options}
        words = texts[str(value)]
        return f"You said: {words}. Right." if value == right else f"You said: {words}. Not this time."
    guess, truth = float(value), float(right)
    words = count_text(int(guess)) if prediction.whole else number_text(guess)
    factor = max(guess / truth, truth / guess)
    if factor < NEAR:
        return f"You said {words} {prediction.unit}: close."
    side = "low" if guess < truth else "high"
    return f"You said {words} {prediction.unit}: too {side} by a factor of {number_text(factor)}."


def story_list() -> list[list[str]]:
    """Names and titles, in order; "question" where there is something to predict, else "figure"."""
    return [
        [name, story.title, "question" if story.prediction else "figure"] for name, story in STORIES.items()
    ]
