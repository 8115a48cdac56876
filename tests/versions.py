"""Both ends of every version range: `make test-oldest`, `make test-newest`.

Oldest: the lowest direct versions that pyproject.toml allows, on the oldest Python. Newest: the newest of
everything, on that Python and on every newer one that is found: on PATH, in pyenv's folder, or fetched by uv.
Each gets an environment of its own, where tests/core runs and the served page draws in a Chromium. A Python
that is not found is said to be untested. What is not known here is handed to pytest.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Error, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
NAMES = [f"3.{minor}" for minor in range(OLDEST[1], 16)]
"""Of Pythons that are looked for."""
DRAWN = "() => document.querySelector('.pk-stage')?.dataset.drawnWhole === 'true'"
PATIENCE = 120
"""Seconds until the server answers, and then until the first picture is there."""


def places(name: str) -> Iterator[str]:
    """Where a Python of this name may be."""
    if path := shutil.which(f"python{name}"):
        yield path
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, sorted(pyenv.glob(f"{name}.*/bin/python{name}")))


def python_here(name: str) -> str | None:
    """A Python on this machine that starts and has this version."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in places(name):
        ended = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
        if ended.stdout.strip() == name:
            return path
    return None


def fetched_python(name: str, uv: str) -> str | None:
    """A Python of this version that uv fetches."""
    subprocess.run([uv, "python", "install", "--quiet", name], capture_output=True, check=False)
    ended = subprocess.run(
        [uv, "python", "find", "--managed-python", name], capture_output=True, text=True, check=False
    )
    return ended.stdout.strip() or None


def uv_program(folder: Path) -> str:
    """The uv on PATH, or one that pip installs: it alone resolves to the lowest versions."""
    if path := shutil.which("uv"):
        return path
    subprocess.run([sys.executable, "-m", "venv", folder / "uv"], check=True)
    pip = [folder / "uv" / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"]
    subprocess.run(pip, check=True)
    return str(folder / "uv" / "bin" / "uv")


def install(end: str, python: str, uv: str, folder: Path) -> Path:
    """The Python of a new environment with the package, its page and what its tests need."""
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, folder], check=True)
    resolution = "lowest-direct" if end == "oldest" else "highest"
    there = folder / "bin" / "python"
    subprocess.run(
        [
            *(uv, "pip", "install", "--quiet", "--python", there, "--resolution", resolution),
            *(f"{ROOT}[app]", "--group", f"{ROOT / 'pyproject.toml'}:test"),
        ],
        check=True,
    )
    return there


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def opened(page: Page, address: str, server: subprocess.Popen[bytes]) -> None:
    """Open the address as soon as the server is there."""
    stop = time.monotonic() + PATIENCE
    while True:
        try:
            page.goto(address, timeout=1000 * PATIENCE)
            return
        except Error:
            if time.monotonic() > stop or server.poll() is not None:
                raise
            time.sleep(0.5)


def draws(there: Path, folder: Path) -> bool:
    """Whether the page that this environment serves draws its first picture, without a complaint."""
    port = free_port()
    command = [there, "-m", "polyak_widgets", "--no-browser", "--port", str(port)]
    complaints: list[str] = []
    server = subprocess.Popen(command, cwd=folder, env=left_environment())
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            try:
                opened(page, f"http://localhost:{port}/", server)
                page.wait_for_function(DRAWN, timeout=1000 * PATIENCE)
            except Error as error:
                complaints.append(str(error))
            browser.close()
    finally:
        server.terminate()
        server.wait(30)
    for words in complaints:
        print(words, flush=True)
    return not complaints


def left_environment() -> dict[str, str]:
    """What an environment of its own may see of this one."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def works(there: Path, folder: Path, tests: list[str]) -> bool:
    """Whether the tests of the core pass there, and the page draws."""
    command = [there, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *tests]
    passed = subprocess.run(command, cwd=ROOT, env=left_environment(), check=False).returncode == 0
    return draws(there, folder) and passed


def main() -> int:
    """The number of Pythons on which something failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("end", choices=["oldest", "newest"])
    parser.add_argument("--python", action="append", help="such as 3.13; all that are found if none is named")
    parser.add_argument("--here", action="store_true", help="on the newest Python of this machine alone")
    options, tests = parser.parse_known_args()
    names = options.python or (NAMES[:1] if options.end == "oldest" else NAMES)
    if options.here:
        names = [name for name in names if python_here(name)][-1:]
    failed, untested = [], []
    with TemporaryDirectory() as temporary:
        uv = uv_program(Path(temporary))
        for name in names:
            python = python_here(name) or fetched_python(name, uv)
            if python is None:
                untested.append(name)
                continue
            folder = Path(temporary) / name
            print(f"Python {name}, {options.end} versions", flush=True)
            there = install(options.end, python, uv, folder)
            if not works(there, folder, tests or ["tests/core"]):
                failed.append(name)
    tested = [name for name in names if name not in failed + untested]
    for words, which in (("works on", tested), ("fails on", failed), ("not found, so untested:", untested)):
        print(f"{options.end} versions: {words} {', '.join(which) or 'none'}")
    return len(failed) or int(not tested)


if __name__ == "__main__":
    sys.exit(main())
