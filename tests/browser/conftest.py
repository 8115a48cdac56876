"""A served page and a Chromium, both started once; a page that fails on any complaint of the browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    TimeoutError,
    ViewportSize,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
OUR_SETTINGS = f"--Voila.config_file_paths={ROOT / 'app' / 'serving'}"
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE / 2)  # cores are shared: what is right comes at once, but at its turn
SIZE: ViewportSize = {"width": 1280, "height": 720}
SETTLED = """after => { const stage = document.querySelector('.pk-stage');
    return stage?.dataset.drawnWhole === 'true' && Number(stage.dataset.drawnSerial) > after }"""
SERIAL = "() => Number(document.querySelector('.pk-stage').dataset.drawnSerial)"
VERSIONS = re.compile(r"version .* of shared (singleton )?module")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


def chromium() -> str | None:
    """The browser that `make test` found, or one on PATH, or Playwright's own (None)."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(log: Path, *command: str, ready: str, **environment: str) -> Iterator[str]:
    """The address of a server that answers; it and its kernels end with the block."""
    port = free_port()
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, f"--port={port}"],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    address = f"http://localhost:{port}/"
    try:
        wait_for(address + ready, process, log)
        yield address
    finally:
        with suppress(ProcessLookupError):  # a test may have killed it
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def serve(
    log: Path, *flags: str, notebook: str = "app/explore.ipynb", **environment: str
) -> AbstractContextManager[str]:
    """The address of the served page."""
    voila = ("voila", notebook, "--no-browser", "--Voila.port_retries=0")
    return running(log, *voila, *flags, ready="voila/static/none", **environment)


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server answers anything at all, an error page included."""
    for _ in range(300):
        assert process.poll() is None, log.read_text()
        try:
            urlopen(address, timeout=5).close()
        except URLError as error:
            if hasattr(error, "code"):
                return
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(log.read_text())


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page as a class is served: its kernels are forked where that is possible, and cost half as much."""
    with serve(tmp_path_factory.mktemp("served") / "log", OUR_SETTINGS, POLYAK_START="forked") as address:
        yield address


@pytest.fixture(scope="session")
def served_plainly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page as `voila app/explore.ipynb` serves it, with no settings of ours."""
    with serve(tmp_path_factory.mktemp("plain") / "log") as address:
        yield address


@pytest.fixture(scope="session")
def served_notebooks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Voila's list of the notebooks; each is at voila/render/NAME.ipynb."""
    log = tmp_path_factory.mktemp("notebooks") / "log"
    with serve(log, OUR_SETTINGS, notebook="notebooks", POLYAK_START="forked") as address:
        yield address


@pytest.fixture
def start() -> str:
    """How the kernels of `served_alone` start."""
    return "fresh"


@pytest.fixture
def served_alone(tmp_path: Path, start: str) -> Iterator[str]:
    """A server that this test may kill."""
    with serve(tmp_path / "log", OUR_SETTINGS, POLYAK_START=start) as address:
        yield address


@pytest.fixture
def served_notebook(tmp_path: Path, notebook: Path) -> Iterator[str]:
    """The notebook of the test module, as `voila` serves it."""
    with serve(tmp_path / "log", notebook=str(notebook)) as address:
        yield address


@pytest.fixture
def jupyterlab(tmp_path: Path, notebook: Path) -> Iterator[str]:
    """The same in a JupyterLab without anybody's own settings; its app is `window.jupyterapp`."""
    folders = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
    lab = ("jupyterlab", "--no-browser", "--ServerApp.port_retries=0", "--IdentityProvider.token=")
    lab += ("--expose-app-in-browser", f"--ServerApp.root_dir={notebook.parent}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        lab += ("--allow-root",)  # as in many containers
    with running(tmp_path / "lab.log", *lab, ready="api/status", **folders) as address:
        yield f"{address}lab/tree/{notebook.name}"


@pytest.fixture
def settle() -> Callable[..., int]:
    """Wait for a settled picture, newer than number `after`; its number."""

    def wait(page: Page, after: int = 0) -> int:
        page.wait_for_function(SETTLED, arg=after)
        return int(page.evaluate(SERIAL))

    return wait


@pytest.fixture
def sheets() -> Callable[[bytes], list[tuple[int, int]]]:
    """Width and height of each sheet of a PDF, in points; browsers pack what says it in different ways."""

    def measure(pdf: bytes) -> list[tuple[int, int]]:
        text = pdf
        for stream in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
            with suppress(zlib.error):  # its checksum, which may end like a line, is not asked for
                text += zlib.decompressobj().decompress(stream[1])
        boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]", text)
        assert len(boxes) == len(re.findall(rb"/Type\s*/Page\b", text))
        return [(round(float(width)), round(float(height))) for width, height in boxes]

    return measure


class Complaints(list[str]):
    """What a browser complains of, but for Voila's harmless warnings on versions of shared modules."""

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.append(f"page error: {error}"))
        page.on("requestfailed", lambda request: self.append(f"failed: {request.url} {request.failure}"))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" or (message.type == "warning" and not VERSIONS.search(message.text)):
            self.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not re.match(r"(data|blob):|(http|ws)://localhost:", request.url):
            self.append(f"left the machine: {request.url}")


