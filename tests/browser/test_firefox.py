"""The main journeys and print in a Firefox as it is shipped: one browser, one page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from firefox import Firefox

import polyak_core as pc

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

STAGE = "document.querySelector('.pk-stage')"
CARD = "document.querySelector('.pk-closer')"
SETTLED = f"{STAGE}?.dataset.drawnWhole === 'true' && {CARD}.dataset.settled === 'true'"
KAPPA = 'input[aria-label="Condition number L/μ, number"]'
LAST = """[...document.querySelector('.pk-panel .js-plotly-plot').data]
    .filter(trace => trace.name).map(trace => [trace.name, trace.y.at(-1)])"""
OUTSIDE = """window.outside = null; addEventListener("beforeprint", () => {
    window.outside = [...document.querySelectorAll(".pk-chart-frame")].flatMap(frame => {
        const box = frame.querySelector(".pk-chart").getBoundingClientRect();
        const texts = [...frame.querySelectorAll("text")].filter(text => text.getBBox().width > 0);
        const cut = texts.filter(text => { const one = text.getBoundingClientRect();
            return one.left < box.left - 1 || one.right > box.right + 1 || one.bottom > box.bottom + 1 });
        return cut.map(text => text.textContent).concat(box.width === 640 ? [] : [box.width]) }) })"""
"""What sticks out of a chart at the moment in which the printer looks."""
PAPERS = {
    ("A4", False): (596, 842),
    ("A4", True): (842, 596),
    ("letter", False): (612, 792),
    ("letter", True): (792, 612),
}


@pytest.fixture(scope="module")
def window(served: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """The served page, settled; the console of the browser must stay silent."""
    program = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    assert program
    window = Firefox(program, tmp_path_factory.mktemp("firefox"))
    try:
        window.open(served)
        window.wait(SETTLED)
        yield window
    finally:
        window.close()
    assert [each for each in window.complaints if "403" not in each] == []


def settled(window: Firefox, after: int) -> int:
    """Wait for a settled picture newer than number `after`; its number."""
    window.wait(f"{SETTLED} && Number({STAGE}.dataset.drawnSerial) > {after}")
    return int(window.evaluate(f"Number({STAGE}.dataset.drawnSerial)"))


def test_the_first_picture_is_what_the_core_says(window):
    drawn = dict(window.evaluate(LAST))
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    for method, name in (("apg", "APG, true μ"), ("fista", "FISTA"), ("adapt_apg_v2", "Adaptive v2")):
        assert drawn[name] == pytest.approx(pc.solve(problem, method, 1500).relative_gap[-1], rel=1e-6)
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_slider_is_dragged_typed_into_and_taken_back(window):
    before = settled(window, 0)
    window.drag(f".pk-field:has({KAPPA}) .pk-range", 40)
    before = settled(window, before)
    window.wait("location.search.includes('condition_number=')")
    value = f"document.querySelector('{KAPPA}').value"
    assert window.evaluate(value) != "10\u202f000"
    window.click("[data-tool=reset]")
    settled(window, before)
    assert window.evaluate(value) == "10\u202f000"


def test_keys_say_what_a_chart_shows(window):
    window.evaluate("document.querySelector('.pk-panel .pk-chart-frame').focus()")
    window.press("End")
    window.wait("document.querySelector('.pk-hidden[role=status]').textContent.includes('k = 1500. APG')")
    window.press("Enter")
    window.wait("document.querySelector('.pk-hidden[role=status]').textContent.includes('FISTA: ')")
    window.evaluate("document.activeElement.blur()")


def test_a_story_is_answered(window):
    before = settled(window, 0)
    window.click("[data-tool=stories]")
    window.click(".pk-menu-frame:has([data-tool=stories]) .pk-menu-item")
    settled(window, before)
    window.wait("document.querySelector('.pk-question')")
    window.evaluate("document.querySelector('.pk-options input')?.click()")
    if window.evaluate("document.querySelector('.pk-lock').disabled"):
        window.evaluate("document.querySelector('.pk-guess-line .pk-range').focus()")
        window.press("Right")
    window.click(".pk-lock")
    window.wait("document.querySelector('.pk-story').textContent.includes('Why:')")
    settled(window, before)


@pytest.mark.parametrize("width", [390, 1280])
def test_whole_charts_are_printed_from_any_window(window, sheets, width):
    window.resize(width, 800)
    window.evaluate(f"(() => {{ {OUTSIDE} }})()")
    for (paper, across), size in PAPERS.items():
        measured = sheets(window.pdf(paper, across))
        assert set(measured) == {size}
        assert len(measured) <= 3
        assert window.evaluate("outside") == []
    imprint = window.evaluate("document.querySelector('.pk-imprint').textContent")
    assert "Polyak Explorer, 20" in imprint
    assert window.evaluate("location.search") in imprint
