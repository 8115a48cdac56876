"""Print the path of a Firefox for the tests in it; install Debian's when there is none: `make firefox`.

Looked at in this order: $FIREFOX, the names on PATH, Debian's packages (as root).
"""

import sys

from find_chromium import from_debian, named_by_environment, on_path

NAMES = ("firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox")
PACKAGES = ("firefox-esr",)
ADVICE = "There is no Firefox. Install the package firefox of your system, or name a program in FIREFOX."


def find_firefox(install: bool = False) -> str | None:
    """The path of a Firefox, None where there is none; `install` tries to get one."""
    path = named_by_environment("FIREFOX") or on_path(NAMES)
    return path or (from_debian(PACKAGES, NAMES) if install else None)


if __name__ == "__main__":
    print(find_firefox(install=True) or sys.exit(ADVICE))
