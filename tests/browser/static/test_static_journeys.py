"""A student and a lecturer on the page without a server: SciPy on demand, stories, files, own data."""

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.settings.settings import Settings
from polyak_widgets.share.address import read_query

import polyak_core as pc

pytestmark = [pytest.mark.browser, pytest.mark.pyodide, pytest.mark.faults]

DONE = """() => { const { drawnWhole, drawnSerial, behind } = document.querySelector('#stage').dataset;
    return drawnWhole === 'true' && drawnSerial > 0 && behind === undefined
        && document.querySelector('.pk-status').dataset.kind !== 'running' }"""
STATUS = "() => document.querySelector('.pk-status')?.innerText ?? ''"
ADDRESS = "() => location.search"
PINNED = "() => document.querySelectorAll('.pk-pins li').length === 1"
PAPERS = [
    ("Sonar, least squares", "least_squares", "sonar"),
    ("Sonar, logistic", "logistic", "sonar"),
    ("Sonar, SVM", "svm_dual", "sonar"),
    ("Musk, LASSO", "lasso", "musk"),
    ("Matrix completion", "matrix_completion", ""),
]
SENTENCE = "() => document.querySelector('.pk-sentence').innerText"


def plain(words):
    """Words with each space as an ordinary one: the page keeps some lines together."""
    return " ".join(words.split())


def words_of(settings):
    return "".join(str(text) for text, _ in sentence(run_experiment(settings)))


def try_papers_problems(page, until):
    """The paper's problems that come with the package, in fewer iterations, and their links."""
    box = page.locator("[data-field=iterations] input:not([type=range])")
    menu = page.get_by_label("Start from")
    for label, problem, data in PAPERS:
        menu.select_option(label)
        box.fill("300")
        box.press("Enter")
        parts = [f"problem={problem}", "iterations=300"]
        until(page, f"() => ({DONE})() && {parts}.every((part) => ({ADDRESS})().includes(part))")
        state = read_query(page.evaluate(ADDRESS)).settings
        assert (state.problem, state.iterations) == (problem, 300)
        assert data in ("", state.data)
        assert plain(page.evaluate(SENTENCE)) == plain(words_of(state)), label
    assert menu.locator("option", has_text="Madelon").first.is_disabled()


def export_and_pin(page, until):
    """A file of each kind, and a pin."""
    for kind, ending in (
        ("Numbers, CSV", "csv"),
        ("Page, HTML", "html"),
        ("Picture, PNG", "png"),
        ("Picture, SVG", "svg"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
            page.get_by_role("menuitem", name=kind).click()
        assert download.value.suggested_filename.endswith(ending)
    page.get_by_role("button", name="Pin", exact=True).click()
    until(page, PINNED)


def open_a_second_tab(page, host, until):
    """It has settings of its own."""
    other = page.context.new_page()
    other.goto(host.address + "?v=1&condition_number=100")
    until(other, DONE)
    assert other.evaluate(SENTENCE) == words_of(Settings(condition_number=100.0))
    assert not other.evaluate(PINNED)
    other.locator("[data-field=condition_number] input:not([type=range])").fill("200")
    other.keyboard.press("Enter")
    until(other, f"() => ({DONE})() && ({ADDRESS})().includes('condition_number=200')")
    assert other.evaluate(SENTENCE) == words_of(Settings(condition_number=200.0))
    return other


def cancel_a_long_search(other, host, until):
    """A link to a problem whose x* takes long, in steps that no message gets into; Reset ends the link."""
    other.goto(host.address + "?v=1&problem=logistic&data=synthetic&n=1000&rows=2000")
    until(other, f"() => ({STATUS})().includes('Finding')")
    other.get_by_role("button", name="Cancel", exact=True).click()
    until(other, f"() => ({STATUS})().startsWith('Cancelled')")
    other.get_by_role("button", name="Reset", exact=True).click()
    until(other, f"() => ({DONE})() && !document.querySelector('[data-mismatch]')")
    assert other.evaluate(ADDRESS) == "?v=1"
    assert other.evaluate(SENTENCE) == words_of(Settings())
    other.close()


def bring_a_file(page, until, path):
    """Data of one's own, in a browser that is full."""
    rng = np.random.default_rng(0)
    np.savetxt(path, np.column_stack([rng.standard_normal((60, 4)), rng.choice([-1, 1], 60)]), delimiter=",")
    page.reload()
    until(page, DONE)
    until(page, PINNED)
    page.evaluate(
        "() => { IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') } }"
    )
    page.locator("[data-field=upload] input[type=file]").set_input_files(path)
    until(page, "() => document.querySelector('.pk-stage').innerText.includes('mine.csv')")
    until(page, "() => document.querySelector('.pk-keeping').innerText.includes('A reload loses mine.csv')")
    assert "never leave it" in page.inner_text("footer.private")


def test_a_students_way(page, complaints, host, until, tmp_path):
    page.goto(host.address + "?v=1&problem=lasso&data=sonar")
    until(page, f"() => ({STATUS})().includes('SciPy, which this problem needs')")
    until(page, DONE)
    assert page.evaluate(SENTENCE) == words_of(Settings.from_values({"problem": "lasso", "data": "sonar"}))
    try_papers_problems(page, until)
    export_and_pin(page, until)
    other = open_a_second_tab(page, host, until)
    assert "matrix_completion" in page.evaluate(ADDRESS)
    cancel_a_long_search(other, host, until)
    # A story and its question.
    page.get_by_role("button", name="Stories").click()
    page.get_by_role("menuitem").first.click()
    until(page, "() => document.querySelector('.pk-story').innerText.length > 40")
    bring_a_file(page, until, tmp_path / "mine.csv")
    assert all(path.startswith("course/polyak/") for path in host.paths)


def test_a_lecturers_way(page, complaints, host, until):
    """A link to a story on the projector, a prediction, its answer, the next story, and a QR code of it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(host.address + "?v=1&story=misprint&present=on")
    story = page.get_by_role("region", name="Story")
    until(page, f"() => ({DONE})() && document.querySelector('.pk-stage').dataset.present !== undefined")
    assert "How many iterations does the method take as printed" in story.inner_text()
    assert "FISTA as printed" not in page.evaluate(SENTENCE)
    story.get_by_label("Your prediction").press("PageUp")
    story.get_by_role("button", name="Lock my prediction").click()
    until(page, "() => document.querySelector('.pk-story').innerText.includes('You said')")
    printed = pc.solve(pc.quadratic(pc.spectrum("log", 50, 1e4)), "fista_printed", 20_000)
    assert f"{printed.first_below(1e-6):,}".replace(",", "\u202f") in story.inner_text()
    until(page, DONE)
    page.keyboard.press("ArrowRight")
    until(page, f"() => ({ADDRESS})().includes('story=') && !({ADDRESS})().includes('story=misprint')")
    until(page, DONE)
    page.get_by_role("button", name="Leave", exact=True).click()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="QR code").click()
    until(page, "() => document.querySelector('.pk-qr svg path')?.getAttribute('d')?.length > 500")
    assert page.inner_text(".pk-qr-link") == page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    page.locator(".pk-closer").scroll_into_view_if_needed()
    until(page, "() => document.querySelector('.pk-closer').dataset.settled === 'true'")
