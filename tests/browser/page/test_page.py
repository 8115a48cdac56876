"""The served page, used as a person would: every picture is the core's, no complaint anywhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from polyak_widgets.numbers import typed_number
from polyak_widgets.panels.frame import SETTLED_POINTS
from polyak_widgets.panels.words.words import label as label_of
from polyak_widgets.settings.settings import Settings

import polyak_core as pc

pytestmark = pytest.mark.browser

READ = """() => JSON.stringify([...document.querySelectorAll('.pk-panel .js-plotly-plot')].map(chart =>
    chart.data.map(({name, mode, x, y}) => ({name, mode, x: [...x], y: [...y]}))))"""
"""As one text: a driver takes long for many numbers."""
SERIAL = "() => Number(document.querySelector('.pk-stage')?.dataset.drawnSerial ?? 0)"
SETTLED = """after => { const stage = document.querySelector('.pk-stage');
    return stage?.dataset.drawnWhole === 'true' && Number(stage.dataset.drawnSerial) > after }"""
KWARGS = {"adapt_apg": {"mu0": 0.5}, "restart": {"gamma": 2.0}}
NAMES = {
    "apg": "APG, true μ",
    "adapt_apg_v2": "Adaptive v2",
    "adapt_apg": "AdaptAPG",
    "restart": "Restart, γ = 2",
    "fista": "FISTA",
    "pgd": "Proximal gradient",
}


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    settle(page)
    assert "error when executing" not in page.content().lower()


def settle(page: Page, after: int = 0) -> int:
    """Wait for a settled picture newer than `after`; its number."""
    page.wait_for_function(SETTLED, arg=after)
    return int(page.evaluate(SERIAL))


def curves(page: Page) -> list[dict[str, dict[str, Any]]]:
    """For both charts what is drawn, by name."""
    charts = json.loads(page.evaluate(READ))
    return [{curve["name"]: curve for curve in chart if curve["mode"] == "lines"} for chart in charts]


def control(page: Page, label: str):
    return page.get_by_label(label, exact=True)


def same(drawn: dict[str, Any], expected: np.ndarray) -> None:
    """Every drawn point is the core's number at that iteration; only a long run is thinned."""
    k = np.asarray(drawn["x"], dtype=int)
    assert (k[0], k[-1]) == (0, len(expected) - 1)
    assert len(expected) > SETTLED_POINTS or len(k) == len(expected), "a short run is drawn whole"
    assert len(k) > min(len(expected), SETTLED_POINTS) / 2
    value = expected[k]
    got = np.array([np.nan if y is None else y for y in drawn["y"]], dtype=float)
    np.testing.assert_allclose(got, value, rtol=1e-7, equal_nan=True)  # another process, another BLAS


def check_gaps(page: Page, problem: pc.Problem, iterations: int = 1500, **changed: dict[str, float]) -> None:
    """All six default curves against the core, called directly."""
    drawn = curves(page)[0]
    keywords = KWARGS | changed
    keywords["adapt_apg"] = {"mu0": keywords["adapt_apg"]["mu0"] * problem.L}
    for method, name in NAMES.items():
        if method == "restart":
            name = f"Restart, γ = {keywords['restart']['gamma']:g}"  # noqa: PLW2901
        if "adapt_apg" in changed and method == "adapt_apg":
            name = label_of(method, Settings(mu0=changed[method]["mu0"]))  # noqa: PLW2901
        trace = pc.solve(problem, method, iterations=iterations, **keywords.get(method, {}))
        same(drawn[name], trace.relative_gap)


def log_quadratic(condition_number: float) -> pc.Problem:
    return pc.quadratic(pc.spectrum("log", 100, condition_number))


def number_in(page: Page, label: str) -> float:
    return typed_number(control(page, f"{label}, number").input_value())


