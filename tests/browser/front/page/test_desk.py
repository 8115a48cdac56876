"""The toolbar, its menu, present mode, and the address where it is somebody else’s, as in JupyterLab."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

FRAME = {
    "serial": 1,
    "settled": True,
    "sentence": [["Seen.", None]],
    "panels": [],
    "data": [],
    "pins": [
        {"id": 2, "name": "B", "what": "γ = 5", "words": "Restart: 456, now 626.", "value": {}},
        {"id": 3, "name": "C", "what": "γ = 7", "words": "Restart: 500, now 626.", "value": {}},
    ],
    "share": {"query": "v=1&gamma=5", "trouble": "", "code": "print(1)", "file": "polyak", "words": ""},
}


@pytest.fixture
def desk(page):
    """The page with one frame on it; what the buttons send is in `wishes()`."""
    page.evaluate("frame => send(frame)", FRAME)
    page.wait_for_selector('[data-drawn-serial="1"]', timeout=20_000)
    return page


def tool(page, name):
    return page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


def test_an_address_of_somebody_else_is_neither_read_nor_written(desk):
    before = desk.url
    desk.evaluate("frame => send(frame)", FRAME | {"serial": 2, "share": FRAME["share"] | {"query": "v=1"}})
    desk.wait_for_selector('[data-drawn-serial="2"]')
    desk.wait_for_timeout(700)
    assert desk.url == before
    assert desk.evaluate("wishes()") == []
    expect(tool(desk, "Share")).to_be_hidden()
    desk.goto(before + "?gamma=9")
    desk.wait_for_function("window.ready")
    assert desk.evaluate("() => document.querySelector('.pk-stage').dataset.opening") is None
    assert desk.evaluate("() => document.querySelector('.pk-controls').dataset.linked") is None


def test_what_is_shared_follows_a_choice_that_brings_no_frame(desk):
    copied = "() => { window.copied = []; navigator.clipboard.writeText = async (text) => copied.push(text) }"
    desk.evaluate(copied)
    message = """([serial, code]) => { const content = { serial, share: { query: 'v=1', code } };
        stageModel.listeners.get('msg:custom').forEach((react) => react(content, [])) }"""

    def code():
        tool(desk, "Export").click()
        desk.get_by_role("menuitem", name="Copy code").click()
        desk.wait_for_function("() => copied.length")
        return desk.evaluate("() => copied.pop()")

    desk.evaluate(message, [1, "print(2)"])
    assert code() == "print(2)"
    desk.evaluate(message, [2, "print(3)"])
    assert code() == "print(2)", "of a frame that is not there yet"
    desk.evaluate("frame => send(frame)", FRAME | {"serial": 2})
    desk.wait_for_selector('[data-drawn-serial="2"]')
    assert code() == "print(3)"
    desk.evaluate("frame => send(frame)", FRAME | {"serial": 3})
    desk.wait_for_selector('[data-drawn-serial="3"]')
    assert code() == "print(1)"


def test_the_menu_works_as_menus_do(desk):
    button = tool(desk, "Export")
    button.focus()
    desk.keyboard.press("ArrowDown")
    items = desk.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    desk.keyboard.press("End")
    expect(items.last).to_be_focused()
    desk.keyboard.press("ArrowDown")
    expect(items.first).to_be_focused()
    desk.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(items.first).to_be_hidden()
    button.click()
    desk.mouse.click(5, 5)
    expect(items.first).to_be_hidden()
    button.click()
    desk.get_by_role("menuitem", name="CSV").click()
    assert desk.evaluate("wishes()") == [{"do": "export", "kind": "csv", "link": ""}]
    expect(desk.locator(".pk-said")).to_have_text("Preparing the file…")


def test_pins_are_listed_and_removed_and_the_focus_stays_near(desk):
    items = desk.get_by_role("listitem")
    expect(items).to_have_text(["Bγ = 5Restart: 456, now 626.×", "Cγ = 7Restart: 500, now 626.×"])
    desk.get_by_role("button", name="Remove pin B").press("Enter")
    assert desk.evaluate("wishes()") == [{"do": "unpin", "id": 2}]
    for serial, left in ((2, FRAME["pins"][1:]), (3, [])):
        desk.evaluate("frame => send(frame)", FRAME | {"serial": serial, "pins": left})
        desk.wait_for_selector(f'[data-drawn-serial="{serial}"]')
        expect(desk.get_by_role("button", name="Remove pin C") if left else tool(desk, "Pin")).to_be_focused()


def test_a_notebook_goes_back_and_forth_in_a_list_of_its_own(desk):
    def settled(serial, kappa):
        state = {"value": {"kappa": kappa}, "view": {"present": False}}
        desk.evaluate("frame => send(frame)", FRAME | {"serial": serial, "state": state})
        desk.wait_for_selector(f'[data-drawn-serial="{serial}"]')

    def go(button, kappa, serial):
        able(button)
        tool(desk, button).click()
        expected = {"do": "go", "value": {"kappa": kappa}, "view": {"present": False}}
        assert desk.evaluate("wishes()")[-1] == expected
        settled(serial, kappa)

    def able(button, yes=True):
        expect(tool(desk, button)).to_have_attribute("aria-disabled", str(not yes).lower())

    before = desk.evaluate("history.length")
    settled(2, 1)
    able("Undo", False)
    settled(3, 10)
    settled(4, 100)  # the one before did not rest
    go("Undo", 1, 5)
    able("Undo", False)
    go("Redo", 100, 6)
    able("Redo", False)
    desk.evaluate("() => stageModel.set('mismatch', {text: 'No method.', field: 'methods', label: 'Choose'})")
    expect(desk.locator(".pk-mismatch")).to_contain_text("No method.")
    go("Undo", 100, 7)
    desk.evaluate("() => stageModel.set('mismatch', {})")
    expect(desk.get_by_text("No method.")).to_be_hidden()
    assert desk.evaluate("history.length") == before


@pytest.fixture
def linked(page):
    """The page with an address of its own, which is a link that nothing has answered yet."""
    before = page.url
    page.evaluate(
        """() => { document.body.dataset.serverless = ''; history.replaceState(null, '', '?v=1&gamma=9');
            begin() }"""
    )
    yield page
    page.evaluate(
        """before => { delete document.body.dataset.serverless; begin(); sessionStorage.clear();
            history.replaceState(null, '', before) }""",
        before,
    )


@pytest.mark.parametrize("drawn", [False, True], ids=["nothing is drawn", "the defaults are drawn"])
def test_the_address_of_a_link_that_cannot_be_had_goes_with_the_next_picture(linked, drawn):
    link, state = "v=1&gamma=9", {"value": {"gamma": 5}, "view": {}}
    frame = FRAME | {"opened": link, "state": state, "pins": []}
    linked.evaluate("link => stageModel.set('opened', link)", link)
    linked.evaluate("() => stageModel.set('mismatch', {text: 'Cancelled.', field: '', label: ''})")
    if drawn:
        linked.evaluate("frame => send(frame)", frame)
        linked.wait_for_selector('[data-drawn-serial="1"][data-drawn-whole=true]')
    assert linked.url.endswith(f"?{link}"), "a reload tries it again"
    linked.evaluate("() => stageModel.set('mismatch', {})")
    if not drawn:
        assert linked.url.endswith(f"?{link}")
        linked.evaluate("frame => send(frame)", frame)
    linked.wait_for_url("**?v=1&gamma=5")


def test_cancel_is_there_only_for_what_takes_time(desk):
    cancel = desk.locator("[data-tool=cancel]")
    desk.evaluate(
        "() => { for (const kind of ['running', 'done']) stageModel.set('status', {kind, text: ''}) }"
    )
    desk.wait_for_timeout(400)
    expect(cancel).to_be_hidden()
    desk.evaluate("() => stageModel.set('status', {kind: 'running', text: ''})")
    expect(cancel).to_be_visible()
    cancel.click()
    assert desk.evaluate("wishes()") == [{"do": "cancel"}]
    cancel.focus()
    desk.evaluate("() => stageModel.set('status', {kind: 'cancelled', text: ''})")
    expect(cancel).to_be_hidden()
    expect(desk.locator(".pk-status")).to_be_focused()


def test_no_letter_leads_into_present_mode_and_escape_leads_out(desk):
    view = "() => Boolean(stageModel.get('view')?.present)"
    tool(desk, "Pin").focus()
    desk.keyboard.press("p")
    assert not desk.evaluate(view)
    tool(desk, "Present").click()
    assert desk.evaluate(view)
    expect(tool(desk, "Leave")).to_be_visible()
    expect(desk.locator(".pk-strip")).to_be_hidden()
    tool(desk, "Controls").click()
    expect(desk.locator(".pk-strip")).to_be_visible()
    desk.evaluate("() => document.fullscreenElement && document.exitFullscreen()")
    desk.wait_for_function("() => !document.querySelector('[data-present]')")
    assert not desk.evaluate(view)
