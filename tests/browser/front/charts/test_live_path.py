"""What is drawn live equals what plotly draws, the newest frame wins, and labels keep apart."""

import math
import re
from itertools import pairwise

import pytest

pytestmark = pytest.mark.browser


PALE = """() => { const pale = node => Number(getComputedStyle(node).opacity) < 0.5;
    const signs = [...document.querySelectorAll('.pk-marker-layer > *')];
    const marks = signs.filter(pale).map(({ owner }) => owner.uid);
    return [[...document.querySelectorAll('.scatterlayer .trace')].map(pale), [...new Set(marks)]]; }"""


def frame(serial, curves, *, settled=True, x=("linear", 0, 200), y=("log", 1e-8, 10)):
    """One panel; each curve is (uid, xs, ys) with further keys in a dictionary, None breaks the line."""
    data, described = [], []
    for uid, xs, ys, *more in curves:
        look = {"label": uid, "colour": "#0072B2", "dash": "solid", "width": 2, "mode": "lines"}
        described.append(
            look | {"uid": uid, "start": len(data), "count": len(xs)} | (more[0] if more else {})
        )
        data += [*xs, *ys]
    axes = {name: {"title": name, "type": t, "range": [a, b]} for name, (t, a, b) in {"x": x, "y": y}.items()}
    panel = {"name": "gap", "title": "Gap", "subtitle": "", "summary": "falls", "curves": described, **axes}
    return {
        "serial": serial,
        "settled": settled,
        "sentence": [["Seen.", None]],
        "panels": [panel],
        "data": data,
    }


def send(page, *frames):
    """Send frames in one tick and wait until the last one is on the screen, and settled if it says so."""
    page.evaluate("frames => send(...frames)", list(frames))
    last = frames[-1]
    settled = "[data-drawn-whole=true]" if last["settled"] else ""
    page.wait_for_selector(f'[data-drawn-serial="{last["serial"]}"]{settled}', timeout=20_000)


def pieces(page):
    """For each curve the unbroken pieces of its lines, as lists of points, without the empty ones."""
    paths = page.evaluate(
        """() => [...document.querySelectorAll(".scatterlayer .trace")].map(trace =>
            [...trace.querySelectorAll("path.js-line")].map(path => path.getAttribute("d")).join(""))"""
    )
    return [[points(part) for part in path.split("M") if re.search("[LHV]", part)] for path in paths]


def points(part):
    """The points of one piece; plotly shortens steps along an axis to H and V."""
    x = y = 0.0
    pieces = []
    for letter, words in re.findall(r"([LHV]?)([-\d.,e]+)", part):
        if letter == "H":
            x = float(words)
        elif letter == "V":
            y = float(words)
        else:
            x, y = map(float, words.split(","))
        pieces.append((x, y))
    return pieces


def distance(point, line):
    """From a point to a polyline, in pixels."""
    best = math.inf
    for (x0, y0), (x1, y1) in pairwise(line):
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        share = ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / length if length else 0
        share = min(1, max(0, share))
        best = min(best, math.dist(point, (x0 + share * (x1 - x0), y0 + share * (y1 - y0))))
    return best


def apart(one, other):
    """The greatest distance, in pixels, of a visible vertex from the same piece of the other curve."""
    ends = [(i, (x, y)) for i, piece in enumerate(one) for x, y in piece if 0 <= y <= 400 and 0 <= x <= 1000]
    assert len(ends) > 20, "nothing to compare"
    return max(distance(point, other[i]) for i, point in ends)


