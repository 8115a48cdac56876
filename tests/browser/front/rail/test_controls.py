"""The controls send what they show, by keyboard and by mouse, and follow what comes from Python."""

from copy import deepcopy
from itertools import pairwise

import pytest

pytestmark = pytest.mark.browser

SPEC = [
    {
        "title": "Problem",
        "folded": False,
        "fields": [
            {
                "name": "kappa",
                "label": "Condition number",
                "kind": "slider",
                "scale": "log",
                "min": 1,
                "max": 1e8,
                "integer": False,
                "help": "How stretched.",
                "landmarks": [[1e4, "1e4"], [2e4, "2e4"], [1e8, "top"]],
            },
            {
                "name": "size",
                "label": "Dimension",
                "kind": "slider",
                "scale": "linear",
                "min": 2,
                "max": 500,
                "integer": True,
                "help": "",
                "landmarks": [],
            },
            {"name": "problem", "label": "Problem", "kind": "choice", "options": [["a", "A"], ["b", "B"]]},
            {"name": "own", "label": "Your own list", "kind": "text", "disabled": "Only for your own list."},
        ],
    },
    {
        "title": "Which",
        "folded": False,
        "fields": [
            {
                "name": "methods",
                "label": "Methods",
                "kind": "methods",
                "options": [
                    {"name": "apg", "label": "APG", "colour": "ink", "dash": "solid"},
                    {"name": "fista", "label": "FISTA", "colour": "#56B4E9", "dash": "dash"},
                ],
            }
        ],
    },
]
VALUE = {"kappa": 1e4, "size": 100, "problem": "a", "own": "1, 2", "methods": ["apg"]}


CARET = "node => [document.activeElement === node, node.selectionStart]"
SAID = """node => node.getAttribute('aria-describedby').split(' ')
  .map(id => document.getElementById(id).textContent)"""


def change(page, **values):
    """Set some values as Python would."""
    page.evaluate("more => controlsModel.set('value', { ...controlsModel.get('value'), ...more })", values)


@pytest.fixture
def rail(page):
    page.evaluate(
        "([spec, value]) => { controlsModel.set('value', value); controlsModel.set('spec', spec); }",
        [SPEC, VALUE],
    )
    return page


def value_of(page, name):
    return page.evaluate("name => controlsModel.get('value')[name]", name)


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [("ArrowRight", 1.05e4, 1.3e4), ("ArrowLeft", 7e3, 9.5e3), ("PageUp", 1e5, 1e5), ("PageDown", 1e3, 1e3),
     ("Home", 1, 1), ("End", 1e8, 1e8)],
)  # fmt: skip
def test_keys_on_a_logarithmic_slider(rail, key, low, high):
    rail.get_by_role("slider", name="Condition number").press(key)
    assert low <= value_of(rail, "kappa") <= high
    assert rail.evaluate("controlsModel.saves") == 1


def test_keys_there_and_back_again_meet_a_landmark(rail):
    slider = rail.get_by_role("slider", name="Condition number")
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "ArrowLeft", "PageUp", "PageDown"):
        slider.press(key)
    assert value_of(rail, "kappa") == 1e4
    slider.press("ArrowLeft")
    assert value_of(rail, "kappa") < 9e3, "a landmark lets go"


def test_an_integer_slider_steps_by_one_and_pages_by_whole_numbers(rail):
    slider = rail.get_by_role("slider", name="Dimension")
    slider.press("ArrowUp")
    assert value_of(rail, "size") == 101
    slider.press("PageDown")
    assert value_of(rail, "size") == 51


def test_the_box_sends_what_is_typed_once_it_is_finished(rail):
    box = rail.get_by_role("textbox", name="Condition number, number")
    box.fill("3")
    assert value_of(rail, "kappa") == 1e4, "somebody is typing"
    rail.wait_for_function("controlsModel.get('value').kappa === 3")
    box.fill("4")
    box.blur()
    assert value_of(rail, "kappa") == 4
    for text, sent in {
        "250": 250,
        "1e12": 1e12,
        "10 000": 10_000,
        "2,5": 2.5,
        "10⁴": 1e4,
        "−10^4": -1e4,
        "2,5 × 10⁻³": 2.5e-3,
        "3*10^5": 3e5,
        "1,000": "1,000",
        "abc": "abc",
        "": "",
    }.items():
        box.fill(text)
        box.press("Enter")
        assert value_of(rail, "kappa") == sent
    assert value_of(rail, "size") == 100, "another value was lost"