def test_the_first_picture_is_the_cores_and_plotly_is_fetched_once(page, served):
    open_page(page, served)
    check_gaps(page, log_quadratic(1e4))
    v2 = pc.solve(log_quadratic(1e4), "adapt_apg_v2", iterations=1500)
    mu = curves(page)[1]
    same(mu["μₖ Adaptive v2"], v2.mu)
    same(mu["μ̂ at yₖ, Adaptive v2"], v2.mu_hat)
    same(mu["μ_loc(xₖ), Adaptive v2"], v2.mu_loc)
    assert set(mu["true μ = 10⁻⁴"]["y"]) == {1e-4}
    expect(page.locator(".pk-status")).to_contain_text("All six stopped at 1\u202f500 iterations")
    expect(page.locator(".pk-sentence")).to_contain_text("takes 1\u202f038: 26\u202f% more")
    (size,) = page.evaluate(FETCHED)
    assert size > 1e6
    assert page.evaluate("() => 'Plotly' in globalThis")
    page.goto("about:blank")
    open_page(page, served)
    assert page.evaluate(FETCHED) == [0], "it was fetched again"


def test_the_condition_number_by_keyboard(visited):
    before = settle(visited)
    slider = control(visited, "Condition number L/μ")
    slider.focus()
    visited.keyboard.press("PageDown")
    settle(visited, before)
    kappa = number_in(visited, "Condition number L/μ")
    assert kappa == pytest.approx(1e3)
    check_gaps(visited, log_quadratic(kappa))


def test_mu0_by_its_landmark_and_gamma_by_its_box(visited):
    before = settle(visited)
    visited.get_by_role("button", name="μ: set μ₀ / L").click()
    before = settle(visited, before)
    check_gaps(visited, log_quadratic(1e4), adapt_apg={"mu0": 1e-4})
    box = control(visited, "Restart γ, number")
    box.click()
    box.press("Control+a")
    box.press_sequentially("5")
    settle(visited, before)
    expect(box).to_be_focused()
    check_gaps(visited, log_quadratic(1e4), adapt_apg={"mu0": 1e-4}, restart={"gamma": 5.0})


def test_the_problem_by_keyboard_and_what_does_not_apply_goes(visited):
    before = settle(visited)
    expect(control(visited, "Condition number L/μ")).to_be_visible()
    control(visited, "Start from").focus()
    visited.keyboard.press("S")
    settle(visited, before)
    assert number_in(visited, "Iterations") == 8000
    check_gaps(visited, pc.paper_problem("sonar", "least_squares"), iterations=8000)
    expect(control(visited, "Condition number L/μ")).to_be_hidden()
    expect(control(visited, "Spectrum")).to_be_hidden()


def test_methods_and_iterations(visited):
    before = settle(visited)
    visited.get_by_role("checkbox", name="FISTA", exact=True).uncheck()
    before = settle(visited, before)
    assert "FISTA" not in curves(visited)[0]
    box = control(visited, "Iterations, number")
    box.fill("300")
    settle(visited, before)
    drawn = curves(visited)[0]
    trace = pc.solve(log_quadratic(1e4), "adapt_apg_v2", iterations=300)
    same(drawn["Adaptive v2"], trace.relative_gap)
    assert len(drawn) == len(NAMES) - 1


BAD = [
    ("Condition number L/μ", "0.5", "from 1 to 10¹²"),
    ("Condition number L/μ", "nan", "from 1 to 10¹²"),
    ("μ₀ / L", "2", "above 0, at most 1"),
    ("Restart γ", "-1", "above 0, at most 100"),
    ("Iterations", "0", "from 1 to 100\u202f000"),
    ("Iterations", "1000000000", "from 1 to 100\u202f000"),
]


def test_bad_input_is_said_and_the_picture_stays(visited):
    shown = visited.evaluate(READ)
    for label, typed, words in BAD:
        box = control(visited, f"{label}, number")
        good = box.input_value()
        box.fill(typed)
        expect(visited.get_by_role("alert")).to_contain_text(words)
        expect(box).to_have_attribute("aria-invalid", "true")
        assert visited.evaluate(READ) == shown
        box.fill(good)
        expect(visited.get_by_role("alert")).to_be_empty()
        expect(box).not_to_have_attribute("aria-invalid", "true")
        assert visited.evaluate(READ) == shown


