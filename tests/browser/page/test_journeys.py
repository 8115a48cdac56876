"""Three people use the page from end to end: a lecturer, a student, a researcher."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import polyak_core as pc

pytestmark = pytest.mark.browser

LAST_GAPS = """() => Object.fromEntries([document.querySelector('.pk-stage .js-plotly-plot')]
    .flatMap(chart => chart.data.filter(trace => trace.mode === 'lines' && trace.name)
    .map(trace => [trace.name, trace.y[trace.y.length - 1]])))"""
TEXT_SIZE = "() => parseFloat(getComputedStyle(document.querySelector('.pk-sentence')).fontSize)"
RNG = np.random.default_rng(3)
X = RNG.standard_normal((80, 6)) * [1, 2, 3, 5, 8, 13]
Y = X @ RNG.standard_normal(6) + RNG.standard_normal(80)


def last_gaps(page: Page) -> dict[str, float]:
    return page.evaluate(LAST_GAPS)


def tool(page: Page, name: str):
    return page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


def choose(page: Page, menu: str, entry: str) -> None:
    tool(page, menu).click()
    page.get_by_role("menuitem", name=entry).click()


def test_a_lecturer_opens_a_story_lets_the_class_predict_reveals_and_projects(page, served, settle):
    page.goto(served)
    before = settle(page)
    choose(page, "Stories", "What does a missing 4 cost?")
    before = settle(page, before)
    story = page.get_by_role("region", name="Story")
    expect(story).to_contain_text("How many iterations does the method take as printed")
    assert set(last_gaps(page)) == {"FISTA", "Proximal gradient"}, "the answer is not on the screen yet"
    lock = story.get_by_role("button", name="Lock my prediction")
    expect(
        lock
    ).to_be_disabled()  # a number that stands there from the first would draw all guesses towards it
    story.get_by_label("Your prediction").press("PageUp")
    story.get_by_label("Your prediction").press("PageDown")
    lock.click()
    expect(story).to_contain_text("Why:", timeout=60_000)  # three long runs are measured first
    settle(page, before)
    printed = pc.solve(pc.quadratic(pc.spectrum("log", 50, 1e4)), "fista_printed", 20_000)
    words = f"{printed.first_below(1e-6):,}".replace(",", "\u202f")
    expect(story).to_contain_text(
        f"You said 2\u202f236 iterations: too low by a factor of 6. {words} iterations"
    )
    assert last_gaps(page)["FISTA as printed"] == pytest.approx(printed.relative_gap[-1], rel=1e-6, abs=0)
    expect(story.get_by_role("button", name="Lock my prediction")).to_have_count(0)
    page.get_by_role("button", name="Present", exact=True).click()
    expect(page.locator(".pk-stage")).to_have_attribute("data-present", "")
    assert page.evaluate(TEXT_SIZE) >= 18
    page.wait_for_url("**story=misprint**")
    page.goto(served + "?v=1&story=misprint&present=on")  # as she writes it into her slides
    settle(page)
    expect(page.locator(".pk-stage")).to_have_attribute("data-present", "")
    expect(tool(page, "Leave")).to_be_visible()
    expect(story).to_contain_text("How many iterations does the method take as printed")


def test_a_student_opens_a_shared_link_changes_gamma_and_takes_the_numbers_home(page, served, settle):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(served + "?v=1&problem=lasso&gamma=5&iterations=400&methods=adapt_apg_v2,restart")
    before = settle(page)
    data = pc.load_dataset("sonar", scaling="center")
    lasso = pc.lasso(data.X, data.y, 1.0)
    assert last_gaps(page)["Restart, γ = 5"] == pytest.approx(
        pc.solve(lasso, "restart", 400, gamma=5).relative_gap[-1], rel=1e-6, abs=0
    )
    box = page.get_by_label("Restart γ, number")
    box.scroll_into_view_if_needed()
    box.fill("0.5")
    settle(page, before)
    with page.expect_download() as waiting:
        choose(page, "Export", "Numbers, CSV")
    name = r"polyak-sonar-lasso-gamma-0\.5-iterations-400-[0-9a-f]{8}\.csv"
    assert re.fullmatch(name, waiting.value.suggested_filename), "a file is named after what differs"
    text = waiting.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line[0] != "#"))))
    gap = [float(row["gap"]) for row in rows if row["method"] == "restart"]
    np.testing.assert_allclose(gap, pc.solve(lasso, "restart", 400, gamma=0.5).gap, rtol=1e-6)


def test_a_researcher_brings_a_csv_compares_and_copies_the_code(page, served, settle, tmp_path):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(served + "?v=1&methods=adapt_apg_v2,fista")
    before = settle(page)
    file = tmp_path / "measured.csv"
    np.savetxt(file, np.column_stack([X, Y]), delimiter=",")
    page.get_by_label("Start from").select_option("Synthetic, least squares")
    before = settle(page, before)
    page.locator(".pk-controls summary", has_text="Own data").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    before = settle(page, before)
    expect(page.get_by_label("Data set", exact=True)).to_have_value("own")
    page.get_by_label("Iterations, number").fill("10")
    before = settle(page, before)
    data = pc.load_dataset(file, scaling="standardize")
    first = pc.solve(pc.least_squares(data.X, Y), "adapt_apg_v2", 10)
    assert last_gaps(page)["Adaptive v2"] == pytest.approx(first.relative_gap[-1], rel=1e-5, abs=0)
    tool(page, "Pin").click()
    before = settle(page, before)
    page.get_by_role("radio", name="centred κ").check(force=True)
    settle(page, before)
    assert last_gaps(page)["A: standardised"] == pytest.approx(first.relative_gap[-1], rel=1e-5, abs=0)
    choose(page, "Export", "Copy code for a notebook")
    expect(page.locator(".pk-said")).to_contain_text("Code copied")
    code = page.evaluate("() => navigator.clipboard.readText()")
    assert "measured.csv" in code
    names: dict[str, object] = {}
    exec(code.split("# or the page")[0].replace("measured.csv", str(file)), names)
    drawn = last_gaps(page)["Adaptive v2"]
    assert names["traces"]["adapt_apg_v2"].relative_gap[-1] == pytest.approx(drawn, rel=1e-5, abs=0)