def test_a_quick_hand_loses_nothing_while_an_answer_is_on_its_way(rail):
    """The answer to a first value comes while a second is typed, and another control is moved at once."""
    box = rail.get_by_role("textbox", name="Condition number, number")
    box.fill("-1")
    box.press("Enter")
    box.fill("2")
    spec = deepcopy(SPEC)
    spec[0]["fields"][0] |= {"note": "new"}
    rail.evaluate("problems => controlsModel.set('problems', problems)", {"kappa": "It is at least 1."})
    rail.evaluate("spec => controlsModel.set('spec', spec)", spec)
    assert box.input_value() == "2"
    choose = "select => { select.value = 'b'; select.dispatchEvent(new Event('input')) }"
    rail.get_by_label("Problem", exact=True).evaluate(choose)  # the focus stays in the box
    assert rail.evaluate("controlsModel.get('value')") == VALUE | {"kappa": 2, "problem": "b"}


def test_numbers_stand_in_the_box_as_everywhere_on_the_page(rail):
    box = rail.get_by_role("textbox", name="Condition number, number")
    for number, text in {
        1e5: "10⁵", 257123.4: "2.571 × 10⁵", 1e-300: "10⁻³⁰⁰", 12000: "12\u202f000", -0.5: "−0.5",
        123456: "123\u202f456", 0: "0",
    }.items():  # fmt: skip
        change(rail, kappa=number)
        assert box.input_value() == text
        box.fill(text)
        box.press("Enter")
        assert value_of(rail, "kappa") == pytest.approx(number, rel=1e-3)
    change(rail, kappa=2.5e6)
    slider = rail.get_by_role("slider", name="Condition number")
    assert slider.get_attribute("aria-valuetext") == "2.5 times ten to the power of 6"
    assert box.get_attribute("inputmode") == "text", "a telephone's keypad has no e"
    assert rail.get_by_role("textbox", name="Dimension, number").get_attribute("inputmode") == "numeric"


def test_landmarks_checkboxes_and_choices(rail):
    rail.get_by_role("button", name="top: set Condition number").click()
    assert value_of(rail, "kappa") == 1e8
    assert rail.get_by_role("textbox", name="Condition number, number").input_value() == "10⁸"
    rail.get_by_role("checkbox", name="FISTA").check()
    assert value_of(rail, "methods") == ["apg", "fista"]
    rail.get_by_role("checkbox", name="APG").uncheck()
    assert value_of(rail, "methods") == ["fista"]
    rail.get_by_label("Problem", exact=True).select_option("B")
    assert value_of(rail, "problem") == "b"


def test_landmarks_that_would_overlap_give_way(rail):
    shown = [mark for mark in rail.locator(".pk-landmark").all() if mark.is_visible()]
    boxes = sorted((mark.bounding_box() for mark in shown), key=lambda box: box["x"])
    assert 2 <= len(boxes) <= 3
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 0.5
    ticks = [tick for tick in rail.locator(".pk-landmarks i").all() if tick.is_visible()]
    assert len(ticks) == len(shown), "a tick stands with its name alone"


def test_no_two_ticks_stand_over_one_landmark(rail):
    both = 0
    for step in range(2, 24):
        spec = deepcopy(SPEC)
        spec[0]["fields"][0]["landmarks"] = [[1e4, "best"], [10 ** (4 + step / 20), "5"]]
        rail.evaluate("spec => controlsModel.set('spec', spec)", spec)
        ticks, names = (
            [part.bounding_box() for part in rail.locator(of).all() if part.is_visible()]
            for of in (".pk-landmarks i", ".pk-landmark")
        )
        both += len(names) == 2
        for name in names:
            over = [tick for tick in ticks if name["x"] < tick["x"] < name["x"] + name["width"]]
            assert len(over) <= 1, (step, names, ticks)
    assert 5 < both < 22, "the second gives way where it is too near"


