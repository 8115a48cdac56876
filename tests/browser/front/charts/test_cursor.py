"""One cursor for all charts: pointer, keys and buttons move it; units, marks and lines follow the frame."""

import json

import pytest

pytestmark = pytest.mark.browser

K = list(range(101))
GAP = [10 ** (-k / 20) for k in K]
MU = [1 / (1 + k) for k in K]
UNITS = [["iterations", "iterations", ""], ["gradients", "gradient calls", ""], ["seconds", "seconds", ""]]
SLIDER = "input[aria-label='Iteration shown in all charts']"


def panel(name, uid, ys, data, **more):
    """A panel with one curve of a run that asks for two gradients an iteration."""
    start = len(data)
    data += [*K, *ys, *(2 * k + 1 for k in K), *(k / 1000 for k in K)]
    units = {"gradients": start + 2 * len(K), "seconds": start + 3 * len(K)}
    look = {"label": uid, "colour": "#0072B2", "dash": "solid", "width": 2, "mode": "lines"}
    curve = look | {
        "uid": uid, "marker": "square", "start": start, "count": len(K), "units": units, "run": True,
    }  # fmt: skip
    x = {"title": "iteration k", "type": "linear", "range": [0, 100]}
    x["units"] = {
        "iterations": {"title": "iteration k", "range": [0, 100]},
        "gradients": {"title": "gradient calls", "range": [0, 201]},
        "seconds": {"title": "seconds", "range": [0, 0.1]},
    }
    y = {"title": "", "type": "log", "range": [1e-6, 10]}
    words = {"title": name, "subtitle": "", "summary": f"{name} falls", "formula": [["mi", "f"]]}
    return {"name": name, "x": x, "y": y, "curves": [curve], "lines": [], **words, **more}


def frame(serial=1, stops=None, **more):
    """Two panels of the same run."""
    data = []
    panels = [panel("gap", "gap of it", GAP, data, **more), panel("mu", "mu of it", MU, data)]
    cursor = {"last": 100, "stops": stops, "start": 40, "units": UNITS}
    cell = {"units": {"iterations": "12", "gradients": "25", "seconds": "0.01"}}
    rows = {"title": "Table", "head": ["Method", "to"], "align": ["left", "right"], "body": [["it", cell]]}
    return {
        "serial": serial, "settled": True, "sentence": [["Seen.", None]], "panels": panels, "data": data,
        "cursor": cursor, "rows": rows,
    }  # fmt: skip


def show(page, picture):
    page.evaluate("frame => send(frame)", picture)
    page.wait_for_selector(f'[data-drawn-serial="{picture["serial"]}"][data-drawn-whole=true]')


def rules(page):
    """Where the cursor's line stands in each chart, in pixels, None where there is none."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".pk-rule")].map(line => {
            const found = line.getAttribute("d").match(/^M([\\d.]+)/); return found && Number(found[1]); })"""
    )


def dots(page):
    """Where the dots stand, with where the maps of the charts say that record k of the curve is."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".pk-panel")].map(card => {
            const at = card.querySelector(".pk-dot").getAttribute("transform").match(/[-\\d.]+/g).map(Number);
            const { xaxis, yaxis } = card.querySelector(".pk-chart")._fullLayout;
            const k = Number(document.querySelector(".pk-slide input").value);
            const { x, y } = card.querySelector(".pk-chart").data[0];
            return [at, [xaxis.d2p(x[k]), yaxis.d2p(y[k])]]; })"""
    )


def values(page):
    return [text for text in page.locator(".pk-value").all_text_contents() if text]


def test_the_pointer_over_one_chart_moves_the_cursor_in_all(page):
    show(page, frame())
    first = rules(page)
    assert first[0] == pytest.approx(first[1], abs=30)
    box = page.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 60)
    k = int(page.locator(SLIDER).input_value())
    assert k == pytest.approx(75, abs=1)
    moved = rules(page)
    assert moved[0] == pytest.approx(0.01 * k * box["width"], abs=0.6)
    assert moved[1] > first[1]
    for drawn, expected in dots(page):
        assert drawn == pytest.approx(expected, abs=0.6)


