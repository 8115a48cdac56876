"""What the page's buttons for sharing do: open an address, pin, unpin, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from polyak_widgets.panels.pins import pinned, unpinned
from polyak_widgets.share.address import read_query
from polyak_widgets.share.export import make_file
from polyak_widgets.stories.stories import STORIES

if TYPE_CHECKING:
    from polyak_widgets.session.session import Explorer


def open_address(explorer: Explorer, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
    """Go to the state of the page's address; the page draws nothing before it has it."""
    query = content.get("query")
    opened = read_query(query, {name: (story.before, story.first_view) for name, story in STORIES.items()})
    if opened.story:
        explorer.storyteller.open(opened.story)
    explorer.go_to(opened.settings, opened.view, opened=query if isinstance(query, str) else "")
    explorer.stage.notice = opened.message


def pin(explorer: Explorer, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
    """Keep what is drawn beside what comes."""
    explorer.pins = pinned(explorer.pins, explorer.experiment)
    explorer.redraw()


def unpin(explorer: Explorer, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
    """Let a pinned picture go."""
    explorer.pins = unpinned(explorer.pins, content.get("id"))
    explorer.redraw()


def export(explorer: Explorer, content: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
    """Send a file of what is drawn."""
    try:
        file = make_file(content.get("kind"), explorer)
    except ValueError as error:
        explorer.stage.send({"said": str(error)})
        return
    told = {"name": file.name, "type": file.type, "gzip": file.gzip}
    explorer.stage.send({"download": told}, buffers=[file.data])
