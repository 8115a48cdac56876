"""Print the path of a Chromium for the browser tests; install one of Debian's when nothing else is at hand.

Looked at in this order: $CHROMIUM, the names on PATH, Playwright's own download, Debian's packages (as root).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NAMES = (
    "chromium-headless-shell",  # first: without windows of its own a page costs a quarter less time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PACKAGES = ("chromium-headless-shell", "chromium")
"""The smaller one is not in older releases."""
ADVICE = (
    "The browser tests need a Chromium and found none. Do one of these: install the package chromium of your "
    "system; run '.venv/bin/playwright install chromium'; or name a program: "
    "CHROMIUM=/path/to/chromium make test."
)


def named_by_environment(variable: str = "CHROMIUM") -> str | None:
    """Return the path that a variable names, or None; leave with a sentence where that is no program."""
    name = os.environ.get(variable)
    if not name:
        return None
    path = shutil.which(name)
    if path is None:
        sys.exit(f"{variable} is {name!r}, which is no program that can be run. Correct or unset it.")
    return path


def on_path(names: Sequence[str] = NAMES) -> str | None:
    """Return the first of some names that is a program."""
    return next((path for path in map(shutil.which, names) if path), None)


def from_playwright() -> str | None:
    """Return the browser that Playwright downloaded for itself, if it did."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def from_debian(packages: Sequence[str] = PACKAGES, names: Sequence[str] = NAMES) -> str | None:
    """Install one of Debian's packages, on Debian and as root; what apt-get says goes to stderr."""
    release = Path("/etc/os-release")
    if not release.is_file() or "ID=debian" not in release.read_text().splitlines():
        return None
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], *(["install", "-y", "--no-install-recommends", name] for name in packages)):
        subprocess.run(["apt-get", "-q", *command], check=False, stdout=sys.stderr, env=environment)
        if path := on_path(names):
            return path
    return None


def find_chromium() -> str:
    """Return the path of a Chromium, or leave with a sentence that says how to get one."""
    for look in (named_by_environment, on_path, from_playwright, from_debian):
        path = look()
        if path:
            return path
    sys.exit(ADVICE)


if __name__ == "__main__":
    print(find_chromium())
