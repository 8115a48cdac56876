"""The closer look on the served page: it draws what the core says, follows the cursor, and can be clicked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import polyak_core as pc
from polyak_core.runs.stack import Stack

pytestmark = pytest.mark.browser

SETTLED = """([kind, after]) => { const card = document.querySelector('.pk-closer');
    return card?.dataset.settled === 'true' && Number(card.dataset.serial) > after
        && card.dataset.kind === kind }"""
SERIAL = "() => Number(document.querySelector('.pk-closer')?.dataset.serial ?? 0)"
DATA = """() => [...document.querySelectorAll('.pk-closer .js-plotly-plot')].map(chart => chart.data.map(
    trace => ({name: trace.name, x: [...trace.x], y: [...trace.y], symbol: trace.marker.symbol})))[0]"""
POINT = """([curve, point]) => { const chart = document.querySelector('.pk-closer .js-plotly-plot');
    const trace = chart.querySelectorAll('.scatterlayer .trace')[curve];
    const box = [...trace.querySelectorAll('path.point')].at(point).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2] }"""
PLACES = """() => { const chart = document.querySelector('.pk-closer .js-plotly-plot');
    const {xaxis, yaxis} = chart._fullLayout;
    const place = point => point.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);
    return [...chart.querySelectorAll('.scatterlayer .trace')].map(trace =>
        [...trace.querySelectorAll('path.point')].map(place).filter(([x, y]) => x >= 0 && y <= yaxis._length)
            .map(([x, y]) => [xaxis.p2d(x), yaxis.p2d(y)])) }"""
PROBLEM = pc.quadratic(pc.spectrum("log", 100, 1e4))


def show(page: Page, kind: str, after: int = 0) -> int:
    """Choose a kind, wait for it; the number of its frame."""
    page.locator(f'.pk-closer input[value="{kind}"]').check()
    return settled(page, kind, after)


def settled(page: Page, kind: str, after: int = 0) -> int:
    page.wait_for_function(SETTLED, arg=[kind, after])
    return int(page.evaluate(SERIAL))


def drawn(page: Page) -> list[dict[str, Any]]:
    return list(page.evaluate(DATA))


def named(page: Page, name: str) -> dict[str, Any]:
    return next(curve for curve in drawn(page) if curve["name"] == name)


def iterate(method: str, k: int) -> np.ndarray:
    keywords = {"gamma": 2.0} if method == "restart" else {}
    return next(it.y for it in pc.iterates(PROBLEM, method, **keywords) if it.k == k)


def move_cursor(page: Page, key: str) -> None:
    page.get_by_label("Iteration shown in all charts").press(key)


SIGHT = r"""(() => {
  const latin = new TextDecoder("latin1");
  const send = WebSocket.prototype.send;
  window.sight = [];
  WebSocket.prototype.send = function (data) {
    const text = typeof data === "string" ? data : latin.decode(data);
    const told = text.match(/"do": ?"sight", ?"page": ?(true|false), ?"third": ?(true|false)/);
    if (told) window.sight.push(`${told[1]} ${told[2]}`);
    return send.call(this, data);
  };
})()"""
HIDE = """hidden => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange")) }"""


def test_python_is_told_what_is_in_sight(visited, settle):
    """Then a page in the background gets its picture, and its closer look when it comes back."""
    serial, drawn_serial = settled(visited, "sensitivity"), settle(visited)
    visited.set_viewport_size({"width": 1280, "height": 500})
    visited.evaluate(SIGHT)

    def has_sent(*sight: str) -> bool:
        return bool(visited.wait_for_function("told => String(window.sight) === told", arg=",".join(sight)))

    visited.locator(".pk-closer").scroll_into_view_if_needed()
    assert has_sent("true true")
    visited.evaluate(HIDE, True)
    assert has_sent("true true", "false true")
    visited.get_by_label("Condition number L/μ, number", exact=True).fill("2000")
    settle(visited, drawn_serial)
    visited.wait_for_function("() => document.querySelector('.pk-closer').dataset.stale === 'true'")
    visited.evaluate(HIDE, False)
    settled(visited, "sensitivity", serial)
    visited.evaluate("() => scrollTo(0, 0)")
    assert has_sent("true true", "false true", "true true", "true false")
    visited.evaluate("() => delete document.hidden")


