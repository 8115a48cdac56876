"""A page that holds the two widgets with a model of their own and no kernel."""

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from polyak_widgets.front.bundle import bundle, read, style
from polyak_widgets.front.plotly import compressed_plotly


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("front")
    for name in ("page/stage.js", "rail/controls.js"):
        (folder / Path(name).name).write_text(bundle(name), encoding="utf-8")
    (folder / "style.css").write_text(style(), encoding="utf-8")
    (folder / "plotly.gz").write_bytes(compressed_plotly())
    for name in ("ground/dom.js", "ground/format.js", "ground/texts.js", "page/heartbeat.js"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(read(name), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("heartbeat.html"), folder)
    shutil.copy(Path(__file__).with_name("page.html"), folder / "index.html")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


@pytest.fixture(scope="session")
def page_and_complaints(browser):
    """A page that all these tests share, and what it complains of."""
    complaints = []
    page = browser.new_page()
    page.on(
        "console", lambda line: complaints.append(line.text) if line.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on("response", lambda answer: answer.status >= 400 and complaints.append(answer.url))
    yield page, complaints
    page.close()


@pytest.fixture
def page(page_and_complaints, address):
    """A page with an empty stage and rail; a complaint of the console or the network fails the test."""
    page, complaints = page_and_complaints
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.emulate_media(reduced_motion="no-preference")
    page.mouse.up()
    page.mouse.move(0, 0)
    if page.url == address:
        page.evaluate("scrollTo(0, 0); begin()")
    else:
        page.goto("about:blank")  # what was under way elsewhere is given up: no complaint here
        complaints.clear()
        page.goto(address)
        page.wait_for_function("window.ready")
    yield page
    present = [*complaints]
    complaints.clear()
    page.emulate_media(reduced_motion="reduce")  # an empty stage breathes, also while others are tested
    assert not any(page.locator("[role=alert]:visible").all_inner_texts())
    assert present == []
