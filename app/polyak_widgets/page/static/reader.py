"""A session of one reader in the reader's own browser: messages as text and bytes, work in slices, no thread.

It knows nothing of Pyodide, so that a plain loop can step it; `in_browser` hands it what a browser has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError
from time import monotonic
from typing import Any

from polyak_widgets.front.plotly import plotly_path
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.page.static.scipy_later import NAME as SCIPY
from polyak_widgets.page.static.scipy_later import PackageNeeded, Placeholder
from polyak_widgets.session.actions import Buffers
from polyak_widgets.session.messages import Request
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.settings.fields import SettingsError

BUDGET = Budget(seconds=30, megabytes=500)
"""One reader has the machine, but it may be a phone."""
Post = Callable[[str, Sequence[bytes]], None]


class Reader:
    """Carries messages between a page and its session, and steps the work.

    A message to the page is JSON: ``{"show": name, "value": value, "bytes": names}``, where the values of
    these names follow as bytes, ``{"send": content}``, whose buffers follow, or ``{"need": package}``.
    One from the page is ``{"write": "value" | "view", "content": ...}`` or ``{"act": {"do": name, ...}}``.

    Args:
        post: takes a message to the page.
        scipy: stands for SciPy where it may have to be fetched.
        listen: lets messages in at a step of long work, where the browser can.
    """

    def __init__(
        self, post: Post, scipy: Placeholder | None = None, listen: Callable[[], object] = lambda: None
    ) -> None:
        self._post = post
        self._scipy = scipy
        self._again: dict[str, list[Callable[[], object]]] = {}  # what is done once a package is there
        self.session = Session(budget=BUDGET)
        self._slices: Slices[Request] = Slices(self.session.work, self.session.report, listen)
        self._steps: Iterator[bool] | None = None
        self.session.start(self, self._slices.submit)

    # From the page.

    def take(self, text: str, buffers: Buffers = ()) -> None:
        """A message from the page."""
        message = json.loads(text)
        if "write" in message and self._scipy is not None:
            self._scipy.trouble = None  # what could not be had before is tried again
        self._as_far_as_possible(lambda: self._take(message, buffers))

    def _take(self, message: Mapping[str, Any], buffers: Buffers) -> None:
        if "write" in message:
            self.session.take(message["write"], message["content"])
            return
        if message["act"].get("kind") == "html" and not has_plotly():
            raise PackageNeeded("plotly")
        self.session.act(message["act"], buffers)
        if message["act"].get("do") == "cancel" and self._again.get(SCIPY):
            self._again[SCIPY].clear()
            self.session.leave_search()

    def step(self, seconds: float) -> bool:
        """Work for about so long; whether anything is left to do."""
        end = monotonic() + seconds
        while self._as_far_as_possible(self._one_slice, self.session.ask):
            if monotonic() >= end:
                return True
        return False

    def _one_slice(self) -> bool:
        self._steps = self._steps or self._slices.steps()
        try:
            next(self._steps)
        except StopIteration:
            self._steps = None
            return False
        return True

    def _as_far_as_possible(
        self, act: Callable[[], bool | None], again: Callable[[], object] | None = None
    ) -> bool:
        """Act; where that needs what comes later, ask for it, and do `again` once it is there."""
        try:
            return bool(act())
        except PackageNeeded as needed:
            self._steps = None
            if needed.name not in self._again:
                self._post(json.dumps({"need": needed.name}), ())
            self._again.setdefault(needed.name, []).append(again or act)
            return False

    def arrived(self, name: str, trouble: str = "") -> None:
        """A package has come, or cannot be had, in words."""
        again = self._again.pop(name, [])
        if name == SCIPY and self._scipy is not None:
            if trouble:
                self._scipy.trouble = SettingsError("problem", trouble)
            else:
                self._scipy.arrived()
        elif trouble:
            self.send({"said": trouble})
            return
        for act in again:
            self._as_far_as_possible(partial(_done, act))

    # To the page, as a `Page` of the session.

    def show(self, name: str, value: Any) -> None:
        """A part of the page's state is this from now on."""
        words, buffers = apart(value)
        self._post(_text({"show": name, "value": words, "bytes": list(buffers)}), list(buffers.values()))

    def repeat(self, names: Iterable[str]) -> None:
        """Send these parts again."""
        for name in sorted(names):
            self.show(name, self.session.state[name])

    def send(self, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """A message that is no part of the state."""
        self._post(_text({"send": content}), buffers)


def _done(act: Callable[[], object]) -> None:
    act()


def has_plotly() -> bool:
    """Whether plotly.js can be written into a file."""
    try:
        return plotly_path().is_file()
    except (PackageNotFoundError, FileNotFoundError):
        return False


def apart(value: Any) -> tuple[Any, dict[str, bytes]]:
    """A value without its bytes, and these by their names.

    >>> apart({"serial": 3, "data": b"ab"})
    ({'serial': 3}, {'data': b'ab'})
    """
    if not isinstance(value, dict):
        return value, {}
    buffers = {name: bytes(each) for name, each in value.items() if isinstance(each, bytes | memoryview)}
    return {name: each for name, each in value.items() if name not in buffers}, buffers


def _text(message: Mapping[str, Any]) -> str:
    """JSON that a browser reads, which knows neither NaN nor infinity."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
