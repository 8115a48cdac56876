"""The two widgets of a page, stage and controls, and the wire from a session to both."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import uuid4

import anywidget
import traitlets

from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.page.texts import NO_NAMES, NO_PLAIN_VALUES, TOO_LONG, not_writable

LONGEST = 500_000
"""Letters of a state; the longest that is allowed, with a list of eigenvalues, has fewer than half."""


class Guarded(anywidget.AnyWidget):
    """A widget whose page may write the trait that is called `written`, and nothing else.

    What the dictionary says is judged by whoever observes it. Messages come in another thread than that of
    the work, and while one is taken traitlets holds back what the widget tells and hands it out at the end:
    what the work writes just then would be told twice, too late or never. So each waits for its turn.

    By ``own_id``, its number among all widgets, the page finds what ipywidgets knows of it.
    """

    written: ClassVar[str]
    own_id = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        """Take traits by name; raises ``TypeError`` for any other keyword."""
        self._turn = threading.RLock()
        refuse_unknown(self, traits)
        number = uuid4().hex
        super().__init__(model_id=number, own_id=number, **traits)

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take what a page has sent; or refuse it, and tell the page what still holds."""
        with self._turn:
            if why := objection(sync_data, self.written):
                self.refuse(why)
                self.send_state(sorted(set(sync_data) & set(self.keys)))
            else:
                super().set_state(sync_data)

    def show(self, name: str, value: Any) -> None:
        """Write a trait, and tell the page."""
        with self._turn:
            setattr(self, name, value)

    def send_state(self, key: Any = None) -> None:
        """Tell the page parts as they are now, so that nothing older overtakes what is written meanwhile."""
        with self._turn:
            super().send_state(key)

    def refuse(self, why: str) -> None:
        """Say it to the reader."""
        raise NotImplementedError


class Stage(Guarded):
    """Shows frames.

    ``frame`` holds what is to be seen, in words and numbers; its ``data`` are little-endian float64, for each
    curve from ``start`` on: ``count`` x values, then ``count`` y values; its ``units`` say where its x values
    in another unit begin. An unsettled frame is drawn into the existing lines at once; a settled one also
    brings ranges, hover and ticks up to date. The newest wins. The page acknowledges each frame that comes by
    ``{"do": "arrived", "frame": serial, "pixels": width of a chart}``. What a frame ``answers`` are the
    values of the rail that it was asked for.

    ``view`` maps the names of `polyak_widgets.settings.view.View` to what the reader has switched; both sides
    write it, and whoever observes it judges it. A button sends a message ``{"do": name, ...}`` with buffers.

    ``states``, ``{"value", "view"}``, are those that buttons lead to, by the name of their message and of the
    story. The page takes one on at once, beside its message.

    ``story`` is what `polyak_widgets.stories.storyteller` shows of an open story; ``stories`` lists names and
    titles.

    ``opened`` is the query string of the page's address, once it has been read; a frame of its state or of a
    later one carries the same. ``notice`` says what was wrong with it, until the reader changes something.

    ``mismatch`` is empty while the picture is that of the rail; else ``{"text", "field", "label"}`` say why
    it is not, and which field mends that, by a button.

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
    states: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    opened = traitlets.Unicode().tag(sync=True)
    notice = traitlets.Unicode().tag(sync=True)
    mismatch: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)
    plotly_js = traitlets.Bytes().tag(sync=True)

    def refuse(self, why: str) -> None:
        """In the status line."""
        self.status = {"kind": "error", "text": why}


class Controls(Guarded):
    """Asks for values.

    ``spec`` lists groups of fields. ``value`` maps each field's name to its value; it is written on every
    move of a slider and once something typed is finished, just as typed when that is no number. ``problems``
    maps a name to the message below it. ``presets`` is the menu on top, ``usual`` says which values follow
    others until somebody sets them: see `polyak_widgets.settings.presets`. ``guide`` holds what the page says
    of itself, its symbols and methods: see `polyak_widgets.panels.help.guide`; elements of both widgets ask
    for it by ``data-explains``.
    Nothing is judged here: whoever observes ``value`` does that and answers through ``problems``.
    """

    _esm = bundle("rail/controls.js")
    _css = style()
    written = "value"

    spec: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    value: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    presets: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    guide: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    usual: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    problems: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)

    def refuse(self, why: str) -> None:
        """Beside the first control."""
        self.problems = {**self.problems, "problem": why}


STAGE_NAMES, CONTROL_NAMES = (set(kind.class_own_traits(sync=True)) for kind in (Stage, Controls))


class Wire:
    """Carries what a session gives to the two widgets of its page."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        """Both widgets are made with the state that the session has at first."""
        self.stage = Stage(**{name: state[name] for name in STAGE_NAMES})
        self.controls = Controls(**{name: state[name] for name in CONTROL_NAMES})

    def show(self, name: str, value: Any) -> None:
        """Write a part of the page's state, to the widget that has it."""
        (self.controls if name in CONTROL_NAMES else self.stage).show(name, value)

    def repeat(self, names: Iterable[str]) -> None:
        """Send these parts again, to a page that missed them."""
        parts = set(names)
        self.stage.send_state(sorted(parts & STAGE_NAMES))
        self.controls.send_state(sorted(parts & CONTROL_NAMES))

    def send(self, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """A message that is no part of the state."""
        self.stage.send(content, buffers=list(buffers))


def objection(message: Mapping[str, Any], name: str) -> str:
    """What is wrong with a state that a page has sent; empty if nothing is.

    >>> objection({"view": {"bounds": True}}, "view")
    ''
    >>> objection({"frame": {}}, "view")
    "A page may not write 'frame'; reload it."
    """
    if others := sorted(set(message) - {name}):
        return not_writable(f"{others[0]!r:.40}")
    state = message.get(name, {})
    if not isinstance(state, dict):
        return NO_NAMES
    try:
        size = len(json.dumps(state))
    except (TypeError, ValueError, RecursionError):
        return NO_PLAIN_VALUES
    return "" if size <= LONGEST else TOO_LONG


def refuse_unknown(widget: anywidget.AnyWidget, traits: dict[str, Any]) -> None:
    """Raise ``TypeError`` for a keyword that is no trait; traitlets itself only warns."""
    unknown = sorted(set(traits) - set(widget.trait_names()))
    if unknown:
        raise TypeError(f"{type(widget).__name__} has no {', '.join(unknown)}")
