"""A new environment, with a folder and a HOME of its own, and what a browser would be given there."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PATIENCE = 120


class Place:
    """A new environment, with a folder and a HOME of its own."""

    def __init__(self, folder: Path, *requirements: str) -> None:
        self.folder, self.bin = folder / "there", folder / "env" / "bin"
        self.home = folder / "home"
        for path in (self.folder, self.home):
            path.mkdir()
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        self.install("pip>=25.1", *requirements)  # the first that knows dependency groups

    def install(self, *words: str) -> None:
        pip = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        self.run(*pip, "--constraint", str(ROOT / "constraints.txt"), *words)

    @property
    def environment(self) -> dict[str, str]:
        left = {name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "JUPYTER"))}
        return left | {"HOME": str(self.home), "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def run(self, *command: str, folder: Path | None = None, fails: bool = False) -> str:
        ended = subprocess.run(
            [self.bin / command[0], *command[1:]],
            cwd=folder or self.folder, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ended.returncode != 0) == fails, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    @contextmanager
    def serving(self, *command: str, **environment: str):
        """The port of a server that this command starts."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with (self.folder / "log").open("w") as log:
            process = subprocess.Popen(
                [self.bin / command[0], *command[1:], "--port", str(port)],
                cwd=self.folder, env=self.environment | environment, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


@contextmanager
def chromium_page():
    """A new page of the Chromium that CHROMIUM names."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path, options = os.environ.get("CHROMIUM"), ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser.new_page()
        browser.close()


def fetched(address: str) -> str:
    """What a browser would be given, as soon as the server is there."""
    stop = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(address, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except URLError as error:
            if hasattr(error, "code") or time.monotonic() > stop:
                raise
            time.sleep(0.2)
