"""`make lecture`: the lecture with links to the served page, two PDFs, and questions for Moodle."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from polyak_widgets.share.chromium import print_pdf
from polyak_widgets.share.lecture.moodle import moodle_xml
from polyak_widgets.share.lecture.page import ADDRESS, lecture_html
from polyak_widgets.share.lecture.sheets import answers_html, handout_html
from polyak_widgets.share.texts import LECTURE_COMMAND, LECTURE_OPTIONS
from polyak_widgets.stories.lecture import lessons

FOLDER = Path("build") / "lecture"
PAGE = Path("docs") / "lecture.md"
EVERYWHERE = ("", "0.0.0.0", "::")
"""Hosts that stand for this machine, on every interface."""


def served_at(host: str, port: str) -> str:
    """The address of the page that `make app` serves with the same HOST and PORT.

    >>> served_at("", ""), served_at("0.0.0.0", "9000"), served_at("::1", "")
    ('http://localhost:8866/', 'http://localhost:9000/', 'http://[::1]:8866/')

    Raises:
        ValueError: that is no port.
    """
    _, usual_host, usual_port = ADDRESS.rstrip("/").replace("//", "").split(":")
    port = port or usual_port
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"PORT is {port!r}, but must be a whole number from 1 to 65535: try PORT=8866.")
    name = usual_host if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def write_files(folder: Path, page: Path, address: str) -> list[Path]:
    """Write all files of a lecture into a folder.

    Raises:
        RuntimeError: the PDFs could not be printed; the message says what to do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    key = lessons()
    texts = {
        "lecture.html": lecture_html(page, folder, address),
        "handout.html": handout_html(),
        "answers.html": answers_html(key),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "questions.xml").write_bytes(moodle_xml(key))
    printed = [print_pdf(folder / name) for name in ("handout.html", "answers.html")]
    return [folder / "lecture.html", *printed, folder / "questions.xml"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files and say where they are.

    Args:
        arguments: as on the command line, `python -m polyak_widgets.share.lecture.files`.
    """
    parser = argparse.ArgumentParser(description=LECTURE_COMMAND)
    parser.add_argument("--host", default="", help=LECTURE_OPTIONS["host"])
    parser.add_argument("--port", default="", help=LECTURE_OPTIONS["port"])
    parser.add_argument("--folder", type=Path, default=FOLDER, help=LECTURE_OPTIONS["folder"])
    parser.add_argument("--page", type=Path, default=PAGE, help=LECTURE_OPTIONS["page"])
    args = parser.parse_args(arguments)
    try:
        address = served_at(args.host, args.port)
    except ValueError as error:
        parser.error(str(error))
    for path in write_files(args.folder, args.page, address):
        print(path)


if __name__ == "__main__":
    main()
