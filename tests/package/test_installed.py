"""The wheel and the sdist in new environments, another folder and another HOME: `make package` runs these.

Packages are fetched, pinned by constraints.txt; minutes go by.
"""

import re
import tarfile
from pathlib import Path

import pytest
from places import Place, chromium_page, fetched

pytestmark = pytest.mark.package
ROOT = Path(__file__).parents[2]
PARTS_OF_THE_SUITE = ("tests/core", "tests/widgets", "tests/test_docs.py", "tests/test_readme.py")


@pytest.fixture(scope="module")
def wheel(packed):
    (path,) = packed.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def served_place(wheel, tmp_path_factory):
    """The wheel with the extra `app`."""
    return Place(tmp_path_factory.mktemp("app"), f"{wheel}[app]")


def test_without_the_extra_the_core_works_and_the_command_names_what_is_missing(wheel, tmp_path):
    place = Place(tmp_path, str(wheel))
    assert "adapt_apg_v2" in place.run("python", "-m", "polyak_core", "sonar", "lasso", "--iterations", "10")
    for command in (["polyak-explorer"], ["python", "-m", "polyak_widgets"]):
        printed = place.run(*command, fails=True)
        assert 'must be installed: pip install "polyak-explorer[app]"' in printed
        assert "Traceback" not in printed
    place.run("polyak-explorer", "notebooks", "lab")
    names = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} | {"explore.ipynb"}
    assert {path.name for path in (place.folder / "lab").glob("*.ipynb")} == names
    assert "is not empty" in place.run("polyak-explorer", "notebooks", "lab", fails=True)


def test_the_wheel_serves_the_page_and_opens_it(served_place):
    opener = served_place.folder / "opener.sh"
    opener.write_text(f'#!/bin/sh\necho "$1" >> {served_place.folder}/opened\n')
    opener.chmod(0o755)
    command = ("polyak-explorer", "--base-url", "/polyak/")
    with served_place.serving(*command, BROWSER=f"{opener} %s") as port:
        page = fetched(f"http://localhost:{port}/polyak/")
        assert "<title>Polyak Explorer</title>" in page
        assert "application/vnd.jupyter.widget-view+json" in page
        busy = served_place.run("polyak-explorer", "--no-browser", "--port", str(port), fails=True)
    assert f"Port {port} of localhost is in use" in busy
    opened = (served_place.folder / "opened").read_text().splitlines()
    assert opened == [f"http://localhost:{port}/polyak/"]


def test_the_module_serves_every_notebook_that_was_written(served_place):
    served_place.run("polyak-explorer", "notebooks", "lab")
    command = ("python", "-m", "polyak_widgets", "lab/10_one_direction_at_a_time.ipynb", "--no-browser")
    with served_place.serving(*command) as port:
        page = fetched(f"http://localhost:{port}/")
    assert "application/vnd.jupyter.widget-view+json" in page
    assert "There was an error when executing cell" not in page


def test_the_page_computes_in_a_browser(served_place):
    """A Chromium that is there opens the page of the wheel, and a curve is drawn."""
    with served_place.serving("polyak-explorer", "--no-browser") as port, chromium_page() as page:
        fetched(f"http://localhost:{port}/voila/static/voila.js")
        page.goto(f"http://localhost:{port}/")
        page.wait_for_function(
            "() => document.querySelector('.pk-stage')?.dataset.drawnWhole === 'true'", timeout=60_000
        )


def test_the_tests_of_the_sdist_run(packed, tmp_path):
    """It is built once more from the sdist, and tested in the folder of the sdist, which is no checkout."""
    (path,) = packed.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / path.name.removesuffix(".tar.gz")
    place = Place(tmp_path, f"{folder}[app,lab]")
    place.install("--group", f"{folder / 'pyproject.toml'}:test")
    options = ("-q", "-n", "2", "-m", "not browser and not slow", "-p", "no:cacheprovider")
    printed = place.run("python", "-m", "pytest", *options, *PARTS_OF_THE_SUITE, folder=folder)
    assert re.search(r"^[1-9]\d+ passed", printed, re.MULTILINE), printed
