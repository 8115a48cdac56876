"""What is seen until the page has drawn: a skeleton with a still picture, in whose place the page comes."""

from __future__ import annotations

import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, Route, expect

pytestmark = pytest.mark.browser

PATIENCE = 60_000
STILL = "voila/templates/polyak/static/first_look.html"
SCRIPT = "**/static/voila-*/voila.js"
# In which order things are seen.
ORDER = """(() => {
  window.order = [];
  const note = (what) => order.includes(what) || order.push(what);
  new MutationObserver(() => {
    const still = document.querySelector("#loading[data-still]");
    if (still?.getBoundingClientRect().height > 300) note("skeleton");
    if (document.querySelector("[data-drawn-serial]")) note("drawn");
    if (order.includes("skeleton") && !document.getElementById("loading")) note("page");
  }).observe(document, { subtree: true, childList: true, attributes: true });
})()"""


@pytest.fixture(scope="module")
def drawn_first(served: str) -> str:
    """The address of a server that has made its still picture."""
    for _ in range(300):
        try:
            urlopen(served + STILL, timeout=5).close()
        except HTTPError as missing:
            missing.close()
            time.sleep(0.2)
        else:
            return served
    raise TimeoutError("no still picture was made")


def box(page: Page, kind: str) -> tuple[float, float, float, float]:
    """Where the first element of a class lies, also where a closed shadow tree hides it from scripts."""
    line = page.context.new_cdp_session(page)
    root = line.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]

    def number_of(node: dict[str, Any]) -> int | None:
        attributes = node.get("attributes", [])
        if kind in dict(zip(attributes[::2], attributes[1::2], strict=True)).get("class", "").split():
            return int(node["nodeId"])
        inner = [*node.get("shadowRoots", []), *node.get("children", [])]
        return next(filter(None, map(number_of, inner)), None)

    node = number_of(root)
    assert node is not None, f"nothing of the class {kind}"
    x, y, _, _, right, bottom, *_ = line.send("DOM.getBoxModel", {"nodeId": node})["model"]["border"]
    return x, y, right, bottom


def common(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    """The part that two boxes share of what they cover together."""
    area = lambda box: max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])  # noqa: E731
    shared = area((max(one[0], two[0]), max(one[1], two[1]), min(one[2], two[2]), min(one[3], two[3])))
    return shared / (area(one) + area(two) - shared)


@pytest.mark.parametrize(
    ("width", "height", "scheme", "known"),
    [(1920, 1080, "dark", True), (1280, 720, "light", False), (390, 844, "light", False)],
)
def test_the_page_takes_the_place_of_its_still_picture(
    browser: Browser, drawn_first: str, width: int, height: int, scheme: Any, known: bool
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route(SCRIPT, hold)
    page.add_init_script(ORDER)
    if known:
        page.add_init_script("localStorage.setItem('polyak-explorer-questions', 'seen')")
    page.goto(drawn_first, wait_until="commit")
    expect(page.locator("#loading_text")).to_have_text("Loading the page…", timeout=PATIENCE)
    assert page.locator("#loading_text").is_visible()
    assert page.locator(".pk-stage").count() == 0, "what is not the page is not found as if it were"
    dark = page.evaluate("getComputedStyle(document.getElementById('loading')).backgroundColor")
    assert dark == ("rgb(20, 23, 26)" if scheme == "dark" else "rgb(255, 255, 255)")
    names = ["pk-strip", "pk-sentence", "pk-panel", "pk-chart"] + ["pk-questions"] * (not known)
    before = [box(page, name) for name in names]
    for route in routes:
        route.continue_()
    page.unroute(SCRIPT)  # not before: that lets go what is held
    page.wait_for_selector(".pk-stage[data-drawn-whole=true]")
    expect(page.locator("#loading")).to_have_count(0, timeout=PATIENCE)
    assert page.evaluate("window.order") == ["skeleton", "drawn", "page"]
    for name, was in zip(names, before, strict=True):
        is_now = box(page, name)
        assert common(was, is_now) > 0.9, f"{name} has moved: {was}, {is_now}"
    assert not broken
    context.close()


def test_a_link_shows_no_picture_that_it_does_not_ask_for(page: Page, drawn_first: str) -> None:
    page.goto(f"{drawn_first}?condition_number=100", wait_until="commit")
    expect(page.locator("#loading")).to_have_attribute("data-link", "", timeout=PATIENCE)
    page.wait_for_selector(".pk-stage[data-drawn-whole=true]")
    expect(page.locator("#loading")).to_have_count(0)
    expect(page.get_by_label("Condition number L/μ, number", exact=True)).to_have_value("100")
