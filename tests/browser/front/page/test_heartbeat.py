"""The banner of a lost connection, with signals made up and a clock that is turned by hand."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

KERNEL = "**/api/kernels/of-this-page"
LOST = "Connection lost: the computing process has ended or the server is gone."
OFFLINE = "No connection; waiting."


@pytest.fixture
def page(browser, address):
    page = browser.new_page()
    page.clock.install()
    page.goto(address.replace("index", "heartbeat"))
    page.wait_for_function("window.ready")
    yield page
    page.close()


def banner(page):
    return page.locator(".pk-lost")


def wait(page, seconds):
    """Turn the page's clock; after each second what the server answers has time of this machine to come."""
    for _ in range(seconds):
        page.clock.run_for(1000)
        page.wait_for_timeout(10)


def reconnects(page, times):
    """Whether the line is opened anew so often, in this machine's time: the page's own stands still."""
    for _ in range(100):
        if page.evaluate("reconnections") >= times:
            return True
        page.wait_for_timeout(50)
    return False


def test_who_answers_is_left_alone(page):
    wait(page, 60)
    assert 10 <= page.evaluate("pings") <= 30
    expect(banner(page)).to_be_hidden()


@pytest.mark.parametrize("status", ["dead", "autorestarting", "restarting", "terminating"])
def test_a_process_that_has_ended_is_said_at_once_and_for_good(page, status):
    page.evaluate("status => kernel.statusChanged.emit(status)", status)
    expect(page.get_by_role("alert")).to_contain_text(LOST)
    page.evaluate("kernel.statusChanged.emit('idle')")
    page.evaluate("kernel.connectionStatusChanged.emit('connected')")
    page.evaluate("model.react({ pong: true })")
    wait(page, 10)
    expect(banner(page)).to_be_visible()
    expect(page.get_by_role("button", name="Reload")).to_be_visible()


def test_a_working_process_is_no_loss(page):
    for status in ("busy", "idle", "busy", "unknown", "starting"):
        page.evaluate("status => kernel.statusChanged.emit(status)", status)
    expect(banner(page)).to_be_hidden()


def test_a_line_that_is_down_is_said_and_unsaid(page):
    page.evaluate("window.answers = false")
    page.route(KERNEL, lambda route: route.abort())
    page.evaluate("kernel.connectionStatusChanged.emit('connecting')")
    wait(page, 1)
    expect(banner(page)).to_be_hidden()
    wait(page, 2)
    expect(banner(page)).to_contain_text(OFFLINE)
    expect(page.get_by_role("button", name="Reload")).to_be_hidden()
    page.evaluate("window.answers = true")
    page.evaluate("kernel.connectionStatusChanged.emit('connected')")
    expect(banner(page)).to_be_hidden()


def test_a_line_that_jupyter_has_given_up_is_taken_up_again_as_soon_as_the_server_is_there(page):
    reached = []
    page.evaluate("window.answers = false")
    page.route(KERNEL, lambda route: route.fulfill(status=200 if reached else 502, json={}))
    page.evaluate("kernel.connectionStatusChanged.emit('disconnected')")
    wait(page, 60)
    expect(banner(page)).to_contain_text(OFFLINE)
    expect(page.get_by_role("button", name="Reload")).to_be_hidden()
    assert page.evaluate("reconnections") == 0, "a proxy without a server is none"
    reached.append(True)
    wait(page, 13)
    assert reconnects(page, 1)
    expect(banner(page)).to_contain_text(OFFLINE)
    page.evaluate("window.answers = true")
    page.evaluate("kernel.connectionStatusChanged.emit('connected')")
    expect(banner(page)).to_be_hidden()


def test_a_line_that_does_not_open_though_the_server_is_there_needs_a_reload_at_last(page):
    page.evaluate("window.answers = false")
    page.route(KERNEL, lambda route: route.fulfill(json={"execution_state": "idle"}))
    page.evaluate("kernel.connectionStatusChanged.emit('disconnected')")
    wait(page, 3)
    assert reconnects(page, 1)
    expect(page.get_by_role("button", name="Reload")).to_be_hidden()
    for attempt in (2, 3):
        wait(page, 13)
        assert reconnects(page, attempt)
    expect(banner(page)).to_contain_text("The server is reached, but the line")
    expect(page.get_by_role("button", name="Reload")).to_be_visible()


