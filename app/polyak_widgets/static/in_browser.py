"""What Pyodide adds to a reader's session: bytes as a browser has them. Imported in the browser alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyodide.ffi import to_js

from polyak_widgets.static.reader import Reader
from polyak_widgets.static.scipy_later import Placeholder


def begin(post: Callable[..., None], scipy: Placeholder) -> Reader:
    """A session whose messages go to a function of the browser: a text, then the bytes of each buffer."""

    def carry(text: str, buffers: Sequence[bytes]) -> None:
        post(text, *(to_js(memoryview(each)) for each in buffers))

    return Reader(carry, scipy)


def take(reader: Reader, text: str, buffers: Any) -> None:
    """A message of the browser, its buffers as the browser has them."""
    reader.take(text, [each.to_py() for each in buffers])
