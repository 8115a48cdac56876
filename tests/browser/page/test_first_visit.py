"""A first visit: one reads what the page is for, finds questions, and presses names to learn more."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

CARD = ".pk-explain"
IN_SIGHT = """nodes => nodes.filter(node => { const box = node.getBoundingClientRect();
    return node.checkVisibility() && box.width && box.left >= 0 && box.right <= innerWidth && box.top >= 0
        && box.bottom <= innerHeight }).map(node => node.textContent)"""
WHOLE = """card => { const box = card.getBoundingClientRect();
    return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight
        && document.documentElement.scrollWidth <= innerWidth }"""
FOCUSED = "() => document.activeElement.textContent"
IN_LIST = """list => { const { left, right } = list.getBoundingClientRect();
    return [...list.children].filter(one => { const box = one.getBoundingClientRect();
        return box.left >= left - 1 && box.right <= right + 1 }).map(one => one.textContent) }"""
SIZES = {(1280, 720): 3, (390, 844): 1}
"""How many questions are whole in the first screen, at least."""


def in_sight(page: Page, selector: str) -> list[str]:
    """What is whole in the window as it stands."""
    return page.locator(selector).evaluate_all(IN_SIGHT)


def opened(page: Page, term, *words: str) -> None:
    """A press opens the card, all of it in the window, with these words; Escape leads back to the name."""
    term.click()
    card = page.locator(CARD)
    for word in words:
        expect(card).to_contain_text(word)
    assert card.evaluate(WHOLE)
    expect(card).to_be_focused()
    expect(term).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(term).to_be_focused()


def terms(page: Page) -> list[tuple]:
    """A name of each place where there are some, with words that explain it."""
    button = page.get_by_role("button", name="Condition number L/μ", exact=True)
    method = page.get_by_role("button", name="About: Adaptive v2")
    return [
        (button, ("gradient descent needs", "condition number", "In the paper: section 1")),
        (method, ("Adaptive v2", "Algorithm 1 with the newest μₖ", "In the paper: algorithm 4")),
        (page.locator(".pk-panel-title .pk-term").nth(0), ("Methods are judged by", "proposition 2.3")),
        (page.locator(".pk-panel-title .pk-term").nth(1), ("smallest estimate so far", "equation (22)")),
        (page.locator(".pk-closer .pk-term"), ("begins anew", "algorithm 6")),
        (page.locator(".pk-results .pk-term").nth(2), ("AdaptAPG", "algorithm 3")),
    ]


def the_first_screen_is_enough(page: Page, questions: int) -> None:
    """It says what the page is for and shows questions, and its names explain themselves."""
    assert "nobody gives them μ" in "".join(in_sight(page, ".pk-intro"))
    buttons = in_sight(page, ".pk-questions-list button")
    assert len(buttons) >= questions
    assert all(text.endswith("?") for text in buttons)
    visible = [(term, words) for term, words in terms(page) if term.is_visible()]
    assert len(visible) >= questions + 3  # on a phone most controls are folded
    for term, words in visible:
        opened(page, term, *words)


def the_button_leads_through_all_questions(page: Page) -> None:
    """And back to the first."""
    questions, more = page.locator(".pk-questions-list"), page.get_by_role("button", name="More questions")
    lists = [tuple(questions.evaluate(IN_LIST))]
    while len(lists) < 9 and (len(lists) == 1 or lists[-1] != lists[0]):
        more.click()
        lists.append(tuple(questions.evaluate(IN_LIST)))
    assert len(lists) > 2
    assert lists[-1] == lists[0]
    everything = questions.get_by_role("button").all_inner_texts()
    assert {name for names in lists for name in names} == set(everything)


def help_leads_to_names(page: Page) -> None:
    """To each and back, and a press beside the card closes it."""
    page.get_by_role("button", name="Help and symbols").click()
    card = page.locator(CARD)
    expect(card).to_contain_text("Each curve is a method")
    card.get_by_role("button", name="local strong convexity").click()
    expect(card).to_contain_text("In the paper: equation (29), appendix C")
    assert card.locator("math").count() >= 2
    card.get_by_role("button", name="Back to help").click()
    card.get_by_role("button", name="NAG-free").click()
    expect(card).to_contain_text("Cavalcanti, Lessard and Wilson")
    page.mouse.click(900, 700)
    expect(card).to_have_count(0)


def the_questions_are_for_newcomers(page: Page, address: str) -> None:
    """Whoever has opened one finds them among the stories from then on."""
    expect(page.locator(".pk-questions")).to_be_hidden()
    again = page.context.new_page()
    again.goto(address)
    expect(again.get_by_role("button", name="Stories")).to_be_visible(timeout=60_000)
    expect(again.locator(".pk-questions")).to_be_hidden()


def test_a_first_visit(page, served, settle):
    page.goto(served)
    settle(page)
    page.wait_for_selector(".pk-closer[data-settled=true]")
    for (width, height), questions in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        the_first_screen_is_enough(page, questions)
    paper = page.get_by_role("link", name="Paper")
    assert paper.get_attribute("href") == "https://arxiv.org/abs/1906.03056"

    page.set_viewport_size({"width": 1280, "height": 720})
    the_button_leads_through_all_questions(page)
    help_leads_to_names(page)

    before = settle(page)
    page.locator(".pk-questions-list").get_by_role("button", name="Does μ₀ matter?").click()
    settle(page, before)
    expect(page.get_by_role("region", name="Story")).to_contain_text("Which of these is the slowest")
    the_questions_are_for_newcomers(page, served)


def test_a_name_is_opened_and_left_by_keyboard(visited):
    """Enter opens it, Tab goes through it and on, another press closes it; Escape leaves no other mode."""
    term = visited.get_by_role("button", name="Restart γ", exact=True)
    term.focus()
    visited.keyboard.press("Enter")
    card = visited.locator(CARD)
    expect(card).to_be_focused()
    expect(card).to_have_accessible_name("Restart γ")
    visited.keyboard.press("Tab")
    expect(card.get_by_role("button", name="Close")).to_be_focused()
    visited.keyboard.press("Tab")
    expect(card).to_have_count(0)
    expect(visited.get_by_label("Restart γ, number", exact=True)).not_to_be_focused()
    assert visited.evaluate("() => document.activeElement.closest('.pk-field') !== null")
    term.click()
    expect(card).to_be_visible()
    term.click()
    expect(card).to_have_count(0)
    expect(visited.get_by_role("slider", name="Restart γ", exact=True)).to_be_visible()
