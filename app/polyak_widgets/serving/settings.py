"""The safe settings of the server, as Voila takes them."""

import os
import sys
import tempfile
from typing import Any

from polyak_widgets.serving.answers import AtOnce, receive
from polyak_widgets.serving.environment import (
    end_orderly,
    keep_environment,
    limit_runs,
    read_port,
    require_free,
)
from polyak_widgets.serving.kernels import PageKernels
from polyak_widgets.serving.shared_files import share_files

LONGEST_SOCKET_FOLDER = 36  # a socket's path may have 103 characters, and 64 are Voila's and the kernel's own


def configure(c: Any) -> None:
    """Write all settings into Voila's configuration, or leave with a sentence about a wrong one.

    Args:
        c: what `get_config()` gives in a file of settings.
    """
    keep_environment()
    limit_runs()
    end_orderly()

    c.Voila.ip = os.environ.get("HOST") or "localhost"
    c.Voila.port = read_port()
    c.Voila.port_retries = 0  # a busy port is an error, not a page somewhere else
    if not any(argument.lower().startswith(("--port", "--voila.port")) for argument in sys.argv):
        require_free(c.Voila.ip, c.Voila.port)

    # No visitor chooses what runs: an unknown ?template= would answer for ever and leave a kernel behind.
    c.VoilaConfiguration.allow_template_override = "NOTEBOOK"
    c.VoilaConfiguration.allow_theme_override = "NOTEBOOK"
    c.VoilaConfiguration.show_tracebacks = False
    c.VoilaConfiguration.strip_sources = True

    # The page gets everything through its widgets, so no file beside the notebook is served at all.
    c.VoilaConfiguration.file_allowlist = []
    c.VoilaConfiguration.file_denylist = [".*"]

    c.VoilaConfiguration.resources = {"polyak": share_files()}
    c.VoilaConfiguration.prelaunch_hook = receive

    c.Voila.kernel_websocket_connection_class = AtOnce

    c.Voila.tornado_settings = {
        # One message carries one setting of the page; the limit leaves room for a data file of 5 MB.
        "websocket_max_message_size": 8 * 1024 * 1024,
        # The numbers of curves shrink to about half; a higher level would take more time and save little.
        "websocket_compression_options": {"compression_level": 1},
        "static_immutable_cache": ["/voila/labextensions/"],  # a name has a hash there
    }

    _configure_kernels(c)


def _configure_kernels(c: Any) -> None:
    c.VoilaConfiguration.multi_kernel_manager_class = PageKernels

    # A kernel lives ten minutes after its last tab has gone.
    c.MappingKernelManager.cull_idle_timeout = 600
    c.MappingKernelManager.cull_interval = 60
    c.MappingKernelManager.cull_connected = False

    # Sockets in a private folder instead of open TCP ports, where the path of that folder is short enough.
    if os.name == "posix" and len(tempfile.gettempdir()) <= LONGEST_SOCKET_FOLDER:
        c.KernelManager.transport = "ipc"
