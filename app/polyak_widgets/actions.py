"""What the buttons of the page do: a table from the name in a message to a function of the Explorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .settings import Settings

if TYPE_CHECKING:
    from .explorer import Explorer

Content = Mapping[str, Any]
Buffers = Sequence[memoryview]


def cancel(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """End the runs where they are; what there is, stays."""
    explorer.cancel()


def reset(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """All settings as they were at first; how they are shown stays."""
    explorer.controls.value = Settings().values()


def ping(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Say that somebody is here; see front/heartbeat.js."""
    explorer.stage.send({"pong": True})


ACTIONS: dict[str, Callable[[Explorer, Content, Buffers], None]] = {
    "cancel": cancel,
    "reset": reset,
    "ping": ping,
}


def act(explorer: Explorer, content: Any, buffers: Buffers) -> None:
    """Do what a message asks.

    Raises:
        ValueError: there is no such action, or it cannot be done, in words.
    """
    name = content.get("do") if isinstance(content, Mapping) else None
    if not isinstance(name, str) or name not in ACTIONS:
        raise ValueError(f"This page does not know what to do with {str(name)[:40]!r}; reload it.")
    ACTIONS[name](explorer, content, buffers)
