"""What is not as usual on the served page: names, chips that take it back, groups, files, paper."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

CHIP = ".pk-chip"
WORDS = ["f* too low by 10⁻⁶ of the initial gap", "L given\u00a0=\u00a02 L", "μ given\u00a0=\u00a0μ/2"]


def choose_what_ifs(page: Page) -> None:
    page.locator(".pk-controls summary", has_text="What if").click()
    page.get_by_label("f* that is given", exact=True).select_option("too_low")
    page.get_by_label("L given / true L, number", exact=True).fill("2")
    page.get_by_label("μ given / true μ, number", exact=True).fill("0.5")
    page.locator(".pk-controls summary", has_text="What if").click()


def test_a_picture_says_what_is_not_as_usual_and_takes_it_back(visited, settle, tmp_path):
    expect(visited).to_have_title("Quadratic, log-spaced, κ = 10\u202f000, n = 100 – Polyak Explorer")
    expect(visited.locator(".pk-unusual")).to_be_hidden()
    choose_what_ifs(visited)
    expect(visited.locator(CHIP)).to_have_text([f"{words}×" for words in WORDS])
    settle(visited)
    legend = visited.locator(".pk-legend > *, .pk-label")
    for name in ("APG, given μ/2", "Adaptive v2, f* too low by 10⁻⁶", "FISTA"):
        expect(visited.locator(".pk-check", has_text=name).first).to_be_visible()
        expect(visited.locator(".pk-results th", has_text=name).first).to_be_visible()
        expect(legend.filter(has_text=name).filter(visible=True).first).to_be_visible()
    summary = visited.locator(".pk-controls summary", has_text="What if")
    expect(summary.locator(".pk-changes")).to_have_text(" · ".join(WORDS))
    expect(visited).to_have_title(re.compile("; L given = 2 L; μ given = μ/2 – Polyak Explorer$"))
    assert Axe().run(visited, context=".pk-unusual").response["violations"] == []

    check_files(visited, tmp_path)
    check_paper(visited)

    visited.get_by_role("button", name="Take back: L given = 2 L").press("Enter")
    expect(visited.locator(CHIP)).to_have_count(2)
    expect(visited.get_by_role("button", name="Take back: μ given = μ/2")).to_be_focused()
    visited.keyboard.press("Enter")
    expect(visited.locator(CHIP)).to_have_count(1)
    visited.keyboard.press("Enter")
    expect(visited.locator(".pk-unusual")).to_be_hidden()
    expect(visited.locator(".pk-sentence")).to_be_focused()
    expect(visited.locator(".pk-check", has_text="APG, true μ")).to_be_visible()
    expect(summary.locator(".pk-changes")).to_be_hidden()
    expect(visited.get_by_label("f* that is given", exact=True)).to_have_value("exact")


def check_files(page: Page, tmp_path: Path) -> None:
    """A picture and a page of their own have the same words, the page without buttons for them."""
    plain = [words.replace("\u00a0", " ") for words in WORDS]
    svg = ElementTree.fromstring(save(page, tmp_path, "SVG").read_text())
    texts = " ".join("".join(node.itertext()) for node in svg.iter() if node.tag.endswith("}text"))
    assert f"Unusual settings: {' · '.join(plain)}" in texts.replace("\u00a0", " ")
    path = save(page, tmp_path, "HTML")
    assert f"Unusual settings: {' · '.join(plain)}." in path.read_text()
    alone = page.context.new_page()
    alone.goto(path.as_uri())
    alone.wait_for_selector('[data-drawn-whole="true"]')
    expect(alone.locator(CHIP)).to_have_text(WORDS)
    expect(alone).to_have_title(re.compile("μ given = μ/2 – Polyak Explorer$"))
    alone.close()


def save(page: Page, tmp_path: Path, item: str) -> Path:
    page.locator(".pk-toolbar").get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return path


def check_paper(page: Page) -> None:
    page.emulate_media(media="print")
    expect(page.locator(CHIP).first).to_be_visible()
    expect(page.locator(f"{CHIP} button").first).to_be_hidden()
    page.emulate_media(media="screen")
