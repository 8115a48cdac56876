"""What a stranger may send over the socket of a page leads to nothing, and the page works on."""

import asyncio
import sys

import psutil
import pytest
from server import ROOT, Served, in_a_loop, started
from student import CONTROL, Page
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel is found as a child of the zygote")
pytestmark = [pytest.mark.faults, LINUX]
MEGABYTE = 2**20
BIG = "x" * (5 * MEGABYTE)
WIDGETS = ("Textarea", "HTML", "Output", "FileUpload")


NOISE = (b"", bytes(50), b"\xff" * 1000, b"\x7f\xff\xff\xff", "{", "[]", "null", '{"channel": "shell"}')


async def make_noise(page: Page) -> None:
    """What is no message, in both protocols that a server of notebooks speaks."""
    for protocols in (["v1.kernel.websocket.jupyter.org"], None):
        address = f"{page.address.replace('http', 'ws', 1)}api/kernels/{page.kernel}/channels"
        headers = {"Cookie": f"_xsrf={page.token}"}
        socket = await websocket_connect(HTTPRequest(address, headers=headers), subprotocols=protocols)
        for noise in NOISE:
            await socket.write_message(noise, binary=isinstance(noise, bytes))
        socket.close()


def send_what_no_page_sends(page: Page) -> None:
    """Code to run, widgets that are none of ours, comms that nobody knows."""
    for kind in ("execute_request", "complete_request", "inspect_request", "no_such_request", "input_reply"):
        page.post(kind, {"code": "open('written', 'w')", "cursor_pos": 1, "value": "1"})
    for number in range(20):
        name = WIDGETS[number % len(WIDGETS)]
        module = "@jupyter-widgets/controls"
        state = {"_model_module": module, "_model_name": f"{name}Model", "value": BIG}
        state |= {"_view_module": module, "_view_name": f"{name}View"}
        page.post(
            "comm_open",
            {"comm_id": f"strange{number}", "target_name": "jupyter.widget", "data": {"state": state}},
        )
    page.post("comm_open", {"comm_id": "other", "target_name": "os.system", "data": {}})
    for comm, data in (
        (page.models["frame"], {"method": "update", "state": {"frame": {}}}),
        (page.comm, {"method": "no such"}),
        (CONTROL, {"method": "update"}),
    ):
        page.post("comm_msg", {"comm_id": comm, "data": data})


async def growth(served: Served) -> int:
    """By how many bytes the kernel of a page grows meanwhile; the page works on."""
    page = Page(f"http://localhost:{served.port}/", AsyncHTTPClient(force_instance=True, max_clients=10))
    await page.open()
    await page.until(page.settled)
    (zygote,) = psutil.Process(served.pid).children()
    (kernel,) = zygote.children()
    before = kernel.memory_full_info().uss
    await make_noise(page)
    send_what_no_page_sends(page)
    value = page.set(gamma=0.5)
    await page.until(lambda: page.answers(value) and page.settled())
    after = kernel.memory_full_info().uss
    await page.leave()
    return after - before


def test_strange_messages_lead_to_nothing_and_the_page_works_on(tmp_path):
    command = [sys.executable, "-m", "voila", "app/explore.ipynb", "--no-browser"]
    command.append(f"--Voila.config_file_paths={ROOT / 'app' / 'serving'}")
    with started(command, tmp_path, POLYAK_START="forked") as served:
        grown = in_a_loop(asyncio.wait_for(growth(served), 120))
        assert grown < 60 * MEGABYTE, "twenty texts of 5 MB are kept nowhere"
        assert not (ROOT / "app" / "written").exists(), "no code is run"
        assert served.log.count("What is no message was dropped") == 2 * len(NOISE)
        assert "Traceback" not in served.log
