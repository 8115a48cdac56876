"""A page whose widgets come late, or never: the messages of their models are held back on purpose."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

# The models pass through here; `held` says when they go on: at once ("pass"), once the page has asked for one
# in vain ("late"), or never ("never").
HOLD = """(() => {
  const later = setTimeout;
  const states = /"update_states"|"comm_info_reply"/;
  const latin = new TextDecoder("latin1");
  const read = data => typeof data === "string" ? data : latin.decode(data);
  const held = %s;
  const waiting = [];
  let asked = false;
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", event => {
        if (held === "pass" || event.goesOn || !states.test(read(event.data))) return;
        if (held === "late" && asked) return;
        event.stopImmediatePropagation();
        const again = Object.assign(new MessageEvent("message", {data: event.data}), {goesOn: true});
        waiting.push(() => this.dispatchEvent(again));
      });
    }
  };
  if (held !== "late") return;
  // The page asks for a model every 100 ms, for two seconds. Its next question comes when they are over and
  // the models are there: so late are timers of a page that is busy, or in a background tab.
  window.setTimeout = (then, pause, ...given) => {
    if (pause !== 100) return later(then, pause, ...given);
    asked = true;
    while (waiting.length) waiting.shift()();
    const begun = performance.now();
    const look = () => window.jupyterapp?.widgetManager?._restoredStatus && performance.now() > begun + 2000
      ? then(...given) : later(look, 20);
    return later(look, 20);
  };
})()"""
# Twenty times the pace while the page has patience, so that nobody waits; what it says stays to be read.
FASTER = """(() => { const real = setInterval; let beats = 0; window.ticks = 0;
    const slow = () => !(%s) && document.getElementById("missed");
    window.setInterval = (then, pause, ...given) => pause !== 500 ? real(then, pause, ...given)
        : real(() => { if (!slow() || ++beats %% 20 === 0) { window.ticks += 1; then(); } }, 25) })()"""
RELOADED = "performance.getEntriesByType('navigation')[0].type === 'reload'"
DRAWN = ".pk-stage[data-drawn-serial] .js-line"


def missed(page: Page) -> Locator:
    return page.get_by_role("alert").filter(has_text="has not appeared")


def test_models_that_come_late_are_drawn(page: Page, served: str) -> None:
    page.add_init_script(HOLD % "'late'")
    page.goto(served)
    page.wait_for_selector(DRAWN, state="attached")
    expect(page.locator(".pk-stage")).to_have_count(1)
    expect(missed(page)).to_have_count(0)


def test_an_empty_page_says_so_and_one_reload_fills_it(page: Page, served: str) -> None:
    page.add_init_script(HOLD % f"{RELOADED} ? 'pass' : 'never'")
    page.add_init_script(FASTER % RELOADED)
    page.goto(f"{served}?condition_number=100")
    expect(missed(page)).to_contain_text("The page reloads by itself now, this once", timeout=60_000)
    page.wait_for_selector(DRAWN, state="attached")
    expect(missed(page)).to_have_count(0)
    assert page.evaluate(RELOADED)
    expect(page.get_by_label("Condition number L/μ, number", exact=True)).to_have_value("100")


def test_a_page_that_stays_empty_reloads_once_and_says_what_to_do(page: Page, served: str) -> None:
    loads: list[str] = []
    page.on("domcontentloaded", lambda loaded: loads.append(loaded.url))
    page.add_init_script(HOLD % "'never'")
    page.add_init_script(FASTER % RELOADED)
    page.goto(served)
    expect(missed(page)).to_contain_text("wait a minute and reload", timeout=60_000)
    page.wait_for_function("() => window.ticks > 200")
    assert len(loads) == 2
    assert Axe().run(page, context="#missed").response["violations"] == []
    with page.expect_navigation():
        missed(page).get_by_role("button", name="Reload").click()
