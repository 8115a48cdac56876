"""The process that computes for a page: which it is, and whether it has ended."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil
from playwright.sync_api import Page

KERNEL = "() => JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId"


def process_of(page: Page) -> psutil.Process:
    """The process that computes for this page: started with its kernel's file, or with its sockets."""
    kernel = page.evaluate(KERNEL)
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            sockets = [str(socket.laddr) for socket in process.net_connections("unix")]
            if any(kernel in word for word in (*process.cmdline(), *sockets)):
                return process
    raise AssertionError(f"nothing computes for kernel {kernel}")


def has_ended(process: psutil.Process) -> bool:
    """Whether nothing of it runs any more; some containers leave an entry of what has ended to nobody."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def ends(process: psutil.Process) -> bool:
    """Whether it has ended before long."""
    end = time.monotonic() + 20
    while not has_ended(process) and time.monotonic() < end:
        time.sleep(0.1)
    return has_ended(process)
