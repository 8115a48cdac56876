"""axe-core finds nothing serious on any state of the page, in light and in dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

PATIENCE = 60_000
SERIOUS = ("serious", "critical")
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
    assert {state: faults for state, faults in found.items() if faults} == {}
