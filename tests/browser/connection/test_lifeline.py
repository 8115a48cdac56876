"""How things end: a cancelled run, a killed process, a killed server; and two tabs that live apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from processes import ends, process_of

import polyak_core as pc

pytestmark = pytest.mark.browser

GAPS = """() => Object.fromEntries(document.querySelector('.js-plotly-plot').data
    .filter(trace => trace.mode === 'lines')
    .map(trace => [trace.name, { x: [...trace.x], y: [...trace.y] }]))"""
LOST = "Connection lost: the computing process has ended or the server is gone. Reload to go on"
OFFLINE = "No connection; waiting"
KEPT_FOR_BACK = "dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))"
OUT_OF_SIGHT = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture
def doomed(browser: Browser) -> Iterator[Page]:
    """A page that may complain of what is taken away from it, but not break."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(60_000)
    broken = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    page.close()
    assert broken == []


def box(page: Page, label: str) -> Locator:
    return page.get_by_label(f"{label}, number", exact=True)


def status(page: Page) -> Locator:
    return page.locator(".pk-status")


def check(drawn: dict, name: str, problem: pc.Problem, method: str, **keywords: object) -> int:
    """Every drawn point of a curve is the core's; the last iteration."""
    curve = drawn[name]
    k = np.asarray(curve["x"], dtype=int)
    gap = pc.solve(problem, method, iterations=int(k[-1]), **keywords).relative_gap
    np.testing.assert_allclose(np.asarray(curve["y"], dtype=float), gap[k], rtol=1e-7)
    return int(k[-1])


def test_a_cancelled_run_keeps_what_it_has_and_the_page_goes_on(visited, settle):
    page = visited
    before = settle(page)
    cancel = page.get_by_role("button", name="Cancel", exact=True)
    expect(cancel).to_be_hidden()
    box(page, "Iterations").fill("100000")
    expect(status(page)).to_have_attribute("data-kind", "running")
    cancel.click()
    expect(status(page)).to_have_attribute("data-kind", "cancelled")
    expect(status(page)).to_contain_text("ancelled; the curve so far is kept")
    before = settle(page, before)
    quadratic = pc.quadratic(pc.spectrum("log", 100, 1e4))
    assert check(page.evaluate(GAPS), "Proximal gradient", quadratic, "pgd") < 100_000
    expect(cancel).to_be_hidden()
    box(page, "Iterations").fill("200")
    settle(page, before)
    expect(status(page)).to_have_attribute("data-kind", "done")
    assert check(page.evaluate(GAPS), "Proximal gradient", quadratic, "pgd") == 200


def test_two_tabs_live_apart_and_each_keeps_its_address(page, served, settle, complaints):
    """Each begins with the settings of its link, in its own process, and changes nothing in the other."""
    other = page.context.new_page()
    other.set_default_timeout(60_000)
    complaints.watch(other)
    before = 0
    for tab, link in ((other, "gamma=3&iterations=400"), (page, "gamma=7&iterations=300")):
        tab.goto(f"{served}?v=1&{link}")
        before = settle(tab)
    box(page, "Condition number L/μ").fill("100")
    settle(page, before)
    page.wait_for_url("**condition_number=100&**gamma=7**")
    for tab, kappa, iterations, gamma in ((page, 1e2, 300, "7"), (other, 1e4, 400, "3")):
        problem = pc.quadratic(pc.spectrum("log", 100, kappa))
        assert check(tab.evaluate(GAPS), "APG, true μ", problem, "apg") == iterations
        expect(box(tab, "Restart γ")).to_have_value(gamma)
    assert other.url == f"{served}?v=1&gamma=3&iterations=400"
    assert process_of(page).pid != process_of(other).pid
    other.close()
    box(page, "Iterations").fill("200")
    expect(status(page)).to_contain_text("200 iterations")


def test_a_killed_process_is_said_and_reload_goes_on(doomed, served, settle):
    doomed.goto(served)
    before = settle(doomed)
    box(doomed, "Condition number L/μ").fill("100")
    settle(doomed, before)
    doomed.wait_for_url("**condition_number=100**")
    shown = doomed.evaluate(GAPS)
    lost = doomed.get_by_role("alert").filter(has_text=LOST)
    expect(lost).to_have_count(0)
    process_of(doomed).kill()
    expect(lost).to_be_visible(timeout=20_000)
    assert doomed.evaluate(GAPS) == shown, "what was there stays to be read"
    chart = doomed.locator(".pk-chart").first.bounding_box()
    banner = lost.bounding_box()
    assert banner["y"] + banner["height"] <= chart["y"], "the banner covers no chart"
    lost.get_by_role("button", name="Reload").click()
    expect(lost).to_have_count(0)
    settle(doomed)
    assert doomed.evaluate(GAPS) == shown, "the address has kept the settings"
    assert box(doomed, "Condition number L/μ").input_value() == "100"


def test_a_killed_server_is_said(doomed, served_alone, settle):
    doomed.goto(served_alone)
    settle(doomed)
    kernel = process_of(doomed)
    kernel.parent().kill()
    waiting = doomed.get_by_role("alert").filter(has_text=OFFLINE)
    expect(waiting).to_be_visible(timeout=20_000)
    expect(waiting.get_by_role("button")).to_have_count(0)
    assert ends(kernel), "a process without its server ends by itself"


def test_a_page_that_is_left_for_good_ends_its_process_and_a_page_that_stays_keeps_it(page, served, settle):
    page.goto(served)
    before = settle(page)
    first = process_of(page)
    for event in (OUT_OF_SIGHT, KEPT_FOR_BACK):
        page.evaluate(event)
    box(page, "Condition number L/μ").fill("100")
    settle(page, before)
    page.reload()
    settle(page)
    second = process_of(page)
    assert second.pid != first.pid
    assert ends(first), "a reload leaves no process behind"
    page.goto("about:blank")
    assert ends(second)