def desktop(browser: Browser, complaints: Complaints, **more: Any) -> tuple[BrowserContext, Page]:
    """A visitor with nothing kept from others, and an empty page of hers."""
    context = browser.new_context(viewport=SIZE, **more)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints.watch(page)
    return context, page


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Filled by the pages of a test; nothing may be in it at the end."""
    complaints = Complaints()
    yield complaints
    assert not complaints


STATE = """() => { const all = what => [...document.querySelectorAll('.polyak-explorer ' + what)];
    const fields = all(':is(input, select)');
    const words = all(':is(.pk-sentence, .pk-results, .pk-pins, .pk-closer-sentence, [role=alert])');
    return JSON.stringify([fields.map(one => /checkbox|radio/.test(one.type) ? one.checked : one.value),
        all('[aria-pressed]:not([data-uid])').map(one => one.ariaPressed),
        words.map(one => one.textContent)]) }"""
CHOSEN = """() => { const chosen = 'input:checked, [aria-pressed=true]:not([data-uid]), [aria-expanded=true]';
    return [...document.querySelectorAll(`.polyak-explorer :is(${chosen})`)] }"""
BACK = f"""chosen => {{ document.activeElement.blur();
    for (const group of document.querySelectorAll('details[open]')) group.open = false;
    for (const node of document.querySelectorAll('*')) node.scrollTo(0, 0);
    for (const name of document.querySelectorAll('[data-uid][aria-pressed=false]'))
        name.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}));
    const now = ({CHOSEN})();
    for (const node of now) if (node.type === 'button' && !chosen.includes(node)) node.click();
    for (const node of chosen) {{ // a choice that has been drawn anew is another node
        const same = `.pk-closer input[value="${{node.value}}"]`;
        const one = node.isConnected ? node : document.querySelector(same);
        if (one && !now.includes(one) && one.type !== 'checkbox') one.click?.() }} }}"""
AT_REST = """() => document.querySelector('.pk-stage').dataset.drawnWhole === 'true'
    && document.querySelector('.pk-closer').dataset.settled === 'true'"""
AT_DEFAULTS = f"state => ({AT_REST})() && ({STATE})() === state"
RETURNED = f"""([chosen, state]) => {{ if (({AT_DEFAULTS})(state)) return true;
    if (({AT_REST})()) ({BACK})(chosen); // of a choice that there was not before, too
    return false }}"""


class Visit:
    """One page that tests share which change settings and views: each finds it as it was at first."""

    def __init__(self, browser: Browser, address: str, scheme: str) -> None:
        self.browser, self.address, self.scheme = browser, address, scheme
        self.context: BrowserContext | None = None

    def begin(self) -> Page:
        """The page of the test before, reset to what it looked like at first; else a new one."""
        if self.context and not self._at_defaults():
            self.leave()
        if self.context is None:
            self._open()
        return self.page

    def _open(self) -> None:
        self.complaints = Complaints()
        context, self.page = desktop(self.browser, self.complaints, color_scheme=self.scheme)
        self.page.goto(self.address)
        self.page.wait_for_function(SETTLED, arg=0)
        self.page.wait_for_selector(".pk-closer[data-settled=true]")
        self.controls = self.page.evaluate_handle(CHOSEN)
        self.defaults = self.page.evaluate(STATE)
        self.context = context  # not before: a page that did not come up is handed to nobody

    def _at_defaults(self) -> bool:
        try:
            self.page.mouse.up()
            self.page.keyboard.press("Escape")
            self.page.set_viewport_size(SIZE)
            self.page.evaluate(BACK, self.controls)
            if not self.page.evaluate(AT_DEFAULTS, self.defaults):
                self.page.get_by_role("button", name="Reset", exact=True).click(timeout=5000)
                at_first = [self.controls, self.defaults]
                self.page.wait_for_function(RETURNED, arg=at_first, polling=200, timeout=15_000)
        except TimeoutError:
            return False
        return True

    def leave(self) -> None:
        """The next test begins with a page of its own."""
        if self.context:
            self.context.close()
            self.context = None


class Visits(dict[tuple[str, str], Visit]):
    """The pages that tests share, by the query of their address and their scheme."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address

    def __missing__(self, key: tuple[str, str]) -> Visit:
        query, scheme = key
        return self.setdefault(key, Visit(self.browser, self.address + query, scheme))


@pytest.fixture(scope="session")
def visits(browser: Browser, served: str) -> Iterator[Visits]:
    """One for all tests of this process."""
    visits = Visits(browser, served)
    yield visits
    for visit in visits.values():
        visit.leave()


@pytest.fixture
def scheme() -> str:
    """Light, unless a test asks for more."""
    return "light"


@pytest.fixture
def query() -> str:
    """The bare address, unless a test asks for a link."""
    return ""


@pytest.fixture
def visit(visits: Visits, query: str, scheme: str) -> Visit:
    """The visit that `visited` is a page of."""
    return visits[query, scheme]


@pytest.fixture
def visited(visit: Visit) -> Iterator[Page]:
    """The served page on a desktop, settled, as it is at first."""
    yield visit.begin()
    if complaints := visit.complaints:
        visit.leave()
    assert not complaints


@pytest.fixture
def page(browser: Browser, complaints: Complaints) -> Iterator[Page]:
    """A desktop page that nothing has been opened in yet."""
    context, page = desktop(browser, complaints)
    yield page
    context.close()
