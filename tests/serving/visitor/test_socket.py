"""The socket between a page and its kernel."""

import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1
from polyak_widgets.serving.answers import MOST_PARTS, require_few_parts

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
