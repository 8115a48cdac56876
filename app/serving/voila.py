"""Settings for serving the page, read by `voila app/explore.ipynb --Voila.config_file_paths=app/serving`.

HOST (localhost unless set) and PORT (8866) come from the environment, and so do the limits of each run of a
visitor: POLYAK_SECONDS (20) and POLYAK_MEGABYTES (500). Voila's own options win over this file. Meant for one
machine or a trusted room: a public server also needs a proxy with a fixed server name, limits on memory and
processes, and shorter culling.
"""

import atexit
import errno
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Awaitable
from importlib.metadata import distribution
from pathlib import Path

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

# A kernel needs these and sees nothing else of the server's environment, where tokens and passwords live.
KEPT = {
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("HOST", "PORT", "BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
    *("VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"),
    *("APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"),
}
KEPT_BEGINNINGS = (
    "LC_",
    "XDG_",
    "CONDA_",
    "PYTHON",
    "JUPYTER_",
    "IPYTHON",
    "OPENBLAS_",
    "OMP_",
    "MKL_",
    "POLYAK_",
)
SECRETS = ("TOKEN", "SECRET", "PASSWORD", "KEY")  # such as JUPYTER_TOKEN, whatever their beginning
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
LONGEST_SOCKET_FOLDER = 36  # a socket's path may have 103 characters, and 64 are Voila's and the kernel's own


def keep_environment() -> None:
    """Drop what is not on the list; one BLAS thread per kernel unless told otherwise.

    Two threads on a busy machine of two cores make matrix products 4 to 21 times slower.
    """
    for name in list(os.environ):
        upper = name.upper()
        kept = upper in KEPT or upper.startswith(KEPT_BEGINNINGS)
        if not kept or upper.endswith(SECRETS):
            del os.environ[name]
    for name in THREADS:
        os.environ.setdefault(name, "1")


def read_port() -> int:
    """Return PORT as a number, or leave with a sentence."""
    text = os.environ.get("PORT") or "8866"
    if not text.isdecimal() or not 0 < int(text) < 65536:
        sys.exit(f"PORT is {text!r}, but must be a whole number from 1 to 65535: try PORT=8866.")
    return int(text)


def require_free(host: str, port: int) -> None:
    """Leave with a sentence when no server can listen there."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        sys.exit(
            f"HOST is {host!r}, which is no address of this machine: try HOST=localhost or HOST=0.0.0.0."
        )
    for family, kind, protocol, _, address in addresses:
        try:
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                sys.exit(
                    f"Port {port} of {host} is in use, perhaps by another Polyak Explorer. "
                    f"Stop that program, or take another port: PORT={port + 1 if port < 65535 else port - 1}."
                )
            if error.errno == errno.EACCES:
                sys.exit(
                    f"Port {port} may not be opened by this user: take one from 1024 up, such as PORT=8866."
                )
            if error.errno == errno.EADDRNOTAVAIL and len(addresses) == 1:
                sys.exit(f"HOST is {host!r}, which is no address of this machine: try HOST=localhost.")


def limit_runs() -> None:
    """Hand each kernel the limits of one run, or leave with a sentence.

    A kernel that computes is never ended for idleness, so runs must end by themselves.
    """
    for name, usual in (("POLYAK_SECONDS", "20"), ("POLYAK_MEGABYTES", "500")):
        text = os.environ.get(name) or usual
        try:
            allowed = float(text) > 0
        except ValueError:
            allowed = False
        if not allowed:
            sys.exit(f"{name} is {text!r}, but must be a number above 0: try {name}={usual}.")
        os.environ[name] = text


def share_plotly() -> str:
    """Put the installed plotly.js among the files of our template; return its address under the page's own.

    Browsers fetch it while the kernel starts, and keep it. Else every page sends it through its socket.
    """
    plotly = distribution("plotly")
    source = Path(str(plotly.locate_file("plotly/package_data/plotly.min.js")))
    folder = tempfile.mkdtemp(prefix="polyak-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shared = Path(folder) / "voila" / "templates" / "polyak" / "static" / source.name
    shared.parent.mkdir(parents=True)
    try:
        os.link(source, shared)  # a symbolic link that leads out of the folder would be refused
    except OSError:  # another disk
        shutil.copy(source, shared)
    others = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([folder, others] if others else [folder])
    return f"voila/templates/polyak/static/{source.name}?v={plotly.version}"


class AtOnce(ZMQChannelsWebsocketConnection):
    """The connection of a kernel's page, which holds no message back.

    TCP else keeps a small one until the one before is acknowledged, 40 ms later: a dragged slider feels it.
    """

    def connect(self) -> Awaitable[None] | None:
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def end_orderly() -> None:
    """Clean up on SIGTERM also before Voila, which takes the signal over once this file is read, is there."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


keep_environment()
limit_runs()
end_orderly()
c = get_config()

c.Voila.ip = os.environ.get("HOST") or "localhost"
c.Voila.port = read_port()
c.Voila.port_retries = 0  # a busy port is an error, not a page somewhere else
if not any(argument.lower().startswith(("--port", "--voila.port")) for argument in sys.argv):
    require_free(c.Voila.ip, c.Voila.port)

# Nobody who visits chooses what runs: an unknown ?template= would answer for ever and leave a kernel behind.
c.VoilaConfiguration.allow_template_override = "NOTEBOOK"
c.VoilaConfiguration.allow_theme_override = "NOTEBOOK"
c.VoilaConfiguration.show_tracebacks = False
c.VoilaConfiguration.strip_sources = True

# The page gets everything through its widgets, so no file beside the notebook is served at all.
c.VoilaConfiguration.file_allowlist = []
c.VoilaConfiguration.file_denylist = [".*"]

c.VoilaConfiguration.resources = {"polyak": {"plotly": share_plotly()}}

# The page brings its own plotly; the one for plain figures in notebooks is half the bytes of a first visit.
c.VoilaConfiguration.extension_denylist = ["jupyterlab-plotly"]

c.Voila.kernel_websocket_connection_class = AtOnce

# One message carries one setting of the page; the limit leaves room for a data file of 5 MB.
c.Voila.tornado_settings = {"websocket_max_message_size": 8 * 1024 * 1024}

# A kernel lives ten minutes after its last tab has gone.
c.MappingKernelManager.cull_idle_timeout = 600
c.MappingKernelManager.cull_interval = 60
c.MappingKernelManager.cull_connected = False

# Sockets in a private folder instead of open TCP ports, where the path of that folder is short enough.
if os.name == "posix" and len(tempfile.gettempdir()) <= LONGEST_SOCKET_FOLDER:
    c.KernelManager.transport = "ipc"
