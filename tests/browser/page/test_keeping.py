"""What one has done stays: back and forth, Reset taken back, pins, and all that a reload brings back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from processes import process_of

pytestmark = pytest.mark.browser

KAPPA, GAMMA = "Condition number L/μ, number", "Restart γ, number"
PAUSE = 700
PATIENCE = 60_000
FILE = b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 2) for i in range(40))
MINE = {"name": "mine.csv", "mimeType": "text/csv", "buffer": FILE}


def tool(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True).and_(page.locator("[data-tool]"))


def mismatch(page: Page):
    return page.locator(".pk-mismatch > div")


def drag(page, label, serial, settle):
    """Drag a slider and let it go: one entry of the history, made at the end."""
    steps = page.evaluate("history.length")
    slider = page.get_by_label(label, exact=True).bounding_box()
    x, y = slider["x"] + slider["width"] / 2, slider["y"] + slider["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for shift in (20, 40):
        page.mouse.move(x + shift, y)
        page.wait_for_timeout(PAUSE)
    serial = settle(page, serial)
    assert page.evaluate("history.length") == steps, "what a slider passes in the hand is no entry"
    page.mouse.up()
    return serial


def test_one_goes_back_and_forth_by_the_browser_by_buttons_and_by_keys(visited, settle):
    page = visited
    kappa = page.get_by_label(KAPPA)
    steps, serial = page.evaluate("history.length"), settle(page)
    serial = drag(page, "Restart γ", serial, settle)
    page.wait_for_url("**gamma=**")
    for value in ("1000", "100"):
        kappa.fill(value)
        serial = settle(page, serial)
        page.wait_for_url(f"**condition_number={value}&**")
    steps += 1
    assert page.evaluate("history.length") == steps + 2, "one entry for each change"
    expect(tool(page, "Redo")).to_have_attribute("aria-disabled", "true")
    page.locator(".pk-sentence").click()
    moves = {
        "1 000": page.go_back,
        "10 000": tool(page, "Undo").click,
        "1 000 ": page.go_forward,
        "100": tool(page, "Redo").click,
        "1 000  ": lambda: page.keyboard.press("Control+z"),
        "100 ": lambda: page.keyboard.press("Control+Shift+Z"),
    }
    for value, move in moves.items():
        move()
        expect(kappa).to_have_value(re.compile(value.strip().replace(" ", r"\s")))
        serial = settle(page, serial)
        page.wait_for_timeout(PAUSE)
        assert page.evaluate("history.length") == steps + 2, "a picture that comes again is no new entry"
    tool(page, "Reset").click()
    serial = settle(page, serial)
    expect(kappa).to_have_value(re.compile(r"10\s000"))
    page.locator(".pk-said").get_by_role("button", name="Undo").click()
    expect(kappa).to_have_value("100")
    expect(page.locator(".pk-said")).to_be_empty()
    settle(page, serial)
    kappa.focus()
    page.keyboard.press("Control+z")
    expect(kappa).to_have_value("100")  # in a box the browser's own undo has nothing to take back


def test_pins_move_no_chart_and_are_removed_one_by_one(visited, settle):
    page = visited
    chart, serial = page.locator(".pk-chart").first, settle(page)
    for letter, kappa in (("A", "1000"), ("B", "100")):
        before = chart.bounding_box()
        tool(page, "Pin").click()
        expect(page.locator(".pk-said")).to_have_text(f"Pinned as {letter}.")
        serial = settle(page, serial)
        assert chart.bounding_box() == before
        page.get_by_label(KAPPA).fill(kappa)
        serial = settle(page, serial)
    expect(page.locator(".pk-what")).to_have_text(["κ = 10\u202f000", "κ = 1\u202f000"])
    letters = page.locator(".pk-panel").first.locator(".pk-marker-layer [data-sign^=A]")
    assert len(set(letters.evaluate_all("all => all.map(one => one.style.getPropertyValue('--c'))"))) > 4
    expect(page.locator(".pk-fold")).to_have_count(2)
    methods = page.get_by_label("Methods of pin B")
    methods.focus()
    methods.select_option("Adaptive v2")
    serial = settle(page, serial)
    expect(methods).to_be_focused()
    letters = page.locator(".pk-panel").first.locator(".pk-marker-layer [data-sign^=B]")
    assert len(set(letters.evaluate_all("all => all.map(one => one.style.getPropertyValue('--c'))"))) == 1
    page.get_by_role("button", name="Remove pin A").press("Enter")
    expect(page.get_by_role("button", name="Remove pin B")).to_be_focused()
    page.keyboard.press("Enter")
    expect(tool(page, "Pin")).to_be_focused()


def test_a_picture_that_is_not_the_rails_is_grey_and_says_why(visited, visit, settle):
    page = visited
    serial = settle(page)
    expect(mismatch(page)).to_be_hidden()
    page.get_by_role("button", name="None of the methods").click()
    expect(mismatch(page)).to_contain_text("No method is chosen")
    for part in (".pk-panels", ".pk-sentence"):
        expect(page.locator(part).first).to_have_css("opacity", "0.3")
    mismatch(page).get_by_role("button", name="Choose methods").click()
    expect(page.get_by_role("checkbox").first).to_be_focused()
    mismatch(page).get_by_role("button", name="Back to this picture").click()
    expect(mismatch(page)).to_be_hidden()
    expect(page.get_by_role("checkbox", name="FISTA", exact=True)).to_be_checked()
    page.get_by_label(KAPPA).fill("700")
    serial = settle(page, serial)
    page.get_by_label(KAPPA).fill("ten")
    page.keyboard.press("Enter")  # before the picture has had time to become an entry
    mismatch(page).get_by_role("button", name="Back to this picture").click()
    expect(page.get_by_label(KAPPA)).to_have_value("700")
    page.get_by_label("Start from").select_option("Sonar, logistic")
    serial = settle(page, serial)
    page.get_by_label("Weight λ, number").fill("0")
    expect(page.locator(".pk-wrong")).to_contain_text("Weight λ")
    page.get_by_label("Data set", exact=True).select_option("own")
    expect(mismatch(page)).to_contain_text("You have not uploaded a file yet")
    with page.expect_file_chooser() as chooser:
        mismatch(page).get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(MINE)
    settle(page, serial)
    expect(mismatch(page)).to_be_hidden()
    expect(page.locator(".pk-keeping")).to_contain_text("mine.csv for a day")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".pk-keeping")).to_be_hidden()
    visit.leave()  # its session has the file until it ends


@pytest.fixture
def doomed(browser: Browser) -> Iterator[Page]:
    """A page that may complain of what is taken away from it, but not break."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(60_000)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    page.close()
    assert broken == []


