"""How soon the page is there and follows a slider, against an echo and against plotly's FigureWidget.

Run by `make bench-page` on a quiet machine, where it takes about five minutes; `--rounds 1` for a quick look.
Rounds are interleaved; each visit has an empty cache and a new kernel. The page without a server takes its
turns with the others. The tables go between the markers of README.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psutil
from page_servers import ECHO, FIGURE_WIDGET, OURS, served
from page_visits import Visit, visit
from playwright.sync_api import sync_playwright
from static_page import Stay, handed_out, stay
from static_page import report as static_report

README = Path(__file__).with_name("README.md")
SERVED = "<!-- make bench-page writes below -->", "<!-- make bench-page wrote above -->"
SERVERLESS = tuple(marker.replace("bench-page", "bench-page, without a server,") for marker in SERVED)
PAGES = {"echo": ECHO, "Explorer": OURS, "FigureWidget": FIGURE_WIDGET}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
GOALS = {
    "first content": (1.5, "first_content", 50),
    "first frame, p50": (1.5, "first_frame", 50),
    "first frame, p95": (2.0, "first_frame", 95),
    "settled, p50": (6.0, "settled", 50),
}
REDRAWS = 25


STATIC = Path(__file__).parents[1] / "build" / "static"


def measured(rounds: int) -> tuple[dict[str, list[Visit]], list[Stay]]:
    """The visits of each page, and those of the page without a server where `make static` has written it."""
    visits: dict[str, list[Visit]] = {name: [] for name in PAGES}
    stays: list[Stay] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pages = [stack.enter_context(served(Path(folder), name, source)) for name, source in PAGES.items()]
        playwright = stack.enter_context(sync_playwright())
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        host = stack.enter_context(handed_out(STATIC)) if STATIC.is_dir() else None
        for page in pages:
            visit(browser, page)  # files come into the system's cache
        for _ in range(rounds):
            for page in pages:
                visits[page.name].append(visit(browser, page))
            if host is not None:
                stays.append(stay(browser, host))
        browser.close()
    return visits, stays


def column(visits: list[Visit], name: str) -> np.ndarray:
    return np.hstack([getattr(visit, name) for visit in visits])


def row(name: str, visits: list[Visit]) -> str:
    def pair(what: str) -> str:
        return "{:.0f} / {:.0f}".format(*np.percentile(column(visits, what), [50, 95]))

    def middle(what: str, unit: float = 1) -> float:
        return float(np.median(column(visits, what))) / unit

    return (
        f"| {name} | {middle('first_content'):.1f} | {pair('first_frame')} | {pair('settled')} "
        f"| {middle('redraws'):.0f} | {middle('received', 1e6):.1f} | {middle('cpu'):.1f} "
        f"| {middle('memory', 1e6):.0f} |"
    )


def goals(visits: dict[str, list[Visit]]) -> list[str]:
    """Each goal, what was reached, and whether that is enough."""
    lines = ["| goal for the Explorer | allowed | reached |", "|---|---:|---:|"]
    for name, (allowed, what, percent) in GOALS.items():
        ours, echo = (np.percentile(column(visits[page], what), percent) for page in ("Explorer", "echo"))
        lines.append(
            f"| {name}, over the echo's | {allowed:g} | {verdict(ours / echo, ours / echo <= allowed)} |"
        )
    redraws = float(np.median(column(visits["Explorer"], "redraws")))
    lines.append(
        f"| redraws a second of a drag | at least {REDRAWS} | {verdict(redraws, redraws >= REDRAWS)} |"
    )
    return lines


def verdict(number: float, reached: bool) -> str:
    return f"{number:.2g}" if reached else f"**{number:.2g}: missed**"


def report(visits: dict[str, list[Visit]]) -> str:
    head = (
        "| page | first content, s | slider to first frame, ms p50 / p95 | to settled picture, ms p50 / p95 "
        "| redraws a second of drag | received in all, MB | kernel CPU until there, s | kernel memory, MB |"
    )
    rows = [row(name, each) for name, each in visits.items()]
    dead = ", ".join(f"{name} {sum(visit.dead for visit in each)}" for name, each in visits.items())
    last = f"{machine(len(visits['echo']))} Loads that showed nothing within a minute: {dead}."
    return "\n".join([head, "|---|" + "---:|" * 7, *rows, "", *goals(visits), "", last])


def machine(visits: int) -> str:
    """What was measured on, and how often."""
    return (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"load {psutil.getloadavg()[0]:.1f}; {visits} visits of each page."
    )


def write(text: str, markers: tuple[str, ...]) -> None:
    """Put a table between its markers."""
    begin, end = markers
    old = README.read_text()
    README.write_text(re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n{text}\n{end}", old, flags=re.DOTALL))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2, help="visits of each page")
    parser.add_argument("--print-only", action="store_true", help="leave README.md as it is")
    arguments = parser.parse_args()
    visits, stays = measured(arguments.rounds)
    texts = {SERVED: report(visits)}
    if stays:
        served_page = float(np.percentile(column(visits["Explorer"], "settled"), 50))
        texts[SERVERLESS] = f"{static_report(stays, served_page)}\n\n{machine(len(stays))}"
    else:
        print("The page without a server was left out: build/static is not there.")
    for markers, text in texts.items():
        print(text, end="\n\n")
        if not arguments.print_only:
            write(text, markers)


if __name__ == "__main__":
    main()
