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
SCALING = {
    "name": "scaling", "label": "Features", "kind": "segments", "help": "",
    "facts": {"none": "κ 10⁹", "all": "κ 21"},
    "options": [["none", "as they are", ""], ["all", "standardised", ""]],
}  # fmt: skip
PREVIEW = {
    "own": "abc", "label": 1, "leave_out": [2], "last": 3, "more": 1,
    "columns": [[0, "id", [*"79"]], [1, "kind", [*"MB"]], [2, "name", [*"xy"]], [3, "age", [*"12"]]],
}  # fmt: skip
SPEC = [
    {"title": "", "folded": False, "fields": [PROBLEM, SCALING, WEIGHT, TARGET]},
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
VALUE = {"problem": "lasso", "scaling": "all", "lam": 1, "target": 0, "methods": ["apg"]}
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
    rail.get_by_role("button", name="None of the methods").click()
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
    problem = rail.locator(".pk-kind-upload .pk-problem")
    problem.filter(has_text=words).wait_for()
    assert words in problem.inner_text()
    assert rail.locator(".pk-facts dd").inner_text() == "2 rows"
    rail.evaluate("controlsModel.set('problems', {})")
    rail.evaluate("controlsModel.set('spec', [...controlsModel.get('spec')])")
    assert words in problem.inner_text(), "it stays until another file comes"


def test_words_side_by_side_with_a_fact_each(rail):
    standardised = rail.get_by_role("radio", name="standardised κ 21")
    assert standardised.is_checked()
    rail.get_by_role("radio", name="as they are κ 10⁹").check(force=True)
    assert value_of(rail)["scaling"] == "none"
    rail.evaluate("value => controlsModel.set('value', value)", VALUE)
    assert standardised.is_checked()
    standardised.press("ArrowLeft")
    assert value_of(rail)["scaling"] == "none"


def test_columns_are_chosen_in_a_preview(rail):
    spec = [*SPEC[:-1], {"title": "Own data", "folded": False, "fields": [UPLOAD | {"preview": PREVIEW}]}]
    rail.evaluate("spec => controlsModel.set('spec', spec)", spec)
    rows = rail.locator(".pk-columns tbody tr")
    cells = [row.split() for row in rows.all_inner_texts()]
    assert cells == [["id", *"7·9"], ["kind", *"M·B"], ["name", *"x·y"], ["age", *"1·2"]]
    used = [rail.get_by_role("checkbox", name=f"Use {name}") for name in ("id", "kind", "name", "age")]
    assert [box.is_checked() for box in used] == [True, True, False, True]
    assert used[1].is_disabled(), "labels cannot be left out"
    assert "1 more column is used" in rail.locator(".pk-columns").inner_text()
    used[0].uncheck()
    rail.get_by_role("radio", name="name holds the labels").check()
    rail.get_by_role("radio", name="age holds the labels").check()
    same = {"do": "columns", "own": "abc"}
    choices = [("1", "0,2"), ("2", "0"), ("", "0")]
    assert rail.evaluate("controlsModel.sent") == [same | {"label": a, "leave_out": b} for a, b in choices]


def test_of_many_columns_some_are_found_and_left_out_together(rail):
    columns = [[j, f"{'meta' if j % 50 == 7 else 'pixel'} {j}", ["1"]] for j in range(200)]
    preview = PREVIEW | {"label": 199, "last": 199, "leave_out": [], "more": 0, "columns": columns}

    def show(**changed):
        fields = [UPLOAD | {"preview": preview | changed}]
        spec = [*SPEC[:-1], {"title": "Own data", "folded": False, "fields": fields}]
        rail.evaluate("spec => controlsModel.set('spec', spec)", spec)

    show()
    rows = rail.locator(".pk-columns tbody tr")
    assert rows.count() == 200
    find = rail.get_by_role("searchbox", name="Find columns by name or number")
    find.fill("Meta")
    listed = [row.split("\t")[2].strip() for row in rows.locator("visible=true").all_inner_texts()]
    assert listed == ["meta 7", "meta 57", "meta 107", "meta 157"]
    every = rail.get_by_role("checkbox", name="Use all listed columns")
    assert every.is_checked()
    every.uncheck()
    assert rail.evaluate("controlsModel.sent.at(-1)") == {
        "do": "columns", "own": "abc", "label": "", "leave_out": "7,57,107,157",
    }  # fmt: skip
    box = rail.get_by_role("checkbox", name="Use meta 57", exact=True)
    box.focus()
    show(leave_out=[7, 57, 107, 157])
    assert find.input_value() == "Meta"
    assert not box.is_checked()
    assert box.evaluate("node => node === document.activeElement"), "the answer leaves the focus"
    box.check()
    assert every.evaluate("node => node.indeterminate")
    find.fill("200")
    assert rows.locator("visible=true").count() == 1, "columns are counted from 1"
    assert every.is_disabled(), "the labels stay"


def test_a_file_that_is_dropped_is_taken_and_the_page_stays(rail):
    make = "text => { const all = new DataTransfer(); all.items.add(new File([text], 'a.data')); return all }"
    file, words = rail.evaluate_handle(make, "1,2"), rail.evaluate_handle("new DataTransfer()")
    dropped = """(all, kinds) => kinds.map(kind => {
        const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: all });
        document.querySelector('#stage').dispatchEvent(event);
        return [event.defaultPrevented, Boolean(document.querySelector('.pk-drop'))] })"""
    assert words.evaluate(dropped, ["dragover", "drop"]) == [[False, False]] * 2, "text is not for us"
    assert file.evaluate(dropped, ["dragover"]) == [[True, True]]
    assert file.evaluate(dropped, ["drop"]) == [[True, False]]
    rail.wait_for_function("controlsModel.sent?.length")
    assert rail.evaluate("controlsModel.sent") == [{"do": "upload", "name": "a.data"}]


def test_a_file_is_sent_as_one_message_with_its_bytes(rail):
    rail.evaluate("""() => { controlsModel.send = async (content, callbacks, buffers) => {
        if (content.do === "upload")
            controlsModel.upload = [content, await new Response(buffers[0]).text(), buffers.length] } }""")
    with rail.expect_file_chooser() as opened:
        rail.get_by_role("button", name="Choose a file").click()
    opened.value.set_files({"name": "a.csv", "mimeType": "", "buffer": b"1,2\n3,4\n"})
    rail.wait_for_function("controlsModel.upload")
    assert rail.evaluate("controlsModel.upload") == [{"do": "upload", "name": "a.csv"}, "1,2\n3,4\n", 1]
    assert "Reading a.csv" in rail.locator(".pk-kind-upload").inner_text()
    rail.evaluate("controlsModel.set('problems', { upload: 'It is ragged.' })")
    assert "Reading" not in rail.locator(".pk-kind-upload").inner_text()
    assert "It is ragged." in rail.locator(".pk-kind-upload").inner_text()
