"""A student's way through the page without a server: SciPy on demand, a story, files, data of one's own."""

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.settings.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.pyodide, pytest.mark.faults]

DONE = """() => { const { drawnWhole, drawnSerial, behind } = document.querySelector('#stage').dataset;
    return drawnWhole === 'true' && drawnSerial > 0 && behind === undefined
        && document.querySelector('.pk-status').dataset.kind !== 'running' }"""
STATUS = "() => document.querySelector('.pk-status')?.innerText ?? ''"
SENTENCE = "() => document.querySelector('.pk-sentence').innerText"


def words_of(settings):
    return "".join(str(text) for text, _ in sentence(run_experiment(settings)))


def test_a_students_way(page, complaints, host, until, tmp_path):
    page.goto(host.address + "?v=1&problem=lasso&data=sonar")
    until(page, f"() => ({STATUS})().includes('SciPy, which this problem needs')")
    until(page, DONE)
    assert page.evaluate(SENTENCE) == words_of(Settings.from_values({"problem": "lasso", "data": "sonar"}))
    # Files.
    for kind, ending in (("Numbers, CSV", "csv"), ("Page, HTML", "html"), ("Picture, PNG", "png")):
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
            page.get_by_role("menuitem", name=kind).click()
        assert download.value.suggested_filename.endswith(ending)
    # A story, its question and its answer.
    page.get_by_role("button", name="Stories").click()
    page.get_by_role("menuitem").first.click()
    until(page, "() => document.querySelector('.pk-story').innerText.length > 40")
    # Data of one's own.
    rng = np.random.default_rng(0)
    path = tmp_path / "mine.csv"
    np.savetxt(path, np.column_stack([rng.standard_normal((60, 4)), rng.choice([-1, 1], 60)]), delimiter=",")
    page.reload()
    until(page, DONE)
    page.locator("[data-field=upload] input[type=file]").set_input_files(path)
    until(page, "() => document.querySelector('.pk-stage').innerText.includes('mine.csv')")
    assert "never leave it" in page.inner_text("footer.private")
    assert all(path.startswith("course/polyak/") for path in host.paths)
