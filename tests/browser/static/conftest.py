"""The page without a server: built once, handed out by a plain server of files."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from polyak_widgets.page.static.build import build
from polyak_widgets.page.static.release import folders

ROOT = Path(__file__).parents[3]
PATIENCE = 240
CHUNK = 2**17


class Host(http.server.SimpleHTTPRequestHandler):
    """A host of files; what `server.answers` maps a path to is sent instead of its file, None for 404.

    After each chunk of a file it waits for `server.pause` seconds, as a slow line does.
    """

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].lstrip("/")
        self.server.paths.append(path)  # type: ignore[attr-defined]
        answers = self.server.answers  # type: ignore[attr-defined]
        if path not in answers:
            super().do_GET()
        elif answers[path] is None:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(answers[path])))
            self.end_headers()
            self.wfile.write(answers[path])

    def copyfile(self, source: Any, outputfile: Any) -> None:
        while data := source.read(CHUNK):
            outputfile.write(data)
            time.sleep(self.server.pause)  # type: ignore[attr-defined]

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make static` writes, beside a page that shows it in a frame."""
    top = tmp_path_factory.mktemp("host")
    build(top / "course" / "polyak", ROOT, folders())
    return top / "course" / "polyak"


@pytest.fixture
def host(static_folder: Path) -> Iterator[Any]:
    """A server of files, with the page under a path.

    It has its `address`, the `paths` asked for, its `answers` and its `pause`.
    """
    handler = functools.partial(Host, directory=str(static_folder.parents[1]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.paths, server.answers, server.pause = [], {}, 0.0  # type: ignore[attr-defined]
        server.address = f"http://localhost:{server.server_port}/course/polyak/"  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def until() -> Callable[..., Any]:
    """Wait until an expression is true in a page whose policy forbids Playwright's own way of waiting."""

    def wait(page: Page, expression: str, seconds: float = PATIENCE) -> Any:
        end = time.monotonic() + seconds
        while not (value := page.evaluate(expression)):
            assert time.monotonic() < end, (expression, page.evaluate("() => document.body.innerText")[:2000])
            time.sleep(0.05)
        return value

    return wait