K = list(range(1, 200))
FALL = [10 ** (-k / 40) * (1.5 + math.sin(k / 7)) for k in K]
BROKEN = [None if 60 <= k < 80 else value for k, value in zip(K, FALL, strict=True)]
NEGATIVE = [-value if 100 <= k < 110 else 0 if k == 150 else value for k, value in zip(K, FALL, strict=True)]
KNOWN_TO_PLOTLY = "document.querySelector('.pk-chart').data[0].y[50]"
AXES = {
    "log": {"y": ("log", 1e-6, 10)},
    "log-log": {"x": ("log", 1, 200), "y": ("log", 1e-6, 10)},
    "linear": {"y": ("linear", -3, 3)},
}


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_live_path_is_what_plotly_draws(page, axes):
    first = [(uid, K, [1.0] * len(K)) for uid in ("whole", "broken", "negative")]
    curves = [("whole", K, FALL), ("broken", K, BROKEN), ("negative", K, NEGATIVE)]
    send(page, frame(1, first, **axes))
    flat = pieces(page)
    send(page, frame(2, curves, settled=False, **axes))
    live = pieces(page)
    assert live[0] != flat[0], "the frame was not drawn"
    assert page.evaluate("document.querySelector('.pk-chart').data[0].y[50]") == 1, (
        "plotly drew it, not the live path"
    )
    send(page, frame(3, curves, **axes))
    drawn = pieces(page)
    assert page.evaluate(KNOWN_TO_PLOTLY) != 1, "plotly has not drawn it"
    assert [len(curve) for curve in drawn] == [len(curve) for curve in live] == [1, 2, 1]
    for one, other in zip(live, drawn, strict=True):
        assert apart(one, other) < 0.5
        assert apart(other, one) < 0.5


SHOWN = "[data-drawn-serial='{}'][data-drawn-settled=true]"


def test_a_picture_on_the_same_axes_is_settled_before_plotly_has_its_data(page):
    mark = {"symbol": "square", "x": {"iterations": 50}, "y": FALL[49], "text": "ends here", "colour": "ink"}
    first, second = frame(1, [("a", K, [1.0] * len(K))]), frame(2, [("a", K, FALL)])
    second["panels"][0]["marks"] = [mark]
    send(page, first)
    stages = page.evaluate(
        f"""frame => {{ send(frame); const stage = document.querySelector('.pk-stage');
            const marks = stage.querySelectorAll('.pk-mark-sign');
            return [stage.dataset.drawnSerial, stage.dataset.drawnSettled, {KNOWN_TO_PLOTLY}, marks.length,
                stage.querySelector('.scatterlayer path.js-line').getAttribute('d')] }}""",
        second,
    )
    assert stages[:4] == ["2", "true", 1, 1], "all is seen at once, though plotly was not asked"
    live = [points(stages[4].removeprefix("M"))]
    page.wait_for_selector("[data-drawn-whole=true]")
    assert page.evaluate(KNOWN_TO_PLOTLY) == pytest.approx(FALL[50])
    assert apart(live, pieces(page)[0]) < 0.5


SEEN = f"""async (frame) => {{
    const stage = document.querySelector(".pk-stage");
    const line = () => stage.querySelector(".scatterlayer path.js-line").getAttribute("d");
    const seen = () => [{KNOWN_TO_PLOTLY}, line(),
        [...stage.querySelectorAll(".ytick text")].map((text) => text.textContent),
        stage.querySelector(".pk-names text")?.getAttribute("transform")];
    const until = (name) => new Promise((resolve) => new MutationObserver((_, observer) => {{
        if (stage.dataset.drawnSerial !== String(frame.serial) || stage.dataset[name] !== "true") return;
        observer.disconnect();
        resolve(seen());
    }}).observe(stage, {{ attributes: true }}));
    const both = Promise.all([until("drawnSettled"), until("drawnWhole")]);
    send(frame);
    return both;
}}"""


@pytest.mark.parametrize("lowest", [1e-7, 1e-40, 1e-6])
def test_a_picture_on_other_axes_is_settled_once_plotly_has_moved_them(page, lowest):
    send(page, frame(1, [("a", K, [1.0] * len(K))], y=("log", 1e-8, 10)))
    at_once, at_last = page.evaluate(SEEN, frame(2, [("a", K, FALL)], y=("log", lowest, 10)))
    assert at_once[0] == 1, "plotly has the data of the picture before"
    assert at_last[0] == pytest.approx(FALL[50])
    assert at_once[2:] == at_last[2:]
    assert len(at_once[2]) > 2
    live, drawn = ([points(path.removeprefix("M"))] for path in (at_once[1], at_last[1]))
    assert apart(live, drawn) < 0.5


