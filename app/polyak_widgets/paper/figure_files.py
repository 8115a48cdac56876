"""`make figures`: the paper's figures as PNG and SVG, a table of every run, and docs/findings.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from polyak_widgets.paper.comparisons import more_tasks
from polyak_widgets.paper.findings_page import PAGE, findings_text, left_out, put_into, write_table
from polyak_widgets.paper.paper_figures import TITLES, figure_of
from polyak_widgets.paper.paper_panels import Runs, tasks_of
from polyak_widgets.paper.paper_runs import CACHE, run_tasks
from polyak_widgets.share.chromium import find_browser

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

FOLDER = Path("build") / "figures"
SCALE = 2
"""Pixels of a PNG for each of the figure."""
POINTS = 1000
"""Of a curve in a file: more than its panel has pixels, and few enough for a small SVG."""

CLOSING = 20.0
"""Seconds that the browser may take to close: now and then it never says that it has."""


def write_figures(runs: Runs, numbers: Sequence[int], folder: Path) -> list[Path]:
    """Write each figure as PNG and SVG, by one Chromium for all of them.

    Raises:
        ImportError: kaleido is missing; the message has the line that installs it.
        RuntimeError: there is no Chromium; the message says how to name one.
    """
    try:
        import kaleido
        from choreographer.errors import ChromeNotFoundError
    except ImportError as error:
        raise ImportError('PNG and SVG need kaleido: pip install "polyak-explorer[app,figures]"') from error
    if "BROWSER_PATH" not in os.environ and (chromium := find_browser()):
        os.environ["BROWSER_PATH"] = chromium
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    try:
        kaleido.start_sync_server(n=1, mathjax=False, silence_warnings=True)
        for number in numbers:
            figure = figure_of(number, runs, points=POINTS)
            for kind, scale in (("png", SCALE), ("svg", 1)):
                path = folder / f"figure-{number}.{kind}"
                path.write_bytes(_picture(kaleido, figure, kind, scale))
                paths.append(path)
    except ChromeNotFoundError as error:
        raise RuntimeError(
            "PNG and SVG are drawn by a Chromium, and none was found: install one, or name it: "
            "CHROMIUM=/path/to/chromium make figures."
        ) from error
    finally:
        closing = Thread(target=kaleido.stop_sync_server, kwargs={"silence_warnings": True}, daemon=True)
        closing.start()
        closing.join(CLOSING)
    return paths


def _picture(kaleido: Any, figure: Figure, kind: str, scale: int) -> bytes:
    size = {"width": figure.layout.width, "height": figure.layout.height}
    return bytes(kaleido.calc_fig_sync(figure.to_dict(), opts={"format": kind, "scale": scale, **size}))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is needed, write figures and tables, say what is missing.

    Args:
        arguments: as on the command line, `python -m polyak_widgets.paper.figure_files`.
    """
    parser = argparse.ArgumentParser(description="The figures and tables of the paper.")
    parser.add_argument("figures", nargs="*", type=int, help="which ones, 1 to 5; all by default")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they go")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where finished runs are kept")
    parser.add_argument("--page", type=Path, default=PAGE, help="where findings go; needs all data sets")
    args = parser.parse_args(arguments)
    numbers = args.figures or list(TITLES)
    if not set(numbers) <= set(TITLES):
        parser.error(f"the figures are {', '.join(map(str, TITLES))}")
    runs = run_tasks([t for n in numbers for t in tasks_of(n)] + more_tasks(), folder=args.cache)
    for path in write_figures(runs, numbers, args.folder):
        print(path)
    write_table(runs, args.folder / "iterations.csv")
    print(args.folder / "iterations.csv")
    gaps, apart = left_out(), args.folder / "findings.md"
    if gaps or len(numbers) < len(TITLES):
        print(
            *gaps,
            f"So the findings of these runs go to {apart}, and {args.page} stays as it is.",
            sep="\n",
        )
        apart.write_text(findings_text(runs), encoding="utf-8")
    else:
        put_into(args.page, findings_text(runs))
        print(args.page)


if __name__ == "__main__":
    main()