def bring_pin_and_change(page: Page, settle) -> None:
    """A file, a pin of one method, and a value."""
    serial = settle(page)
    page.locator("input[type=file]").set_input_files(MINE)
    serial = settle(page, serial)
    tool(page, "Pin").click()
    serial = settle(page, serial)
    page.get_by_label(GAMMA).fill("3")
    serial = settle(page, serial)
    page.wait_for_url("**gamma=3**")
    page.get_by_label("Methods of pin A").select_option("restart")
    settle(page, serial)
    keeping = page.locator(".pk-keeping")
    expect(keeping).to_contain_text("1 pin until this tab is closed, and mine.csv for a day")


def lose_and_reload(page: Page, settle) -> None:
    """The process ends; a value that is typed after that is not lost either."""
    process_of(page).kill()
    lost = page.locator(".pk-lost")
    expect(lost).to_contain_text("your settings, 1 pin and mine.csv are kept in this browser", timeout=20_000)
    page.get_by_label(GAMMA).fill("4")
    page.wait_for_timeout(PAUSE)
    lost.get_by_role("button", name="Reload").click()
    expect(lost).to_have_count(0)
    settle(page)


def everything_is_there(page: Page) -> None:
    """The pin, its methods, the value with its picture, the file, and the way back."""
    expect(page.locator(".pk-what")).to_have_text("γ = 2")
    expect(page.get_by_label("Methods of pin A")).to_have_value("restart")
    expect(page.get_by_label(GAMMA)).to_have_value("4")
    expect(mismatch(page)).to_be_hidden()
    expect(page.locator(".pk-results")).to_contain_text("Restart, γ = 4")
    expect(page.get_by_label("Problem", exact=True)).to_have_value("logistic")
    page.wait_for_url("**gamma=4**")
    tool(page, "Undo").click()
    expect(page.get_by_label(GAMMA)).to_have_value("3")


def test_a_lost_process_takes_nothing_with_it(doomed, served, settle):
    page = doomed
    page.goto(f"{served}?v=1&iterations=200&methods=adapt_apg_v2,restart&utm_source=mail")
    settle(page)
    expect(page.locator(".pk-notice")).not_to_have_attribute("role", "alert")
    bring_pin_and_change(page, settle)
    lose_and_reload(page, settle)
    everything_is_there(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tool(page, "Share").click()
    expect(page.locator(".pk-said")).to_contain_text(re.compile("Link copied. .*needs mine.csv"))
    link = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".pk-keeping")).to_be_hidden()
    page.goto(link)
    settle(page)
    expect(page.locator(".pk-pins")).to_be_hidden()
    expect(mismatch(page)).to_contain_text("does not have this file")


LOST_ENTRIES = """() => { history.replaceState(null, ''); history.pushState = state => {
    Object.defineProperty(history, 'state', { value: state }); history.lost = true; } }"""
"""The page takes its entries for written; the browser does not have them, as when a reload is on its way."""


def answer_again(page: Page, settle) -> str:
    """Reload a page whose story is answered; what the answer says then, and that it is kept."""
    page.reload()
    settle(page)
    story = page.locator(".pk-story")
    expect(story).to_have_attribute("data-stage", "revealed", timeout=PATIENCE)
    expect(page.locator(".pk-keeping")).to_contain_text("keeps your answer until this tab is closed.")
    return story.locator(".pk-answer").text_content()


def test_an_answer_survives_reloads_and_is_forgotten_on_demand(page, served, settle):
    page.goto(f"{served}?story=mu0")
    settle(page)
    story, keeping = page.locator(".pk-story"), page.locator(".pk-keeping")
    expect(keeping).to_be_hidden()
    page.evaluate(LOST_ENTRIES)
    story.get_by_role("radio").first.check()
    story.get_by_role("button", name="Lock my prediction").click()
    expect(story).to_have_attribute("data-stage", "revealed", timeout=PATIENCE)
    expect(keeping).to_contain_text("keeps your answer until this tab is closed.")
    words = story.locator(".pk-answer").text_content()
    page.wait_for_function("history.lost")
    assert answer_again(page, settle) == words, "an entry that a reload took back takes no answer with it"
    assert answer_again(page, settle) == words, "and none is lost with the page's own entry either"
    keeping.get_by_role("button", name="Forget").click()
    expect(keeping).to_be_hidden()
    page.reload()
    settle(page)
    expect(story).to_have_attribute("data-stage", "asked")