def test_a_reader_without_a_line_waits_and_learns_what_has_become_of_the_process(page):
    page.evaluate("window.answers = false")
    requests = []
    page.route(KERNEL, lambda route: (requests.append(route), route.fulfill(status=404)))
    page.context.set_offline(True)
    wait(page, 3)
    expect(banner(page)).to_contain_text(OFFLINE)
    expect(page.get_by_role("button", name="Reload")).to_be_hidden()
    assert not requests, "nobody is asked without a line"
    page.context.set_offline(False)
    expect(banner(page)).to_contain_text(LOST)
    expect(page.get_by_role("button", name="Reload")).to_be_visible()


def test_silence_is_said_late_and_unsaid_by_an_answer(page):
    page.route(KERNEL, lambda route: route.fulfill(json={"execution_state": "busy"}))
    page.evaluate("window.answers = false")
    wait(page, 12)
    expect(banner(page)).to_be_hidden()
    wait(page, 6)
    expect(banner(page)).to_contain_text("No answer for some time")
    page.evaluate("window.answers = true")
    wait(page, 13)
    expect(banner(page)).to_be_hidden()


def test_a_process_that_the_server_does_not_know_any_more(page):
    page.route(KERNEL, lambda route: route.fulfill(status=404))
    page.evaluate("window.answers = false")
    wait(page, 8)
    expect(banner(page)).to_contain_text(LOST)


def test_a_server_that_is_not_reached(page):
    page.route(KERNEL, lambda route: route.abort())
    page.evaluate("window.answers = false")
    with page.expect_event("requestfailed"):
        wait(page, 8)
    page.wait_for_timeout(50)
    wait(page, 3)
    expect(banner(page)).to_contain_text(OFFLINE)
    expect(page.get_by_role("button", name="Reload")).to_be_hidden()
    page.evaluate("window.answers = true")
    wait(page, 13)
    expect(banner(page)).to_be_hidden()


def test_time_asleep_or_out_of_sight_is_no_silence(page):
    page.evaluate("window.answers = false")
    page.clock.fast_forward(3_600_000)
    expect(banner(page)).to_be_hidden()
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    pings = page.evaluate("pings")
    wait(page, 60)
    assert page.evaluate("pings") == pings
    expect(banner(page)).to_be_hidden()


def test_a_notebook_is_not_asked_and_told_to_run_its_cell(page):
    page.evaluate("delete document.body.dataset.voila")
    page.evaluate("heartbeat.dispose(); window.pings = 0")
    page.evaluate(
        "() => { const Heartbeat = heartbeat.constructor; document.getElementById('root').replaceChildren("
        "(window.heartbeat = new Heartbeat(model)).node) }"
    )
    page.evaluate("window.answers = false")
    wait(page, 60)
    assert page.evaluate("pings") == 0
    expect(banner(page)).to_be_hidden()
    page.evaluate("kernel.statusChanged.emit('restarting')")
    expect(banner(page)).to_contain_text("Run the cell again")
    expect(page.get_by_role("button")).to_be_hidden()


def test_a_line_that_is_back_has_what_was_held_back_sent_after_two_answers(page):
    """The first may be that of a question from before."""
    page.evaluate("() => { window.restored = 0; heartbeat.restore = () => (restored += 1) }")
    wait(page, 10)
    assert page.evaluate("restored") == 0, "where nothing was down"
    page.evaluate("kernel.connectionStatusChanged.emit('connecting')")
    page.evaluate("window.answers = false")
    page.evaluate("kernel.connectionStatusChanged.emit('connected')")
    page.evaluate("model.react({ pong: true })")
    assert page.evaluate("restored") == 0
    page.evaluate("model.react({ pong: true })")
    wait(page, 1)
    assert page.evaluate("restored") == 1
    page.evaluate("model.react({ pong: true })")
    assert page.evaluate("restored") == 1


def test_nothing_is_left_behind(page):
    page.evaluate("heartbeat.dispose()")
    page.evaluate("window.pings = 0")
    wait(page, 60)
    assert page.evaluate(
        "[pings, kernel.statusChanged.listeners.size, kernel.connectionStatusChanged.listeners.size]"
    ) == [
        0,
        0,
        0,
    ]
