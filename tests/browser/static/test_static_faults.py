"""What may go wrong with a folder of files, a frame or a network: a sentence, and the picture stays."""

import pytest
from polyak_widgets.page.static.release import LATER

PATIENCE = 240
pytestmark = [pytest.mark.browser, pytest.mark.pyodide, pytest.mark.faults]

PICTURE = "() => Boolean(document.querySelector('#loading, #stage[data-drawn-serial]'))"
SAID = "() => document.querySelector('#loading_text')?.innerText ?? ''"
WRONG = "() => document.querySelector('.pk-waking[data-wrong]')?.innerText"
ALIVE = "() => 'alive' in document.body.dataset"

WATCH_WORKERS = """window.begun = [];
window.Worker = class extends Worker {
    constructor(...all) {
        super(...all);
        begun.push(Boolean(document.querySelector('script[src^="page.js"]')));
    } };"""
"""For each worker, whether the page's own script was asked for before it."""

INJECTED = """() => new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    const script = Object.assign(document.createElement('script'), { textContent: 'window.ran = true' });
    document.head.append(script);
    if (window.ran) resolve('it ran'); })"""


@pytest.fixture
def visitor(browser):
    """Pages of a visitor with nothing kept; what the console says of the faults is expected here."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(1000 * PATIENCE)
    yield context
    context.close()


def wheel_of(folder):
    return next((folder / "python").glob("polyak*.whl"))


def small_device(folder):
    """The worker where a browser gives WebAssembly no memory."""
    refuse = "throw new RangeError('WebAssembly.Memory(): could not allocate memory')"
    text = (folder / "worker.js").read_text()
    return f"{text}\nWebAssembly.Memory = class {{ constructor() {{ {refuse}; }} }};".encode()


def test_files_that_are_missing_cut_off_or_others_are_named(browser, host, static_folder, until):
    wheel = wheel_of(static_folder)
    name, whole = f"python/{wheel.name}", wheel.read_bytes()
    wasm = (static_folder / "pyodide" / "pyodide.asm.wasm").read_bytes()
    cases = [
        ({name: None}, "The host has no python/polyak_explorer"),
        ({name: whole[:1000]}, "arrived incomplete: 1000 of"),
        ({name: whole[:-1] + b"!"}, "arrived with other bytes than this page was built with"),
        ({"pyodide/pyodide.asm.wasm": wasm[:-1] + b"!"}, "arrived with other bytes"),
        ({"pyodide/pyodide.js": b"<!doctype html><p>not here"}, "pyodide/pyodide.js arrived incomplete"),
        ({"worker.js": None}, "worker.js could not be loaded"),
        ({"worker.js": small_device(static_folder)}, "This device has not enough free memory for Python"),
        ({"recorded.json": None}, "The host did not send recorded.json"),
        ({"recorded.json": b'{"frame": '}, "recorded.json arrived incomplete"),
    ]
    for answers, words in cases:
        page = browser.new_page()  # with nothing kept
        host.answers = {f"course/polyak/{path}": data for path, data in answers.items()}
        page.goto(host.address)
        assert words in until(page, WRONG), words
        assert page.get_by_role("button", name="Try again").is_visible()
        assert page.evaluate(PICTURE), "the still picture, or the recorded one"
        if words == cases[0][1]:
            host.answers = {}
            page.get_by_role("button", name="Try again").click()
            until(page, ALIVE)
        page.close()
    for name in ("page.js", "plotly.min.js"):
        host.answers = {f"course/polyak/{name}": None}
        page = browser.new_page()
        page.goto(host.address)
        until(page, f"() => ({SAID})().includes('The host did not send {name}, or this browser blocks it')")
        assert not page.locator(".late").count()
        page.close()


def test_without_any_script_it_is_said_after_a_while(visitor, host):
    page = visitor.new_page()
    host.answers = {"course/polyak/start.js": None}
    page.goto(host.address)
    assert not page.is_visible(".late")
    page.evaluate("() => document.getAnimations().forEach((each) => each.finish())")  # in place of 20 seconds
    assert page.is_visible(".late")


def test_on_a_slow_line_wishes_wait_and_what_a_full_browser_does_not_keep_is_said(visitor, host, until):
    page = visitor.new_page()
    page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }"
    )
    quota = {"origin": host.address.removesuffix("/course/polyak/"), "quotaSize": 1_000_000}
    visitor.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)
    host.pause = 0.3  # a slow line: what the reader does meanwhile waits
    page.goto(host.address, wait_until="commit")
    until(page, "() => / [1-9][.0-9]* of [0-9.]+ MB/.test(document.querySelector('.pk-waking')?.innerText)")
    box = page.locator("[data-field=condition_number] input:not([type=range])")
    box.fill("400")
    box.press("Enter")
    assert page.evaluate(PICTURE)
    assert not page.evaluate(ALIVE)
    host.pause = 0.0
    until(page, ALIVE)
    until(page, "() => location.search.includes('condition_number=400')")
    until(page, "() => document.querySelector('.kept').innerText.includes('no room to keep the page')")
    page.get_by_role("button", name="Pin", exact=True).click()
    until(page, "() => document.querySelector('.pk-keeping').innerText.startsWith('A reload loses 1 pin:')")
    assert not page.get_by_role("button", name="Forget").is_visible()


def test_old_browsers_and_pages_without_scripts_keep_the_still_picture(browser, visitor, host, until):
    page = visitor.new_page()
    page.add_init_script("delete window.WebAssembly")
    page.goto(host.address)
    assert "no WebAssembly" in until(page, SAID)
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(host.address)
    assert page.locator("noscript, .no-script").first.is_visible()
    plain.close()


def test_in_a_frame_and_without_a_network(visitor, host, static_folder, until):
    page = visitor.new_page()
    (static_folder.parent / "index.html").write_text(
        "<!doctype html><title>Course</title>"
        '<iframe src="polyak/?v=1&iterations=500" width="1100" height="640"></iframe>'
    )
    page.goto(host.address.removesuffix("polyak/"))
    frame = page.frames[1]
    until(frame, ALIVE)
    until(frame, "() => document.querySelector('.pk-status').innerText.includes('500')")
    until(frame, "() => document.querySelector('.kept').innerText.includes('without a network')")
    assert frame.evaluate(INJECTED) == "script-src-elem"
    visitor.set_offline(True)
    words = frame.inner_text(".pk-sentence")
    frame.locator(".pk-range:visible").first.press("ArrowRight")
    until(frame, f"() => document.querySelector('.pk-sentence').innerText !== {words!r}")
    gone = ["", "page.js", "worker.js", "pyodide/pyodide.asm.wasm", *(f"pyodide/{name}" for name in LATER)]
    host.answers = dict.fromkeys(f"course/polyak/{name}" for name in gone)
    page.add_init_script(WATCH_WORKERS)
    page.goto(host.address)
    until(page, ALIVE)
    assert page.evaluate("begun") == [False], "Python comes while the page is still made"
    assert "1\N{NARROW NO-BREAK SPACE}038" in page.inner_text(".pk-sentence")
    page.get_by_label("Start from").select_option("Sonar, LASSO")
    why = "document.querySelector('.pk-mismatch').innerText"
    until(page, f"() => /SciPy.*could not be loaded.*Choose again/.test({why})")
