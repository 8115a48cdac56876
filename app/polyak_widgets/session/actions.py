"""What the buttons of the page do: a table from the name in a message to a function of the Explorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyak_widgets.front.plotly import compressed_plotly
from polyak_widgets.session import share_actions
from polyak_widgets.session.uploads import upload
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

if TYPE_CHECKING:
    from polyak_widgets.session.session import Explorer

Content = Mapping[str, Any]
Buffers = Sequence[memoryview]


def cancel(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """End the runs where they are; what there is, stays."""
    explorer.cancel()


def reset(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """All settings as they were at first, and their runs if they were cancelled; how they are shown stays."""
    explorer.controls.value = explorer.first.values()
    explorer.resume()


def ping(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Say that somebody is here; see front/page/heartbeat.js."""
    explorer.stage.send({"pong": True})


def here(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """A page listens from now on; it says which frames it has."""
    explorer.greet({name: content.get(name) for name in ("frame", "third")})


def plotly(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Send plotly.js to a page that was served without it."""
    explorer.stage.plotly_js = compressed_plotly()


def story(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Open a story: its question, and the picture that goes with it."""
    opened = explorer.storyteller.open(content.get("name"))
    explorer.go_to(opened.before, _as_now(explorer, opened.first_view))


def _as_now(explorer: Explorer, view: View) -> View:
    """The view of a story, on the projector if that is where the page is."""
    return replace(view, present=explorer.view.present)


def predict(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Lock the reader's prediction; the picture turns to the answer."""
    asked = explorer.storyteller.predict(content.get("value"))
    explorer.go_to(asked.after, _as_now(explorer, asked.view))


def leave(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Close the story; the picture stays."""
    explorer.storyteller.leave()


def set_values(explorer: Explorer, content: Content, buffers: Buffers) -> None:
    """Some settings, as if typed into the rail: a click on a point of a chart sets what it stands for."""
    values = content.get("values")
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ValueError("This page was asked to set something without a name; reload it.")
    settings = Settings.from_values({**explorer.settings.values(), **values})
    explorer.controls.value = settings.values()


ACTIONS: dict[str, Callable[[Explorer, Content, Buffers], None]] = {
    "cancel": cancel,
    "reset": reset,
    "here": here,
    "ping": ping,
    "plotly": plotly,
    "set": set_values,
    "open": share_actions.open_address,
    "pin": share_actions.pin,
    "unpin": share_actions.unpin,
    "export": share_actions.export,
    "story": story,
    "predict": predict,
    "leave": leave,
    "upload": upload,
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
