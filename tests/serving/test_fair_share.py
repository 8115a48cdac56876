"""However much one visitor asks for, another's slider follows at half its speed or better, on one processor.

The visitor who drags does so in turns beside the greedy one and alone, so that what else the machine does
meets both alike.
"""

import asyncio
import statistics
import sys
from pathlib import Path

import psutil
import pytest
from server import Served, in_a_loop, started
from soak import Log, Student
from student import Page
from test_largest import LARGEST
from tornado.httpclient import AsyncHTTPClient

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are bound to a processor")
pytestmark = [pytest.mark.faults, LINUX]
TURNS, DRAGS = 4, 3
MOST = 2.0


def bind(served: Served) -> None:
    """Let the server and all kernels to come share one processor: on two nobody would be in the way."""
    server = psutil.Process(served.pid)
    for process in (server, *server.children(recursive=True)):
        process.cpu_affinity(process.cpu_affinity()[:1])


async def redraws(student: Student) -> list[float]:
    """Seconds until each move of a few drags is answered by a picture."""
    student.log.times.clear()
    for _ in range(DRAGS):
        await student.drag()
    return [seconds for seconds, _ in student.log.times["redraw"]]


async def drag_alone_and_beside(address: str, name: str) -> tuple[list[float], list[float]]:
    """The same alone, and while another page has its kernel compute what takes longest."""
    client = AsyncHTTPClient(force_instance=True, max_clients=100, max_body_size=2**28)
    student, greedy = Student(1, address, client, Log()), Page(address, client)
    await student.come("", False)
    await greedy.open()
    await greedy.until(greedy.settled)
    alone, beside = [], []
    for _ in range(TURNS):
        alone += await redraws(student)
        await be_greedy(greedy, name)
        beside += await redraws(student)
        assert greedy.state["status"]["kind"] == "running", "it has worked all the while"
        greedy.send("cancel")
        await greedy.until(lambda: greedy.state["status"]["kind"] != "running")
        greedy.send("reset")
        await greedy.until(greedy.settled)
    for page in (student.page, greedy):
        await page.leave()
    return alone, beside


async def be_greedy(page: Page, name: str) -> None:
    """Ask for the largest, and wait until the kernel is at it."""
    page.set(**LARGEST[name].values())
    await page.until(lambda: page.state["status"]["kind"] == "running")


@pytest.mark.parametrize("name", ["quadratic", "logistic"])
def test_nobody_slows_another_by_more_than_a_factor_of_two(tmp_path, name):
    words = ["sh", ".make/serve.sh", str(Path(sys.executable).parent), "class"]
    with started(words, tmp_path, POLYAK_BASE_URL="/", POLYAK_MINUTE_SECONDS="1000") as served:
        bind(served)
        address = f"http://localhost:{served.port}/"
        alone, beside = in_a_loop(asyncio.wait_for(drag_alone_and_beside(address, name), 400))
        assert "Traceback" not in served.log
    middle = statistics.median(alone), statistics.median(beside)
    print(f"{name}: a redraw takes {middle[0]:.3f} s alone and {middle[1]:.3f} s beside the largest request")
    assert len(beside) > 100
    assert middle[1] <= MOST * middle[0]
