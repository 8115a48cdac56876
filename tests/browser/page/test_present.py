"""Present mode, as on a projector."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PAUSE = 700
SMALL_TEXT = """() => [...document.querySelectorAll('.pk-stage :is(p, b, button, text, td, th, span)')]
    .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
    .filter(node => node.checkVisibility() && parseFloat(getComputedStyle(node).fontSize) < 18)
    .filter(node => !node.closest('tspan, sup, sub, .pk-hidden, .pk-math'))
    .filter(node => node.getBoundingClientRect().top < innerHeight)
    .map(node => node.outerHTML.slice(0, 200))"""
BOTTOMS = """() => [...document.querySelectorAll('.pk-panels:not(.pk-lower) > *')]
    .map(card => card.getBoundingClientRect().bottom)"""
WIDTHS = """() => [...document.querySelectorAll('.pk-panels:not(.pk-lower) path.js-line')]
    .map(line => parseFloat(line.style.strokeWidth))"""

PLOTTED = """() => [...document.querySelectorAll('.pk-panels:not(.pk-lower) .pk-chart')]
    .map(chart => chart.querySelector('.nsewdrag').getBoundingClientRect().width / chart.clientWidth)"""


def tool(page: Page, name: str):
    return page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720)])
def test_present_mode_fits_a_projector(visited, settle, width, height):
    page = visited
    page.set_viewport_size({"width": width, "height": height})
    before = settle(page)
    tool(page, "Present").click()
    expect(page.locator(".pk-strip")).to_be_hidden()
    settle(page, before)
    page.wait_for_timeout(PAUSE)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    bottoms = page.evaluate(BOTTOMS)
    assert len(bottoms) == 2
    assert max(bottoms) <= page.evaluate("innerHeight")
    assert min(page.evaluate(WIDTHS)) >= 3
    assert page.evaluate(SMALL_TEXT) == []
    tool(page, "Controls").click()
    expect(page.locator(".pk-strip")).to_be_visible()
    page.wait_for_timeout(PAUSE)
    assert min(page.evaluate(PLOTTED)) > 0.6, "names leave too little of a chart"
    page.evaluate("() => document.fullscreenElement && document.exitFullscreen()")
    page.keyboard.press("Escape")
    expect(tool(page, "Present")).to_be_visible()
    expect(page.locator(".pk-strip")).to_be_visible()
