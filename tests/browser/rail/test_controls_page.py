"""The rail on the served page: presets, what applies, keys, what-if, own data right and wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
QUERY = "location.search"
ADDRESS = """kappa => !location.search.includes('gamma')
    && location.search.includes('condition_number=1000') === kappa"""
SMALL = """() => [...document.querySelectorAll(
    '.pk-controls :is(button, input, select, summary, .pk-check):not(.pk-skip)')]
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


def digits(text: str) -> int:
    """The whole number in a box, whatever stands between its thousands."""
    return int("".join(filter(str.isdigit, text)))


def few_iterations(page: Page) -> None:
    """What is tested does not depend on their number, and fewer are quicker."""
    control(page, "Iterations, number").fill("100")


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
def alone(page, served):
    """A page whose data of its own no reset takes away."""
    page.on("filechooser", lambda chooser: None)  # from now on, or else a quick key comes before the listener
    page.goto(served)
    settle(page)
    return page


def test_few_controls_at_first_and_targets_large_enough(visited):
    names = ["Condition number L/μ", "μ₀ / L", "Restart γ", "Iterations", "Methods"]
    assert visited.evaluate(IN_VIEW) == names
    titles = ["Spectrum and size", "Estimate, start and end", "What if", "Own data"]
    assert visited.locator(".pk-controls summary").filter(visible=True).all_text_contents() == titles
    unfold(visited, *titles)
    assert visited.evaluate(SMALL) == []


def test_a_preset_sets_its_problem_and_says_when_it_is_left(visited):
    presets = control(visited, "Start from")
    assert presets.evaluate("node => node.selectedOptions[0].text") == "Quadratic, κ = 10⁴"
    changed(visited, lambda: presets.select_option("Musk, LASSO"))
    assert control(visited, "Problem").input_value() == "lasso"
    assert control(visited, "Data set").input_value() == "musk"
    assert control(visited, "Weight λ, number").input_value() == "100"
    assert digits(control(visited, "Iterations, number").input_value()) == 5000, "it brings its iterations"
    assert "Musk, SVM (about 15 s)" in presets.locator("option").all_text_contents()
    trace = pc.solve(pc.paper_problem("musk", "lasso"), "adapt_apg_v2", iterations=5000)
    assert last_gap(visited, "Adaptive v2") == pytest.approx(trace.relative_gap[-1], rel=1e-6)
    changed(visited, lambda: control(visited, "Iterations, number").fill("500"))
    assert presets.evaluate("node => node.value") == "Musk, LASSO", "fewer iterations are no other problem"
    changed(visited, lambda: control(visited, "Weight λ, number").fill("90"))
    assert presets.evaluate("node => node.selectedOptions[0].text") == "your own settings"
    changed(visited, lambda: presets.select_option("Quadratic, κ = 10⁴"))
    assert visited.evaluate(IN_VIEW)[0] == "Condition number L/μ"
    assert digits(control(visited, "Iterations, number").input_value()) == 1500


def test_a_weight_follows_the_paper_until_it_is_set(visited):
    weight = control(visited, "Weight λ, number")
    changed(visited, lambda: control(visited, "Start from").select_option("Sonar, LASSO"))
    changed(visited, lambda: few_iterations(visited))
    changed(visited, lambda: control(visited, "Problem").select_option("logistic"))
    assert weight.input_value() == "0.004"
    changed(visited, lambda: control(visited, "Data set").select_option("musk"))
    assert weight.input_value() == "100"
    changed(visited, lambda: weight.fill("50"))
    changed(visited, lambda: control(visited, "Problem").select_option("lasso"))
    assert weight.input_value() == "50", "a weight that was set stays"
    changed(visited, lambda: visited.get_by_role("button", name="the paper’s: set Weight λ").click())
    assert weight.input_value() == "100"