def test_sensitivity_is_the_cores_a_click_sets_gamma_and_kappa_begins_it_anew(visited):
    serial = settled(visited, "sensitivity")
    line = named(visited, "Restart")
    assert len(line["x"]) == 64
    for i in (20, 40, 63):
        trace = pc.solve(PROBLEM, "restart", 6000, gamma=line["x"][i])
        assert line["y"][i] == trace.first_below(1e-10)
    assert np.isnan(float(line["y"][0])), "this value needs more iterations than the study makes"
    never = next(curve for curve in drawn(visited) if curve["name"] == "> 6\u202f000")
    assert never["symbol"] == "triangle-up-open"
    assert line["x"][0] in never["x"]
    v2 = pc.solve(PROBLEM, "adapt_apg_v2", 1500)
    assert named(visited, "Adaptive v2")["y"] == [v2.first_below(1e-10)] * 2
    best = line["x"][int(np.nanargmin(np.array(line["y"], dtype=float)))]
    expect(visited.locator(".pk-closer-sentence")).to_contain_text(f"γ = {best:g} is the quickest")

    points = next(
        i for i, curve in enumerate(drawn(visited)) if curve["symbol"] == "circle" and not curve["name"]
    )
    visited.locator(".pk-closer .pk-chart").scroll_into_view_if_needed()
    visited.mouse.click(*visited.evaluate(POINT, [points, -1]))
    expect(visited.get_by_label("Restart γ, number", exact=True)).to_have_value("20")
    settled(visited, "sensitivity", serial)
    expect(visited.locator(".pk-closer-sentence")).to_contain_text("Now γ = 20 takes")
    assert named(visited, "Restart") == line, "the sweep does not depend on gamma"
    visited.get_by_role("button", name=re.compile("^best: set Restart γ")).click()
    expect(visited.get_by_label("Restart γ, number", exact=True)).to_have_value(f"{best:g}")
    expect(visited.locator(".pk-closer-sentence")).to_contain_text(f"Now γ = {best:g} takes")

    before = settled(visited, "sensitivity")
    visited.get_by_label("Condition number L/μ", exact=True).press("PageDown")
    sentence = "() => document.querySelector('.pk-closer-sentence').textContent"
    visited.wait_for_function(f"before => ({sentence})() !== before", arg=visited.evaluate(sentence))
    visited.wait_for_function(f"() => ({sentence})().includes('quickest')")
    settled(visited, "sensitivity", before)
    line = named(visited, "Restart")
    problem = pc.quadratic(pc.spectrum("log", 100, 1e3))
    assert line["y"][40] == pc.solve(problem, "restart", 6000, gamma=line["x"][40]).first_below(1e-10)


def test_the_other_kinds_are_the_cores_and_follow_the_cursor(visited):
    settled(visited, "sensitivity")
    first = visited.locator('.pk-closer input[value="sensitivity"]')
    first.focus()
    first.press("ArrowRight")
    settled(visited, "momentum")
    expect(visited.locator('.pk-closer input[value="momentum"]')).to_be_focused()
    check_momentum(visited)
    visited.locator('.pk-closer input[value="momentum"]').press("ArrowRight")
    settled(visited, "components")
    check_components(visited)
    show(visited, "path")
    check_path(visited)
    show(visited, "band")
    check_band(visited)
    assert Axe().run(visited, context=".pk-closer").response["violations"] == []
    visited.get_by_label("Iteration shown in all charts").fill("465")  # no reset moves the cursor


def check_momentum(page: Page) -> None:
    """The curve is that of the trace, and a pointer over it moves the cursor."""
    curve = named(page, "FISTA")
    k = np.asarray(curve["x"], dtype=int)
    beta = pc.solve(PROBLEM, "fista", 1500).beta[k]
    np.testing.assert_allclose(1 - 1 / np.asarray(curve["y"]), beta, atol=1e-12)
    expect(page.locator(".pk-closer-sentence")).to_contain_text("The true μ asks for β = 0.98")
    before = page.locator(".pk-at").text_content()
    chart = page.locator(".pk-closer .pk-chart")
    chart.scroll_into_view_if_needed()
    chart.hover(position={"x": 150, "y": 100})
    expect(page.locator(".pk-at")).not_to_have_text(before)


def check_components(page: Page) -> None:
    """At both ends of the run the marks are where the iterates say."""
    eigenvalues = pc.spectrum("log", 100, 1e4)
    for key, k, text in (("Home", 0, "k = 0"), ("End", 1500, "k = 1\u2009500")):
        move_cursor(page, key)
        expect(page.locator(".pk-closer-at")).to_have_text(text)
        curve = next(i for i, each in enumerate(drawn(page)) if each["name"] == "Proximal gradient")
        expected = np.abs(iterate("pgd", k))
        marks = page.evaluate(PLACES)[curve]
        assert len(marks) > 20
        for x, y in marks:
            i = int(np.argmin(np.abs(np.log(eigenvalues / x))))
            assert y == pytest.approx(expected[i], rel=0.02)  # places are rounded to a hundredth of a pixel
    entry = page.locator(".pk-closer .pk-entry", has_text="FISTA")
    entry.hover()
    assert standing_out(page) == ["FISTA"]
    entry.click()
    entry.hover()
    assert len(standing_out(page)) == 7, "what is hidden stands out from nothing"
    entry.click()
    page.locator(".pk-closer-sentence").hover()
    assert len(standing_out(page)) == 7


