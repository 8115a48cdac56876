"""Kernels come and go with their pages: of thirty reloads within about a minute."""

from __future__ import annotations

import sys
import time

import psutil
import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
MOST = 3
FORKS = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks kernels")


def kernels(address: str) -> set[int]:
    """The processes that compute for the pages of this server."""
    port = address.rstrip("/").rpartition(":")[2]
    servers = [
        one for one in psutil.process_iter(["cmdline"]) if f"--port={port}" in (one.info["cmdline"] or ())
    ]
    children = [child for server in servers for child in server.children()]
    forked = [
        child
        for zygote in children
        if "serving.zygote" in " ".join(words(zygote))
        for child in zygote.children()
    ]
    return {
        child.pid
        for child in [*children, *forked]
        if child in forked or any("ipykernel" in word for word in words(child))
    }


def words(process: psutil.Process) -> list[str]:
    """What it was started with; nothing if it has ended."""
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def become(address: str, number: int) -> bool:
    """Whether there are so many in the end."""
    for _ in range(100):
        if len(kernels(address)) == number:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.faults
@pytest.mark.parametrize("start", ["fresh", pytest.param("forked", marks=FORKS)])
def test_thirty_reloads_never_hold_more_than_three_kernels(browser: Browser, served_alone: str) -> None:
    context = browser.new_context()  # without `complaints`: requests that were broken off are none
    page = context.new_page()
    page.goto(served_alone)
    most = 0
    for number in range(30):
        page.wait_for_timeout(500)
        most = max(most, len(kernels(served_alone)))
        page.reload(wait_until="commit" if number % 2 else "load")
        most = max(most, len(kernels(served_alone)))
    assert 0 < most <= MOST
    page.wait_for_selector(".pk-stage[data-drawn-whole=true]", timeout=60_000)
    assert become(served_alone, 1)
    page.close(run_before_unload=True)
    assert become(served_alone, 0), "a tab that is closed leaves no kernel"
    context.close()
