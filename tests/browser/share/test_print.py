"""On paper: whole charts on A4 and letter, upright and across, from every window, and the story."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

WIDTHS = (390, 1280)
PAPERS = {
    ("A4", False): (595, 842, 695), ("A4", True): (842, 595, 1024),
    ("Letter", False): (612, 792, 717), ("Letter", True): (792, 612, 957),
}  # fmt: skip
"""Width and height of a sheet in points, and how wide the page on it is between its margins, in pixels."""
PARTS = ".pk-chart, .pk-formula, table, p, .pk-label text, .xtick text, .ytick text"
CUT = f"""() => {{ const found = [];
    const inside = (one, box) => one.left >= box.left - 1 && one.right <= box.right + 1
        && one.top >= box.top - 1 && one.bottom <= box.bottom + 1;
    if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the sheet');
    for (const card of document.querySelectorAll('.pk-card')) {{
        const title = card.querySelector('h2')?.textContent, box = card.getBoundingClientRect();
        for (const node of card.querySelectorAll('{PARTS}')) {{
            const one = node.getBoundingClientRect();
            if (node.checkVisibility() && one.width && !inside(one, box))
                found.push(title + ': ' + (node.textContent.slice(0, 60) || node.className)) }} }}
    return found }}"""
TO_PRESS = """() => { const isText = one => one.matches('.pk-entry, .pk-fold, .pk-term:not(.pk-mark)')
        && getComputedStyle(one).textDecorationLine === 'none';
    return [...document.querySelectorAll('button, input, select')]
        .filter(one => one.checkVisibility() && !isText(one)).map(one => one.outerHTML.slice(0, 80)) }"""
"""Names that explain themselves stay, as plain text, and so do legends and headings in the table."""


def on_paper(page: Page, width: int) -> tuple[list[str], list[str]]:
    """What is cut off, and what one could press, on a sheet so wide; the charts as a printer gets them."""
    shown = page.viewport_size
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": width, "height": 950 if width < 800 else 640})
    faults = page.evaluate(CUT), page.evaluate(TO_PRESS)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="null")
    page.set_viewport_size(shown)
    return faults


def test_whole_charts_are_printed_from_any_window(visited, visit, settle, sheets):
    page = visited
    counts = set()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        settle(page)
        for (paper, across), (wide, high, inner) in PAPERS.items():
            assert on_paper(page, inner) == ([], []), (width, paper, across)
            measured = sheets(page.pdf(format=paper, landscape=across))
            assert all(abs(w - wide) < 3 and abs(h - high) < 3 for w, h in measured), measured
            counts.add((paper, across, len(measured)))
    assert sorted(counts) == [(paper, across, 1 if across else 2) for paper, across in sorted(PAPERS)], (
        "the same from every window, and a sheet across holds all of it"
    )
    visit.leave()


def test_the_story_and_the_settings_stand_on_paper(visited, visit, settle):
    page = visited
    before = settle(page)
    page.get_by_role("button", name="Stories").click()
    page.get_by_role("menuitem", name="What if L is off by a factor of 2?").click()
    settle(page, before)
    question = page.locator(".pk-question").inner_text()
    story, imprint = page.locator(".pk-story"), page.locator(".pk-imprint")
    for answered in (False, True):
        if answered:
            story.get_by_role("radio").first.check()
            story.get_by_role("button", name="Lock my prediction").click()
            expect(story).to_contain_text("Why:")
            settle(page)
        page.wait_for_timeout(700)  # the address follows with a pause
        widths = [inner for _, _, inner in PAPERS.values()]
        for inner in (min(widths), max(widths)):
            assert on_paper(page, inner) == ([], [])
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        expect(story).to_contain_text(question)
        expect(story.get_by_text("Why:")).to_be_visible(visible=answered)
        expect(imprint).to_contain_text("Polyak Explorer, 20")
        expect(imprint).to_contain_text("?v=1&story=wrong_L")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="null")
        expect(imprint).to_be_hidden()
    expect(imprint).to_contain_text("Unusual settings: L given = L/2.")
    visit.leave()
