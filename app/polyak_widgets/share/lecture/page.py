"""The lecture as a page: two timetables and the lecturer's key as Markdown, and docs/lecture.md as HTML."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import write_query
from polyak_widgets.share.lecture.sheets import sheet
from polyak_widgets.share.texts import (
    ASKED_BY_YOU,
    EXPECTED,
    LECTURE_TITLE,
    ON_THE_BOARD,
    ON_THE_CARD,
    ON_THE_SCREEN,
    QUESTION,
    TIMETABLE_HEAD,
    USUAL_WRONG,
    WHY,
    in_both,
    minutes_text,
    on_the_card,
)
from polyak_widgets.stories.lecture import ASKING_SCENES, HANDED_OUT, LENGTHS, SCENES, Lesson, timetable
from polyak_widgets.stories.stories import STORIES

ADDRESS = "http://localhost:8866/"
"""Where `make app` serves the page if nothing else is said; the links of docs/lecture.md lead there."""
SPECIAL = re.compile(r"([\\`*_\[\]<>|])")
"""What means something in Markdown."""


def scene_link(name: str, address: str = ADDRESS) -> str:
    """The address of what is on the screen, as a projector shows it."""
    story = SCENES[name].story
    card = name if name in STORIES else ""
    state = (story.before, story.first_view)
    base = state if card else (Settings(), View())
    return f"{address}?{write_query(*state, story=card, base=base)}&present=on"


def timetable_markdown(length: int) -> str:
    """A row for each scene of a lecture: minutes, what is on the screen, and why."""
    lines = [f"| {' | '.join(TIMETABLE_HEAD)} |", "|---|---|---|"]
    for start, end, name in timetable(length):
        scene = SCENES[name]
        wall = f"{_number(name)}. [{_plain(scene.story.title)}]({scene_link(name)})"
        lines.append(f"| {minutes_text(start, end)} | {wall} | {_plain(scene.aim)} |")
    return "\n".join(lines)


def key_markdown(lessons: Mapping[str, Lesson]) -> str:
    """A section for each scene: question, expected answer, the usual wrong one, what goes on the board."""
    return "\n\n".join(_section(name, lesson) for name, lesson in lessons.items())


def _section(name: str, lesson: Lesson) -> str:
    story, answer, slip = lesson.scene.story, lesson.answer, lesson.slip
    place = ASKED_BY_YOU
    if name in ASKING_SCENES:
        place = on_the_card(HANDED_OUT.index(name) + 1) if name in HANDED_OUT else ON_THE_CARD
    lines = [
        f"### {_number(name)}. {_plain(story.title)}",
        "",
        f"[{ON_THE_SCREEN}]({scene_link(name)}), {_when(name)}.",
        "",
        f"* **{QUESTION}**, {place}: {_plain(story.question)}",
        f"* **{EXPECTED}**: {_plain(answer.happened)}",
        f"* **{WHY}**: {_plain(answer.why)}",
        f"* **{USUAL_WRONG}**: “{_plain(slip.wrong)}” {_plain(slip.because)}",
        f"* **{ON_THE_BOARD}**:",
        *(f"  * {_plain(line)}" for line in slip.board),
    ]
    return "\n".join(lines)


def _number(name: str) -> int:
    return list(SCENES).index(name) + 1


def _when(name: str) -> str:
    """In which minutes of which lecture."""
    spans = [
        minutes_text(start, end, length)
        for length in LENGTHS
        for start, end, each in timetable(length)
        if each == name
    ]
    return in_both(spans)


def _plain(text: str) -> str:
    """Text in which nothing is Markdown."""
    return SPECIAL.sub(r"\\\1", text)


def lecture_html(page: Path, folder: Path, address: str) -> str:
    """A page of Markdown as HTML in a folder; links to the served page lead to the address."""
    import mistune

    def lead(link: re.Match[str]) -> str:
        return f'href="{os.path.relpath(page.parent / link[1], folder)}"'

    text = re.sub("<!--.*?-->", "", page.read_text(encoding="utf-8"))
    html = mistune.create_markdown(plugins=["table"])(text)
    body = re.sub(r'href="(?!https?:|#)([^"]+)"', lead, str(html).replace(ADDRESS, address))
    return sheet(LECTURE_TITLE, body)