def test_what_if_f_star_is_too_high_and_L_is_wrong(visited):
    unfold(visited, "What if")
    problem = pc.quadratic(pc.spectrum("log", 100, 1e4))
    changed(visited, lambda: control(visited, "f* that is given").select_option("too_high"))
    changed(visited, lambda: control(visited, "f* off by δ, number").fill("1e-4"))
    delta = 1e-4 * problem.gap(problem.x0)
    trace = pc.solve(problem, "adapt_apg_v2", iterations=1500, f_star=delta)
    assert last_gap(visited, "Adaptive v2, f* too high by 10⁻⁴") == pytest.approx(
        trace.relative_gap[-1], rel=1e-6
    )
    changed(visited, lambda: control(visited, "L given / true L, number").fill("0.5"))
    expect(visited.locator(".pk-results")).to_contain_text("bouncing")
    expect(visited.locator("[aria-label='Page'] + *, .pk-results").last).to_contain_text("diverged")


def test_options_that_are_not_for_a_problem_say_why(visited):
    unfold(visited, "Estimate, start and end")
    start = control(visited, "Start x₀")
    changed(visited, lambda: control(visited, "Start from").select_option("Sonar, least squares"))
    changed(visited, lambda: few_iterations(visited))
    changed(visited, lambda: start.select_option("no_slow"))
    changed(visited, lambda: control(visited, "Problem").select_option("lasso"))
    expect(visited.locator(".pk-field", has=start)).to_contain_text("The usual start is taken")
    option = start.locator("option", has_text="slowest")
    expect(option).to_be_disabled()
    expect(option).to_contain_text("only for quadratics and least squares")


def test_own_data_right_and_wrong(alone):
    unfold(alone, "Own data")
    field = alone.locator(".pk-kind-upload")
    changed(alone, lambda: few_iterations(alone))
    changed(alone, lambda: bring(alone, "wine.csv", csv(Y)))
    assert control(alone, "Problem").input_value() == "logistic"
    assert control(alone, "Data set").input_value() == "own"
    expect(field).to_contain_text("60 rows × 5 features")
    data = pc.dataset(X, Y, scaling="standardize")
    lam = float(control(alone, "Weight λ, number").input_value())
    trace = pc.solve(pc.logistic(data.X, data.y, lam), "apg", iterations=100)
    assert last_gap(alone, "APG, true μ") == pytest.approx(trace.relative_gap[-1], rel=1e-6, abs=1e-25)
    alone.wait_for_function("() => location.search.includes('scaling=standardize')")
    changed(alone, lambda: alone.get_by_role("radio", name="centred κ").check(force=True))
    # An address that does not name the scaling means centred data, own data too. It follows with a pause.
    alone.wait_for_function("() => !location.search.includes('scaling=')")
    changed(alone, lambda: alone.get_by_label("Use column 1", exact=True).uncheck())
    expect(field).to_contain_text("60 rows × 4 features")
    alone.wait_for_function("() => location.search.includes('leave_out=0')")
    drawn = alone.evaluate(SERIAL)
    for name, content, words in [
        ("wine.xlsx", b"x", "one column"),
        ("wine.csv", b"", "is empty"),
        ("wine.csv", b"1" * 5_000_001, "5 MB at most"),
        ("wine.csv", b"1,2,1\n3,4\n", "ragged: line 2"),
        ("wine.npz", b"PK", "not a file of numpy.savez"),
        ("wine.csv", b"1,1\n" * 1_000_000, "rows, and the page takes"),
    ]:
        bring(alone, name, content)
        expect(field.locator(".pk-problem")).to_contain_text(words)
    assert alone.evaluate(SERIAL) == drawn, "the picture stays"
    changed(alone, lambda: bring(alone, "three.csv", csv(np.arange(60) % 3)))
    expect(field.locator(".pk-problem")).to_be_empty()
    assert control(alone, "Problem").input_value() == "least_squares"
    control(alone, "Problem").select_option("svm_dual")
    expect(alone.get_by_role("alert").first).to_contain_text("3 classes")