@pytest.fixture
def finger(rail):
    """What a finger does on a phone, by the browser's own protocol: places it goes through."""
    session = rail.context.new_cdp_session(rail)
    rail.set_viewport_size({"width": 1280, "height": 500})

    def touch(kind, *places):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*map(point, places)]})

    def point(place):
        return {"x": place[0], "y": place[1]}

    def move(*places):
        touch("touchStart", places[0])
        for place in places[1:]:
            touch("touchMove", place)
        touch("touchEnd")

    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    yield move
    rail.evaluate("document.querySelector('main').style.minHeight = ''")
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    session.detach()


def test_a_finger_that_scrolls_moves_no_slider_and_one_that_slides_does(rail, finger):
    slider = rail.get_by_role("slider", name="Condition number")
    rail.evaluate("document.querySelector('main').style.minHeight = '3000px'")
    box = slider.bounding_box()
    x, y = box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2
    finger(*((x - 12 * step, y + step) for step in range(8)))
    rail.wait_for_function("controlsModel.get('value').kappa !== 10000")
    slid = value_of(rail, "kappa")
    finger((x, y))
    rail.wait_for_function("slid => controlsModel.get('value').kappa > slid", arg=slid)
    place, value, saves = slider.input_value(), value_of(rail, "kappa"), rail.evaluate("controlsModel.saves")
    x = box["x"] + 0.2 * box["width"]
    slider.evaluate("node => node.addEventListener('pointercancel', () => (window.scrolled = true))")
    finger(*((x, y - 8 * step) for step in range(12)))
    rail.wait_for_function("window.scrolled", timeout=10_000)
    assert value_of(rail, "kappa") == value
    assert float(slider.input_value()) == pytest.approx(float(place), abs=0.1)
    assert rail.evaluate("controlsModel.saves") == saves


def test_controls_follow_python_and_keep_focus_and_caret(rail):
    box = rail.get_by_role("textbox", name="Condition number, number")
    box.fill("12345")
    box.evaluate("node => node.setSelectionRange(2, 2)")
    rail.evaluate(
        "controlsModel.set('value', { ...controlsModel.get('value'), size: 7, methods: ['fista'] })"
    )
    assert rail.get_by_role("textbox", name="Dimension, number").input_value() == "7"
    assert not rail.get_by_role("checkbox", name="APG").is_checked()
    assert box.evaluate("node => [document.activeElement === node, node.selectionStart, node.value]") == [
        True,
        2,
        "12345",
    ]
    change(rail, kappa=54321)
    assert box.evaluate(CARET) == [True, 2]
    assert rail.get_by_role("slider", name="Condition number").get_attribute("aria-valuetext") == "54321"


def test_problems_and_reasons_are_said_beside_their_control(rail):
    rail.evaluate("controlsModel.set('problems', { kappa: 'It is at least 1.' })")
    slider = rail.get_by_role("slider", name="Condition number")
    assert slider.get_attribute("aria-invalid") == "true"
    assert "It is at least 1." in slider.evaluate(SAID)
    own = rail.get_by_role("textbox", name="Your own list")
    assert own.is_disabled()
    assert "Only for your own list." in own.evaluate(SAID)
    rail.evaluate("controlsModel.set('problems', {})")
    assert slider.get_attribute("aria-invalid") is None


def test_a_new_spec_keeps_the_slider_in_the_hand(rail):
    slider = rail.get_by_role("slider", name="Condition number")
    slider.focus()
    spec = deepcopy(SPEC)
    spec[0]["fields"][0] |= {"help": "new", "landmarks": []}
    rail.evaluate("spec => controlsModel.set('spec', spec)", spec)
    assert slider.evaluate("node => document.activeElement === node")
    assert rail.locator(".pk-landmark").count() == 0
