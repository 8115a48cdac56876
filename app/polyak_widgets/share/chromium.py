"""The Chromium of this machine: where it is, and a page of HTML printed by it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

NAMES = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome", "chrome")
PATIENCE = 120
"""Seconds that a print may take."""


def find_browser() -> str | None:
    """$CHROMIUM, or a Chromium by its usual names."""
    names = (os.environ.get("CHROMIUM"), *NAMES)
    return next((path for name in names if name and (path := shutil.which(name))), None)


def print_pdf(page: Path) -> Path:
    """Print a page of our own to a PDF beside it.

    Raises:
        RuntimeError: there is no Chromium, or it wrote nothing; the message says what to do.
    """
    browser, pdf = find_browser(), page.with_suffix(".pdf").resolve()
    if browser is None:
        raise RuntimeError(
            "PDFs are printed by a Chromium, and none was found: install one, or name it: "
            "CHROMIUM=/path/to/chromium make lecture."
        )
    pdf.unlink(missing_ok=True)
    # With the usual profile a browser that is open would take the call and print nothing; with a sandbox none
    # starts as root, and a page of our own holds no script.
    with TemporaryDirectory() as profile:
        flags = ["--headless", "--disable-gpu", "--no-sandbox", f"--user-data-dir={profile}"]
        flags += ["--no-pdf-header-footer", f"--print-to-pdf={pdf}"]
        command = [browser, *flags, page.resolve().as_uri()]
        process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if not pdf.is_file():
        raise RuntimeError(f"{browser} has not printed {page.name}: {process.stderr.strip()[-500:]}")
    return pdf
