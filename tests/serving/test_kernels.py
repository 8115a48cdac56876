"""When a kernel is ended: no page comes, or whoever asked hangs up; and what is said where no more fit."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection

import psutil
import pytest
from server import Served, channel, in_a_loop, serve
from tornado.websocket import websocket_connect

MOST = 3
PATIENCE = 3


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    limits = (f"--PageKernels.patience={PATIENCE}", f"--PageKernels.most={MOST}")
    with serve(
        tmp_path_factory.mktemp("kernels"), ["import time; time.sleep(0.3); 6 * 7"], *limits
    ) as served:
        yield served


def asked(served: Served, path: str = "", method: str = "GET", body: str = "", **headers: str):
    with closing(HTTPConnection("localhost", served.port, timeout=60)) as connection:
        connection.request(method, f"/{path}", body, headers)
        answer = connection.getresponse()
        return answer, answer.read().decode()


def running(served: Served) -> set[str]:
    """The kernels that there are, by their processes; asking the server would be a sign that a page comes."""
    words = [process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"])]
    named = (re.search(r"voila_\w+/kernel-([0-9a-f-]{36})\.json", " ".join(one)) for one in words)
    return {one.group(1) for one in named if one} & set(
        re.findall(r"Kernel started: ([0-9a-f-]{36})", served.log)
    )


def become(served: Served, *kernels: str) -> bool:
    """Whether these and no others run in the end."""
    for _ in range(200):
        if running(served) == set(kernels):
            return True
        time.sleep(0.1)
    return False


def kernel_of(page: str) -> str:
    return channel(page).split("/")[3]


def test_a_kernel_lives_while_its_page_comes_or_is_there_and_there_are_no_more_than_fit(served):
    with ThreadPoolExecutor() as pool:
        silent, coming, there = pool.map(asked, [served] * MOST)
    kernels = [kernel_of(page) for _, page in (silent, coming, there)]

    async def open_one_and_ask_after_another() -> tuple[bool, bool]:
        socket = await websocket_connect(f"ws://localhost:{served.port}{channel(there[1])}")
        full = await asyncio.to_thread(asked, served)
        assert full[0].status == 503
        assert int(full[0].getheader("Retry-After")) > 0
        assert "Try again in a moment" in full[1]
        for _ in range(2 * PATIENCE):
            await asyncio.sleep(1)
            answer, _ = await asyncio.to_thread(asked, served, f"api/kernels/{kernels[1]}")
            assert answer.status == 200
        both = running(served) == set(kernels[1:])
        alone = await asyncio.to_thread(become, served, kernels[2])
        socket.close()
        return both, alone

    both, alone = in_a_loop(open_one_and_ask_after_another())
    assert both, "the page that asks and the page that is there keep theirs, the silent one has none"
    assert alone, "who asks no more does not come"
    cookie = re.search("_xsrf=([^;]+)", there[0].getheader("Set-Cookie")).group(1)
    goodbye = {"Cookie": f"_xsrf={cookie}", "Content-Type": "application/x-www-form-urlencoded"}
    assert (
        asked(served, f"voila/api/shutdown/{kernels[2]}", "POST", f"_xsrf={cookie}", **goodbye)[0].status
        == 204
    )
    assert become(served)


def test_who_hangs_up_leaves_no_kernel_and_no_traceback(served):
    for pause in (0.05, 0.3, 0.8):
        with closing(HTTPConnection("localhost", served.port, timeout=60)) as connection:
            connection.request("GET", "/")
            time.sleep(pause)
    assert become(served)
    answer, page = asked(served)
    assert (answer.status, "There was an error" in page) == (200, False)
    assert "Traceback" not in served.log


@pytest.mark.faults
def test_requests_without_a_socket_leave_no_kernel_beyond_thirty_seconds(tmp_path):
    with serve(tmp_path, ["6 * 7"]) as served:
        with ThreadPoolExecutor() as pool:
            answers = [answer.status for answer, _ in pool.map(asked, [served] * 5)]
        assert answers == [200] * 5
        assert len(running(served)) == 5
        time.sleep(30)
        assert running(served) == set()
