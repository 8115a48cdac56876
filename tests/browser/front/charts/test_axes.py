"""The numbers on a logarithmic axis: plain ones, with 1, 2 and 5 where there is room, and never too close."""

from itertools import pairwise

import pytest

pytestmark = pytest.mark.browser

TICKS = """() => [...document.querySelectorAll('.xtick text')].map(text => {
    const { left, right } = text.getBoundingClientRect(); return [text.textContent, left, right] })
    .sort((one, other) => one[1] - other[1])"""


def ticks(page, low, high, width):
    """The numbers on the x axis of a chart on a page of that width, from left to right."""
    curve = {"uid": "a", "label": "a", "colour": "#0072B2", "dash": "solid", "width": 2, "mode": "lines"}
    axes = {
        "x": {"title": "x", "type": "log", "range": [low, high]},
        "y": {"type": "log", "range": [0.1, 10]},
    }
    panel = {
        "name": "gap",
        "title": "Gap",
        "summary": "",
        "curves": [curve | {"start": 0, "count": 2}],
        **axes,
    }
    frame = {"serial": 1, "settled": True, "sentence": [], "panels": [panel], "data": [low, high, 1, 1]}
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("frame => send(frame)", frame)
    page.wait_for_selector("[data-drawn-whole=true]")
    return page.evaluate(TICKS)


@pytest.mark.parametrize("width", [1920, 390])
@pytest.mark.parametrize("scale", ["1", "1.5"])
@pytest.mark.parametrize(
    ("low", "high"), [(0.1, 20), (1, 20_000), (1, 1500), (3, 8), (0.01, 1e5), (1e-9, 1e6)]
)
def test_no_number_stands_over_another(page, low, high, width, scale):
    page.evaluate(
        "scale => document.querySelector('.pk-stage').style.setProperty('--pk-scale', scale)", scale
    )
    labels = ticks(page, low, high, width)
    assert len(labels) >= 2
    for (_, _, right), (_, left, _) in pairwise(labels):
        assert right < left


@pytest.mark.parametrize("width", [1920, 390])
def test_a_few_decades_have_1_2_and_5(page, width):
    assert [text for text, _, _ in ticks(page, 0.1, 20, width)] == [
        "0.1",
        "0.2",
        "0.5",
        "1",
        "2",
        "5",
        "10",
        "20",
    ]
    page.evaluate("begin()")
    assert [text for text, _, _ in ticks(page, 1, 20_000, 1920)] == [
        "1",
        "10",
        "100",
        "1\u2009000",
        "10\u2009000",
    ]
