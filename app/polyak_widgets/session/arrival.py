"""What a page missed: a kernel begins before its page can listen, and what was sent meanwhile is lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyak_widgets.page.controls import Controls
from polyak_widgets.page.widgets import Stage

HEAVY = ("frame", "third")
"""Sent again only where the page has others, by their serial numbers."""
OF_THE_PAGE = ("plotly_js", "view", "value")
"""What the page itself asks for or writes."""


def send_missed(stage: Stage, controls: Controls, seen: Mapping[str, Any]) -> None:
    """Send the state of both widgets to a page that says which frames it has `seen`, by their names.

    Called where traits are written, so that nothing older can overtake what is written then.
    """
    known = [name for name in HEAVY if getattr(stage, name).get("serial") == seen.get(name)]
    for widget, kind in ((stage, Stage), (controls, Controls)):
        widget.send_state(sorted(set(kind.class_own_traits(sync=True)) - {*known, *OF_THE_PAGE}))
