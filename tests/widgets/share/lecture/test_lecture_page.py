"""The lecture's page: each link is the state of its scene, and its key has the numbers of the runs."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from polyak_widgets.numbers import LOWERED, MINUS, THIN
from polyak_widgets.share.address import read_query
from polyak_widgets.share.lecture.files import served_at
from polyak_widgets.share.lecture.moodle import moodle_xml
from polyak_widgets.share.lecture.page import ADDRESS, key_markdown, scene_link
from polyak_widgets.share.lecture.sheets import answers_html, handout_html
from polyak_widgets.stories.answers import Answer
from polyak_widgets.stories.lecture import ASKING_SCENES, HANDED_OUT, SCENES, Lesson, lessons
from polyak_widgets.stories.slips import Slip
from polyak_widgets.stories.stories import STORIES, Guess
from polyak_widgets.stories.storyteller import NEAR, verdict

STATES = {name: (story.before, story.first_view) for name, story in STORIES.items()}
PAGE = Path(__file__).parents[4] / "docs" / "lecture.md"
NUMBER = re.compile(rf"\d+(?:{THIN}\d+)*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
AWKWARD = "a < b & c > d, {x} = y ~ #1: “q”"


def numbers(text):
    """The numbers of a text, each with one unit of its last digit, and the text without them."""
    values = []
    for number in NUMBER.findall(text):
        mantissa, _, power = number.replace(THIN, "").partition(" × 10")
        scale = 10.0 ** int(power.translate(LOWERED) or 0)
        values.append((float(mantissa) * scale, 10.0 ** -len(mantissa.partition(".")[2]) * scale))
    return values, NUMBER.sub("#", text)


def written_key():
    text = PAGE.read_text(encoding="utf-8")
    return re.search(r"<!-- key of the lecture: .* -->\n(.*)\n<!-- end of key", text, re.DOTALL)[1]


def awkward_lessons():
    """What no story says, so that each format has to escape it."""
    slip = Slip(AWKWARD, AWKWARD, (AWKWARD,))
    rights = {"misprint": 13_323.0, "gamma": 7.12, "silver": 1149.0, "cg": 94.0}
    choices = [name for name in ASKING_SCENES if name not in rights]
    rights |= {name: STORIES[name].prediction.options[1][0] for name in choices}
    return {
        name: Lesson(SCENES[name], Answer(rights[name], AWKWARD, AWKWARD), slip) for name in ASKING_SCENES
    }


@pytest.mark.parametrize("name", SCENES)
def test_each_link_opens_the_state_of_its_scene(name):
    opened = read_query(scene_link(name).removeprefix(ADDRESS), STATES)
    assert opened.message == ""
    assert opened.settings == SCENES[name].story.before
    assert opened.view.present
    assert opened.view.values() == SCENES[name].story.first_view.values() | {"present": True}
    assert opened.story == (name if name in STORIES else "")


def test_every_number_of_the_key_is_measured():
    """If not: `.venv/bin/python tests/pages.py`. Another processor may round a last digit the other way."""
    (written, words), (measured, fresh) = numbers(written_key()), numbers(key_markdown(lessons()))
    assert words == fresh
    assert len(written) > 200
    assert len(written) == len(measured)
    for (value, unit), (again, _) in zip(written, measured, strict=True):
        assert abs(value - again) <= 1.01 * unit


def test_numbers_are_seen_in_a_text():
    values, words = numbers(f"13{THIN}323 of 4.2 × 10⁻⁹, {MINUS}1")
    assert words == f"# of #, {MINUS}#"
    assert values == [pytest.approx(pair) for pair in ((13323, 1), (4.2e-9, 1e-10), (1, 1))]


def test_the_hand_out_asks_all_and_gives_nothing_away():
    text = handout_html()
    for name, scene in SCENES.items():
        assert (f". {scene.story.title}</h3>" in text) == (name in HANDED_OUT), name
    assert text.count("Because:") == len(HANDED_OUT) == 8
    assert HANDED_OUT == ASKING_SCENES[:8], "the answer sheet has the same numbers"
    for spoiler in ("13\u202f323", "7.1", "Why", "☑\u00a0", 'class="right"', "measured"):
        assert spoiler not in text
    assert "the condition number" in text


def test_answers_are_escaped_and_the_right_option_is_ticked():
    text = answers_html(awkward_lessons())
    assert text.count("a &lt; b &amp; c &gt; d") == len(ASKING_SCENES) * 5
    assert '<li class="right">it bounces at one level for ever</li>' in text
    assert text.count('class="right"') == 7


def test_moodle_reads_each_question_as_the_page_judges_it():
    quiz = ET.fromstring(moodle_xml(awkward_lessons()))
    types = [question.get("type") for question in quiz]
    guesses = {name for name in ASKING_SCENES if isinstance(STORIES[name].prediction, Guess)}
    assert guesses == {"misprint", "gamma", "silver", "cg"}
    kinds = ["numerical" if name in guesses else "multichoice" for name in ASKING_SCENES]
    assert types == ["category", *kinds]
    for question, (name, lesson) in zip(quiz[1:], awkward_lessons().items(), strict=True):
        assert question.findtext("name/text") == STORIES[name].title
        html = ET.fromstring(f"<div>{question.findtext('generalfeedback/text')}</div>")
        assert [AWKWARD, AWKWARD] == [paragraph.text for paragraph in html][:2]
        rights = [each for each in question.findall("answer") if each.get("fraction") == "100"]
        guess = lesson.scene.story.prediction
        if isinstance(guess, Guess):
            values, offs = ([float(each.findtext(tag)) for each in rights] for tag in ("text", "tolerance"))
            right = values[0]  # the first is what Moodle shows
            assert right == lesson.answer.right
            for factor in (0.99 / NEAR, 1.01 / NEAR, 1.0, 0.99 * NEAR, 1.01 * NEAR):
                number = factor * right
                close = any(abs(number - value) <= off for value, off in zip(values, offs, strict=True))
                assert close == ("close" in verdict(guess, number, right))
        else:
            assert len(rights) == 1
            texts = {key: text for key, text, _ in lesson.scene.story.prediction.options}
            assert ET.fromstring(rights[0].findtext("text")).text == texts[lesson.answer.right]


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1", "8866.5"])
def test_a_wrong_port_is_refused_in_words(port):
    with pytest.raises(ValueError, match="must be a whole number from 1 to 65535"):
        served_at("localhost", port)
