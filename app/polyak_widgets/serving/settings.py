"""Settings for serving the page, read by `voila app/explore.ipynb --Voila.config_file_paths=app/serving`.

HOST (localhost unless set) and PORT (8866) come from the environment, and so do the limits of each run of a
visitor: POLYAK_SECONDS (20) and POLYAK_MEGABYTES (500). Voila's own options win over this file. Meant for one
machine or a trusted room: a public server also needs a proxy with a fixed server name, limits on memory and
processes, and shorter culling.
"""

import atexit
import errno
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, ClassVar

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding, RequestHandler
from voila.paths import collect_static_paths

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


def share_files() -> dict[str, str]:
    """Put plotly.js and Voila's own scripts among the files of our template; return their addresses.

    The addresses are under the page's own and change with the version, so that browsers may keep what is
    there for good. Else every page would send plotly through its socket, and ask for Voila's scripts anew.
    """
    folder = tempfile.mkdtemp(prefix="polyak-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shared = Path(folder) / "voila" / "templates" / "polyak" / "static"
    plotly, voila = distribution("plotly"), f"voila-{distribution('voila').version}"
    link(Path(str(plotly.locate_file("plotly/package_data/plotly.min.js"))), shared / "plotly.min.js")
    for source in collect_static_paths(["voila"], "lab"):
        for path in Path(source).glob("*voila.js"):
            link(path, shared / voila / path.name)
    draw_first_look(shared)
    others = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([folder, others] if others else [folder])
    address = "voila/templates/polyak/static"
    return {"plotly": f"{address}/plotly.min.js?v={plotly.version}", "voila": f"{address}/{voila}"}


def draw_first_look(folder: Path) -> None:
    """Have the still picture made which the page shows until it is there; until it is made there is none."""
    command = [sys.executable, "-m", "polyak_widgets.page.first_look", str(folder / "first_look.html")]
    maker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end() -> None:
        maker.kill()
        maker.wait()

    atexit.register(end)
    threading.Thread(target=maker.wait, daemon=True).start()  # else it stays in the list of processes


def link(source: Path, target: Path) -> None:
    """Make the file be in a second place; a symbolic link that leads out of a folder would be refused."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        return
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy(source, target)


class Compressed(GZipContentEncoding):
    """Answers in fewer bytes: a file is compressed once, and fetched once if its name tells its version.

    Browsers keep what is immutable without a question, also when a page is reloaded.
    """

    IMMUTABLE = re.compile(r"[.-][0-9a-f]{8,}\.|/voila-[\w.+-]+/")  # a hash or a version in the path
    files: ClassVar[dict[str, tuple[str, bytes]]] = {}  # by path: which state of the file, and its bytes

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        self.path = request.path
        self.forever = "v" in request.arguments or self.IMMUTABLE.search(request.path) is not None
        self.kept: list[bytes] | None = None  # of a file that is being compressed for the first time
        self.sent = False  # all that was to be sent

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Set the headers, and send a file whole that was compressed before."""
        self.state = headers.get("Last-Modified", "")
        if self.forever and self.state and status_code in (200, 304):
            headers["Cache-Control"] = "public, max-age=31536000, immutable"
        state, whole = self.files.get(self.path, ("", b""))
        if status_code == 200 and chunk and self._gzipping and self.state and state == self.state:
            self.sent = True
            headers["Content-Encoding"], headers["Vary"] = "gzip", "Accept-Encoding"
            headers["Content-Length"] = str(len(whole))
            return status_code, headers, whole
        if status_code == 200 and chunk and self.state:
            self.kept = []
        return super().transform_first_chunk(status_code, headers, chunk, finishing)

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        """Compress the next piece, and remember it where it is of a file."""
        if self.sent:
            return b""
        chunk = super().transform_chunk(chunk, finishing)
        if self._gzipping and self.kept is not None:
            self.kept.append(chunk)
            if finishing:
                self.files[self.path] = (self.state, b"".join(self.kept))
        return chunk


def receive(handler: RequestHandler, **notebook: Any) -> None:
    """What is done for each visitor before a kernel is started.

    The token, a cookie, lets the page end its kernel when it is left. Voila has no setting for what follows
    the handlers, so the application learns here, with the first page, to compress what it sends.
    """
    _ = handler.xsrf_token
    if Compressed not in handler.application.transforms:
        handler.application.transforms.append(Compressed)


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

c.VoilaConfiguration.resources = {"polyak": share_files()}
c.VoilaConfiguration.prelaunch_hook = receive

# The page brings its own plotly; the one for plain figures in notebooks is half the bytes of a first visit.
c.VoilaConfiguration.extension_denylist = ["jupyterlab-plotly"]

c.Voila.kernel_websocket_connection_class = AtOnce

c.Voila.tornado_settings = {
    # One message carries one setting of the page; the limit leaves room for a data file of 5 MB.
    "websocket_max_message_size": 8 * 1024 * 1024,
    # The numbers of curves shrink to about half; a higher level would take more time and save little.
    "websocket_compression_options": {"compression_level": 1},
    "static_immutable_cache": ["/voila/labextensions/"],  # a name has a hash there
}

# A kernel lives ten minutes after its last tab has gone.
c.MappingKernelManager.cull_idle_timeout = 600
c.MappingKernelManager.cull_interval = 60
c.MappingKernelManager.cull_connected = False

# Sockets in a private folder instead of open TCP ports, where the path of that folder is short enough.
if os.name == "posix" and len(tempfile.gettempdir()) <= LONGEST_SOCKET_FOLDER:
    c.KernelManager.transport = "ipc"
