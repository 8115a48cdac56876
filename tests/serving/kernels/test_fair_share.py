"""However much one visitor asks for, another's slider follows at half its speed or better, on one processor.

The visitor who drags does so in turns beside the greedy one and alone, so that what else the machine does
meets both alike. Where it does so much that waiting says little, the seconds of the processor tell that the
kernel of who drags has had for it.
"""

import asyncio
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from largest import LARGEST
from server import Served, in_a_loop, started
from soak import Log, Student
from student import Page
from tornado.httpclient import AsyncHTTPClient

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are bound to a processor")
pytestmark = [pytest.mark.faults, LINUX]
TURNS = 10
MOST = 2.0


def bind(served: Served) -> None:
    """Let the server and all kernels to come share one processor: on two nobody would be in the way."""
    server = psutil.Process(served.pid)
    for process in (server, *server.children(recursive=True)):
        process.cpu_affinity(process.cpu_affinity()[:1])


@dataclass
class Turns:
    """Of all turns of one kind: what redraws waited, and the seconds of a processor that the kernel had."""

    waits: list[float] = field(default_factory=list)
    worked: float = 0.0
    passed: float = 0.0

    async def drag(self, student: Student, kernel: psutil.Process) -> None:
        begun, before = time.monotonic(), sum(kernel.cpu_times()[:2])
        student.log.times.clear()
        await student.drag()
        self.waits += [seconds for seconds, _ in student.log.times["redraw"]]
        self.worked += sum(kernel.cpu_times()[:2]) - before
        self.passed += time.monotonic() - begun

    @property
    def wait(self) -> float:
        return statistics.median(self.waits)

    @property
    def share(self) -> float:
        return self.worked / self.passed


async def drag_alone_and_beside(served: Served, name: str) -> tuple[Turns, Turns]:
    """The same alone, and while another page has its kernel compute what takes longest."""
    client = AsyncHTTPClient(force_instance=True, max_clients=100, max_body_size=2**28)
    address = f"http://localhost:{served.port}/"
    student, greedy = Student(1, address, client, Log()), Page(address, client)
    await student.come("", False)
    (zygote,) = psutil.Process(served.pid).children()
    (kernel,) = zygote.children()
    await greedy.open()
    await greedy.until(greedy.settled)
    alone, beside = Turns(), Turns()
    for _ in range(TURNS):
        await alone.drag(student, kernel)
        await be_greedy(greedy, name)
        await beside.drag(student, kernel)
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
        alone, beside = in_a_loop(asyncio.wait_for(drag_alone_and_beside(served, name), 400))
        assert "Traceback" not in served.log
    print(f"{name}: alone {alone.wait:.3f} s a redraw and {alone.share:.2f} of the processor, ", end="")
    print(f"beside the largest request {beside.wait:.3f} s and {beside.share:.2f}")
    assert min(len(alone.waits), len(beside.waits)) > 100
    assert beside.wait <= MOST * alone.wait or beside.share >= alone.share / MOST
