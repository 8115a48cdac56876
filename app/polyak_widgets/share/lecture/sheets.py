"""What a lecture hands out, as HTML to be printed: questions with room for predictions, and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from string import Template

from polyak_widgets.numbers import given_text
from polyak_widgets.share.texts import (
    ALL_MEASURED,
    ANSWERS_HEADING,
    ANSWERS_TITLE,
    BECAUSE_LINE,
    NAME_LINE,
    NOTATION_HEADING,
    PREDICT_HEADING,
    PREDICTIONS_TITLE,
    USUAL_WRONG,
    WHY,
    guess_line,
)
from polyak_widgets.stories.lecture import ASKING_SCENES, HANDED_OUT, SCENES, Lesson
from polyak_widgets.stories.notation import NOTATION
from polyak_widgets.stories.stories import Choice, Story

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
@page { size: A4; margin: 12mm 16mm }
body { font: 11pt/1.45 system-ui, "DejaVu Sans", sans-serif; color: #1a1a1a }
body { max-width: 46em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.5em; margin: 0 0 .3em }
h2, h3 { font-size: 1.1em; margin: 1.2em 0 .2em; break-after: avoid }
h2 { font-size: 1.25em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0; border-bottom: 1px solid #ccc }
td:first-child { white-space: nowrap }
td:nth-child(2):not(:last-child) { width: 38% }
sub { line-height: 0 }
a { color: #0b57d0 }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .95em }
p, ul { margin: .3em 0 }
section { break-inside: avoid }
.options { display: flex; flex-wrap: wrap; gap: .1em 1.6em; list-style: none; padding: 0 }
.options li::before { content: "☐\\a0" }
.options li.right { font-weight: bold }
.options li.right::before { content: "☑\\a0" }
.line { border-bottom: 1px solid #888; height: 1.7em; color: #555 }
.board li { list-style: none }
.board { padding: .1em .8em; border-left: 2px solid #888 }
@media print {
  body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0 }
  h3 { margin-top: 1em }
  a { color: inherit }
}
</style>
</head>
<body>
$body
</body>
</html>
""")


def sheet(title: str, body: str) -> str:
    """A page of its own; the body is HTML already."""
    return PAGE.substitute(title=escape(title), body=body)


def handout_html() -> str:
    """The questions of the lectures with room for predictions, and the card of notation; no answer."""
    parts = [f"<h1>{PREDICT_HEADING}</h1>", f'<p class="line">{NAME_LINE}</p>']
    for number, name in enumerate(HANDED_OUT, 1):
        story = SCENES[name].story
        parts.append(
            f"<section><h3>{number}. {_signs(story.title)}</h3><p>{_signs(story.question)}</p>"
            f'{_prediction(story)}<p class="line">{BECAUSE_LINE}</p><p class="line"></p></section>'
        )
    return sheet(PREDICTIONS_TITLE, "\n".join([*parts, _card()]))


def answers_html(lessons: Mapping[str, Lesson]) -> str:
    """Each story with its measured answer, why, and the usual wrong answer."""
    parts = [f"<h1>{ANSWERS_HEADING}</h1>", f"<p>{ALL_MEASURED}</p>"]
    for number, name in enumerate(ASKING_SCENES, 1):
        scene, answer, slip = lessons[name]
        board = "".join(f"<li>{_signs(line)}</li>" for line in slip.board)
        parts.append(
            f"<section><h3>{number}. {_signs(scene.story.title)}</h3><p>{_signs(scene.story.question)}</p>"
            f"{_prediction(scene.story, answer.right)}<p><b>{_signs(answer.happened)}</b></p>"
            f"<p><b>{WHY}:</b> {_signs(answer.why)}</p>"
            f"<p><b>{USUAL_WRONG}:</b> “{_signs(slip.wrong)}” {_signs(slip.because)}</p>"
            f'<ul class="board">{board}</ul></section>'
        )
    return sheet(ANSWERS_TITLE, "\n".join(parts))


def _prediction(story: Story, right: str | float | None = None) -> str:
    """What can be predicted, with the right one ticked if it is given."""
    if isinstance(story.prediction, Choice):
        ticked = ' class="right"'
        options = [
            f"<li{ticked if key == right else ''}>{_signs(text)}</li>"
            for key, text, _ in story.prediction.options
        ]
        return f'<ul class="options">{"".join(options)}</ul>'
    assert story.prediction is not None
    guess = story.prediction
    if right is not None:
        return ""
    return f"<p>{guess_line(guess.unit, given_text(guess.low), given_text(guess.high))}</p>"


def _card() -> str:
    """The card of notation."""
    rows = "".join(
        f"<tr><td>{_signs(sign)}</td><td>{_signs(meaning)}</td></tr>" for sign, meaning in NOTATION
    )
    return f"<section><h2>{NOTATION_HEADING}</h2><table>{rows}</table></section>"


def _signs(text: str) -> str:
    """Text as HTML, with the index of T_L and g_L below the line."""
    return re.sub(r"\b([Tg])_L\b", r"\1<sub>L</sub>", escape(text))
