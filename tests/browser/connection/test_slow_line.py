"""A line that is slow: what is on its way, in which order it is drawn, and what the reader sees meanwhile."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

AHEAD = 2
FAST_3G = {"latency": 150, "downloadThroughput": 1.5e6 / 8, "uploadThroughput": 0.75e6 / 8, "offline": False}
# The page's words for frames that have come wait here for as long as the test likes.
HOLD = r"""(() => {
  const latin = new TextDecoder("latin1");
  const send = WebSocket.prototype.send;
  const waiting = [];
  window.held = false;
  window.framesHeld = 0;
  window.release = () => { window.held = false; while (waiting.length) waiting.shift()(); };
  WebSocket.prototype.send = function (data) {
    const text = typeof data === "string" ? data : latin.decode(data);
    if (!window.held || !/"do": ?"arrived"/.test(text)) return send.call(this, data);
    if (/"frame": ?\d/.test(text)) window.framesHeld += 1;
    waiting.push(() => send.call(this, data));
  };
})()"""
WATCH = """() => {
    const stage = document.querySelector(".pk-stage");
    window.drawn = [];
    new MutationObserver(() => drawn.push(Number(stage.dataset.drawnSerial)))
        .observe(stage, { attributes: true, attributeFilter: ["data-drawn-serial"] });
}"""
DRAWN = "() => [...new Set(window.drawn)]"
KAPPA = "Condition number L/μ"
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def move(page: Page, kappa: float) -> None:
    page.get_by_label(f"{KAPPA}, number", exact=True).fill(f"{kappa:g}")


def opacity(page: Page) -> str:
    return page.locator(".pk-panels").first.evaluate("node => getComputedStyle(node).opacity")


def check_many_keys(page, settle):
    """On a slow line many keys are answered in order, and the last one by the picture and the address."""
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", FAST_3G)
    before = settle(page)
    page.locator(".pk-range:visible").first.focus()
    page.evaluate("window.drawn.length = 0")
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    number = page.get_by_label(f"{KAPPA}, number", exact=True).input_value()
    kappa = float(re.sub(r"\s*×\s*10", "e", number.translate(RAISED)))
    assert kappa < 1e8
    settle(page, before)
    page.wait_for_function("!document.querySelector('.pk-stage').hasAttribute('data-behind')")
    drawn = page.evaluate("() => window.drawn")
    assert drawn == sorted(drawn), "nothing stale is drawn after what is newer"
    page.wait_for_function(
        "([name, value]) => Math.abs(new URLSearchParams(location.search).get(name) / value - 1) < 0.01",
        arg=["condition_number", kappa],
    )


def test_two_frames_are_on_their_way_and_a_picture_of_the_past_is_pale(page, served, settle):
    page.add_init_script(HOLD)
    page.goto(served)
    before = settle(page)
    stage = page.locator(".pk-stage")
    page.evaluate(WATCH)
    page.evaluate("window.held = true")
    # A move makes one frame or more: after two as many as may be on their way, of a third none.
    move(page, 1e3)
    page.wait_for_function("window.framesHeld > 0")
    move(page, 1e5)
    page.wait_for_function(f"window.framesHeld === {AHEAD}")
    move(page, 1e7)
    expect(stage).to_have_attribute("data-behind", "")
    expect(stage).to_have_attribute("aria-busy", "true")
    page.wait_for_function("getComputedStyle(document.querySelector('.pk-panels')).opacity === '0.4'")
    move(page, 1e8)
    page.wait_for_timeout(300)
    assert len(page.evaluate(DRAWN)) <= AHEAD, "no more comes than the page has taken"
    page.evaluate("window.release()")
    settle(page, before)
    expect(stage).not_to_have_attribute("data-behind", "")
    page.wait_for_function("getComputedStyle(document.querySelector('.pk-panels')).opacity === '1'")
    expect(page.get_by_role("img", name="gap").first).to_be_visible()
    page.wait_for_url("**condition_number=100000000**")
    check_many_keys(page, settle)


# An answer with the whole state is held here for as long as the test likes, and the page's patience with it
# (4 s) has no end: on a busy machine it takes time until the answer is taken apart.
STALE = r"""(() => {
  const latin = new TextDecoder("latin1");
  const waiting = [];
  const later = setTimeout;
  window.setTimeout = (then, pause, ...given) => later(then, pause === 4000 ? 1e9 : pause, ...given);
  window.letGo = () => {
    const { length } = waiting;
    while (waiting.length) waiting.shift()();
    return length;
  };
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => {
        const text = typeof event.data === "string" ? event.data : latin.decode(event.data);
        if (!window.held || event.goesOn || !text.includes('"update_states"')) return;
        event.stopImmediatePropagation();
        const again = Object.assign(new MessageEvent("message", { data: event.data }), { goesOn: true });
        waiting.push(() => this.dispatchEvent(again));
        window.waits = true;
      });
    }
  };
})()"""
CUT = "() => { window.held = true; jupyterapp.widgetManager.kernel._ws.onclose(new CloseEvent('close')) }"


def test_the_state_of_a_line_that_is_there_again_overwrites_nothing_newer(page, served, settle, complaints):
    page.add_init_script(STALE)
    page.goto(served)
    serial = settle(page)
    page.evaluate(CUT)
    page.wait_for_function("window.waits")
    page.get_by_label("Start from").select_option("Sonar, LASSO")
    settle(page, serial)
    weight, kappa = (page.locator(f"[data-field={name}]") for name in ("lam", "condition_number"))
    expect(weight).to_be_visible()
    page.evaluate("window.held = false")
    assert page.evaluate("letGo()") == 1
    page.wait_for_timeout(1000)
    expect(weight).to_be_visible()
    expect(kappa).to_be_hidden()
    expect(page.get_by_label("Problem", exact=True)).to_have_value("lasso")
    page.get_by_label("Weight λ, number").fill("0.2")
    page.wait_for_url("**problem=lasso**lam=0.2**")
    assert complaints.pop().endswith("Connection lost, reconnecting in 0 seconds.")
