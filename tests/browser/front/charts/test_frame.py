"""What a chart shows: names at the ends of curves, a fitting axis, zooms that can be left, hidden curves."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

FALLING = [10 ** (0.75 - k / 20) for k in range(101)]
RISING = [10 ** (k / 2) for k in range(15)]
LABELS = """() => [...document.querySelectorAll('.pk-label')].map(label => {
    const { x, right, y, bottom } = label.querySelector('text').getBoundingClientRect();
    const leader = label.querySelector('.pk-leader');
    const length = leader.getTotalLength();
    return { name: label.ariaLabel, left: x, right, middle: (y + bottom) / 2, leader: length } })"""
TOLD = """() => [...document.querySelectorAll('.pk-label')].map(label => ({ name: label.ariaLabel,
    whole: label.querySelector('title').textContent, text: label.querySelector('text').textContent }))"""
PLOT = """() => { const { x, y, right, bottom } = document.querySelector('.nsewdrag').getBoundingClientRect();
    return [x, y, right, bottom] }"""
RANGES = """() => { const { xaxis, yaxis } = document.querySelector('.pk-chart')._fullLayout;
    return [[...xaxis.range], [...yaxis.range]] }"""
END = """i => { const chart = document.querySelector('.pk-chart'), { xaxis, yaxis } = chart._fullLayout;
    const { x, y } = chart.data[i], box = document.querySelector('.nsewdrag').getBoundingClientRect();
    return [box.x + xaxis.d2p(x.at(-1)), box.y + yaxis.d2p(y.at(-1))] }"""
SHOWN = """() => [...document.querySelectorAll('.scatterlayer .trace')]
    .map(trace => trace.style.opacity || '1')"""
"""What plotly was asked for, whether or not a name is pointed at and the other curves are pale."""
PINCH = """([apart, later]) => { const target = document.querySelector('.nsewdrag');
    const { x, y, width, height } = target.getBoundingClientRect();
    const fingers = by => [-1, 1].map((side, identifier) => new Touch({ identifier, target,
        clientX: x + width / 2 + side * by, clientY: y + height / 2 + side * by }));
    const send = (kind, touches) => target.dispatchEvent(
        new TouchEvent(kind, { touches, changedTouches: fingers(later), bubbles: true, cancelable: true }));
    send('touchstart', fingers(apart)); send('touchmove', fingers(later)); send('touchend', []) }"""


def curve(name, ys, data, **more):
    """A curve of a run, its numbers appended to the data."""
    start = len(data)
    data += [*range(len(ys)), *ys]
    look = {"colour": "#0072B2", "dash": "solid", "width": 2, "mode": "lines", "marker": "square"}
    return look | {"uid": f"gap:{name}", "label": name, "start": start, "count": len(ys), "run": True, **more}


def frame(serial=1, subject=("quadratic", 100), scale=1.0):
    """One chart with a curve to the end of the axis and one that diverges at k = 14."""
    data = []
    curves = [curve("falling", [scale * y for y in FALLING], data), curve("rising", RISING, data)]
    rings = curve("rings", FALLING[:3], data, mode="markers", label="", uid="restarts:falling")
    axes = {
        "x": {"title": "k", "type": "linear", "range": [0, 100]},
        "y": {"title": "", "type": "log", "range": [1e-6, 1e8]},
    }
    panel = {"name": "gap", "title": "Gap", "summary": "", "curves": [*curves, rings], **axes}
    cursor = {"last": 100, "stops": None, "start": 40, "units": []}
    return {
        "serial": serial, "settled": True, "subject": list(subject), "sentence": [], "panels": [panel],
        "data": data, "cursor": cursor,
    }  # fmt: skip


def show(page, picture):
    page.evaluate("frame => send(frame)", picture)
    page.wait_for_selector(f'[data-drawn-serial="{picture["serial"]}"][data-drawn-whole=true]')


def test_a_name_stands_at_the_end_of_its_curve_and_leaders_stay_in_the_margin(page):
    show(page, frame())
    labels = {label["name"]: label for label in page.evaluate(LABELS)}
    _, _, right, _ = page.evaluate(PLOT)
    x, y = page.evaluate(END, 1)
    early, late = labels["rising"], labels["falling"]
    assert 0 < early["left"] - x < 30
    assert abs(early["middle"] - y) < 40
    assert early["right"] < right
    assert early["leader"] == 0
    assert late["left"] > right
    assert 0 < late["leader"] < late["left"] - right + 30


def test_a_long_name_leaves_the_curves_their_room_and_is_told_whole(page):
    picture, name = frame(), "falling, and given a name that " + "goes on and on " * 8 + "to its end"
    for each in picture["panels"][0]["curves"][:2]:
        each["label"] = f"{each['label']}{name}"
    show(page, picture)
    for label in page.evaluate(TOLD):
        assert label["text"].endswith("\u2026")
        assert label["whole"].endswith("to its end")
        assert label["whole"].startswith(label["text"][:-1])
        assert label["name"] == label["whole"]
    left, _, right, _ = page.evaluate(PLOT)
    assert right - left > page.locator(".pk-chart").first.bounding_box()["width"] / 2


def test_a_linear_axis_fits_the_data(page):
    picture = frame()
    picture["panels"][0]["curves"].pop(1)
    show(page, picture)
    page.get_by_role("button", name="y log").click()
    page.wait_for_function(f"() => ({RANGES})()[1][0] === 0")
    _, (low, high) = page.evaluate(RANGES)
    assert (low, high) == (0, pytest.approx(1.04 * FALLING[0]))


def zoom(page, across, down):
    """Drag a rectangle, in parts of the plotting area."""
    left, top, right, bottom = page.evaluate(PLOT)
    places = [
        (left + x * (right - left), top + y * (bottom - top)) for x, y in zip(across, down, strict=True)
    ]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(places[0][0] + 20, places[0][1] + 20)
    page.mouse.move(*places[1])
    page.mouse.up()


CHANGED = f"whole => JSON.stringify(({RANGES})()) !== JSON.stringify(whole)"
BACK = f"whole => JSON.stringify(({RANGES})()) === JSON.stringify(whole)"


def test_a_zoom_can_be_left_and_never_outlives_its_picture(page):
    show(page, frame())
    whole = page.evaluate(RANGES)
    button = page.get_by_role("button", name="whole range")

    def zoomed():
        zoom(page, (0.5, 0.9), (0.5, 0.95))
        page.wait_for_function(CHANGED, arg=whole)
        expect(button).to_be_visible()

    expect(button).to_be_hidden()
    zoomed()
    button.click()
    page.wait_for_function(BACK, arg=whole)
    expect(button).to_be_hidden()

    zoomed()
    ranges = page.evaluate(RANGES)
    show(page, frame(2, scale=1.5))
    assert page.evaluate(RANGES) == ranges, "the same subject, and the curve is still there"
    show(page, frame(3, subject=("quadratic", 10)))
    assert page.evaluate(RANGES) == whole, "another condition number"

    zoomed()
    show(page, frame(4, subject=("quadratic", 10), scale=1e7))
    page.wait_for_function(BACK, arg=whole)  # no curve would be in what is shown

    show(page, frame(5, subject=("quadratic", 10)))
    zoomed()
    page.get_by_role("toolbar").get_by_role("button", name="Reset").click()
    page.wait_for_function(BACK, arg=whole)


def test_two_fingers_zoom_and_nothing_is_shown_where_no_curve_is(page):
    show(page, frame())
    whole = page.evaluate(RANGES)
    zoom(page, (0.6, 0.9), (0.02, 0.3))
    page.wait_for_timeout(300)
    assert page.evaluate(RANGES) == whole, "nothing is there"

    page.evaluate(PINCH, [40, 80])
    page.wait_for_function(CHANGED, arg=whole)
    (low, high), _ = page.evaluate(RANGES)
    assert (low, high) == (pytest.approx(25, abs=1), pytest.approx(75, abs=1)), (
        "two fingers, twice as far apart"
    )
    page.get_by_role("button", name="whole range").click()
    page.wait_for_function(BACK, arg=whole)


@pytest.mark.parametrize("width", [1920, 390])
def test_a_name_hides_its_curve_and_what_stands_on_it(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    show(page, frame())
    names = [page.get_by_role("button", name=name, exact=True) for name in ("falling", "rising")]
    assert page.evaluate(SHOWN) == ["1", "1", "1"]
    names[0].click()
    page.wait_for_function(f"() => ({SHOWN})().join() === '0,1,0'")  # its rings go with it
    expect(names[0]).to_have_attribute("aria-pressed", "false")
    assert page.locator(".pk-marker-layer path").count() < 10
    names[0].focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({SHOWN})().join() === '1,1,1'")
    page.keyboard.press("ArrowDown")
    expect(names[1]).to_be_focused()
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({SHOWN})().join() === '1,0,1'")
    show(page, frame(2))
    assert page.evaluate(SHOWN) == ["1", "0", "1"], "it stays hidden in the next picture"
    page.get_by_role("toolbar").get_by_role("button", name="Reset").click()
    page.wait_for_function(f"() => ({SHOWN})().join() === '1,1,1'")
    assert page.evaluate("wishes()") == [{"do": "reset"}], "Python was asked for nothing else"
