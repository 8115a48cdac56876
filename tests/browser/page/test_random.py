"""Twenty random interactions: the page never complains, draws what the core says, and still answers."""

from __future__ import annotations

from random import Random
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import ElementHandle, Page, expect
from polyak_widgets import Settings, run_experiment
from polyak_widgets.laboratory.problems import acts
from polyak_widgets.panels.charts.y_axis import heights_of
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import read_query
from polyak_widgets.stories.stories import STORIES

pytestmark = pytest.mark.browser

SEEDS, STEPS = (1, 2), 10
SIZES = [(1280, 720), (1920, 1080), (390, 844), (900, 600)]
KEYS = ["Tab", "Shift+Tab", "Escape", "Enter", "Space", "ArrowLeft", "ArrowRight", "Home", "End", "k"]
SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"]
TYPED = ["", "0", "0.3", "2", "40", "700", "1e4", "-1", "nan", "1e300", "ten", "1 000"]
SLOW = ("madelon", "own")
"""Data that are not here, or that take a minute."""
NO_FULL_SCREEN = "delete Element.prototype.requestFullscreen"
"""As on many a phone; no driver can resize a window that fills the screen."""
ANY = """([selector, r]) => {
    const seen = [...document.querySelectorAll('.polyak-explorer ' + selector)]
        .filter(node => node.checkVisibility() && !node.disabled);
    return seen[Math.floor(r * seen.length)] }"""
DONE = """() => { const stage = document.querySelector('.pk-stage');
    const { kind } = stage.querySelector('.pk-status').dataset;
    return stage.dataset.drawnWhole === 'true' && kind !== 'running' }"""
ENTRY = "() => history.state.polyak"
GAPS = """() => document.querySelector('.pk-panel .js-plotly-plot').data
    .filter(trace => trace.mode.includes('lines') && trace.name)
    .map(trace => [trace.name, [...trace.x], [...trace.y]])"""


def some(page: Page, rng: Random, selector: str) -> ElementHandle | None:
    """Any element that can be seen, brought into sight."""
    element = page.evaluate_handle(ANY, [selector, rng.random()]).as_element()
    if element is not None:
        element.evaluate("node => node.scrollIntoView({ block: 'center' })")
    return element


def point(element: ElementHandle, rng: Random) -> tuple[float, float]:
    box = element.bounding_box() or {"x": 5, "y": 5, "width": 1, "height": 1}
    return box["x"] + rng.random() * box["width"], box["y"] + box["height"] / 2


def slide(page: Page, rng: Random) -> None:
    if slider := some(page, rng, "input[type=range]"):
        if rng.random() < 0.5:
            slider.focus()
            for key in rng.choices(SLIDER_KEYS, k=rng.randint(1, 5)):
                page.keyboard.press(key)
            return
        page.mouse.move(*point(slider, rng))
        page.mouse.down()
        for _ in range(rng.randint(1, 6)):
            page.mouse.move(*point(slider, rng))
        page.mouse.up()


def type_into(page: Page, rng: Random) -> None:
    if box := some(page, rng, "input[type=text]"):
        box.fill(rng.choice(TYPED))


def choose(page: Page, rng: Random) -> None:
    if select := some(page, rng, "select"):
        values = select.evaluate("node => [...node.options].filter(o => !o.disabled).map(o => o.value)")
        allowed = [value for value in values if not any(slow in value for slow in SLOW)]
        if allowed:
            select.select_option(rng.choice(allowed))


def click(page: Page, rng: Random, selector: str = "button") -> None:
    if button := some(page, rng, selector):
        page.mouse.click(*point(button, rng))


def tick(page: Page, rng: Random) -> None:
    click(page, rng, "input:is([type=checkbox], [type=radio])")


def unfold(page: Page, rng: Random) -> None:
    click(page, rng, "summary")


def press(page: Page, rng: Random) -> None:
    page.keyboard.press(rng.choice(KEYS))


def resize(page: Page, rng: Random) -> None:
    width, height = rng.choice(SIZES)
    page.set_viewport_size({"width": width, "height": height})


def hover(page: Page, rng: Random) -> None:
    if chart := some(page, rng, ".pk-chart"):
        page.mouse.move(*point(chart, rng))
        page.mouse.wheel(0, rng.choice([-200, 0, 200]))


WEIGHTS = {slide: 8, type_into: 3, choose: 3, click: 4, tick: 3, unfold: 2, press: 3, resize: 2, hover: 3}


def acting(settings: Settings) -> dict[str, object]:
    """What has a part in the picture: the rest has no place in an address."""
    return {name: value for name, value in settings.values().items() if acts(name, settings)}


def in_address(page: Page) -> Settings:
    """The settings that the address means; that of a story means the newest of its two pictures."""
    stories = {name: (story.before, story.first_view) for name, story in STORIES.items()}
    settings = read_query(urlsplit(page.url).query, stories)
    assert not settings.message
    entry = Settings.from_values(page.evaluate(ENTRY)["value"])
    story = STORIES.get(settings.story)
    meant = (story.before, story.after) if story else (settings.settings,)
    assert acting(entry) in [acting(one) for one in meant], page.url
    return entry


def check(page: Page) -> None:
    """What is drawn is what the core says to the settings in the address."""
    page.wait_for_function(DONE, timeout=120_000)
    page.wait_for_timeout(700)  # the address follows with a pause
    page.wait_for_function(DONE)
    settings = in_address(page)
    drawn = {name: (np.array(x, dtype=float), np.array(y, dtype=float)) for name, x, y in page.evaluate(GAPS)}
    by_iteration = page.get_by_role("radio", name="iterations", exact=True).first.is_checked()
    experiment, view = run_experiment(settings), View.from_values(page.evaluate(ENTRY)["view"])
    heights = heights_of(experiment, view)
    compared = 0
    for run in experiment.runs:
        name = label(run.method, settings)
        if run.trace is None or name not in drawn:
            continue
        x, y = drawn[name]
        if by_iteration:
            np.testing.assert_allclose(y, heights[run.method][x.astype(int)], rtol=1e-5)
        compared += 1
    assert compared or settings.methods == ("apg",), page.url


def test_twenty_random_interactions(page, served, settle):
    page.add_init_script(NO_FULL_SCREEN)
    page.goto(served)
    settle(page)
    for seed in SEEDS:
        rng = Random(seed)
        for _ in range(STEPS):
            act = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            act(page, rng)
            page.wait_for_timeout(rng.choice([0, 0, 30, 120]))
        check(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.locator(".pk-status")).to_contain_text("1\u202f500 iterations")
    check(page)
    assert in_address(page) == Settings()
