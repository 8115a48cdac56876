"""The questions of the stories as Moodle XML, which Moodle and other course systems import."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from xml.etree import ElementTree as ET

from polyak_widgets.share.texts import BRAND, usual_wrong
from polyak_widgets.stories.lecture import ASKING_SCENES, Lesson
from polyak_widgets.stories.stories import Choice
from polyak_widgets.stories.storyteller import NEAR

CATEGORY = f"$course$/top/{BRAND}"


def moodle_xml(lessons: Mapping[str, Lesson]) -> bytes:
    """A question for each story: one of several, or a number that may be off by the factor of the page.

    Moodle's tolerances are the same on both sides: a second answer covers the rest above the first, which is
    the one that Moodle shows. Texts are HTML inside XML, so that each is escaped for both.
    """
    quiz = ET.Element("quiz")
    _texts(ET.SubElement(quiz, "question", type="category"), category=CATEGORY)
    for name in ASKING_SCENES:
        quiz.append(_question(name, lessons[name]))
    ET.indent(quiz)
    return bytes(ET.tostring(quiz, encoding="utf-8", xml_declaration=True))


def _question(name: str, lesson: Lesson) -> ET.Element:
    story, answer, slip = lesson.scene.story, lesson.answer, lesson.slip
    several = isinstance(story.prediction, Choice)
    question = ET.Element("question", type="multichoice" if several else "numerical")
    _texts(question, name=story.title)
    reasons = (answer.happened, answer.why, usual_wrong(slip.wrong, slip.because))
    _html(question, "questiontext", story.question)
    _html(question, "generalfeedback", *reasons)
    for tag, text in (("defaultgrade", "1"), ("penalty", "0"), ("idnumber", f"polyak-{name}")):
        ET.SubElement(question, tag).text = text
    if isinstance(story.prediction, Choice):
        for tag, text in (("single", "true"), ("shuffleanswers", "false"), ("answernumbering", "abc")):
            ET.SubElement(question, tag).text = text
        for key, text, _ in story.prediction.options:
            _html(question, "answer", text, fraction="100" if key == answer.right else "0")
    else:
        right = float(answer.right)
        _number(question, right, right - right / NEAR)
        _number(question, right * (1 + NEAR) / 2, right * (NEAR - 1) / 2)
    return question


def _number(question: ET.Element, value: float, tolerance: float) -> None:
    """An answer that is right, with what it may be off."""
    node = ET.SubElement(question, "answer", fraction="100", format="moodle_auto_format")
    ET.SubElement(node, "text").text = f"{value:.6g}"
    ET.SubElement(node, "tolerance").text = f"{tolerance:.6g}"


def _texts(parent: ET.Element, **texts: str) -> None:
    """Plain texts, each in a node of its own."""
    for tag, text in texts.items():
        ET.SubElement(ET.SubElement(parent, tag), "text").text = text


def _html(parent: ET.Element, tag: str, *paragraphs: str, **attributes: str) -> None:
    """A node whose text is HTML."""
    node = ET.SubElement(parent, tag, attributes | {"format": "html"})
    ET.SubElement(node, "text").text = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
