"""A disk that is full or may not be written, and an end at any moment: said in words, and nothing is left."""

import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest
from server import ROOT, SETTINGS, Served, environment, free_port, started, stop, wait_until_up

WORDS = (sys.executable, "-m", "voila", "app/explore.ipynb", "--no-browser")
WORDS += (f"--Voila.config_file_paths={SETTINGS}",)
NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
"""What is mounted there is seen by nobody else, and goes with the server."""
MAY_MOUNT = (
    sys.platform == "linux"
    and shutil.which("unshare") is not None
    and subprocess.run([*NAMESPACE, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode
    == 0
)
mounts = pytest.mark.skipif(not MAY_MOUNT, reason="no disk may be mounted here")
MOMENTS = 12
"""Of SIGTERM: from the first line of Python to a server that answers."""
SMALL, ENOUGH = 6, 64
"""Megabytes of a disk."""


def visit(port: int) -> tuple[int, str]:
    """What a visitor gets: status and page."""
    with closing(HTTPConnection("localhost", port, timeout=120)) as connection:
        connection.request("GET", "/")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@contextmanager
def mounted(folder: Path, mount: str, **changes: str) -> Iterator[tuple[subprocess.Popen, Served]]:
    """A server that has a disk of its own at `folder`/disk, mounted by this command of a shell."""
    disk = folder / "disk"
    disk.mkdir()
    port = free_port()
    script = f"{mount.format(disk=disk)} && exec {shlex.join(WORDS)}"
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*NAMESPACE, script],
            cwd=ROOT,
            env=environment(PORT=str(port), PYTHONDONTWRITEBYTECODE="1", **changes),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process, Served(port, folder, process.pid)
    finally:
        stop(process)


@mounts
def test_a_disk_that_is_too_small_is_said_and_nothing_is_served_without_its_settings(tmp_path):
    mount = f"mount -t tmpfs -o size={SMALL}m none {{disk}}"
    with mounted(tmp_path, mount, TMPDIR=str(tmp_path / "disk")) as (process, served):
        assert process.wait(60) == 1
        words = (
            f"The server needs some 20 MB for files of its own in {tmp_path}/disk, and could not write there"
        )
        assert words in served.log
        assert "No space left on device" in served.log
        assert "Traceback" not in served.log


@mounts
@pytest.mark.faults
def test_a_home_that_may_not_be_written_is_not_missed(tmp_path):
    mount = "mount --bind {disk} {disk} && mount -o remount,ro,bind {disk}"
    with mounted(tmp_path, mount, HOME=str(tmp_path / "disk")) as (process, served):
        wait_until_up(process, served)
        status, page = visit(served.port)
        assert status == 200
        assert "kernelId" in page
        assert "There was an error when executing cell" not in page
        assert "Traceback" not in served.log


@mounts
@pytest.mark.faults
def test_a_disk_that_fills_up_is_said_on_the_page_and_room_on_it_is_all_that_is_needed(tmp_path):
    mount = f"mount -t tmpfs -o size={ENOUGH}m none {{disk}}"
    with mounted(tmp_path, mount, TMPDIR=str(tmp_path / "disk")) as (process, served):
        wait_until_up(process, served)
        inside = Path(f"/proc/{process.pid}/root{tmp_path}/disk/filling")
        with suppress(OSError), inside.open("wb", buffering=0) as filling:
            while True:
                filling.write(bytes(4096))
        status, page = visit(served.port)
        assert status == 503
        assert "The server cannot write to its disk, which may be full." in page
        assert "Nothing can be written to" in served.log
        inside.unlink()
        status, page = visit(served.port)
        assert status == 200
        assert "kernelId" in page
        assert "Traceback" not in served.log


def of_server(folder: Path) -> list[psutil.Process]:
    """Processes that write to this temporary folder."""
    processes = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("TMPDIR", "").startswith(str(folder)):
                processes.append(process)
        except psutil.Error:
            continue
    return [
        process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    ]


def is_gone(folder: Path) -> bool:
    """Whether no process of the server is left before long."""
    for _ in range(100):
        if not of_server(folder):
            return True
        time.sleep(0.1)
    return False


def begin(folder: Path, log: Path) -> tuple[subprocess.Popen, int]:
    """Start a server whose temporary folder this is; it is not waited for."""
    port = free_port()
    with log.open("w") as output:
        process = subprocess.Popen(
            WORDS,
            cwd=ROOT,
            env=environment(PORT=str(port), TMPDIR=str(folder)),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    return process, port


@pytest.mark.faults
def test_sigterm_at_any_moment_of_the_start_ends_it_soon_and_leaves_nothing(tmp_path):
    folder, log = tmp_path / "tmp", tmp_path / "log"
    folder.mkdir()
    process, port = begin(folder, log)
    begun = time.monotonic()
    wait_until_up(process, Served(port, tmp_path))
    whole = time.monotonic() - begun
    stop(process)
    moments = random.Random(1)
    for number in range(MOMENTS):
        process, _ = begin(folder, log)
        time.sleep(moments.uniform(0, 1.2 * whole) if number else 0)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert is_gone(folder), number
        assert "Traceback" not in log.read_text()
        assert list(folder.iterdir()) == [], number


@pytest.mark.faults
def test_what_a_killed_server_leaves_behind_goes_with_the_next_start(tmp_path):
    folder = tmp_path / "tmp"
    folder.mkdir()
    with started(WORDS, tmp_path, TMPDIR=str(folder)) as first:
        assert visit(first.port)[0] == 200
        psutil.Process(first.pid).kill()
        assert is_gone(folder), "kernels end without their server"
        assert len(list(folder.iterdir())) == 1
        (folder / "polyak-of-somebody").mkdir()
        with (
            started(WORDS, tmp_path, TMPDIR=str(folder)) as second,
            started(WORDS, tmp_path, TMPDIR=str(folder)) as third,
        ):
            assert len(list(folder.iterdir())) == 3, "two that run, and what is none of ours"
            assert visit(second.port)[0] == visit(third.port)[0] == 200
    assert [path.name for path in folder.iterdir()] == ["polyak-of-somebody"]


@pytest.mark.faults
def test_of_two_servers_that_start_at_once_on_a_port_one_serves_and_one_says_why_not(tmp_path):
    port = str(free_port())
    servers = []
    for number in range(2):
        with (tmp_path / f"log{number}").open("w") as log:
            servers.append(
                subprocess.Popen(
                    WORDS,
                    cwd=ROOT,
                    env=environment(PORT=port),
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
    try:
        for _ in range(600):
            ended = [number for number, server in enumerate(servers) if server.poll() is not None]
            if ended:
                break
            time.sleep(0.1)
        assert len(ended) == 1
        words = (tmp_path / f"log{ended[0]}").read_text()
        assert re.search(rf"[Pp]ort {port}.* in use", words), words
        assert "Traceback" not in words
        served = Served(int(port), tmp_path)
        wait_until_up(servers[1 - ended[0]], served)
        assert visit(int(port))[0] == 200
    finally:
        for server in servers:
            stop(server)