def test_the_slider_moves_by_keys_and_says_where_it_is(page):
    show(page, frame())
    slider = page.locator(SLIDER)
    assert slider.input_value() == "40"
    slider.focus()
    for key, k in [
        ("ArrowRight", 41),
        ("ArrowLeft", 40),
        ("PageUp", 50),
        ("PageDown", 40),
        ("End", 100),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert slider.input_value() == str(k)
        assert slider.get_attribute("aria-valuetext") == f"iteration {k} of 100"
    page.get_by_role("button", name="One iteration on").click()
    assert slider.input_value() == "1"
    assert values(page)[:1] == ["0.891"], "the number at k = 1 stands beside the name"


def test_it_steps_from_stop_to_stop_where_not_every_record_is_drawn(page):
    show(page, frame(stops=[0, 1, 10, 50, 100]))
    slider = page.locator(SLIDER)
    assert slider.input_value() == "50"
    slider.focus()
    for key, k in [("ArrowRight", 100), ("ArrowLeft", 50), ("ArrowLeft", 10), ("PageUp", 10), ("Home", 0)]:
        page.keyboard.press(key)
        assert slider.input_value() == str(k)


def test_play_runs_to_the_end_and_pauses_there(page):
    show(page, frame(stops=[0, 20, 40, 60, 80, 100]))
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function("document.querySelector('.pk-slide input').value === '100'")
    page.get_by_role("button", name="Play").wait_for()


def test_the_unit_is_switched_in_the_page_and_asked_of_python(page):
    show(page, frame())
    page.get_by_label("gradient calls").check()
    assert page.evaluate("stageModel.get('view').x") == "gradients"
    page.wait_for_function("document.querySelector('.pk-chart').data[0].x[10] === 21")
    page.wait_for_timeout(100)
    assert rules(page) == [None, None], "no single place on the axis belongs to k"
    for drawn, expected in dots(page):
        assert drawn == pytest.approx(expected, abs=0.6)
    assert page.locator(".pk-results td").inner_text() == "25"
    box = page.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
    assert int(page.locator(SLIDER).input_value()) == pytest.approx(50, abs=1)


CROSSED = """() => { const words = document.querySelector(".pk-band text");
    const { left, right, top, bottom } = words.getBoundingClientRect();
    const line = document.querySelector(".pk-panel .js-line"), from = line.getBoundingClientRect();
    const box = line.getBBox(), steps = [...Array(200).keys()].map(i => (i / 199) * line.getTotalLength());
    return steps.some(step => { const { x, y } = line.getPointAtLength(step);
        const [px, py] = [from.left + x - box.x, from.top + y - box.y];
        return px > left && px < right && py > top && py < bottom; }) }"""


@pytest.mark.parametrize("rising", [False, True])
def test_the_words_of_a_thin_band_stand_beside_the_curve(page, rising):
    low = 1.3e-6
    one = frame(bands=[{"from": None, "to": low, "text": "below it: rounding"}])
    curve = one["panels"][0]["curves"][0]
    heights = [low * 10 ** (k / 20) for k in K]
    one["data"][curve["start"] + len(K) : curve["start"] + 2 * len(K)] = heights if rising else heights[::-1]
    show(page, one)
    assert page.locator(".pk-band text").first.text_content() == "below it: rounding"
    assert not page.evaluate(CROSSED)


def test_marks_bands_and_lines_stand_where_the_frame_says_and_wait_for_it_while_it_streams(page):
    mark = {"symbol": "floor", "x": {"iterations": 60, "gradients": 121, "seconds": 0.06}, "y": 1e-3}
    mark |= {"text": "ended here", "colour": "#0072B2"}
    more = {"marks": [mark], "bands": [{"from": None, "to": 1e-4, "text": "rounding"}]}
    picture = frame(**more)
    line = dict(picture["panels"][0]["curves"][0], uid="bound", label="bound", marker="", run=True)
    picture["panels"][0]["lines"] = [line]
    show(page, picture)
    place = page.evaluate(
        """() => { const { xaxis, yaxis } = document.querySelector(".pk-chart")._fullLayout;
            return [xaxis.d2p(60), yaxis.d2p(1e-3), yaxis.d2p(1e-4), yaxis._length]; }"""
    )
    sign = page.locator(".pk-mark-sign").first
    numbers = json.loads(sign.get_attribute("transform").replace("translate(", "[").replace(")", "]"))
    assert numbers == pytest.approx(place[:2], abs=0.6)
    assert sign.locator("title").text_content() == "ended here"
    rect = page.locator(".pk-band rect").first
    assert float(rect.get_attribute("y")) == pytest.approx(place[2], abs=0.6)
    assert float(rect.get_attribute("height")) == pytest.approx(place[3] - place[2], abs=1)
    drawn = page.locator("path.js-line").first.get_attribute("d")
    assert page.locator(".pk-thin-layer path").first.get_attribute("d").count("L") >= drawn.count("L") > 50
    streaming = frame(serial=2) | {"settled": False}
    page.evaluate("frame => send(frame)", streaming)
    page.wait_for_selector('[data-drawn-serial="2"]')
    hidden = page.locator(".pk-mark-layer").first.get_attribute("visibility")
    assert hidden == "hidden"


def test_a_formula_is_mathematics_and_a_toggle_asks_for_other_numbers(page):
    toggle = {"name": "bounds", "value": True, "label": "bounds", "on": False, "help": "what is promised"}
    show(page, frame(toggles=[toggle]))
    assert page.locator("math mi").first.text_content() == "f"
    button = page.get_by_role("button", name="bounds")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert page.evaluate("stageModel.get('view').bounds") is True


def test_the_numbers_of_a_column_have_three_digits_each(page):
    written = {
        **{0: "0", 1: "1.00", 0.5: "0.500", 0.012: "0.0120", 123.4: "123", 1234.0: "1.23 × 10³"},
        **{1e-4: "1.00 × 10⁻⁴", 1.2e-4: "1.20 × 10⁻⁴", 0.00528: "5.28 × 10⁻³", 9.996e-8: "1.00 × 10⁻⁷"},
        **{-3.1e-9: "−3.10 × 10⁻⁹", 3e-300: "3.00 × 10⁻³⁰⁰"},
    }
    texts = page.evaluate(
        """async numbers => { const { writeNumber } = await import("./ground/format.js");
            return numbers.map(value => writeNumber(value)); }""",
        list(written),
    )
    assert texts == list(written.values())


def test_no_number_of_the_table_is_broken(page):
    picture = frame()
    picture["rows"]["body"] = [["it", "target reached at 9.9 × 10⁻¹³"]]
    show(page, picture)
    assert page.locator(".pk-results td").text_content() == "target reached at 9.9\u00a0×\u00a010⁻¹³"


def test_on_paper_charts_are_light_and_no_button_is_seen(page):
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    show(page, frame())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("document.querySelector('.pk-chart')._fullLayout.width === 640")
    assert not page.locator(".pk-cursor").is_visible()
    assert not page.locator(".pk-switches").first.is_visible()
    assert page.locator(".pk-summary").first.is_visible()
    ink = page.evaluate("getComputedStyle(document.querySelector('.pk-panel-title')).color")
    assert ink == "rgb(27, 31, 36)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.wait_for_function("document.querySelector('.pk-chart')._fullLayout.width !== 640")
