"""A question of a notebook: predict first, then measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from polyak_core.checks import real_number, shown, text
from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.numbers import count_text, number_text
from polyak_widgets.page.texts import ENDS_ALLOWED, OPTIONS_ALLOWED, PREDICT_FIRST, not_measured
from polyak_widgets.page.widgets import Guarded
from polyak_widgets.stories.questions import QUESTIONS
from polyak_widgets.stories.stories import Choice, Guess
from polyak_widgets.stories.storyteller import judged, offer, verdict


class Predict(Guarded):
    """A card that asks, locks the reader's prediction, and has the answer measured only then.

    >>> card = Predict(
    ...     "Which is the faster one?", ("FISTA", "APG"), answer=lambda: "APG", why="It is given μ."
    ... )
    >>> card.take("FISTA")
    >>> card.story["verdict"], card.story["happened"]
    ('You said: FISTA. Not this time.', 'APG.')

    Args:
        question: what is asked, in one or two sentences.
        options: the answers to choose from, at least two; or the two ends of a slider, two numbers above 0.
        answer: called once, after the prediction is locked: the right option, or the right number.
        why: the reason, shown beside the answer.
        unit: of the number, such as "iterations" (whole numbers) or "times" (numbers with a fraction).

    Raises:
        ValueError: options that are none.
    """

    _esm = bundle("page/story/predict.js")
    _css = style()
    written = ""

    story: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        question: str,
        options: Sequence[str] | tuple[float, float],
        answer: Callable[[], str | float],
        why: str,
        unit: str = "iterations",
    ) -> None:
        """Ask."""
        super().__init__()
        for name, words in (("question", question), ("why", why), ("unit", unit)):
            text(words, name)
        self._prediction = _prediction(options, unit)
        self._answer, self._why = answer, why
        self.story = {
            "name": "prediction", "title": PREDICT_FIRST, "question": question, "stage": "asked",
            **offer(self._prediction),
        }  # fmt: skip
        self.on_msg(lambda _, content, buffers: self._act(content))

    @classmethod
    def named(cls, name: str) -> Predict:
        """The question of a notebook, by its name in `polyak_widgets.stories.questions`.

        Raises:
            ValueError: there is no such question.
        """
        if name not in QUESTIONS:
            raise ValueError(f"There is no question {name!r:.40}; the questions are {', '.join(QUESTIONS)}.")
        return cls(*QUESTIONS[name])

    def take(self, value: object) -> None:
        """Lock a prediction, measure, and show the answer; a second one is ignored.

        Raises:
            ValueError: the prediction is none of those that are offered.
        """
        if self.story["stage"] != "asked":
            return
        answer = judged(self._prediction, value)
        self.story = {**self.story, "stage": "measuring", "given": answer}
        right = self._answer()
        self.story = {
            **self.story,
            "stage": "revealed",
            "verdict": verdict(self._prediction, answer, right),
            "happened": f"{self._in_words(right)}.",
            "why": self._why,
        }

    def _in_words(self, right: str | float) -> str:
        if isinstance(self._prediction, Choice):
            return str(right)
        number = count_text(int(right)) if self._prediction.whole else number_text(float(right))
        return f"{number} {self._prediction.unit}"

    def _act(self, content: Any) -> None:
        if not isinstance(content, dict) or content.get("do") != "predict":
            return
        try:
            self.take(content.get("value"))
        except Exception as error:
            self.refuse(not_measured(type(error).__name__, str(error)))

    def refuse(self, why: str) -> None:
        """In the place of the answer."""
        self.story = {**self.story, "stage": "revealed", "verdict": "", "happened": why, "why": self._why}


def _prediction(options: Any, unit: str) -> Choice | Guess:
    """What is offered.

    Raises:
        ValueError: neither two texts or more, nor two growing numbers above 0.
    """
    if not isinstance(options, Sequence) or isinstance(options, str):
        raise ValueError(f"options is of type {type(options).__name__}: {OPTIONS_ALLOWED}.")
    if (
        len(options) > 1
        and all(isinstance(each, str) for each in options)
        and len(set(options)) == len(options)
    ):
        return Choice(tuple((each, each, "") for each in options))
    if len(options) == 2:
        low, high = (real_number(each, "options", ENDS_ALLOWED) for each in options)
        if 0 < low < high:
            return Guess(low, high, unit, whole=unit != "times")
    raise ValueError(f"options = {shown(options)} is not allowed: {OPTIONS_ALLOWED}.")
