"""When a kernel is ended: no page comes, or whoever asked hangs up; and what is said where no more fit."""

import asyncio
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse

import psutil
import pytest
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager, ServerKernelManager
from polyak_widgets.serving.kernels import KernelHandle, PageKernels
from server import Served, channel, in_a_loop, request, serve
from tornado.websocket import WebSocketClientConnection, websocket_connect

MOST = 3
PATIENCE = 5


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    limits = (f"--PageKernels.patience={PATIENCE}", f"--PageKernels.most={MOST}")
    with serve(
        tmp_path_factory.mktemp("kernels"), ["import time; time.sleep(0.3); 6 * 7"], *limits
    ) as served:
        yield served


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


async def visit(served: Served) -> tuple[HTTPResponse, str]:
    return await asyncio.to_thread(request, served)


async def visit_with_a_socket(served: Served) -> tuple[HTTPResponse, str, WebSocketClientConnection]:
    answer, page = await visit(served)
    return answer, page, await websocket_connect(f"ws://localhost:{served.port}{channel(page)}")


async def close(socket: WebSocketClientConnection) -> None:
    """Until the server has closed it too: a socket must not outlive its test."""
    socket.close()
    while await socket.read_message() is not None:
        pass


async def visit_and_ask(served: Served, until: asyncio.Event) -> set[int]:
    """What the server answers a page that asks for its kernel and never opens a socket."""
    kernel, statuses = kernel_of((await visit(served))[1]), set()
    while not until.is_set():
        answer, _ = await asyncio.to_thread(request, served, f"api/kernels/{kernel}")
        statuses.add(answer.status)
        await asyncio.sleep(0.3)
    return statuses


def say_goodbye(served: Served, answer: HTTPResponse, page: str) -> int:
    """The status of what a page sends when it is left."""
    cookie = re.search("_xsrf=([^;]+)", answer.getheader("Set-Cookie")).group(1)
    headers = {"Cookie": f"_xsrf={cookie}", "Content-Type": "application/x-www-form-urlencoded"}
    path = f"voila/api/shutdown/{kernel_of(page)}"
    return request(served, path, "POST", f"_xsrf={cookie}", **headers)[0].status


def test_a_kernel_lives_while_its_page_comes_or_is_there_and_there_are_no_more_than_fit(served):
    async def three_visitors() -> tuple[HTTPResponse, str]:
        enough = asyncio.Event()
        coming = asyncio.create_task(visit_and_ask(served, enough))
        (answer, page, socket), (_, silent) = await asyncio.gather(visit_with_a_socket(served), visit(served))
        refusal, words = await visit(served)
        assert refusal.status == 503
        assert int(refusal.getheader("Retry-After")) > 0
        assert "Try again in a moment" in words
        while kernel_of(silent) in await asyncio.to_thread(running, served):
            await asyncio.sleep(0.1)
        assert len(running(served)) == MOST - 1
        enough.set()
        assert await coming == {200}
        assert await asyncio.to_thread(become, served, kernel_of(page)), "who asks no more does not come"
        await close(socket)
        return answer, page

    answer, page = in_a_loop(asyncio.wait_for(three_visitors(), 120))
    assert say_goodbye(served, answer, page) == 204
    assert become(served)


def test_a_page_that_takes_long_to_write_finds_its_kernel(tmp_path):
    slow = f"import time; time.sleep({PATIENCE + 2})"
    with serve(tmp_path, [slow], f"--PageKernels.patience={PATIENCE}") as served:

        async def arrive() -> None:
            _, page, socket = await visit_with_a_socket(served)
            assert "There was an error" not in page
            await close(socket)

        in_a_loop(asyncio.wait_for(arrive(), 60))
        (there,) = running(served)
        assert kernel_of(request(served)[1]) != there
        assert become(served, there), "a page that never opens its socket is given up after all"


def test_who_hangs_up_leaves_no_kernel_and_no_traceback(served):
    for pause in (0.05, 0.3, 0.8):
        with closing(HTTPConnection("localhost", served.port, timeout=60)) as connection:
            connection.request("GET", "/")
            time.sleep(pause)
    assert become(served)
    while (visited := request(served))[0].status == 503:
        time.sleep(0.1)  # on a busy machine their kernels are still being started
    answer, page = visited
    assert (answer.status, "There was an error" in page) == (200, False)
    with ThreadPoolExecutor() as pool:
        goodbyes = list(pool.map(lambda _: say_goodbye(served, answer, page), range(2)))
    assert set(goodbyes) <= {204, 404}, "as when a kernel is culled while its page says goodbye"
    assert become(served)
    assert "Traceback" not in served.log


def test_a_page_that_says_goodbye_and_closes_its_socket_at_once_leaves_none_in_the_server(served):
    async def leave_four_times() -> None:
        for _ in range(4):
            answer, page, socket = await visit_with_a_socket(served)
            goodbye = asyncio.create_task(asyncio.to_thread(say_goodbye, served, answer, page))
            await asyncio.sleep(0.01)  # the server has begun to end the kernel
            await close(socket)
            assert await goodbye in (204, 404)

    answer, page = request(served)  # from the first page on the server has files open for all
    assert say_goodbye(served, answer, page) == 204
    assert become(served)
    server = psutil.Process(served.pid)
    before = server.num_fds()
    in_a_loop(asyncio.wait_for(leave_four_times(), 60))
    for _ in range(100):
        if server.num_fds() <= before:
            return
        time.sleep(0.1)
    pytest.fail(f"{server.num_fds()} files are open, and {before} were before")


def test_a_kernel_that_has_gone_while_others_were_culled_is_not_missed():
    kernels = PageKernels()
    with pytest.raises(KeyError):
        in_a_loop(MappingKernelManager.cull_kernel_if_idle(kernels, "gone"))
    assert in_a_loop(kernels.cull_kernel_if_idle("gone")) is None


class Signalled(LocalProvisioner):
    """A process that there is none of, and what it is sent."""

    def __init__(self):
        super().__init__()
        self.signals = []

    @property
    def has_process(self):
        return "killed" not in self.signals

    async def poll(self):
        return None if self.has_process else 0

    async def send_signal(self, signum):
        self.signals.append(signum)

    async def kill(self, restart=False):
        self.signals.append("killed")


@pytest.mark.parametrize(
    ("handle", "signals"), [(KernelHandle, ["killed"]), (ServerKernelManager, [signal.SIGINT, "killed"])]
)
def test_a_kernel_that_is_ended_is_not_interrupted_before(handle, signals):
    """One that still starts, and may never finish, would begin to write a traceback into the log."""
    process, kernel = Signalled(), handle()
    kernel.provisioner = process
    in_a_loop(kernel.shutdown_kernel(now=True))
    assert process.signals == signals


@pytest.mark.faults
def test_requests_without_a_socket_leave_no_kernel_beyond_thirty_seconds(tmp_path):
    with serve(tmp_path, ["6 * 7"]) as served:
        with ThreadPoolExecutor() as pool:
            answers = [answer.status for answer, _ in pool.map(request, [served] * 5)]
        assert answers == [200] * 5
        assert len(running(served)) == 5
        time.sleep(30)
        assert running(served) == set()
