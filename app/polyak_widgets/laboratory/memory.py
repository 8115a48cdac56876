"""Memory that the process has and does not need any more goes back to the system."""

import ctypes
from functools import cache
from typing import Any


@cache
def trim() -> Any:
    """The C library's function that gives free memory back, where it has one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # macOS, musl, Windows
        return None


def give_back() -> None:
    """Give back what is free; otherwise the C library keeps gaps of the size of a whole data set."""
    if (release := trim()) is not None:
        release(0)