def test_a_picture_with_other_words_at_its_axes_is_drawn_as_a_whole(page):
    send(page, frame(1, [("a", K, [1.0] * len(K))]))
    second = frame(2, [("a", K, FALL)], y=("log", 1e-7, 10))
    second["panels"][0]["y"]["title"] = "distance"
    at_once, _ = page.evaluate(SEEN, second)
    assert at_once[0] == pytest.approx(FALL[50])


def test_a_pressed_pointer_brings_plotly_up_to_date_at_once(page):
    send(page, frame(1, [("a", K, [1.0] * len(K))]))
    page.evaluate("frame => send(frame)", frame(2, [("a", K, FALL)], settled=False))
    page.wait_for_selector("[data-drawn-serial='2']")
    assert page.evaluate(KNOWN_TO_PLOTLY) == 1
    page.locator(".nsewdrag").hover()
    page.mouse.down()
    assert page.evaluate(KNOWN_TO_PLOTLY) == pytest.approx(FALL[50])
    page.mouse.up()


FORMER = """() => [...document.querySelectorAll('.pk-former-layer path')]
    .filter(path => getComputedStyle(path).visibility === 'visible')
    .map(path => path.getAttribute('d').split('L').length)"""


def test_the_picture_before_stays_behind_curves_that_are_still_short(page):
    ring = ("rings", [50], [1.0], {"mode": "markers", "label": ""})
    send(page, frame(1, [("a", K, [1.0] * len(K)), ("b", K[:60], [1.0] * 60), ring]))
    assert page.evaluate(FORMER) == []
    send(page, frame(2, [("a", K[:70], FALL[:70]), ("b", K[:70], FALL[:70]), ring], settled=False))
    (points,) = page.evaluate(FORMER)
    assert 20 < points <= len(K), "only a; b is as long as it was"
    send(page, frame(3, [("a", K, FALL), ("b", K, FALL), ring], settled=False))
    assert page.evaluate(FORMER) == []
    send(page, frame(4, [("a", K, FALL), ("b", K, FALL), ring]))
    assert page.evaluate(FORMER) == []
    send(page, frame(5, [("other", K[:9], FALL[:9])], settled=False))
    assert page.evaluate(FORMER) == [], "it had other curves"


def test_rings_move_with_a_live_frame(page):
    ring = {"mode": "markers", "symbol": "circle-open", "label": ""}
    where = "() => [...document.querySelectorAll('path.point')].map(p => p.getAttribute('transform'))"
    send(page, frame(1, [("rings", [50], [1.0], ring)]))
    send(page, frame(2, [("rings", [20, 40, 80], [0.1, 0.01, 0.001], ring)], settled=False))
    live = page.evaluate(where)
    send(page, frame(3, [("rings", [20, 40, 80], [0.1, 0.01, 0.001], ring)]))
    numbers = [[float(n) for n in re.findall(r"[-\d.]+", text)] for text in live]
    settled = [[float(n) for n in re.findall(r"[-\d.]+", text)] for text in page.evaluate(where)]
    assert len(numbers) == 3
    assert numbers == [pytest.approx(place, abs=0.5) for place in settled]


def test_the_newest_frame_wins(page):
    send(page, frame(1, [("a", K, FALL)]))
    page.evaluate(
        """() => { window.seen = []; const root = document.querySelector("[data-drawn-serial]");
          new MutationObserver(marks => marks.forEach(() => seen.push(root.dataset.drawnSerial)))
            .observe(root, { attributeFilter: ["data-drawn-serial"] }); }"""
    )
    send(page, *(frame(n, [("a", K, [n / 60] * len(K))], settled=False) for n in range(2, 52)))
    page.wait_for_timeout(200)
    serials = page.evaluate("seen")
    assert serials[-1] == "51"
    assert len(serials) <= 2, "frames were queued"


