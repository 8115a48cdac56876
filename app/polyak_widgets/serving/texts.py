"""What the command line says of itself, and what a visitor reads for whom there is no room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# The command
SERVING = "Serve the Polyak Explorer on this machine and open it in the browser. Ctrl+C ends it."
SERVING_OPTIONS: Mapping[str, str] = {
    "notebook": "a notebook of your own, or a folder of them; the page if none",
    "--port": "the port (8866, or that of the variable PORT)",
    "--host": "the address to listen at (localhost, or HOST); 0.0.0.0 for all",
    "--base-url": "the path of the page, such as /polyak/",
    "--no-browser": "open no browser",
}
COPYING = "Write all notebooks, and the pages that they link, into a folder that is new or empty."
COPYING_FOLDER = "the folder; it is made if it is not there"
LAB_NEEDED = ', after pip install "polyak-explorer[app,lab]"'
NO_FORK_HERE = "POLYAK_START is forked, which works on Linux only: each kernel starts fresh."

# Pages for a visitor whose own cannot be made
FULL_TITLE, FULL_HEAD = "Full", "Polyak Explorer is full"
FULL_WHY = "Every reader has a computing process of their own, and there is no room for one more just now."
NO_DISK_TITLE, NO_DISK_HEAD = "Disk full", "Polyak Explorer cannot start a computing process"
NO_DISK_WHY = "The server cannot write to its disk, which may be full. Whoever runs it has to make room."
TO_THE_PAGE = "Open Polyak Explorer."


def more_commands(copy: str) -> str:
    """What else the command does."""
    return (
        f"polyak-explorer {copy} DIR writes all notebooks into the new folder DIR. Limits for others' use "
        "are variables of the environment that start with POLYAK_, such as POLYAK_SECONDS=8."
    )


def notebooks_written(count: int, folder: str) -> str:
    """All notebooks are there."""
    return f"{count} notebooks are in {folder}. To open them: jupyter lab {folder}"


def titled(title: str) -> str:
    """The title of such a page."""
    return f"{title} \N{EN DASH} Polyak Explorer"


def comes_again(seconds: int) -> str:
    """What such a page does by itself."""
    return f"Try again in a moment: this page does so by itself every {seconds} seconds."


def missing_to_serve(names: Sequence[str]) -> str:
    """What must be installed, and the line that does so."""
    *first, last = names
    listed = f"{', '.join(first)} and {last}" if first else last
    return f'To serve the page {listed} must be installed: pip install "polyak-explorer[app]"'
