"""What the server takes from its environment, and what of it the kernels see."""

import errno
import os
import re
import signal
import socket
import sys

from tornado.ioloop import IOLoop
from voila.app import Voila

from polyak_widgets.serving.texts import NO_FORK_HERE

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


def keep_environment() -> None:
    """Drop what is not on the list; one BLAS thread per kernel unless told otherwise.

    Two threads on a busy machine of two cores make matrix products 4 to 21 times slower.
    """
    for name in list(os.environ):
        upper = name.upper()
        allowed = upper in KEPT or upper.startswith(KEPT_BEGINNINGS)
        if not allowed or upper.endswith(SECRETS):
            del os.environ[name]
    for name in THREADS:
        os.environ.setdefault(name, "1")


USUAL = {
    "POLYAK_SECONDS": "20",  # for one run
    "POLYAK_PICTURE_SECONDS": "120",  # of a processor, for all that one picture needs
    "POLYAK_MINUTE_SECONDS": "60",  # of a processor, for the long work of one reader in a minute
    "POLYAK_NICE": "5",  # how far long work steps back for others
    "POLYAK_FRAMES": "30",  # in a second, of a picture that grows
    "POLYAK_UNSEEN_SECONDS": "0.1",  # without a change, before a closer look out of sight is computed
    "POLYAK_MEGABYTES": "500",  # for one picture
    "POLYAK_UPLOAD_MEGABYTES": "5",  # of one file of data
    "POLYAK_IDLE_SECONDS": "600",  # a kernel without a page lives so long
    "POLYAK_KERNELS": "1000",  # at a time
}
"""Limits that whoever serves the page may change, and what they are where nothing is said."""


def read_limits() -> dict[str, float]:
    """Return the limits, which the kernels find in their environment, or leave with a sentence.

    A kernel that computes is never ended for idleness, so runs must end by themselves.
    """
    limits = {}
    for name, usual in USUAL.items():
        text = os.environ.get(name) or usual
        try:
            limits[name] = float(text)
        except ValueError:
            limits[name] = 0
        if not 0 < limits[name] < float("inf"):
            sys.exit(f"{name} is {text!r}, but must be a number above 0: try {name}={usual}.")
        os.environ[name] = text
    return limits


def forks_kernels() -> bool:
    """Return whether kernels are forked from one process that is ready, or leave with a sentence.

    Only Linux forks a process safely that has used its mathematical libraries, and lets the server watch it.
    """
    text = os.environ.get("POLYAK_START") or "fresh"
    if text not in ("fresh", "forked"):
        sys.exit(f"POLYAK_START is {text!r}, but must be fresh or forked: try POLYAK_START=fresh.")
    if text == "forked" and sys.platform != "linux":
        print(NO_FORK_HERE, file=sys.stderr)
        return False
    return text == "forked"


def read_base_url() -> str:
    """Return the path under which the page is served, "/" unless set, or leave with a sentence."""
    text = os.environ.get("POLYAK_BASE_URL") or "/"
    if not re.fullmatch(r"/([\w.~-]+/)*", text, re.ASCII):
        sys.exit(
            f"POLYAK_BASE_URL is {text!r}, but must be a path that begins and ends with a slash: "
            "try POLYAK_BASE_URL=/polyak/."
        )
    return text


def read_frame_ancestors() -> str:
    """Return which pages may show this one in a frame, as the header has it, or leave with a sentence.

    The header wants self and none in quotes, which shells, systemd and Docker take away each in its own way.
    """
    text = os.environ.get("POLYAK_FRAME_ANCESTORS") or "self"
    words = [f"'{word}'" if word in ("self", "none") else word for word in text.replace("'", "").split()]
    one = r"('self'|'none'|https?://[\w.*-]+(:(\d+|\*))?)"
    if not words or not all(re.fullmatch(one, word, re.ASCII) for word in words):
        sys.exit(
            f"POLYAK_FRAME_ANCESTORS is {text!r}, but must list addresses with spaces between them: "
            'try POLYAK_FRAME_ANCESTORS="self https://course.example.org".'
        )
    return " ".join(words)


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
                other = port + 1 if port < 65535 else port - 1
                sys.exit(
                    f"Port {port} of {host} is in use, perhaps by another Polyak Explorer. "
                    f"Stop that program, or take another port: PORT={other}, or --port {other}."
                )
            if error.errno == errno.EACCES:
                sys.exit(
                    f"Port {port} may not be opened by this user: take one from 1024 up, such as PORT=8866."
                )
            if error.errno == errno.EADDRNOTAVAIL and len(addresses) == 1:
                sys.exit(f"HOST is {host!r}, which is no address of this machine: try HOST=localhost.")


class Loop:
    """The loop of this thread, until an application writes its own there."""

    def __get__(self, application: Voila | None, kind: type[Voila]) -> IOLoop:
        """Return the loop that `application` will run."""
        return IOLoop.current()


def end_orderly() -> None:
    """Clean up on SIGTERM at any moment of the start.

    Voila takes the signal over once this file is read, and stops its loop then, which it names last of all: a
    signal in between was a traceback.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    Voila.ioloop = Loop()
