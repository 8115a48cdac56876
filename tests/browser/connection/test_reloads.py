"""Kernels come and go with their pages: of two visitors, and of thirty reloads within about a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

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


@FORKS
@pytest.mark.parametrize("start", ["forked"])
def test_two_visitors_of_a_class_have_kernels_of_their_own(
    browser: Browser, page: Page, served_alone: str, settle: Callable[..., int]
) -> None:
    """Each begins with the settings of her own address, and changes nothing for the other."""
    page.goto(f"{served_alone}?v=1&iterations=300&methods=adapt_apg_v2")
    other = page.context.browser.new_context().new_page()
    other.goto(f"{served_alone}?v=1&iterations=400&methods=fista")
    before, _ = settle(page), settle(other)
    assert len(kernels(served_alone)) == 2
    one, another = (visitor.get_by_role("slider", name="Iterations") for visitor in (page, other))
    for slider, iterations in ((one, "300"), (another, "400")):
        expect(slider).to_have_attribute("aria-valuetext", iterations)
    other.goto("about:blank")
    assert become(served_alone, 1)
    one.press("End")
    settle(page, before)
    page.goto("about:blank")
    assert become(served_alone, 0)


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
