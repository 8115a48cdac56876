"""The page without a server in a Firefox as it is shipped, and what axe-core finds in Chromium."""

from __future__ import annotations

import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from firefox import Firefox

pytestmark = [pytest.mark.browser, pytest.mark.pyodide, pytest.mark.faults]

ALIVE = "'alive' in document.body.dataset"
SETTLED = """(() => { const { drawnSerial, drawnWhole } = document.querySelector('#stage').dataset;
    return drawnSerial > 0 && drawnWhole === 'true' })()"""
SERIOUS = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join(' '))])"""


@pytest.mark.firefox
def test_firefox_computes_and_follows_a_slider(host, tmp_path, monkeypatch):
    monkeypatch.setattr("firefox.PATIENCE", 240.0)
    program = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    window = Firefox(program, tmp_path)
    try:
        window.open(host.address)
        window.wait(f"{ALIVE} && {SETTLED}")
        assert "1\N{NARROW NO-BREAK SPACE}038" in window.evaluate(
            "document.querySelector('.pk-sentence').innerText"
        )
        first = int(window.evaluate("Number(document.querySelector('#stage').dataset.drawnSerial)"))
        window.click("[data-field=condition_number] input[type=range]")
        window.press("Right", "Right")
        window.wait(f"{SETTLED} && document.querySelector('#stage').dataset.drawnSerial > {first}")
        assert window.complaints == []
    finally:
        window.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (390, 844)])
def test_axe_finds_nothing_serious(browser, host, until, scheme, size):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    host.answers = {"course/polyak/worker.js": None}
    for wait in ("() => document.querySelector('.pk-waking[data-wrong]')", f"() => {ALIVE} && {SETTLED}"):
        page.goto(host.address)
        until(page, f"() => Boolean(({wait})())")
        page.evaluate(Axe().axe_script)
        assert page.evaluate(SERIOUS) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        host.answers = {}
    context.close()
