"""Links, copies, files and pins, used as a person would."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import polyak_core as pc

pytestmark = pytest.mark.browser

GAPS = """() => document.querySelector('.js-plotly-plot').data
    .filter(trace => trace.mode === 'lines').map(trace => [trace.name, [...trace.x], [...trace.y]])"""
SEEN = """() => { window.seen = [];
    const look = () => {
        const box = document.querySelector('.pk-kind-slider input[aria-label^="Restart"]');
        const sentence = document.querySelector('.pk-sentence')?.textContent;
        if (sentence) window.seen.push(sentence);
        const shown = box?.checkVisibility({visibilityProperty: true});
        if (shown && box.value) window.seen.push('gamma ' + box.value);
    };
    const all = {subtree: true, childList: true, characterData: true, attributes: true};
    new MutationObserver(look).observe(document, all); }"""
GAMMA = "Restart γ, number"
PAUSE = 700


def gaps(page: Page) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {name: (np.array(x, dtype=int), np.array(y)) for name, x, y in page.evaluate(GAPS) if name}


def lasso(gamma: float) -> pc.Trace:
    data = pc.load_dataset("sonar", scaling="center")
    return pc.solve(pc.lasso(data.X, data.y, 1.0), "restart", iterations=300, gamma=gamma)


def check(page: Page, gamma: float) -> None:
    k, gap = gaps(page)[f"Restart, γ = {gamma:g}"]
    np.testing.assert_allclose(gap, lasso(gamma).relative_gap[k], rtol=1e-6)


def tool(page: Page, name: str):
    return page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


def say(page: Page, words: str) -> None:
    expect(page.locator(".pk-said")).to_contain_text(words)


LINK = "?v=1&problem=lasso&gamma=5&iterations=300&methods=adapt_apg_v2,restart"


def test_a_link_is_the_first_picture_and_the_address_keeps_the_newest(page, served, settle):
    page.add_init_script(f"({SEEN})()")
    page.goto(served + LINK)
    settle(page)
    check(page, 5)
    pictures = page.evaluate("() => window.seen")
    assert {text for text in pictures if text.startswith("gamma")} == {"gamma 5"}
    assert not [text for text in pictures if "1\u202f038" in text], "the default picture was drawn"
    page.wait_for_timeout(PAUSE)
    assert page.url == served + LINK
    before = settle(page)
    page.get_by_label(GAMMA).fill("2")
    settle(page, before)
    page.wait_for_url(served + LINK.replace("&gamma=5", ""))
    page.reload()
    settle(page)
    check(page, 2)
    expect(page.get_by_label(GAMMA)).to_have_value("2")


def test_the_bare_address_stays_bare_until_something_changes(page, served, settle):
    page.goto(served + "?voila-theme=light")
    before = settle(page)
    page.wait_for_timeout(PAUSE)
    assert page.url == served + "?voila-theme=light"
    page.get_by_label("Iterations, number").fill("200")
    before = settle(page, before)
    page.wait_for_url(served + "?voila-theme=light&v=1&iterations=200")
    tool(page, "Reset").click()
    settle(page, before)
    page.wait_for_url(served + "?voila-theme=light&v=1")


def test_a_bad_address_gives_the_defaults_and_a_sentence(page, served, settle):
    page.goto(f"{served}?v=9&gamma=5")
    before = settle(page)
    notice = page.locator(".pk-notice")
    expect(notice).to_contain_text("of version '9'")
    expect(page.locator(".pk-sentence")).to_contain_text("1\u202f038")
    page.get_by_label(GAMMA).fill("3")
    settle(page, before)
    expect(notice).to_be_empty()
    page.wait_for_url(served + "?v=1&gamma=3")


@pytest.fixture
def query() -> str:
    """What `visited` opens here."""
    return LINK


def test_link_and_code_are_copied_and_the_code_runs(visited, served):
    page = visited
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tool(page, "Share").click()
    say(page, "Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == served + LINK
    tool(page, "QR code").click()
    code = page.get_by_role("dialog", name="QR code")
    expect(code).to_contain_text(served + LINK)
    expect(code.get_by_role("img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()
    tool(page, "Share").click()
    tool(page, "Frame for a course page").click()
    say(page, "Frame copied")
    frame = page.evaluate("navigator.clipboard.readText()")
    assert frame.startswith(f'<iframe src="{(served + LINK).replace("&", "&amp;")}"')
    assert len(frame.splitlines()) == 3
    tool(page, "Share").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Copy code for a notebook")).to_be_focused()
    page.keyboard.press("Enter")
    say(page, "Code copied")
    names: dict = {}
    exec(page.evaluate("navigator.clipboard.readText()"), names)
    for method, name in (("restart", "Restart, γ = 5"), ("adapt_apg_v2", "Adaptive v2")):
        k, gap = gaps(page)[name]
        np.testing.assert_allclose(gap, names["traces"][method].relative_gap[k], rtol=1e-6)


NO_CLIPBOARD = """Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true});
    document.execCommand = () => false"""
WITH_CLIPBOARD = "delete navigator.clipboard; delete document.execCommand"


def test_without_a_clipboard_the_link_stands_in_a_field(visited, served):
    page = visited
    page.evaluate(NO_CLIPBOARD)
    tool(page, "Share").click()
    field = page.get_by_label("Copy it from here")
    expect(field).to_have_value(served + LINK)
    expect(field).to_be_focused()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(field).to_be_hidden()
    page.evaluate(WITH_CLIPBOARD)


def save(page: Page, tmp_path, item: str):
    tool(page, "Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return path


def zoom(page: Page) -> tuple[float, float]:
    """Drag over a part of the first chart; the range of its x axis, which began at 0 and ended at 300."""
    box = page.locator(".pk-panel .nsewdrag").first.bounding_box()
    x, y, width, height = (box[name] for name in ("x", "y", "width", "height"))
    page.mouse.move(x + 0.3 * width, y + 0.2 * height)
    page.mouse.down()
    page.mouse.move(x + 0.7 * width, y + 0.8 * height, steps=4)
    page.mouse.up()
    span = "() => document.querySelector('.pk-panel .js-plotly-plot')._fullLayout.xaxis.range"
    page.wait_for_function(f"() => ({span})()[0] > 10")
    low, high = page.evaluate(span)
    assert high < 290
    return low, high


def test_every_file_is_saved_and_right(visited, visit, browser, complaints, served, tmp_path):
    page = visited
    expected = lasso(5).gap
    lines = save(page, tmp_path, "CSV").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    got = [float(row["gap"]) for row in rows if row["method"] == "restart"]
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    content = json.loads(save(page, tmp_path, "JSON").read_text())
    np.testing.assert_allclose(pc.Trace.from_dict(content["traces"]["restart"]).gap, expected, rtol=1e-6)
    low, high = zoom(page)
    svg = ElementTree.fromstring(save(page, tmp_path, "SVG").read_text())
    chart = next(node for node in svg.iter() if node.get("class") == "main-svg")
    ticks = ["".join(node.itertext()) for node in chart.iter() if node.get("class") == "xtick"]
    shown = [float(tick.replace("\u2009", "")) for tick in ticks]
    assert len(shown) > 1
    assert all(low <= tick <= high for tick in shown), (
        "a picture shows the part that the reader has zoomed into"
    )
    text = " ".join("".join(node.itertext()) for node in svg.iter() if node.tag.endswith("}text"))
    for words in (
        "Restart, γ = 5",
        "Adaptive v2",
        "Relative gap",
        "iteration k",
        "LASSO",
    ):
        assert words in text
    png = save(page, tmp_path, "PNG")
    assert png.name.startswith("polyak-sonar-lasso-gamma-5-iterations-300-")
    assert f"{served}?v=1&problem=lasso" in text
    width = int.from_bytes(png.read_bytes()[16:20], "big")
    assert width == 2 * int(svg.get("width"))
    open_file(browser, complaints, save(page, tmp_path, "HTML"), expected)
    visit.leave()  # no reset takes the zoom back


def open_file(browser, complaints, path, expected):
    """The page from disk, with no network: its curves, light and dark; without scripts the table."""
    for scheme in ("light", "dark"):
        context = browser.new_context(offline=True, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith(("http", "ws")) and complaints.append(r.url))
        page.goto(path.as_uri())
        page.wait_for_selector('[data-drawn-whole="true"]')
        k, gap = gaps(page)["Restart, γ = 5"]
        np.testing.assert_allclose(gap, expected[k] / expected[0], rtol=1e-6)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
        context.close()
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("table")).to_contain_text("Adaptive v2")
    context.close()


def test_a_pinned_curve_stays_and_can_go(visited, visit, settle):
    page = visited
    before = settle(page)
    tool(page, "Pin").click()
    expect(page.locator(".pk-pins")).to_contain_text("what is drawn now")
    before = settle(page, before)
    page.get_by_label(GAMMA).fill("2")
    settle(page, before)
    expect(page.locator(".pk-pins")).to_contain_text("γ = 5")
    k, gap = gaps(page)["A: γ = 5"]
    np.testing.assert_allclose(gap, lasso(5).relative_gap[k], rtol=1e-6)
    check(page, 2)
    old = page.get_by_role("rowheader", name="Restart, γ = 5", exact=True)
    expect(old).to_have_count(0)
    page.get_by_role("button", name="A γ = 5").click()
    expect(old).to_be_visible()
    page.get_by_role("button", name="Remove pin A").click()
    expect(page.locator(".pk-pins")).to_be_hidden()
    visit.leave()  # a reset leads to the defaults, not to the link