def standing_out(page: Page) -> list[str]:
    """The names of the curves that are not pale."""
    opaque = page.evaluate(
        """() => [...document.querySelectorAll('.pk-closer .scatterlayer .trace')].map(
            trace => getComputedStyle(trace).opacity !== '0.15')"""
    )
    return [curve["name"] for curve, is_opaque in zip(drawn(page), opaque, strict=True) if is_opaque]


def check_path(page: Page) -> None:
    """The dots are the iterates in the two slowest directions; a button zooms in."""
    page.locator('.pk-closer input[value="slow"]').check()
    page.wait_for_function("() => document.querySelector('.pk-closer input[value=slow]').checked")
    slowest = iterate("fista", 500)[-1]
    assert np.min(np.abs(np.asarray(named(page, "FISTA")["x"]) - slowest)) < 0.02
    dots = [i for i, each in enumerate(drawn(page)) if each["symbol"] == "circle" and len(each["x"]) == 1]
    methods = ("apg", "adapt_apg_v2", "adapt_apg", "restart", "fista", "pgd")
    for key, k in (("Home", 0), ("End", 1500)):
        move_cursor(page, key)
        for dot, method in zip(dots, methods, strict=True):
            expected = iterate(method, k)
            assert page.evaluate(PLACES)[dot][0] == pytest.approx([expected[-1], expected[-2]], abs=0.01)
    span = "() => document.querySelector('.pk-closer .js-plotly-plot')._fullLayout.yaxis.range[1]"
    wide = page.evaluate(span)
    page.get_by_role("button", name="Ten times closer to x*").click()
    page.wait_for_function(f"wide => ({span})() < wide / 9", arg=wide)


AREAS = """() => [...document.querySelectorAll('.pk-closer .scatterlayer .trace')].map(trace => {
    const area = trace.querySelector('path.js-fill');
    const box = area?.getBBox() ?? {width: 0, height: 0};
    return {wide: box.width > 9 && box.height > 9, shown: getComputedStyle(trace).opacity > 0} })
    .filter(({wide}) => wide)"""


def check_band(page: Page) -> None:
    """Lines are medians of runs of the core, areas lie around them; a name hides both."""
    starts = [np.random.default_rng(seed).standard_normal(100) for seed in range(20)]
    rows = Stack(PROBLEM, "fista", 1500, x0=starts)
    rows.advance()
    middle = np.median(rows.gaps / rows.gaps[:, :1], axis=0)
    curve = named(page, "FISTA")
    k = np.asarray(curve["x"], dtype=int)
    np.testing.assert_allclose(curve["y"], middle[k], rtol=1e-6, atol=1e-14)
    expect(page.locator(".pk-closer-sentence")).to_contain_text(
        "The band is no bound, and its edges are no runs."
    )
    assert len(page.evaluate(AREAS)) == 6
    name = page.locator('.pk-closer [data-uid="median:fista"]')
    name.click()
    page.wait_for_function(f"() => ({AREAS})().filter(({{shown}}) => !shown).length === 1")
    name.click()
    page.locator('.pk-closer input[value="gamma"]').check()
    page.wait_for_function(f"() => ({AREAS})().length === 1")


def test_on_a_phone_every_kind_fits_or_says_why_it_is_empty(visited):
    visited.set_viewport_size({"width": 390, "height": 844})
    settled(visited, "sensitivity")
    for kind in ("sensitivity", "momentum", "components", "band", "path"):
        before = show(visited, kind)
        chart = visited.locator(".pk-closer .pk-chart")
        expect(chart).to_be_visible()
        assert visited.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert chart.bounding_box()["width"] > 300
    visited.get_by_role("button", name="All controls").click()
    visited.get_by_role("button", name="None of the methods").click()
    visited.locator(".pk-check", has_text="NAG-free").click()
    visited.get_by_label("Start from").select_option("Matrix completion")
    settled(visited, "path", before)
    expect(visited.locator(".pk-closer-empty")).to_contain_text(
        "Nothing to draw here, because its penalty bends", timeout=60_000
    )
    expect(visited.locator(".pk-closer .pk-chart")).to_be_hidden()
