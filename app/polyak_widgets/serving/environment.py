"""What the server takes from its environment, and what of it the kernels see."""

import errno
import os
import signal
import socket
import sys

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


def end_orderly() -> None:
    """Clean up on SIGTERM also before Voila, which takes the signal over once this file is read, is there."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
