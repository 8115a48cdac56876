"""The safe settings of the server, as Voila takes them."""

import math
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from polyak_widgets.serving.answers import ERROR_PAGES, AtOnce, receive
from polyak_widgets.serving.environment import (
    end_orderly,
    forks_kernels,
    keep_environment,
    read_base_url,
    read_frame_ancestors,
    read_limits,
    read_port,
    require_free,
)
from polyak_widgets.serving.folder import make_folder
from polyak_widgets.serving.forked import NAME, offer_forks
from polyak_widgets.serving.kernels import PageKernels
from polyak_widgets.serving.shared_files import share_files
from polyak_widgets.serving.templates import compile_once

MIB = 1024 * 1024
LONGEST_SOCKET_FOLDER = 36  # a socket's path may have 103 characters, and 64 are Voila's and the kernel's own


def configure(c: Any, options: Sequence[str] | None = None) -> None:
    """Write all settings into Voila's configuration, or leave with a sentence about a wrong one.

    Args:
        c: what `get_config()` gives in a file of settings.
        options: Voila's own on the command line, which win over these; those of this program if None.
    """
    try:
        _configure(c, sys.argv if options is None else options)
    except OSError as error:
        sys.exit(
            f"The server needs some 20 MB for files of its own in {tempfile.gettempdir()}, and could not "
            f"write there: {error.strerror}. Make room, or name another folder: TMPDIR=/var/tmp."
        )
    except Exception:
        traceback.print_exc()
        sys.exit("The settings could not be made, and without them nothing is served.")


def _configure(c: Any, options: Sequence[str]) -> None:
    keep_environment()
    limits = read_limits()
    end_orderly()

    c.Voila.ip = os.environ.get("HOST") or "localhost"
    c.Voila.port = read_port()
    c.Voila.base_url = read_base_url()
    c.Voila.port_retries = 0  # a busy port is an error, not a page somewhere else
    if not any(option.lower().startswith(("--port", "--voila.port")) for option in options):
        require_free(c.Voila.ip, c.Voila.port)

    folder = make_folder()
    c.Voila.connection_dir_root = folder
    os.environ["TMPDIR"] = folder  # of the kernels
    c.VoilaConfiguration.resources = {"polyak": share_files(folder)}
    c.VoilaConfiguration.prelaunch_hook = receive
    compile_once()

    c.Voila.kernel_websocket_connection_class = AtOnce
    # A limit is for what programs print, and reads each message for it: pages print nothing.
    c.AtOnce.limit_rate = False

    c.Voila.tornado_settings = {
        # One message carries one setting of the page; the limit leaves room for a data file.
        "websocket_max_message_size": MIB * math.ceil(1.6 * limits["POLYAK_UPLOAD_MEGABYTES"]),
        # The numbers of curves shrink to half: level 1 takes as long and leaves a sixth more, and a higher
        # level would take more time and save little.
        "websocket_compression_options": {"compression_level": 2},
        "jinja2_env": ERROR_PAGES,
        "static_immutable_cache": ["/voila/labextensions/"],  # a name has a hash there
        "headers": {"Content-Security-Policy": f"frame-ancestors {read_frame_ancestors()}"},
    }

    _leave_no_choice(c)
    _keep_no_trust(c, folder)
    _configure_kernels(c, limits, folder)


def _leave_no_choice(c: Any) -> None:
    """Keep from visitors what runs, what went wrong, and what lies beside the notebook."""
    # No visitor chooses what runs: an unknown ?template= would answer for ever and leave a kernel behind.
    c.VoilaConfiguration.allow_template_override = "NOTEBOOK"
    c.VoilaConfiguration.allow_theme_override = "NOTEBOOK"
    c.VoilaConfiguration.show_tracebacks = False
    c.VoilaConfiguration.strip_sources = True

    # The page gets everything through its widgets, so no file beside the notebook is served at all.
    c.VoilaConfiguration.file_allowlist = []
    c.VoilaConfiguration.file_denylist = [".*"]


def _keep_no_trust(c: Any, folder: str) -> None:
    """Whether a notebook is trusted is kept nowhere: HOME may be read-only, or full."""
    c.NotebookNotary.data_dir = folder
    c.NotebookNotary.db_file = ":memory:"
    c.NotebookNotary.secret = os.urandom(32)


def _configure_kernels(c: Any, limits: Mapping[str, float], folder: str) -> None:
    c.VoilaConfiguration.multi_kernel_manager_class = PageKernels

    c.PageKernels.most = math.ceil(limits["POLYAK_KERNELS"])

    # Kernels that are forked share what they only read, and are there in a twentieth of the time.
    if forks_kernels():
        offer_forks()
        c.PageKernels.forked = True
        c.KernelProvisionerFactory.default_provisioner_name = NAME

    # A kernel outlives its last tab for a while, so that a page whose line was cut finds it again.
    idle = math.ceil(limits["POLYAK_IDLE_SECONDS"])
    c.MappingKernelManager.cull_idle_timeout = idle
    c.MappingKernelManager.cull_interval = math.ceil(idle / 10)
    c.MappingKernelManager.cull_connected = False

    # Sockets in a private folder instead of open TCP ports, where the path of that folder is short enough.
    if os.name == "posix" and len(folder) <= LONGEST_SOCKET_FOLDER:
        c.KernelManager.transport = "ipc"