def test_an_own_spectrum(visited):
    before = settle(visited)
    visited.locator(".pk-controls summary", has_text="Spectrum and size").click()
    control(visited, "Spectrum").select_option("own")
    before = settle(visited, before)
    own = control(visited, "Eigenvalues")
    own.fill("1, 0.3, -0.01")
    expect(visited.get_by_role("alert")).to_contain_text("'-0.01' is not an eigenvalue")
    own.fill("1, 0.3, 0.01")
    settle(visited, before)
    same(
        curves(visited)[0]["AdaptAPG"],
        pc.solve(pc.quadratic([1, 0.3, 0.01]), "adapt_apg", iterations=1500).relative_gap,
    )


def test_a_dragged_slider_redraws_while_it_moves(visited):
    before = settle(visited)
    slider = control(visited, "Condition number L/μ")
    place = slider.bounding_box()
    middle = place["y"] + place["height"] / 2
    visited.mouse.move(place["x"] + place["width"] / 2, middle)
    visited.mouse.down()
    drawn = set()
    for step in range(400):
        visited.mouse.move(place["x"] + place["width"] * (0.6 + 0.1 * np.sin(step / 10)), middle)
        visited.wait_for_timeout(25)
        drawn.add(visited.evaluate(SERIAL))
        if step >= 40 and len(drawn) > 6:  # a busy machine needs more steps
            break
    assert len(drawn) > 5, "pictures came while the finger was on the slider"
    before = max(drawn)
    visited.mouse.move(place["x"] + place["width"] * 0.74, middle)
    visited.mouse.up()
    settle(visited, before)
    visited.wait_for_timeout(300)
    settle(visited)
    kappa = number_in(visited, "Condition number L/μ")
    assert kappa > 1e5
    expected = pc.solve(log_quadratic(kappa), "adapt_apg_v2", iterations=1500).relative_gap
    np.testing.assert_allclose(
        curves(visited)[0]["Adaptive v2"]["y"], expected, rtol=0.05
    )  # the box rounds kappa


def test_on_a_phone_the_table_fits_even_with_long_outcomes(page, served):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, served)
    check_nothing_is_cut_off(page)
    before = settle(page)
    page.get_by_role("button", name="All controls").click()
    control(page, "Start from").select_option("Sonar, SVM")
    settle(page, before)
    table = page.locator(".pk-scroll")
    expect(table).to_contain_text("precision floor")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


SIZES = [(390, 844), (1280, 720), (1920, 1080)]
OUTSIDE = """() => [...document.querySelectorAll('.pk-labels text')].filter(text => {
    const card = text.closest('.pk-panel, .pk-card');
    const [inner, outer] = [text, card].map(node => node.getBoundingClientRect());
    return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top;
}).map(text => text.textContent)"""
FITTED = """() => [...document.querySelectorAll('.pk-chart')].filter(chart => chart._fullLayout)
    .every(({ _fullLayout: drawn, clientWidth, clientHeight }) =>
        drawn.width === clientWidth && drawn.height === clientHeight)"""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def check_nothing_is_cut_off(page: Page) -> None:
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OUTSIDE) == []


def test_nothing_is_cut_off(visited):
    assert visited.evaluate("() => document.body.dataset.jpThemeLight") == "true"
    for width, height in SIZES:
        visited.set_viewport_size({"width": width, "height": height})
        visited.wait_for_function(FITTED)
        visited.evaluate(FRAMES)
        check_nothing_is_cut_off(visited)


FETCHED = """() => performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('plotly.min.js')).map(({ transferSize }) => transferSize)"""


def test_it_is_clean_without_our_settings_too(page, served_plainly):
    open_page(page, served_plainly)
    assert page.evaluate(FETCHED) == [], "without them plotly comes through the socket"
    check_gaps(page, log_quadratic(1e4))
