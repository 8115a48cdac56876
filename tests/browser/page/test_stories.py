"""A story as a lecturer uses it: hands, the answer beside the curves, something to try."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from polyak_widgets.stories.notation import NOTATION

pytestmark = pytest.mark.browser

VOTES = [
    *("it diverges0", "it stops at the level of the error0", "it gets there, but slowly ✓ right3"),
    "nothing changes1",
]
LEAST_CURVE = 300
"""Pixels that the curves have on a projector while a story is told."""
HAS_ROOM = "least => document.querySelector('.pk-panels .nsewdrag').getBoundingClientRect().height >= least"


def raise_hands(page, story):
    """Three hands by mouse for one option, one by keyboard for another, with slips that are taken back."""
    for _ in range(3):
        story.get_by_role("button", name="One hand more for it gets there, but slowly").click()
    more, less = (
        story.get_by_role("button", name=f"One hand {word} for nothing changes") for word in ("more", "less")
    )
    more.focus()
    for key in ("Enter", "Space"):  # a lecturer at the keyboard
        page.keyboard.press(key)
    less.click()
    expect(story.get_by_role("group", name="Raised hands for nothing changes")).to_contain_text("1")
    less.click(click_count=2)
    expect(story.get_by_role("group", name="Raised hands for nothing changes")).to_contain_text("0")
    more.click()


def await_answer(story):
    """Until the runs of the answer are there; on a projector its reason is folded away at first."""
    story.get_by_text("Why:").wait_for(state="attached")


def assert_fits(story):
    """Beside the curves nothing of the card has to be scrolled to."""
    assert story.evaluate("card => card.scrollHeight - card.clientHeight <= 2")


def read_notation(page):
    """The card of notation, by mouse and away by key."""
    page.get_by_role("toolbar").get_by_role("button", name="Notation").click()
    card = page.get_by_role("dialog", name="Notation")
    expect(card.get_by_role("term")).to_have_count(len(NOTATION))
    expect(card).to_contain_text("the smallest estimate so far")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_class_guesses_a_number(page, served, settle):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{served}?v=1&story=gamma&present=on")
    settle(page)
    story = page.get_by_role("region", name="Story")
    for words in ("2 to 5", "5 to 10", "5 to 10"):
        story.get_by_role("button", name=f"One hand more for {words}").click()
    assert_fits(story)
    story.get_by_role("slider").press("ArrowRight")
    story.get_by_role("button", name="Lock my prediction").click()
    await_answer(story)
    bars = story.get_by_role("list", name="Raised hands").get_by_role("listitem")
    expect(bars).to_have_text(["below 20", "2 to 51", "5 to 10 ✓ right2", "10 to 200", "above 200"])
    assert_fits(story)
    chart = page.locator(".pk-closer .pk-chart")
    expect(chart).to_be_visible()
    page.get_by_role("toolbar").get_by_role("button", name="Closer look").click()
    for part in (chart, story.locator(".pk-verdict")):
        expect(part).to_be_in_viewport(ratio=0.99)  # what the answer speaks of, but for a pixel


def read_parts(story, parts, model, bars):
    """The answer, why, the sentence that explains it, and what to try: one at a time, each as a whole."""
    assert_fits(story)
    expect(story.locator(".pk-why")).to_be_hidden()
    parts.get_by_role("button", name="Why").click()
    expect(bars).to_be_hidden()
    expect(model).to_be_hidden()
    story.get_by_text("Explain it in one sentence").click()
    expect(model).to_be_visible()
    assert_fits(story)
    parts.get_by_role("button", name="Try it").click()
    assert_fits(story)


def test_a_class_votes_sees_the_answer_and_tries(page, served, settle):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{served}?v=1&story=f_star_too_low&present=on")
    settle(page)
    story = page.get_by_role("region", name="Story")
    raise_hands(page, story)
    story.get_by_label("it gets there, but slowly", exact=True).check()
    story.get_by_role("button", name="Lock my prediction").click()
    await_answer(story)
    bars = story.get_by_role("list", name="Raised hands")
    expect(bars.get_by_role("listitem")).to_have_text(VOTES)
    expect(page.locator(".pk-panels:not(.pk-lower) .pk-legend", has_text="before").first).to_be_visible()
    expect(page.locator(".pk-unusual")).to_be_hidden()  # the card has it
    page.wait_for_function(HAS_ROOM, arg=LEAST_CURVE)
    model = story.get_by_text("Near the end the gap that v2 computes")
    parts = story.get_by_role("group", name="Parts of this story")
    read_parts(story, parts, model, bars)
    expect(page.locator(".pk-unusual")).to_be_hidden()
    page.wait_for_function(HAS_ROOM, arg=LEAST_CURVE)
    goal = story.locator(".pk-goal")
    expect(goal).to_contain_text("Not yet. Adaptive v2 reaches 10⁻¹⁰ of the initial gap after 5\u202f950")
    back = goal.get_by_role("button", name="Back to the answer’s picture")
    expect(back).to_be_hidden()
    read_notation(page)
    page.keyboard.press("Escape")
    expect(parts).to_be_hidden()
    expect(story.locator(".pk-why")).to_be_visible()
    page.locator(".pk-controls").get_by_text("What if", exact=False).first.click()
    field = page.get_by_role("textbox", name="f* off by δ")
    field.fill("1e-11")
    field.press("Enter")
    expect(goal).to_contain_text("Done. Adaptive v2 reaches 10⁻¹⁰")
    expect(model).to_be_visible()  # what was unfolded stays so
    back.click()
    expect(field).to_have_value("10⁻⁶")
    expect(goal).to_contain_text("Done.")


def test_who_is_not_teaching_meets_no_counters_and_a_phone_asks_first(page, served, settle):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served}?v=1&story=wrong_L")
    settle(page)
    story = page.get_by_role("region", name="Story")
    more = story.get_by_role("button", name="One hand more for it diverges")
    expect(more).to_be_hidden()
    expect(page.get_by_role("slider", name="Condition number L/μ")).to_be_hidden()
    lock = story.get_by_role("button", name="Lock my prediction").bounding_box()
    assert lock
    assert lock["y"] + lock["height"] < 844, "the question is on the first screen"
    story.get_by_role("button", name="Count hands").click()
    expect(more).to_be_visible()
    story.get_by_label("it bounces at one level for ever", exact=True).check()
    story.get_by_role("button", name="Lock my prediction").click()
    await_answer(story)
    expect(story.get_by_text("Why:")).to_be_visible()
    expect(page.get_by_role("slider", name="Condition number L/μ")).to_be_hidden()
    page.get_by_role("toolbar").get_by_role("button", name="Controls").click()
    expect(page.get_by_role("slider", name="Condition number L/μ")).to_be_visible()
    page.get_by_role("toolbar").get_by_role("button", name="Controls").click()
    story.get_by_role("button", name="Close story").click()
    expect(page.get_by_role("slider", name="Condition number L/μ")).to_be_visible()
