"""The rail without a kernel: presets, values that follow others, a slider that ends at 0, files refused."""

import pytest

pytestmark = pytest.mark.browser

SLIDER = {"kind": "slider", "scale": "log", "integer": False, "help": "", "unit": "", "landmarks": []}
TARGET = SLIDER | {"name": "target", "label": "Target", "min": 1e-14, "max": 1, "zero": True}
WEIGHT = SLIDER | {"name": "lam", "label": "Weight", "min": 1e-6, "max": 1e4}
PROBLEM = {
    "name": "problem", "label": "Problem", "kind": "choice", "help": "",
    "options": [["lasso", "LASSO", ""], ["logistic", "Logistic", ""], ["odd", "Odd", "only on Sundays"]],
}  # fmt: skip
METHODS = {
    "name": "methods", "label": "Methods", "kind": "methods", "help": "",
    "options": [
        {"name": "apg", "label": "APG", "group": "Told μ", "colour": "ink", "dash": "solid"},
        {"name": "fista", "label": "FISTA", "group": "Told neither", "colour": "ink", "dash": "dash"},
        {"name": "pgd", "label": "Gradient", "group": "Told neither", "colour": "ink", "dash": "dot"},
    ],
}  # fmt: skip
UPLOAD = {
    "name": "upload", "label": "File", "kind": "upload", "help": "",
    "limit": 1000, "card": [["Shape", "2 rows"]],
}  # fmt: skip
SPEC = [
    {"title": "", "folded": False, "fields": [PROBLEM, WEIGHT, TARGET]},
    {"title": "Methods", "folded": False, "fields": [METHODS]},
    {
        "title": "Gone",
        "folded": True,
        "fields": [
            PROBLEM
            | {"name": "data", "label": "Data", "options": [["away", "Away", "not here"]], "hidden": True}
        ],
    },
    {"title": "Own data", "folded": False, "fields": [UPLOAD]},
]
VALUE = {"problem": "lasso", "lam": 1, "target": 0, "methods": ["apg"]}
PRESETS = [
    {"label": "First", "group": "A", "values": {"problem": "lasso", "lam": 1}},
    {
        "label": "Second", "group": "B", "note": "far",
        "values": {"problem": "logistic", "lam": 7}, "brings": {"target": 0.5},
    },
    {"label": "Third", "group": "B", "values": {"data": "away"}},
]  # fmt: skip
USUAL = [{"name": "lam", "by": ["problem"], "table": {"logistic": 0.004}, "otherwise": 1}]


@pytest.fixture
def rail(page):
    page.evaluate(
        "state => { for (const [name, value] of Object.entries(state)) controlsModel.set(name, value) }",
        {"value": VALUE, "presets": PRESETS, "usual": USUAL, "spec": SPEC},
    )
    page.evaluate("controlsModel.saves = 0")
    return page


def value_of(page):
    return page.evaluate("controlsModel.get('value')")


def shown_preset(page):
    return page.get_by_label("Start from").evaluate("node => node.selectedOptions[0].text")


def test_a_preset_sets_its_values_at_once_and_follows_what_is_set(rail):
    assert shown_preset(rail) == "First"
    rail.get_by_label("Start from").select_option("Second")
    assert value_of(rail) == VALUE | PRESETS[1]["values"] | PRESETS[1]["brings"]
    assert shown_preset(rail) == "Second (far)"
    assert rail.evaluate("controlsModel.saves") == 1
    rail.get_by_label("Weight, number").fill("8")
    rail.get_by_label("Weight, number").press("Enter")
    assert shown_preset(rail) == "your own settings"
    rail.evaluate("value => controlsModel.set('value', value)", VALUE)
    assert shown_preset(rail) == "First"


def test_a_preset_that_cannot_be_had_says_why(rail):
    option = rail.locator(".pk-presets option", has_text="Third")
    assert option.is_disabled()
    assert option.text_content() == "Third (not here)"


def test_a_value_follows_until_it_is_set(rail):
    problem = rail.get_by_label("Problem", exact=True)
    problem.select_option("logistic")
    assert value_of(rail)["lam"] == 0.004
    problem.select_option("lasso")
    assert value_of(rail)["lam"] == 1
    rail.get_by_label("Weight, number").fill("3")
    problem.select_option("logistic")
    assert value_of(rail)["lam"] == 3


def test_the_left_end_of_a_slider_may_be_zero(rail):
    slider = rail.get_by_role("slider", name="Target")
    for key, expected in [("ArrowRight", 1e-14), ("PageUp", 1e-13), ("PageDown", 1e-14), ("ArrowLeft", 0),
                          ("ArrowLeft", 0), ("End", 1), ("Home", 0)]:  # fmt: skip
        slider.press(key)
        assert value_of(rail)["target"] == pytest.approx(expected, rel=1e-9), key


def test_methods_under_headings_all_and_none(rail):
    assert rail.locator(".pk-subheading").all_inner_texts() == ["Told μ", "Told neither"]
    rail.get_by_role("button", name="All methods").click()
    assert value_of(rail)["methods"] == ["apg", "fista", "pgd"]
    rail.get_by_role("button", name="No method").click()
    assert value_of(rail)["methods"] == []


def test_what_does_not_apply_goes_or_says_why(rail):
    assert not rail.locator("summary", has_text="Gone").is_visible()
    option = rail.locator("option", has_text="Odd")
    assert option.is_disabled()
    assert option.text_content() == "Odd (only on Sundays)"


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [("a.csv", 0, "is empty"), ("a", 1001, "MB at most")],
)
def test_a_file_that_cannot_be_taken_is_refused_without_asking_python(rail, name, size, words):
    with rail.expect_file_chooser() as opened:
        rail.get_by_role("button", name="Choose a file").press("Enter")
    opened.value.set_files({"name": name, "mimeType": "", "buffer": b"1" * size})
    said = rail.locator(".pk-kind-upload .pk-problem")
    said.filter(has_text=words).wait_for()
    assert words in said.inner_text()
    assert rail.locator(".pk-facts dd").inner_text() == "2 rows"


def test_a_file_is_sent_as_one_message_with_its_bytes(rail):
    rail.evaluate("""() => { controlsModel.send = async (content, callbacks, buffers) => {
        window.sent = [content, await new Response(buffers[0]).text(), buffers.length] } }""")
    with rail.expect_file_chooser() as opened:
        rail.get_by_role("button", name="Choose a file").click()
    opened.value.set_files({"name": "a.csv", "mimeType": "", "buffer": b"1,2\n3,4\n"})
    rail.wait_for_function("window.sent")
    assert rail.evaluate("sent") == [{"do": "upload", "name": "a.csv"}, "1,2\n3,4\n", 1]
    assert "Reading a.csv" in rail.locator(".pk-kind-upload").inner_text()
    rail.evaluate("controlsModel.set('problems', { upload: 'It is ragged.' })")
    assert "Reading" not in rail.locator(".pk-kind-upload").inner_text()
    assert "It is ragged." in rail.locator(".pk-kind-upload").inner_text()
