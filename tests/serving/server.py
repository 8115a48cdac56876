"""A server that a test starts with the settings of app/serving/voila.py, and how tests speak to it."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeVar
from urllib.request import urlopen

import nbformat
import pytest
from tornado.websocket import WebSocketClosedError, websocket_connect

MIB = 1024 * 1024
ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "app" / "serving"
T = TypeVar("T")


@dataclass(frozen=True)
class Served:
    """A running server: its port, the folder of the file that it logs to, and its process."""

    port: int
    folder: Path
    pid: int = 0

    def get(self, path: str) -> str:
        with urlopen(f"http://localhost:{self.port}/{path}", timeout=30) as answer:
            return answer.read().decode()

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()


def command(folder: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "voila", str(folder / "served.ipynb"), "--no-browser"),
        f"--Voila.config_file_paths={SETTINGS}",
    ]


def environment(**changes: str) -> dict[str, str]:
    rest = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    return rest | {"UNRELATED": "1", "JUPYTER_TOKEN": "", "POLYAK_KEY": "1", "HOST": "localhost"} | changes


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(process: subprocess.Popen, served: Served) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("localhost", served.port), timeout=1).close()
        except OSError:
            assert process.poll() is None, served.log
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"no answer in a minute: {served.log}")


def stop(process: subprocess.Popen) -> None:
    """End the server with all its kernels: it ends them itself on SIGTERM, and they follow it on SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                continue


@contextmanager
def serve(folder: Path, cells: Sequence[str], *flags: str, **changes: str) -> Iterator[Served]:
    """A server of a notebook of these cells in a folder."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells], metadata={"kernelspec": kernel}
    )
    nbformat.write(notebook, folder / "served.ipynb")
    with started([*command(folder), *flags], folder, **changes) as served:
        yield served


@contextmanager
def started(words: Sequence[str], folder: Path, **changes: str) -> Iterator[Served]:
    """A server that these words start, with a port of its own; it logs to the folder."""
    port = int(changes.get("PORT") or free_port())
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment(**changes | {"PORT": str(port)}),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    served = Served(port, folder, process.pid)
    try:
        wait_until_up(process, served)
        yield served
    finally:
        stop(process)


def channel(page: str) -> str:
    kernel = re.search(r"""kernelId["']?\s*[:=]\s*["']([0-9a-f-]{36})""", page).group(1)
    return f"/api/kernels/{kernel}/channels"


def in_a_loop(coroutine: Coroutine[None, None, T]) -> T:
    """Run in a thread of its own: Playwright's tests leave a running loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def request(served: Served, path: str = "", method: str = "GET", body: str = "", **headers: str):
    with closing(HTTPConnection("localhost", served.port, timeout=60)) as connection:
        connection.request(method, f"/{path}", body, headers)
        answer = connection.getresponse()
        return answer, answer.read().decode()


async def is_answered(address: str, size: int) -> bool:
    """Return whether the kernel says who it is when a message of so many bytes asks it."""
    header = {
        "msg_id": "m",
        "msg_type": "kernel_info_request",
        "session": "s",
        "username": "u",
        "version": "5.3",
    }
    message = {"header": header, "parent_header": {}, "metadata": {}, "channel": "shell", "content": {}}
    text = json.dumps(message)
    connection = await websocket_connect(f"ws://{address}", max_message_size=64 * MIB)
    answered = False
    try:
        await connection.write_message(text + " " * (size - len(text)))
        while (answer := await asyncio.wait_for(connection.read_message(), timeout=10)) is not None:
            if "kernel_info_reply" in str(answer):
                answered = True
                connection.close()  # and read on until the server has closed its side, too
    except WebSocketClosedError:
        return False
    finally:
        connection.close()
    return answered
