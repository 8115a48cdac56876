"""The socket between a page and its kernel."""

import subprocess
import sys
from pathlib import Path

SETTINGS = Path(__file__).parents[2] / "app" / "serving"
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
