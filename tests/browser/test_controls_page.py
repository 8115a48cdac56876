"""The rail on the served page: presets, what applies, keys, what-if, own data right and wrong."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import polyak_core as pc

pytestmark = pytest.mark.browser

SETTLED = """after => { const stage = document.querySelector('.pk-stage');
    return stage?.dataset.drawnWhole === 'true' && Number(stage.dataset.drawnSerial) > after }"""
SERIAL = "() => Number(document.querySelector('.pk-stage').dataset.drawnSerial)"
LAST_GAP = """name => { for (const chart of document.querySelectorAll('.js-plotly-plot'))
    for (const trace of chart.data) if (trace.name === name) return trace.y[trace.y.length - 1] }"""
IN_VIEW = """() => [...document.querySelectorAll('.pk-controls .pk-field')]
    .filter(field => field.checkVisibility())
    .map(field => field.querySelector('.pk-label-text').textContent.replace(/[?]?(allnone)?$/, ''))"""
SMALL = """() => [...document.querySelectorAll('.pk-controls :is(button, input, select, summary, .pk-check)')]
    .filter(node => node.checkVisibility() && node.type !== 'checkbox')
    .map(node => [node.getBoundingClientRect(), node.textContent || node.ariaLabel])
    .filter(([box]) => box.width < 24 || box.height < 24).map(([, name]) => name)"""
RNG = np.random.default_rng(8)
X = RNG.standard_normal((60, 5)) * [1, 2, 3, 4, 5]
Y = np.where(X @ [1, 1, 0, 0, 0] > 0, 1, -1)


def settle(page: Page, after: int = 0) -> int:
    """Wait for a settled picture newer than `after`; its number."""
    page.wait_for_function(SETTLED, arg=after)
    return int(page.evaluate(SERIAL))


def changed(page: Page, change) -> None:
    """Do something, and wait for the picture of it."""
    before = settle(page)
    change()
    settle(page, before)


def control(page: Page, label: str):
    return page.get_by_label(label, exact=True)


def unfold(page: Page, *titles: str) -> None:
    for title in titles:
        page.locator(".pk-controls summary", has_text=title).click()


def last_gap(page: Page, name: str) -> float:
    return float(page.evaluate(LAST_GAP, name))


def csv(labels) -> bytes:
    rows = zip(X.tolist(), list(labels), strict=True)
    return "\n".join(",".join(map(str, [*row, label])) for row, label in rows).encode()


def bring(page: Page, name: str, content: bytes) -> None:
    """Choose a file by the dialogue of the browser."""
    with page.expect_file_chooser() as opened:
        page.get_by_role("button", name="Choose a file").click()
    opened.value.set_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


@pytest.fixture
def first(page, served):
    page.goto(served)
    settle(page)
    return page


def test_six_controls_at_first_and_targets_large_enough(first):
    names = ["Problem", "Condition number L/μ", "μ₀ / L", "Restart γ", "Iterations", "Methods"]
    assert first.evaluate(IN_VIEW) == names
    titles = ["Spectrum and size", "Estimate, start and end", "What if", "Own data"]
    assert first.locator(".pk-controls summary").filter(visible=True).all_text_contents() == titles
    unfold(first, *titles)
    assert first.evaluate(SMALL) == []


def test_a_preset_sets_its_problem_and_says_when_it_is_left(first):
    presets = control(first, "Presets")
    assert presets.evaluate("node => node.selectedOptions[0].text") == "Quadratic, κ = 10⁴"
    changed(first, lambda: presets.select_option("Musk, LASSO"))
    assert control(first, "Problem").input_value() == "lasso"
    assert control(first, "Data set").input_value() == "musk"
    assert control(first, "Weight λ, number").input_value() == "100"
    trace = pc.solve(pc.paper_problem("musk", "lasso"), "adapt_apg_v2", iterations=1500)
    assert last_gap(first, "Adaptive v2") == pytest.approx(trace.gap[-1], rel=1e-6)
    changed(first, lambda: control(first, "Weight λ, number").fill("90"))
    assert presets.evaluate("node => node.selectedOptions[0].text") == "own choice"
    changed(first, lambda: presets.select_option("Quadratic, κ = 10⁴"))
    assert first.evaluate(IN_VIEW)[1] == "Condition number L/μ"


def test_a_weight_follows_the_paper_until_it_is_set(first):
    weight = control(first, "Weight λ, number")
    changed(first, lambda: control(first, "Problem").select_option("logistic"))
    assert weight.input_value() == "0.004"
    changed(first, lambda: control(first, "Data set").select_option("musk"))
    assert weight.input_value() == "100"
    changed(first, lambda: weight.fill("50"))
    changed(first, lambda: control(first, "Problem").select_option("lasso"))
    assert weight.input_value() == "50", "a weight that was set stays"
    changed(first, lambda: first.get_by_role("button", name="the paper’s: set Weight λ").click())
    assert weight.input_value() == "100"


def test_what_if_f_star_is_too_high_and_L_is_wrong(first):
    unfold(first, "What if")
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    changed(first, lambda: control(first, "f* that is given").select_option("too_high"))
    changed(first, lambda: control(first, "f* off by δ, number").fill("1e-4"))
    told = 1e-4 * problem.gap(problem.x0)
    trace = pc.solve(problem, "adapt_apg_v2", iterations=1500, f_star=told)
    assert last_gap(first, "Adaptive v2") == pytest.approx(trace.gap[-1], rel=1e-6)
    changed(first, lambda: control(first, "L given / true L, number").fill("0.5"))
    expect(first.locator(".pk-results")).to_contain_text("bouncing")
    expect(first.locator("[aria-label='Page'] + *, .pk-results").last).to_contain_text("diverged")


def test_options_that_are_not_for_a_problem_say_why(first):
    unfold(first, "Estimate, start and end")
    start = control(first, "Start x₀")
    changed(first, lambda: start.select_option("no_slow"))
    changed(first, lambda: control(first, "Problem").select_option("lasso"))
    expect(first.locator(".pk-field", has=start)).to_contain_text("The usual start is taken")
    option = start.locator("option", has_text="slowest")
    expect(option).to_be_disabled()
    expect(option).to_contain_text("only for a quadratic and least squares")


def test_own_data_right_and_wrong(first):
    unfold(first, "Own data")
    field = first.locator(".pk-kind-upload")
    changed(first, lambda: bring(first, "wine.csv", csv(Y)))
    assert control(first, "Problem").input_value() == "logistic"
    assert control(first, "Data set").input_value() == "own"
    expect(field).to_contain_text("60 rows × 5 features")
    data = pc.dataset(X, Y)
    lam = float(control(first, "Weight λ, number").input_value())
    trace = pc.solve(pc.logistic(data.X, data.y, lam), "apg", iterations=1500)
    assert last_gap(first, "APG, true μ") == pytest.approx(trace.gap[-1], rel=1e-6, abs=1e-25)
    drawn = first.evaluate(SERIAL)
    for name, content, words in [
        ("wine.xlsx", b"x", "does not end in .csv"),
        ("wine.csv", b"", "is empty"),
        ("wine.csv", b"1" * 5_000_001, "5 MB at most"),
        ("wine.csv", b"1,2,1\n3,4\n", "ragged: line 2"),
        ("wine.npz", b"PK", "not a file of numpy.savez"),
        ("wine.csv", b"1,1\n" * 1_000_000, "rows, and the page takes"),
    ]:
        bring(first, name, content)
        expect(field.locator(".pk-problem")).to_contain_text(words)
    assert first.evaluate(SERIAL) == drawn, "the picture stays"
    changed(first, lambda: bring(first, "three.csv", csv(np.arange(60) % 3)))
    expect(field.locator(".pk-problem")).to_be_empty()
    assert control(first, "Problem").input_value() == "least_squares"
    control(first, "Problem").select_option("svm_dual")
    expect(first.get_by_role("alert").first).to_contain_text("3 classes")


def test_by_keyboard_alone(first):
    button = first.get_by_role("button", name="Choose a file")
    summary = first.locator(".pk-controls summary", has_text="Own data")
    summary.focus()
    first.keyboard.press("Enter")
    first.keyboard.press("Tab")
    first.keyboard.press("Tab")
    expect(button).to_be_focused()
    with first.expect_file_chooser() as opened:
        first.keyboard.press("Enter")
    changed(
        first, lambda: opened.value.set_files({"name": "w.csv", "mimeType": "text/csv", "buffer": csv(Y)})
    )
    control(first, "Presets").focus()
    changed(first, lambda: first.keyboard.press("Home"))
    assert control(first, "Problem").input_value() == "quadratic"
