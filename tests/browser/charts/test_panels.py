"""The two large panels on the served page: cursor, units, bounds and differences show the core's numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import polyak_core as pc
from polyak_core import theory

pytestmark = pytest.mark.browser

PROBLEM = pc.quadratic(pc.spectrum("log", 100, 1e4))
METHODS = {
    "APG, true μ": ("apg", {}),
    "Adaptive v2": ("adapt_apg_v2", {}),
    "AdaptAPG": ("adapt_apg", {"mu0": 0.5}),
    "Restart, γ = 2": ("restart", {"gamma": 2.0}),
    "FISTA": ("fista", {}),
    "Proximal gradient": ("pgd", {}),
}
CURVES = """which => Object.fromEntries(document.querySelectorAll('.js-plotly-plot')[which].data.filter(
    trace => trace.mode === 'lines').map(trace => [trace.name, {x: [...trace.x], y: [...trace.y]}]))"""
SERIAL = "() => Number(document.querySelector('.pk-stage').dataset.drawnSerial)"
FITTED = """() => [...document.querySelectorAll('.pk-panel .pk-chart')]
    .every(({ _fullLayout: drawn, clientWidth }) => drawn?.width === clientWidth)"""
RULES = """() => [...document.querySelectorAll('.pk-panel .pk-rule')].map(rule => {
    const { xaxis } = rule.closest('.pk-panel').querySelector('.pk-chart')._fullLayout;
    return xaxis.p2d(Number(rule.getAttribute('d').match(/^M([\\d.]+)/)[1])); })"""
THIN = """() => { const card = document.querySelector('.pk-panel');
    const { xaxis, yaxis } = card.querySelector('.pk-chart')._fullLayout;
    const ends = d => (d.match(/[-\\d.]+,[-\\d.]+/g) ?? []).map(at => at.split(',').map(Number));
    return [...card.querySelectorAll('.pk-thin-layer path')].map(path =>
        ends(path.getAttribute('d')).map(([x, y]) => [xaxis.p2d(x), yaxis.p2d(y)])); }"""
SLIDER = "Iteration shown in all charts"


@pytest.fixture(scope="module")
def traces():
    return {name: pc.solve(PROBLEM, m, iterations=1500, **more) for name, (m, more) in METHODS.items()}


def number(text: str) -> float:
    """What is written as 3.2 × 10⁻⁵, 10⁻⁴ or 0.05."""
    plain = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-"))
    plain = re.sub(r"[\s\u2009\u202f]", "", plain).replace("×10", "e")
    return float(re.sub("^10(?=-)", "1e", plain))


def written(page: Page) -> dict[str, float]:
    """The number beside each name in the panel of the gap, drawn wide."""
    labels = page.locator(".pk-panel").first.locator(".pk-label").all()
    pairs = [label.locator("text").all_text_contents() for label in labels]
    return {name: number(value) for name, value in pairs if value}


def test_the_cursor_joins_the_panels_and_moves_without_python(visited, settle, traces):
    page = visited
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(FITTED)
    page.wait_for_timeout(600)  # a wider chart asks for more points
    serial = settle(page)
    slider = page.get_by_label(SLIDER)
    expect(slider).to_have_value("465")
    box = page.locator(".nsewdrag").first.bounding_box()
    for part in np.linspace(0.2, 0.6, 15):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + 90)
    k = int(slider.input_value())
    assert k == pytest.approx(900, abs=5)
    assert page.evaluate(RULES) == pytest.approx([k, k], rel=0.01)
    expect(page.locator(".pk-at")).to_have_text(f"k = {k}")
    shown = written(page)
    assert set(shown) == set(METHODS)
    for name, trace in traces.items():
        assert shown[name] == pytest.approx(trace.relative_gap[k], rel=6e-3)
    slider.focus()
    for key, expected in [("Home", 0), ("PageUp", 150), ("ArrowRight", 151), ("End", 1500)]:
        page.keyboard.press(key)
        expect(slider).to_have_value(str(expected))
    assert page.evaluate(RULES) == pytest.approx([1500, 1500], rel=0.01)
    assert page.evaluate(SERIAL) == serial, "nothing was asked of Python"
    slider.fill("465")  # no reset moves the cursor


def test_units_bounds_and_differences(visited, settle, traces):
    page = visited
    before = settle(page)
    page.get_by_label("gradient calls", exact=True).check()
    before = settle(page, before)
    for name, curve in page.evaluate(CURVES, 0).items():
        np.testing.assert_array_equal(curve["x"], traces[name].gradients)
    expect(page.locator(".pk-results")).to_contain_text("2\u202f475")
    page.get_by_label("iterations", exact=True).check()
    before = settle(page, before)

    page.get_by_role("button", name="bounds").click()
    before = settle(page, before)
    apg = traces["APG, true μ"]
    promised = theory.bound_known_mu(PROBLEM, apg) / apg.gap[0]
    lines = page.evaluate(THIN)
    assert len(lines) == 5
    for x, y in lines[0][20::100]:
        assert y == pytest.approx(promised[round(x)], rel=0.05)

    page.get_by_role("button", name="μₖ − μ").click()
    settle(page, before)
    above = page.evaluate(CURVES, 1)["μₖ − μ Adaptive v2"]["y"]
    expected = traces["Adaptive v2"].mu - PROBLEM.mu
    got = np.array([np.nan if y is None else y for y in above], dtype=float)
    finite = np.isfinite(got)
    assert finite.sum() > 500
    np.testing.assert_allclose(got[finite], expected[finite], rtol=1e-4, atol=1e-15)
    expect(page.locator(".pk-panel").nth(1).locator(".pk-summary")).to_contain_text("Prop. 2.8")


def test_a_line_of_one_s_own_and_another_y_axis(visited, settle, traces):
    page = visited
    before = settle(page)
    page.get_by_role("button", name="bounds").click()
    settle(page, before)
    field = page.get_by_label("Line of your own")
    field.fill("0.5*0.99^n")
    expect(page.locator(".pk-fields .pk-problem")).to_contain_text("cannot be read")
    field.fill("0.5*0.99^k")
    field.press("Enter")
    expect(page.locator(".pk-thin-layer path")).to_have_count(6)
    x, y = zip(*page.evaluate(THIN)[-1], strict=True)
    np.testing.assert_allclose(y, 0.5 * 0.99 ** np.array(x), rtol=0.05)
    before = settle(page)
    field.fill("")
    before = settle(page, before)

    menu = page.get_by_label("What the y axis shows")
    menu.select_option("ratio of gaps")
    before = settle(page, before)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.clientWidth === 390")
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "all switches are on the screen"
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_label("Method whose gap is 1").select_option("to FISTA")
    before = settle(page, before)
    for name, curve in page.evaluate(CURVES, 0).items():
        np.testing.assert_allclose(curve["y"], traces[name].gap / traces["FISTA"].gap)
    expect(page.locator(".pk-panel-title").first).to_have_text("Gap relative to FISTA")
    expect(page).to_have_url(re.compile("y=ratio&beside=fista"))
    menu.select_option("gap")
    settle(page, before)


HEADS = """() => { const ARROW = 20; return [...document.querySelectorAll('.pk-panel')].map(card => {
    const [head, switches, title] = ['-head', '-head .pk-switches', '-title'].map(
        name => card.querySelector(`.pk-panel${name}`).getBoundingClientRect());
    const menus = [...card.querySelectorAll('.pk-axis-menu')];
    const canvas = document.createElement('canvas').getContext('2d');
    const cut = menus.filter(menu => {
        canvas.font = getComputedStyle(menu).font;
        return canvas.measureText(menu.selectedOptions[0].textContent).width + ARROW > menu.clientWidth; });
    const buttons = [...card.querySelectorAll('.pk-panel-head .pk-switch')].filter(each => each.offsetParent);
    const lines = new Set(buttons.map(each => Math.round(each.getBoundingClientRect().top))).size;
    const [height, top] = [head.height, title.top - head.top].map(Math.round);
    return {height, top, cut: cut.length, lines}; }); }"""


@pytest.mark.parametrize("run", ["method with μₖ", "FISTA", "proximal gradient"])
def test_heads_are_equally_high_and_cut_nothing_with_six_estimates(visited, settle, run):
    page = visited
    before = settle(page)
    menu = page.get_by_label("What is shown of μ")
    menu.select_option("all six")
    expect(page.locator(".pk-panel-title").nth(1)).to_have_text("Six estimates of μ")
    before = settle(page, before)
    along = page.locator('.pk-axis-menu[data-name="along"]')
    if run != "method with μₖ":
        along.select_option(run)
        before = settle(page, before)
    for width, height in ((1920, 1080), (1280, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => document.documentElement.clientWidth === width", arg=width)
        page.wait_for_function(FITTED)
        first, second = page.evaluate(HEADS)
        assert first == second, width
        assert (first["cut"], first["lines"]) == (0, 1), width
    page.set_viewport_size({"width": 1280, "height": 720})
    menu.select_option("μₖ of methods")
    settle(page, before)


def test_a_drag_stays_fluent_with_everything_on_and_no_two_curves_look_alike_without_colour(visited, settle):
    page = visited
    before = settle(page)
    page.get_by_role("button", name="bounds").click()
    before = settle(page, before)
    looks = page.evaluate(
        """() => [...document.querySelector('.pk-legend').querySelectorAll('.pk-sample:not(.pk-thin)')]
            .map(sample => [...sample.children].map(part => part.getAttribute('stroke-dasharray')
                ?? part.getAttribute('d')).join())"""
    )
    assert len(looks) == len(set(looks)) == len(METHODS)
    slider = page.get_by_label("Condition number L/μ", exact=True)
    place = slider.bounding_box()
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + place["width"] / 2, middle)
    page.mouse.down()
    drawn, hidden = set(), set()
    for step in range(30):
        page.mouse.move(place["x"] + place["width"] * (0.5 + step / 160), middle)
        page.wait_for_timeout(25)
        drawn.add(page.evaluate(SERIAL))
        hidden.add(page.locator(".pk-thin-layer").first.get_attribute("visibility"))
    page.mouse.up()
    assert len(drawn) > 4
    assert "hidden" in hidden, "bounds of another setting are not shown"
    settle(page, before)
    page.wait_for_timeout(300)
    settle(page)
    expect(page.locator(".pk-thin-layer").first).not_to_have_attribute("visibility", "hidden")
