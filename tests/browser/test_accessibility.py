"""axe-core finds nothing serious on any state of the page, in light and in dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from polyak_widgets.stories import STORIES
from polyak_widgets.view import THIRD

pytestmark = pytest.mark.browser

PATIENCE = 60_000
SERIOUS = ("serious", "critical")
FOCUS_UNSEEN = """() => { const node = document.activeElement;
    if (!node.closest('.polyak-explorer')) return '';
    const seen = one => parseFloat(one.outlineWidth) > 0 && one.outlineStyle !== 'none';
    const near = [node, node.parentElement, node.closest('label')].filter(Boolean);
    const shown = near.some(one => seen(getComputedStyle(one)));
    const thumb = node.type === 'range'; // its ring goes around the thumb, which a script cannot ask for
    return shown || thumb ? '' : node.outerHTML.slice(0, 120) }"""
MOVING = """() => [...document.querySelectorAll('.pk-root, .pk-root *')].filter(node => {
    const { animationName, transitionDuration } = getComputedStyle(node);
    return animationName !== 'none' || parseFloat(transitionDuration) > 0 }).map(node => node.className)"""
SIZES = {"desktop": (1280, 720), "projector": (1920, 1080), "phone": (390, 844)}


def found_on(page: Page) -> list[str]:
    """What axe-core calls serious or critical, with the elements."""
    report = Axe().run(page).response
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:120]} {node['failureSummary']}"
        for rule in report["violations"]
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def seen_as_faulty(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Only the states with faults."""
    return {state: faults for state, faults in found.items() if faults}


def unfold(page: Page) -> None:
    """Open every group and every help line."""
    page.evaluate("""() => {
        document.querySelectorAll('details').forEach(group => (group.open = true));
        document.querySelectorAll('.pk-controls [aria-expanded=false]').forEach(mark => mark.click()); }""")


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(browser: Browser, complaints: Any, served: str, settle: Any, scheme: str):
    """A settled page in one of the two themes."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints.watch(page)
    page.goto(served)
    settle(page)
    yield page
    context.close()


def test_every_state_of_a_visit(opened, settle):
    """One visit through the states, so that the page is opened once for each theme."""
    page, found = opened, {}
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        found[name] = found_on(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    unfold(page)
    found["unfolded"] = found_on(page)
    box = page.get_by_label("Restart γ, number", exact=True)
    box.fill("-1")
    expect(page.get_by_role("alert").filter(has_text="Restart")).to_be_visible()
    found["error"] = found_on(page)
    box.fill("2")
    before = settle(page)
    page.get_by_label("Problem", exact=True).select_option(index=3)
    settle(page, before)
    unfold(page)
    found["another problem"] = found_on(page)
    assert seen_as_faulty(found) == {}


def test_every_third_panel_present_mode_menu_and_pin(opened, settle):
    """The states that one click leads to."""
    page, found = opened, {}
    third = page.locator(".pk-third")
    for kind in third.get_by_role("radio").all():
        if kind.get_attribute("value") in THIRD:
            kind.check(force=True)
            expect(third.locator(".js-plotly-plot")).to_be_visible(timeout=PATIENCE)
            found[kind.get_attribute("value")] = found_on(page)
    assert set(found) == set(THIRD)
    before = settle(page)
    page.get_by_role("button", name="Pin", exact=True).click()
    settle(page, before)
    found["pinned"] = found_on(page)
    page.get_by_role("button", name="Export").click()
    found["menu"] = found_on(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Present", exact=True).click()
    expect(page.get_by_role("button", name="Leave", exact=True)).to_be_visible()
    found["present"] = found_on(page)
    assert seen_as_faulty(found) == {}


@pytest.mark.parametrize("scheme", ["dark"], indirect=True)
def test_a_story_before_and_after_its_answer(opened, served, settle):
    page, found = opened.context.new_page(), {}
    page.set_default_timeout(PATIENCE)
    page.goto(f"{served}?v=1&story={next(iter(STORIES))}")
    story = page.locator(".pk-story")
    story.wait_for()
    settle(page)
    found["question"] = found_on(page)
    story.get_by_role("button", name="Lock my prediction").click()
    expect(story).to_contain_text("Why:", timeout=PATIENCE)
    settle(page)
    found["answer"] = found_on(page)
    assert seen_as_faulty(found) == {}


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_focus_is_seen_and_motion_is_reduced_where_asked(opened):
    page = opened
    page.keyboard.press("Tab")
    for _ in range(25):
        page.keyboard.press("Tab")
        unseen = page.evaluate(FOCUS_UNSEEN)
        assert not unseen, unseen
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOVING) == []


@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_each_chart_has_its_sentence_and_there_is_a_table(opened):
    page = opened
    for chart in page.locator(".pk-panel [role=img]").all():
        described = chart.get_attribute("aria-describedby") or ""
        words = page.evaluate("id => document.getElementById(id)?.textContent ?? ''", described)
        assert chart.get_attribute("aria-label")
        assert any(sign.isdigit() for sign in words), "the sentence says numbers"
    expect(page.get_by_role("table").first).to_be_visible()
    expect(page.get_by_role("status").first).to_have_attribute("aria-live", "polite")