def test_zoom_survives_a_settled_frame_and_a_double_click_resets_it(page):
    ranges = "() => document.querySelector('.pk-chart')._fullLayout.xaxis.range"
    send(page, frame(1, [("a", K, FALL)]))
    box = page.locator(".nsewdrag").bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 200, steps=5)
    page.mouse.up()
    page.wait_for_function(f"({ranges})()[0] > 40")
    zoomed = page.evaluate(ranges)
    send(page, frame(2, [("a", K, FALL[::-1])]))
    assert page.evaluate(ranges) == zoomed
    page.locator(".nsewdrag").dblclick(position={"x": 200, "y": 100})
    page.wait_for_function(f"({ranges})()[0] === 0")


def test_labels_never_overlap_and_stay_in_the_panel(page):
    ends = [1.0, 1.05, 1.1, 1.0, 0.95, 2e-8]
    curves = [(f"method number {i}", [0, 200], [5.0, end]) for i, end in enumerate(ends)]
    for settled in (True, False):
        send(page, frame(1 + (not settled), curves, settled=settled))
        boxes = [text.bounding_box() for text in page.locator(".pk-label text:not(.pk-value)").all()]
        assert len(boxes) == len(curves)
        boxes.sort(key=lambda box: box["y"])
        for upper, lower in pairwise(boxes):
            assert upper["y"] + upper["height"] <= lower["y"] + 0.5
        card = page.locator(".pk-panel").bounding_box()
        for box in boxes:
            assert card["y"] < box["y"] < card["y"] + card["height"] - box["height"]
            assert card["x"] < box["x"] < card["x"] + card["width"] - box["width"]


def test_where_a_name_is_pointed_at_all_but_its_curve_and_marks_are_pale(page):
    """At the end of a curve and in the line above a chart; plotly draws nothing, and a frame leaves it so."""
    marked = [(uid, K, FALL, {"marker": "square"}) for uid in ("a", "b")]
    send(page, frame(1, marked))
    page.evaluate(
        "() => document.querySelector('.pk-chart').on('plotly_afterplot', () => (window.plots = 1))"
    )
    name = page.get_by_role("button", name="b", exact=True)
    name.hover()
    assert page.evaluate(PALE) == [[True, False], ["a"]]
    send(page, frame(2, marked, settled=False))
    assert page.evaluate(PALE) == [[True, False], ["a"]]
    page.mouse.move(0, 0)
    assert page.evaluate(PALE) == [[False, False], []]
    assert page.evaluate("() => window.plots") is None
    page.set_viewport_size({"width": 600, "height": 900})
    send(page, frame(3, marked))
    page.locator(".pk-entry", has_text="a").hover()
    assert page.evaluate(PALE) == [[False, True], ["b"]]


def test_two_views_of_one_stage_draw_with_one_plotly(page):
    page.evaluate(
        """async () => { const { default: stage } = await import("./stage.js");
          const second = document.body.appendChild(document.createElement("div"));
          cleanups.push(stage.render({ model: stageModel, el: second })); }"""
    )
    send(page, frame(1, [("a", K, FALL)]))
    page.wait_for_function("document.querySelectorAll('[data-drawn-serial=\"1\"]').length === 2")
    paths = page.evaluate(
        "[...document.querySelectorAll('path.js-line')].map(path => path.getAttribute('d'))"
    )
    assert len(paths) == 2
    assert all(path.count("L") > 100 for path in paths)
    assert page.evaluate("typeof globalThis.Plotly") == "undefined", "a global of the page was replaced"


def test_a_chart_that_plotly_draws_otherwise_falls_back_to_it(page):
    send(page, frame(1, [("a", K, FALL)]))
    page.evaluate("document.querySelector('.tracec0').classList.remove('tracec0')")
    page.evaluate("document.querySelector('.pk-chart').emit('plotly_relayout', {})")
    send(page, frame(2, [("a", K, [1.0] * len(K))], settled=False))
    assert page.evaluate(KNOWN_TO_PLOTLY) == 1


def test_cleanup_leaves_nothing_behind(page):
    send(page, frame(1, [("a", K, FALL)]))
    page.evaluate("cleanups.splice(0).forEach(clean => clean())")
    left = page.evaluate(
        "[...stageModel.listeners.values(), ...controlsModel.listeners.values()].flat().length"
    )
    assert left == 0
    assert page.locator(".pk-chart .plot-container").count() == 0
