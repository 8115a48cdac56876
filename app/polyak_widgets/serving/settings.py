"""The safe settings of the server, as Voila takes them."""

import math
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from polyak_widgets.serving.answers import AtOnce, receive
from polyak_widgets.serving.environment import (
    end_orderly,
    keep_environment,
    read_base_url,
    read_frame_ancestors,
    read_limits,
    read_port,
    require_free,
)
from polyak_widgets.serving.kernels import PageKernels
from polyak_widgets.serving.shared_files import share_files

MIB = 1024 * 1024
LONGEST_SOCKET_FOLDER = 36  # a socket's path may have 103 characters, and 64 are Voila's and the kernel's own


def configure(c: Any, options: Sequence[str] | None = None) -> None:
    """Write all settings into Voila's configuration, or leave with a sentence about a wrong one.

    Args:
        c: what `get_config()` gives in a file of settings.
        options: Voila's own on the command line, which win over these; those of this program if None.
    """
    keep_environment()
    limits = read_limits()
    end_orderly()

    c.Voila.ip = os.environ.get("HOST") or "localhost"
    c.Voila.port = read_port()
    c.Voila.base_url = read_base_url()
    c.Voila.port_retries = 0  # a busy port is an error, not a page somewhere else
    options = sys.argv if options is None else options
    if not any(option.lower().startswith(("--port", "--voila.port")) for option in options):
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
        # One message carries one setting of the page; the limit leaves room for a data file.
        "websocket_max_message_size": MIB * math.ceil(1.6 * limits["POLYAK_UPLOAD_MEGABYTES"]),
        # The numbers of curves shrink to about half; a higher level would take more time and save little.
        "websocket_compression_options": {"compression_level": 1},
        "static_immutable_cache": ["/voila/labextensions/"],  # a name has a hash there
        "headers": {"Content-Security-Policy": f"frame-ancestors {read_frame_ancestors()}"},
    }

    _configure_kernels(c, limits)


def _configure_kernels(c: Any, limits: Mapping[str, float]) -> None:
    c.VoilaConfiguration.multi_kernel_manager_class = PageKernels

    c.PageKernels.most = math.ceil(limits["POLYAK_KERNELS"])

    # A kernel outlives its last tab for a while, so that a page whose line was cut finds it again.
    idle = math.ceil(limits["POLYAK_IDLE_SECONDS"])
    c.MappingKernelManager.cull_idle_timeout = idle
    c.MappingKernelManager.cull_interval = math.ceil(idle / 10)
    c.MappingKernelManager.cull_connected = False

    # Sockets in a private folder instead of open TCP ports, where the path of that folder is short enough.
    if os.name == "posix" and len(tempfile.gettempdir()) <= LONGEST_SOCKET_FOLDER:
        c.KernelManager.transport = "ipc"
