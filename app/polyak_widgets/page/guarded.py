"""What a page may write of a widget: one dictionary of no great size. All else is refused in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import anywidget

LONGEST = 500_000
"""Letters of a state; the longest that is allowed, with a list of eigenvalues, has fewer than half."""


class Guarded(anywidget.AnyWidget):
    """A widget whose page may write the trait that is called `written`, and nothing else.

    What the dictionary says is judged by whoever observes it.
    """

    written: ClassVar[str]

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take what a page has sent; or refuse it, and tell the page what still holds."""
        if why := objection(sync_data, self.written):
            self.refuse(why)
            self.send_state(sorted(set(sync_data) & set(self.keys)))
        else:
            super().set_state(sync_data)

    def refuse(self, why: str) -> None:
        """Say it to the reader."""
        raise NotImplementedError


def objection(sent: Mapping[str, Any], written: str) -> str:
    """What is wrong with a state that a page has sent; empty if nothing is.

    >>> objection({"view": {"bounds": True}}, "view")
    ''
    >>> objection({"frame": {}}, "view")
    "A page may not write 'frame'; reload it."
    """
    if others := sorted(set(sent) - {written}):
        return f"A page may not write {others[0]!r:.40}; reload it."
    state = sent.get(written, {})
    if not isinstance(state, dict):
        return "A state of this page maps names to values; reload the page."
    try:
        size = len(json.dumps(state))
    except (TypeError, ValueError, RecursionError):
        return "A state of this page is made of numbers, texts and lists of them; reload the page."
    return "" if size <= LONGEST else "This state is too long for what is asked here: shorten its texts."
