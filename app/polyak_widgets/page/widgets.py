"""The stage: the sentence, the charts and the table, drawn from one dictionary with one binary buffer."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.page.guarded import Guarded


class Stage(Guarded):
    """Shows frames.

    ``frame`` holds what is to be seen, in words and numbers; its ``data`` are little-endian float64, for each
    curve from ``start`` on: ``count`` x values, then ``count`` y values; its ``units`` say where its x values
    in another unit begin. An unsettled frame is drawn into the existing lines at once; a settled one also
    brings ranges, hover and ticks up to date. The newest wins.

    ``view`` maps the names of `polyak_widgets.settings.view.View` to what the reader has switched; both sides
    write it, and whoever observes it judges it. A button sends a message ``{"do": name, ...}`` with buffers.

    ``story`` is what `polyak_widgets.stories.storyteller` shows of an open story; ``stories`` lists names and
    titles.

    ``opened`` is the query string of the page's address, once it has been read; a frame of its state or of a
    later one carries the same. ``notice`` says what was wrong with it, until the reader changes something.

    ``status`` is ``{"kind": "running" | "done" | "error" | "cancelled", "text": str}``.

    ``plotly_js`` is empty until a page asks for it that cannot fetch it.

    When a frame is on the screen the root element carries its number in ``data-drawn-serial``, and
    ``data-drawn-settled`` is ``"true"`` once nothing is left to be drawn; ``data-drawn-whole`` once plotly's
    own data, which a zoom starts from, are those of the picture too.
    """

    _esm = bundle("page/stage.js")
    _css = style()
    written = "view"

    frame: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    status: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    story: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    stories: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    third: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    view: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    opened = traitlets.Unicode().tag(sync=True)
    notice = traitlets.Unicode().tag(sync=True)
    plotly_js = traitlets.Bytes().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        """Take traits by name; raises ``TypeError`` for any other keyword."""
        refuse_unknown(self, traits)
        super().__init__(**traits)

    def refuse(self, why: str) -> None:
        """In the status line."""
        self.status = {"kind": "error", "text": why}


def refuse_unknown(widget: anywidget.AnyWidget, traits: dict[str, Any]) -> None:
    """Raise ``TypeError`` for a keyword that is no trait; traitlets itself only warns."""
    unknown = sorted(set(traits) - set(widget.trait_names()))
    if unknown:
        raise TypeError(f"{type(widget).__name__} has no {', '.join(unknown)}")
