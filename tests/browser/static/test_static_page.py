"""The page without a server in Chromium: at once, then alive, with the pictures that CPython draws."""

import gzip

import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.settings.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.pyodide]

DRAWN = "() => document.querySelector('#stage')?.dataset.drawnSerial !== undefined"
ALIVE = "() => 'alive' in document.body.dataset"
LIVE = """() => { const { drawnSerial, drawnWhole } = document.querySelector('#stage').dataset;
    return drawnSerial > 0 && drawnWhole === 'true' }"""
END = "(path => path.getAttribute('d').split('L').pop().split(',').map(Number).map(Math.round).join())"
PINNED = "() => document.querySelectorAll('.pk-pins li').length === 1"
ENDS = f"() => [...document.querySelectorAll('#stage .pk-chart path.js-line')].map({END})"
SENTENCE = "() => document.querySelector('.pk-sentence').innerText"
STATUS = "() => document.querySelector('.pk-status').innerText"
WATCH = f"""() => {{ window.ends = []; const path = document.querySelector('#stage .pk-chart path.js-line');
    new MutationObserver(() => window.ends.push({END}(path)))
        .observe(path, {{ attributes: true }}) }}"""


ENDLESS = """if (text.includes("12345")) {
    const status = { kind: "running", text: "Finding x* and f*\u2026" };
    postMessage({ text: JSON.stringify({ show: "status", value: status, bytes: [] }), buffers: [] });
    for (;;) ;
}"""
"""A step that no message gets into."""


def words_of(settings):
    """The sentence that CPython writes over the picture of these settings."""
    return "".join(str(text) for text, _ in sentence(run_experiment(settings)))


def with_an_endless_step(folder):
    """The worker, which works without end once it hears of the condition number 12345."""
    head, take, rest = (folder / "worker.js").read_text().partition("function take({ text, buffers }) {")
    assert rest
    return f"{head}{take}{ENDLESS}{rest}".encode()


def text_of(path):
    """Of a file that was saved, compressed or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def test_the_picture_is_there_at_once_and_python_takes_over(page, complaints, host, static_folder, until):
    host.answers = {"course/polyak/worker.js": with_an_endless_step(static_folder)}
    page.goto(host.address)
    until(page, DRAWN)
    recorded = page.evaluate(SENTENCE)
    assert "wake up in a moment" in page.inner_text(".pk-waking")
    assert "1\N{NARROW NO-BREAK SPACE}038" in recorded
    page.evaluate(WATCH)
    ends = page.evaluate(ENDS)
    until(page, LIVE)
    assert page.evaluate(ALIVE)
    assert not page.is_visible(".pk-waking")
    assert set(page.evaluate("() => window.ends")) <= {ends[0]}, "no curve grows again"
    assert page.evaluate(ENDS)[: len(ends)] == ends
    assert page.evaluate(SENTENCE) == recorded
    assert not any("scipy" in path or "openblas" in path for path in host.paths)
    box = page.locator("[data-field=condition_number] input:not([type=range])")
    box.fill("20000")
    box.press("Enter")
    until(page, f"() => ({LIVE})() && ({SENTENCE})() !== {recorded!r}")
    assert page.evaluate(SENTENCE) == words_of(Settings(condition_number=20_000.0))
    # A long step is cancelled; what is there stays, and is known to the session that takes over.
    page.get_by_role("button", name="Pin", exact=True).click()
    until(page, PINNED)
    until(page, LIVE)
    box.fill("12345")
    box.press("Enter")
    page.get_by_role("button", name="Cancel", exact=True).click()
    until(page, f"() => ({STATUS})().includes('Cancelled in the middle of a long step')")
    assert page.is_visible(".pk-waking"), "Python comes anew"
    assert page.is_visible(".pk-mismatch p")
    until(page, ALIVE)
    assert page.evaluate(SENTENCE) == words_of(Settings(condition_number=20_000.0)), "nothing was begun"
    assert box.input_value() == "12\N{NARROW NO-BREAK SPACE}345"
    box.fill("5000")
    box.press("Enter")
    words = words_of(Settings(condition_number=5_000.0))
    until(page, f"() => ({LIVE})() && ({SENTENCE})() === {words!r}")
    assert not page.is_visible(".pk-mismatch p")
    until(page, PINNED)
    try_files_and_pins_first(page, box, until)
    try_reset_at_once(page, box, until)


def try_files_and_pins_first(page, box, until):
    """After a cancel that ended the worker they wait for the next one, which is said."""
    words = page.evaluate(SENTENCE)
    box.fill("12345")
    box.press("Enter")
    page.get_by_role("button", name="Cancel", exact=True).click()
    until(page, f"() => ({STATUS})().includes('Cancelled in the middle of a long step')")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
        page.get_by_role("menuitem", name="Numbers, CSV").click()
        assert "waits until Python has loaded" in page.inner_text(".pk-said")
        page.get_by_role("button", name="Pin", exact=True).click()
        assert "waits until Python has loaded" in page.inner_text(".pk-said")
    assert '"condition_number": 5000' in text_of(download.value.path())
    until(page, "() => document.querySelectorAll('.pk-pins li').length === 2")
    assert page.evaluate(SENTENCE) == words
    assert box.input_value() == "5\N{NARROW NO-BREAK SPACE}000", "the rail is that of the picture"


def try_reset_at_once(page, box, until):
    """A wish that comes before it is known that the worker does not hear is not lost with it."""
    box.fill("12345")
    box.press("Enter")
    page.get_by_role("button", name="Cancel", exact=True).wait_for()
    page.evaluate(
        "() => ['cancel', 'reset'].forEach((name) => document.querySelector(`[data-tool=${name}]`).click())"
    )
    until(page, f"() => ({STATUS})().includes('Cancelled in the middle of a long step')")
    words = words_of(Settings())
    until(page, f"() => ({ALIVE})() && ({LIVE})() && ({SENTENCE})() === {words!r}")
    until(page, "() => location.search === '?v=1'")
    assert not page.is_visible(".pk-mismatch p")
