"""The one folder into which the server and its kernels write."""

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

NAME, LOCK = "polyak-", "lock"
_locks: list[int] = []
"""Held until this process ends, however it ends."""


def make_folder() -> str:
    """Make the folder, which goes with this process, and remove those of servers that were killed.

    Raises:
        OSError: there is no disk that can be written.
    """
    remove_left_over(Path(tempfile.gettempdir()))
    begun = tempfile.mkdtemp(prefix=f".{NAME}")
    folder = str(Path(begun).with_name(Path(begun).name.removeprefix(".")))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(shutil.rmtree, begun, ignore_errors=True)
    if os.name == "posix":
        _locks.append(locked(Path(begun)))
    os.rename(begun, folder)  # only now may others find it
    return folder


def locked(folder: Path) -> int:
    """Lock a folder until this process ends.

    Raises:
        OSError: its server lives, it is another user's, or it is none of ours.
    """
    import fcntl

    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def remove_left_over(place: Path) -> None:
    """Remove the folders of servers that could not do it themselves."""
    for folder in place.glob(f"{NAME}*") if os.name == "posix" else ():
        with suppress(OSError):
            if (folder / LOCK).is_file():
                lock = locked(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
