"""What Pyodide adds to a reader's session: bytes as a browser has them. Imported in the browser alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from pyodide.ffi import can_run_sync, run_sync, to_js

from polyak_widgets.page.static.reader import Reader
from polyak_widgets.page.static.scipy_later import Placeholder

PAUSE = 0.05
"""Seconds of work between two looks at what the page says; a look takes about a millisecond."""


def begin(post: Callable[..., None], scipy: Placeholder, turn: Callable[[], Any]) -> Reader:
    """A session whose messages go to a function of the browser: a text, then bytes for each buffer.

    `turn` gives a promise that is kept once messages have come in. Browsers that can suspend WebAssembly
    (JSPI) wait for it within a slice; in others a message waits for the end of the slice.
    """
    looked_at = monotonic()

    def listen() -> None:
        nonlocal looked_at
        if monotonic() - looked_at > PAUSE and can_run_sync():
            run_sync(turn())
            looked_at = monotonic()

    def carry(text: str, buffers: Sequence[bytes]) -> None:
        post(text, *(to_js(memoryview(each)) for each in buffers))

    return Reader(carry, scipy, listen)


def take(reader: Reader, text: str, buffers: Any) -> None:
    """A message of the browser, its buffers as the browser has them."""
    reader.take(text, [each.to_py() for each in buffers])
