"""How soon the page without a server is there, alive, and follows a slider: a part of page.py."""

from __future__ import annotations

import functools
import gzip
import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from page_visits import QUIET, WATCH
from playwright.sync_api import Browser, BrowserContext, Page

COMPRESSED = (".js", ".css", ".json", ".html", ".wasm")
MOVES = 20
PATIENCE = 180.0
CONTENT = "() => document.querySelector('#loading, [data-drawn-serial]') !== null"
ALIVE = "() => 'alive' in document.body.dataset"
SETTLED = """() => { const { drawnWhole, drawnSerial } = document.querySelector('#stage').dataset;
    return drawnSerial > 0 && drawnWhole === 'true' }"""
QUIET_NOW = f"""() => {{ const [at, , done] = changes.at(-1) ?? [0];
    return moves.length > 0 && at >= moves[0] && done && performance.now() - at > {QUIET} }}"""
"""A change may still come of the picture before the move."""


class Host(http.server.SimpleHTTPRequestHandler):
    """A host that compresses what gains by it, and lets browsers keep all but the page itself."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        data, compressed = body(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(data)))
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        fixed = "v=" in self.path
        self.send_header("Cache-Control", "max-age=31536000, immutable" if fixed else "no-cache")
        self.end_headers()
        self.wfile.write(data)
        with self.server.counting:
            self.server.sent += len(data)

    def log_message(self, *arguments: object) -> None:
        pass


@functools.cache
def body(path: Path) -> tuple[bytes, bool]:
    """What is sent of a file, and whether it is compressed."""
    compressed = path.suffix in COMPRESSED
    return (gzip.compress(path.read_bytes(), 9) if compressed else path.read_bytes()), compressed


@contextmanager
def handed_out(folder: Path) -> Iterator[http.server.ThreadingHTTPServer]:
    """A host of this folder."""
    handler = functools.partial(Host, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.sent, server.counting = 0, threading.Lock()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@dataclass(kw_only=True)
class Stay:
    """Seconds, milliseconds, bytes."""

    first_content: float = 0
    alive: float = 0
    alive_again: float = 0
    first_frame: list[float] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    received: int = 0


def until(tab: Page, expression: str) -> None:
    """The policy of the page forbids Playwright's own way of waiting."""
    end = time.perf_counter() + PATIENCE
    while not tab.evaluate(expression):
        if time.perf_counter() > end:
            raise TimeoutError(expression)
        time.sleep(0.005)


def stay(browser: Browser, server: http.server.ThreadingHTTPServer) -> Stay:
    """Somebody who was never there opens the page, moves its slider, and comes again."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    result, before = Stay(), server.sent
    result.first_content, result.alive = opened(context, server)
    result.received = server.sent - before
    tab = context.pages[0]
    until(tab, SETTLED)
    tab.wait_for_timeout(3000)
    tab.evaluate(WATCH, ["#stage", "", True])
    tab.locator(".pk-range:visible").first.focus()
    for _ in range(MOVES):
        tab.evaluate("() => { changes.length = moves.length = 0 }")
        tab.keyboard.press("ArrowRight")
        until(tab, QUIET_NOW)
        moved, changes = tab.evaluate("() => [moves[0], changes.filter(([at]) => at >= moves[0])]")
        result.first_frame.append(changes[0][0] - moved)
        result.settled.append(next(at for at, _, done in changes if done) - moved)
    tab.close()
    result.alive_again = opened(context, server)[1]
    context.close()
    return result


def opened(context: BrowserContext, server: http.server.ThreadingHTTPServer) -> tuple[float, float]:
    """Open the page; seconds until there is something, and until Python is there."""
    tab = context.new_page()
    started = time.perf_counter()
    tab.goto(f"http://localhost:{server.server_port}/", wait_until="commit")
    until(tab, CONTENT)
    content = time.perf_counter() - started
    until(tab, ALIVE)
    return content, time.perf_counter() - started


GOALS = {"first content": 1.5, "alive": 6.0, "again": 3.0, "frame": 60.0, "settled": 3.0, "MB": 12.0}
"""Seconds, seconds, seconds, milliseconds, times the served page, megabytes."""


def report(stays: list[Stay], served: float) -> str:
    """The table; `served` is what the served page takes to a settled picture, in milliseconds."""

    def middle(name: str) -> float:
        return float(np.median([getattr(each, name) for each in stays]))

    def percentiles(name: str) -> tuple[float, float]:
        first, last = np.percentile(np.hstack([getattr(each, name) for each in stays]), [50, 95])
        return float(first), float(last)

    frame, settled = percentiles("first_frame"), percentiles("settled")
    mb = middle("received") / 1e6
    rows = [
        ("first content, s", f"{middle('first_content'):.1f}", middle("first_content"), "first content"),
        ("alive, nothing kept, s", f"{middle('alive'):.1f}", middle("alive"), "alive"),
        ("alive, kept by the browser, s", f"{middle('alive_again'):.1f}", middle("alive_again"), "again"),
        ("slider to first frame, ms p50 / p95", f"{frame[0]:.0f} / {frame[1]:.0f}", frame[0], "frame"),
        ("to settled, ms p50 / p95", f"{settled[0]:.0f} / {settled[1]:.0f}", settled[0] / served, "settled"),
        ("received before it is alive, MB", f"{mb:.1f}", mb, "MB"),
    ]
    allowed = {name: f"{value:g}" for name, value in GOALS.items()}
    allowed["settled"] = f"{GOALS['settled']:g} times the served page's {served:.0f}"
    lines = [
        f"| {label} | {text if reached <= GOALS[goal] else f'**{text}: missed**'} | {allowed[goal]} |"
        for label, text, reached, goal in rows
    ]
    return "\n".join(["| the page without a server | measured | allowed |", "|---|---:|---:|", *lines])