HOLD = """() => { const socket = jupyterapp.widgetManager.kernel._ws;
    const [take, held] = [socket.onmessage, []];
    socket.onmessage = event => held.push(event);
    window.letGo = () => { socket.onmessage = take;
        for (const event of held) take.call(socket, event);
        return held.length } }"""


@contextmanager
def answers_held(page: Page) -> Iterator[None]:
    """The page hears of nothing until the block ends: quick hands on a slow line."""
    before = settle(page)
    page.evaluate(HOLD)
    yield
    page.wait_for_timeout(300)  # for answers that are held
    assert page.evaluate("letGo()") > 1
    settle(page, before)


def enter(box, *values: str) -> None:
    for value in values:
        box.fill(value)
        box.press("Enter")


def gamma_and_kappa(page: Page) -> list:
    return [control(page, f"{name}, number") for name in ("Restart γ", "Condition number L/μ")]


def test_a_quick_second_change_survives_the_answer_to_the_first(visited):
    """The page hears of the first only when the second is made."""
    gamma, _ = gamma_and_kappa(visited)
    settle(visited)
    enter(gamma, "-1")
    alert = visited.get_by_role("alert").filter(has_text="The picture still shows Restart γ = 2")
    expect(alert).to_be_visible()
    with answers_held(visited):
        enter(gamma, "3")
        gamma.fill("2")
        control(visited, "Start from").select_option("Sonar, LASSO")
    visited.wait_for_function("() => location.search.includes('problem=lasso')")
    assert (control(visited, "Problem").input_value(), gamma.input_value()) == ("lasso", "2")
    assert "gamma" not in visited.evaluate(QUERY)


def test_what_is_typed_around_a_reset_or_an_undo_keeps_its_order(visited):
    gamma, kappa = gamma_and_kappa(visited)
    reset, undo = (visited.locator(f"[data-tool={name}]") for name in ("reset", "undo"))

    def before_a_reset() -> None:
        enter(gamma, "4", "5", "6")
        reset.click()

    def after(button) -> None:
        button.click()
        enter(kappa, "1000")

    for move, number in ((before_a_reset, 10_000), (lambda: after(reset), 1000), (lambda: after(undo), 1000)):
        changed(visited, lambda: enter(gamma, "3"))
        visited.wait_for_url("**gamma=3**")
        with answers_held(visited):
            move()
        visited.wait_for_function(ADDRESS, arg=number == 1000)
        assert [gamma.input_value(), digits(kappa.input_value())] == ["2", number]
        changed(visited, lambda: (enter(kappa, "100"), enter(kappa, "10000")))


def test_a_story_opened_behind_what_is_typed_shows_its_own_settings(visited):
    gamma, _ = gamma_and_kappa(visited)
    with answers_held(visited):
        enter(gamma, "4", "5", "6")
        visited.locator("[data-tool=stories]").click()
        visited.get_by_role("menuitem", name="Does μ₀ matter?").click()
    visited.wait_for_url("**story=mu0**")
    assert gamma.input_value() == "2"
    visited.get_by_role("button", name="Close story").click()


def test_by_keyboard_alone(alone):
    button = alone.get_by_role("button", name="Choose a file")
    summary = alone.locator(".pk-controls summary", has_text="Own data")
    summary.focus()
    alone.keyboard.press("Enter")
    alone.keyboard.press("Tab")
    alone.keyboard.press("Tab")
    expect(button).to_be_focused()
    with alone.expect_file_chooser() as opened:
        alone.keyboard.press("Enter")
    changed(
        alone, lambda: opened.value.set_files({"name": "w.csv", "mimeType": "text/csv", "buffer": csv(Y)})
    )
    control(alone, "Start from").focus()
    changed(alone, lambda: alone.keyboard.press("Home"))
    expect(control(alone, "Problem")).to_be_hidden()
    expect(control(alone, "Condition number L/μ")).to_be_visible()
