"""What a session tells its page: parts of the page's state, the newest of each, and messages beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polyak_widgets.panels.words import fault
from polyak_widgets.session.messages import Page, mismatch, missed


class Outgoing:
    """The way to a page, which may not be there yet.

    Attributes:
        state: all that the page shows, by the names of its parts, the newest of each.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self._page: Page | None = None
        self._problems: Mapping[str, str] = {}
        self._refusal = ""

    def show(self, name: str, value: Any) -> None:
        """A part of the page's state is this from now on."""
        self.state[name] = value
        if self._page is not None:
            self._page.show(name, value)

    def send(self, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """A message that is no part of the state."""
        assert self._page is not None, "a session that has not started gets no messages"
        self._page.send(content, buffers)

    def report(self, error: Exception) -> None:
        """A fault in the page itself: said, never shown as a traceback."""
        self.show("status", fault(error))

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        if content != self.state[name]:
            self.show(name, content)
            self._forget_notice()

    def _forget_notice(self) -> None:
        """What was wrong with an address is said until something changes."""
        if self.state["notice"]:
            self.show("notice", "")

    def _send_missed(self, seen: Mapping[str, Any]) -> None:
        """Send all but the frames that the page has; here, so that nothing older overtakes what comes."""
        if self._page is not None:
            self._page.repeat(missed(self.state, seen))

    def _amend(self, parts: Mapping[str, Any], **beside: Any) -> None:
        """Parts of the frame that is drawn are others now, such as what is shared; the picture stays."""
        frame = self.state["frame"]
        if frame and any(frame.get(name) != part for name, part in parts.items()):
            frame.update(parts)
            self.send({**parts, **beside})

    def _complain(self, problems: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """Say what is wrong with the values, if anything; a file stays refused until another one comes."""
        self._problems = problems
        self._show_problems()
        self.show("mismatch", mismatch(problems, values))
        if problems:
            self._say("error", "".join(problems.values()))

    def refuse_file(self, why: str) -> None:
        """Say at its control what is wrong with a file; nothing is where `why` is empty."""
        self._refusal = why
        self._show_problems()

    def _show_problems(self) -> None:
        """As told; a message may do this while the work does, and the newest of both is written last."""
        while True:
            problems, refusal = self._problems, self._refusal
            self.show("problems", {**({"upload": refusal} if refusal else {}), **problems})
            if problems is self._problems and refusal is self._refusal:
                return

    def _say(self, kind: str, text: str) -> None:
        self.show("status", {"kind": kind, "text": text})
