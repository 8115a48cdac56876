"""What a reader sees when the line is cut, the server starts anew, or her process stands still.

Run by `make faults`.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest
from line import Line, line
from playwright.sync_api import Browser, Locator, Page, expect
from processes import process_of
from server import SETTINGS, Served, started

pytestmark = [pytest.mark.browser, pytest.mark.faults]
SLOW = 1.5e6 / 8
"""Bytes a second of a slow line."""
MOST = 3e6
"""Bytes until the first curve is there, for who has nothing yet: 16 seconds of such a line."""
SHORT, LONG = 20, 600
"""Seconds of a fault; Jupyter tries to connect again for some two minutes at most."""
PATIENCE = 60_000
SOON = 20_000
OFFLINE = "No connection; waiting"
LOST = "Connection lost: the computing process has ended or the server is gone. Reload to go on"
SILENT = "No answer for some time"
KAPPA = "Condition number L/μ, number"


def serve(folder: Path, **changes: str) -> AbstractContextManager[Served]:
    """The page as `make app` serves it."""
    folder.mkdir(exist_ok=True)
    words = (sys.executable, "-m", "voila", "app/explore.ipynb", "--no-browser")
    return started([*words, f"--Voila.config_file_paths={SETTINGS}"], folder, **changes)


@pytest.fixture
def opened(browser: Browser, settle) -> Iterator[Callable[[int], Page]]:
    """Opens pages, which may complain of what is taken away from them, but not break."""
    broken: list[str] = []
    pages: list[Page] = []

    def open_page(port: int) -> Page:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.goto(f"http://localhost:{port}/")
        settle(page)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert broken == []


def banner(page: Page) -> Locator:
    return page.locator(".pk-lost")


def ask(page: Page, kappa: int) -> None:
    page.get_by_label(KAPPA).fill(str(kappa))


def is_drawn(page: Page, kappa: int) -> None:
    """Wait until the picture is of this, as its address says, and nothing is said of a fault."""
    page.wait_for_url(re.compile(rf"condition_number={kappa}\b"), timeout=PATIENCE)
    page.wait_for_function("document.querySelector('.pk-stage').dataset.drawnSettled === 'true'")
    expect(banner(page)).to_be_hidden(timeout=SOON)


def goes_on_after_reload(page: Page, kappa: int) -> None:
    """The banner says that the process is gone, and its button brings back the same settings."""
    expect(banner(page)).to_contain_text(LOST, timeout=PATIENCE)
    banner(page).get_by_role("button", name="Reload").click()
    page.wait_for_selector(".pk-stage[data-drawn-whole=true]")
    is_drawn(page, kappa)
    assert page.get_by_label(KAPPA).input_value() == str(kappa)


def wait_and_press_nothing(page: Page, line: Line, seconds: float) -> None:
    """The page says that there is no line, and does not ask its reader to load it anew: that would fail."""
    end = time.monotonic() + seconds
    expect(banner(page)).to_contain_text(OFFLINE, timeout=SOON)
    expect(banner(page).get_by_role("button")).to_be_hidden()
    page.wait_for_timeout(1000 * max(0.0, end - time.monotonic()))
    expect(banner(page)).to_contain_text(OFFLINE)
    line.mend()


@pytest.mark.parametrize("silently", [False, True], ids=["refused", "silent"])
def test_a_line_that_is_cut_for_twenty_seconds(opened, tmp_path, silently):
    with serve(tmp_path) as served, line(served.port) as cut:
        page = opened(cut.port)
        ask(page, 100)
        is_drawn(page, 100)
        cut.cut(silently)
        ask(page, 500)
        wait_and_press_nothing(page, cut, SHORT)
        is_drawn(page, 500)
        ask(page, 700)
        is_drawn(page, 700)


@pytest.mark.parametrize("silently", [False, True], ids=["refused", "silent"])
def test_a_line_that_is_cut_for_ten_minutes(opened, tmp_path, silently):
    """A process that is still there is found again; where it was culled, the address has the settings."""
    with (
        serve(tmp_path / "patient", POLYAK_IDLE_SECONDS="3600") as patient,
        serve(tmp_path / "strict", POLYAK_IDLE_SECONDS="60") as strict,
        line(patient.port) as first,
        line(strict.port) as second,
    ):
        pages = [opened(first.port), opened(second.port)]
        for page in pages:
            ask(page, 100)
            is_drawn(page, 100)
        for each in (first, second):
            each.cut(silently)
        wait_and_press_nothing(pages[0], first, LONG)
        second.mend()
        is_drawn(pages[0], 100)
        ask(pages[0], 500)
        is_drawn(pages[0], 500)
        goes_on_after_reload(pages[1], 100)


def test_a_server_that_is_killed_and_started_anew_under_open_pages(opened, tmp_path):
    with serve(tmp_path / "before") as served:
        pages = [opened(served.port), opened(served.port)]
        for page, kappa in zip(pages, (100, 200), strict=True):
            ask(page, kappa)
            is_drawn(page, kappa)
        psutil.Process(served.pid).kill()
        for page in pages:
            expect(banner(page)).to_contain_text(OFFLINE, timeout=SOON)
        with serve(tmp_path / "after", PORT=str(served.port)):
            for page, kappa in zip(pages, (100, 200), strict=True):
                goes_on_after_reload(page, kappa)


def test_a_process_that_stands_still_for_twenty_seconds(opened, tmp_path):
    with serve(tmp_path) as served:
        page = opened(served.port)
        process = process_of(page)
        process.send_signal(signal.SIGSTOP)
        stopped = time.monotonic()
        ask(page, 300)
        expect(banner(page)).to_contain_text(SILENT, timeout=SOON)
        expect(banner(page).get_by_role("button", name="Reload")).to_be_visible()
        page.wait_for_timeout(1000 * max(0.0, stopped + SHORT - time.monotonic()))
        process.send_signal(signal.SIGCONT)
        is_drawn(page, 300)


def test_the_first_curve_takes_less_than_three_megabytes_of_a_slow_line(browser, tmp_path):
    with serve(tmp_path) as served, line(served.port, SLOW) as slow:
        served.get("")  # compression begins with the server's first visitor
        page = browser.new_context().new_page()
        page.set_default_timeout(120_000)
        begun = time.monotonic()
        page.goto(f"http://localhost:{slow.port}/", wait_until="commit")
        page.wait_for_selector(".pk-stage[data-drawn-serial] .js-line", state="attached")
        seconds, carried = time.monotonic() - begun, slow.carried
        print(f"{carried / 1e6:.2f} MB and {seconds:.1f} s until the first curve at 1.5 Mbit/s")
        assert carried < MOST
        page.context.close()
