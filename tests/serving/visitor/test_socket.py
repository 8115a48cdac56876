"""The socket between a page and its kernel."""

import asyncio
import gc
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1
from polyak_widgets.serving.answers import ERROR_PAGES, MOST_PARTS, AtOnce, require_few_parts
from server import in_a_loop, request, serve
from tornado.websocket import WebSocketClosedError

SETTINGS = Path(__file__).parents[3] / "app" / "serving"
PROGRAM = """
import sys, types, traitlets.config.loader as loader
settings = loader.PyFileConfigLoader("voila.py", sys.argv[1]).load_config()
socket = types.SimpleNamespace(set_nodelay=lambda on: print("nodelay", on))
try:
    settings.Voila.kernel_websocket_connection_class.connect(types.SimpleNamespace(websocket_handler=socket))
except TypeError:
    print("and on")  # to the kernel, which there is none of here
"""


def test_small_messages_are_not_held_back():
    command = [sys.executable, "-c", PROGRAM, str(SETTINGS), "--port=0"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout.split("\n")[:2] == ["nodelay True", "and on"]


def test_a_message_of_more_parts_than_a_page_sends_is_none():
    parts = [b"{}"] * (MOST_PARTS - 3)  # and three that say where channel, parts and end are
    require_few_parts(serialize_msg_to_ws_v1(parts, "shell"), is_newer=True)
    require_few_parts('{"channel": "shell"}', is_newer=False)
    require_few_parts(b"\0\0\0\1\0\0\0\x08{}", is_newer=False)
    for message, is_newer in (
        (serialize_msg_to_ws_v1([b"{}"] * MOST_PARTS, "shell"), True),
        (b"\xff" * 1000, True),
        (b"\x7f\xff\xff\xff", False),
    ):
        with pytest.raises(ValueError, match="parts"):
            require_few_parts(message, is_newer)


def test_what_was_on_its_way_when_a_page_went_is_no_error():
    class Gone:
        """A page that goes while a message is sent, and is gone when the next one is."""

        def __init__(self):
            self.calls = 0

        def write_message(self, message, binary):
            self.calls += 1
            if self.calls > 1:
                raise WebSocketClosedError
            sending = asyncio.get_running_loop().create_future()
            sending.set_exception(WebSocketClosedError())
            return sending

    async def send(write) -> list[dict]:
        missed = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: missed.append(context))
        write("first", binary=False)
        await asyncio.sleep(0)
        gc.collect()
        with suppress(WebSocketClosedError):
            write("second", binary=False)
            missed.append("nothing")
        return missed

    pages = [SimpleNamespace(websocket_handler=Gone()) for _ in range(2)]
    assert in_a_loop(send(partial(AtOnce.write_message, pages[0]))) == ["nothing"]
    assert pages[0].websocket_handler.calls == 2
    jupyter = in_a_loop(send(pages[1].websocket_handler.write_message))
    assert "never retrieved" in jupyter[0]["message"], "so that this test can fail"


def test_a_kernel_that_is_not_there_is_answered_without_a_traceback(tmp_path):
    opening = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    with serve(tmp_path, ["6 * 7"]) as served:
        answer, page = request(served, f"api/kernels/{uuid4()}/channels", **opening)
        assert answer.status == 404
        assert "Kernel does not exist" in page
        assert "Kernel does not exist" in served.log
        assert "Traceback" not in served.log


def test_an_error_page_shows_an_address_as_text():
    values = {"status_code": 404, "status_message": "Not Found", "message": "no <b>", "base_url": "/polyak/"}
    page = ERROR_PAGES.get_template("error.html").render(values)
    assert "404: Not Found" in page
    assert "no &lt;b&gt;" in page
    assert 'href="/polyak/"' in page
