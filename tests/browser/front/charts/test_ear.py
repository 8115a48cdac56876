"""Charts by keys and by ear: what is said, how often, and how high it sounds."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

GAPS = {"fast": [1.0, 1e-2, 1e-4, 1e-6, 1e-8], "slow": [1.0, 1e-1, 1e-2, 1e-3, 1e-4]}
LISTEN = """() => { const known = window.heard; window.heard = []; window.said = [];
    const made = AudioContext.prototype.createOscillator;
    if (!known) AudioContext.prototype.createOscillator = function () {
        const wave = made.call(this), start = wave.start;
        wave.start = function (at) { window.heard.push(wave.frequency.value); return start.call(this, at); };
        return wave; };
    const live = document.querySelector('.pk-hidden[role=status]');
    new MutationObserver(() => window.said.push(live.textContent)).observe(live, {childList: true}); }"""
REST = 500


def frame() -> dict:
    """Two runs of five records, the gap on a logarithmic axis from 1e-8 to 1."""
    data, curves = [], []
    for uid, gaps in GAPS.items():
        look = {"label": uid, "colour": "#0074B7", "dash": "solid", "width": 2, "mode": "lines"}
        curves.append({"uid": uid, "run": uid, "start": len(data), "count": 5, **look})
        data += [*range(5), *gaps]
    axes = {"x": {"title": "iteration k", "type": "linear", "range": [0, 4]}}
    axes["y"] = {"title": "", "type": "log", "range": [1e-8, 1]}
    panel = {"name": "gap", "title": "Gap", "subtitle": "", "curves": curves, **axes}
    cursor = {"last": 4, "start": 0, "units": []}
    return {"serial": 1, "settled": True, "panels": [panel], "sentence": [], "data": data, "cursor": cursor}


@pytest.fixture
def chart(page: Page) -> Page:
    page.evaluate("frame => send(frame)", frame())
    page.wait_for_function("document.querySelector('#picture, .pk-stage').dataset.drawnWhole === 'true'")
    page.evaluate(LISTEN)
    page.locator(".pk-chart-frame").first.focus()
    return page


def heard(page: Page) -> list[str]:
    page.wait_for_timeout(REST)
    return page.evaluate("() => said.splice(0)")


def test_arrow_keys_say_the_values_of_every_curve(chart):
    chart.keyboard.press("ArrowRight")
    assert heard(chart) == ["Gap, k = 1. fast: 0.01."]
    chart.keyboard.press("ArrowDown")
    assert heard(chart) == ["Gap, k = 1. slow: 0.1."]
    chart.keyboard.press("End")
    assert heard(chart) == ["Gap, k = 4. slow: ten to the power of -4."]
    chart.keyboard.press("Enter")
    assert heard(chart) == ["Gap, k = 4. slow: ten to the power of -4; fast: ten to the power of -8."]
    chart.keyboard.press("ArrowUp")
    chart.keyboard.press("Home")
    assert heard(chart) == ["Gap, k = 0. fast: 1."]


def test_keys_in_a_row_are_said_once(chart):
    for _ in range(4):
        chart.keyboard.press("ArrowRight")
    assert heard(chart) == ["Gap, k = 4. fast: ten to the power of -8."]
    assert chart.locator(".pk-cursor .pk-range").input_value() == "4", "the slider below goes along"


def test_the_tone_is_as_high_as_the_logarithm_of_the_gap(chart):
    chart.keyboard.press("ArrowRight")
    assert chart.evaluate("heard") == [], "nothing sounds before it is asked for"
    chart.keyboard.press("Home")
    chart.keyboard.press("Space")
    assert chart.get_by_role("button", name="Tone").get_attribute("aria-pressed") == "true"
    for _ in range(4):
        chart.keyboard.press("ArrowRight")
    chart.keyboard.press("ArrowDown")
    heard = chart.evaluate("() => heard.splice(0)")
    assert heard == pytest.approx([1760, 880, 440, 220, 110, 440], rel=0.01)
    chart.keyboard.press("Space")
    chart.keyboard.press("ArrowLeft")
    assert chart.evaluate("heard") == []


def test_keys_of_the_browser_and_of_buttons_stay_theirs(chart):
    chart.keyboard.press("Control+ArrowRight")
    chart.keyboard.press("p")
    chart.get_by_role("button", name="y log").focus()
    chart.keyboard.press("ArrowRight")
    assert chart.locator(".pk-cursor .pk-range").input_value() == "0"
    assert heard(chart) == []


def test_the_first_stop_skips_the_controls(chart):
    chart.evaluate(
        "document.querySelector('main').querySelector('button, input, select, summary, [tabindex]').focus()"
    )
    assert chart.evaluate("document.activeElement.textContent") == "Skip to the charts"
    assert not chart.locator(".pk-keys").is_visible()
    chart.keyboard.press("Enter")
    assert chart.evaluate("document.activeElement.className") == "pk-chart-frame"
    assert chart.locator(".pk-keys").is_visible()
