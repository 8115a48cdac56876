"""The picture first: a slider and the curve that it moves are on one screen at every size."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

SIZES = {
    "phone": (390, 844),
    "phone held sideways": (844, 390),
    "tablet upright": (820, 1180),
    "1280 x 720 at 150 %": (853, 480),
    "1280 x 720 at 200 %": (640, 360),
    "small projector": (1280, 720),
    "desktop": (1920, 1080),
}
SLIDERS = ("Condition number L/μ", "μ₀ / L", "Restart γ")
FITTED = """() => [...document.querySelectorAll('.pk-panel .pk-chart')].every(
    ({ _fullLayout: drawn, clientWidth, clientHeight }) => drawn?.width === clientWidth
        && drawn.height === clientHeight)"""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
IN_SIGHT = """node => { const { x, y, right, bottom } = node.getBoundingClientRect();
    const spots = [[0.02, 0.5], [0.98, 0.5], [0.5, 0.02], [0.5, 0.98]].map(
        ([across, down]) => [x + across * (right - x), y + down * (bottom - y)]);
    const frame = node.closest('.pk-chart-frame, .pk-field');
    return spots.every(spot => frame.contains(document.elementFromPoint(...spot))) }"""
SHARE = """() => { const plots = [...document.querySelectorAll('.pk-panel .nsewdrag')];
    const bar = document.querySelector('.pk-slide').getBoundingClientRect().top;
    const areas = plots.map(plot => { const { x, y, right, bottom } = plot.getBoundingClientRect();
        return (right - x) * (Math.min(bottom, bar, innerHeight) - y) });
    return areas.reduce((sum, area) => sum + area) / (innerWidth * innerHeight) }"""
LINE = """() => document.querySelector('.pk-panel').querySelectorAll('.scatterlayer path.js-line')[2]
    .getAttribute('d')"""
OTHER_STORY = """title => { const found = document.querySelector('.pk-story h2');
    return found && found.textContent !== title }"""
ABOVE_BAR = """() => { const bar = document.querySelector('.pk-slide').getBoundingClientRect().top;
    const titles = [...document.querySelectorAll('.pk-panel .xtitle')];
    return titles.length === 2 && titles.every(one => one.getBoundingClientRect().bottom <= bar) }"""
NEAREST = "slider => slider.scrollIntoView({ block: 'nearest' })"


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(FITTED)
    page.evaluate(FRAMES)


def box(locator: Locator) -> dict[str, float]:
    corners = locator.bounding_box()
    assert corners is not None
    return {**corners, "right": corners["x"] + corners["width"], "bottom": corners["y"] + corners["height"]}


def plots(page: Page) -> list[dict[str, float]]:
    return [box(plot) for plot in page.locator(".pk-panel .nsewdrag").all()]


def test_no_width_scrolls_sideways_and_the_words_on_keys_hide_no_chart(visited):
    resize(visited, (320, 640))
    assert visited.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    resize(visited, SIZES["small projector"])
    visited.locator(".pk-skip").focus()
    visited.keyboard.press("Enter")
    words = visited.locator(".pk-keys").bounding_box()
    charts = visited.locator(".pk-chart-frame").first.bounding_box()
    assert words["x"] + words["width"] < charts["x"]


def test_the_slider_and_the_curve_that_it_moves_are_on_one_screen(visited, settle):
    page = visited
    chart = page.locator(".pk-panel .nsewdrag").first
    for name, size in SIZES.items():
        resize(page, size)
        page.evaluate("() => scrollTo(0, 0)")
        if size[1] > 600:
            assert chart.evaluate(IN_SIGHT), f"{name}: the whole first chart is seen without scrolling"
        page.locator(".pk-panel").first.evaluate("card => card.scrollIntoView()")
        for label in SLIDERS:
            slider = page.get_by_label(label, exact=True)
            assert chart.evaluate(IN_SIGHT), f"{name}: the chart beside {label}"
            assert slider.evaluate(IN_SIGHT), f"{name}: {label} beside the chart"
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), name
    resize(page, SIZES["phone"])
    at = page.evaluate("() => scrollY")
    line = page.evaluate(LINE)
    page.get_by_label("Condition number L/μ", exact=True).press("PageUp")
    page.wait_for_function(f"line => ({LINE})() !== line", arg=line)  # a resized chart has a new picture too
    settle(page)
    assert page.evaluate("() => scrollY") == at
    assert chart.evaluate(IN_SIGHT), "the curve has changed before the reader's eyes"

    more = page.get_by_role("button", name="All controls")
    more.click()
    expect(page.get_by_label("Iterations", exact=True)).to_be_visible()
    page.locator(".pk-panel").first.evaluate("card => card.scrollIntoView()")
    page.get_by_label("Iterations", exact=True).evaluate(
        "slider => slider.scrollIntoView({ block: 'nearest' })"
    )
    assert chart.evaluate(IN_SIGHT)
    page.get_by_role("button", name="Fewer controls").click()
    expect(page.get_by_label("Iterations", exact=True)).to_be_hidden()


def test_charts_take_a_third_of_the_screen_and_more(visited):
    for size in ((1920, 1080), (1280, 720)):
        resize(visited, size)
        assert visited.evaluate(SHARE) >= 0.35


def turn_stories(page):
    """Open stories by keys, and come back to the first; the open story."""
    page.evaluate("() => document.activeElement.blur()")
    story, titles = page.locator(".pk-story"), []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        page.wait_for_function(OTHER_STORY, arg=(titles or [""])[-1])
        titles.append(story.get_by_role("heading").text_content())
    assert titles[0] == titles[2] != titles[1]
    return story


def test_many_words_above_and_long_names_beside_leave_the_charts_whole(visited, settle):
    page, before = visited, settle(visited)
    page.locator("summary").filter(has_text="What if").click()
    page.get_by_label("f* that is given", exact=True).select_option("too_low")
    settle(page, before)
    for size in ((1280, 720), (1920, 1080)):
        resize(page, size)
        page.wait_for_function(ABOVE_BAR)
        heads = page.locator(".pk-panel-head")
        assert not any("\u2026" in text for text in heads.all_inner_texts())
        assert not heads.evaluate_all("all => all.some(one => one.scrollWidth > one.clientWidth)")
    names = page.locator(".pk-panel .pk-label")
    long = [name for name in names.all() if "f* too low" in (name.get_attribute("aria-label") or "")]
    assert len(long) >= 5
    for name in long:
        lines = name.locator("tspan").all_text_contents()
        assert len(lines) == 2
        assert "".join(lines) == name.get_attribute("aria-label")
    assert min(plot["width"] for plot in plots(page)) > 440, "long names leave the curves their room"


def test_present_mode_has_its_controls_across_the_top_and_its_story_beside_the_charts(visited, settle):
    page, before = visited, settle(visited)
    tool = page.get_by_role("toolbar").get_by_role
    tool("button", name="Present", exact=True).click()
    expect(page.locator(".pk-stage[data-present]")).to_be_visible()
    tool("button", name="Controls").click()
    page.wait_for_timeout(400)
    page.wait_for_function(FITTED)
    for label in SLIDERS:
        assert page.get_by_label(label, exact=True).evaluate(IN_SIGHT)
    expect(page.get_by_label("Problem", exact=True)).to_be_hidden()
    first, second = plots(page)
    assert first["y"] == second["y"]
    assert first["height"] > 250
    assert all(chart.evaluate(IN_SIGHT) for chart in page.locator(".pk-panel .nsewdrag").all())
    for name in ("Pin", "Reset", "Share", "Stories"):
        expect(tool("button", name=name, exact=True)).to_be_visible()

    story = turn_stories(page)
    settle(page, before)
    story.get_by_label("Your prediction").press("ArrowRight")
    story.get_by_role("button", name="Lock my prediction").click()
    expect(story).to_contain_text("Why:", timeout=60_000)
    page.wait_for_timeout(400)
    page.wait_for_function(FITTED)
    first, second = plots(page)
    card = box(story)
    assert card["right"] <= first["x"]
    assert card["bottom"] <= 720
    assert first["y"] == second["y"]
    assert max(first["bottom"], second["bottom"]) < 720
    assert first["height"] > 200
    story.get_by_role("button", name="Close story").click()
    expect(story).to_be_hidden()
    page.evaluate("() => document.fullscreenElement && document.exitFullscreen()")
    page.keyboard.press("Escape")
    expect(tool("button", name="Present")).to_be_visible()
