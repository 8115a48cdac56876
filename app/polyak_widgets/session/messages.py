"""What goes between a session and its page: parts of the page's state, the newest of each, and messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.panels.closer_look.panel import OF_CLOSER_LOOK
from polyak_widgets.panels.frame import SETTLED_POINTS
from polyak_widgets.panels.help.guide import guide
from polyak_widgets.panels.pin import Pin
from polyak_widgets.panels.words.words import fault
from polyak_widgets.session.texts import FIRST_CURVES, REMEDIES, go_to
from polyak_widgets.settings.presets import preset_menu, usual_values
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import OF_AXES, View
from polyak_widgets.share.export import WRITERS
from polyak_widgets.stories.notation import NOTATION
from polyak_widgets.stories.stories import STORIES
from polyak_widgets.stories.storyteller import story_list

HEAVY = ("frame", "third")
"""Sent again only where the page has others, by their serial numbers."""
LONG = 100
"""Letters of a text that a frame repeats."""
OF_THE_PAGE = ("plotly_js", "guide", "states")
"""What the page itself asks for, or has from its first moment."""
BY_THE_PAGE = (*OF_CLOSER_LOOK, "other_scales")
"""Of a view, what needs no other frame: the closer look has its own, and the page switches scales itself."""


class Page(Protocol):
    """Where a session's messages go."""

    def show(self, name: str, value: Any) -> None:
        """A part of the page's state is this from now on."""

    def repeat(self, names: Iterable[str]) -> None:
        """Send these parts again, to a page that missed them."""

    def send(self, content: Mapping[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """A message that is no part of the state."""


@dataclass(frozen=True)
class Shown:
    """What a picture shows, compared as a whole.

    Attributes:
        settings, view: both allowed.
        pins: pictures that are kept beside it.
        opened: the page's address, as a query string.
    """

    settings: Settings
    view: View
    pins: tuple[Pin, ...] = ()
    opened: str = ""


class Request(NamedTuple):
    """What a page asks for, not judged yet.

    Attributes:
        values, view: for `Settings` and `View`.
        pins, opened: as in `Shown`.
        greeting: the serial numbers of the frames that the page had when it came.
        points: how many of a curve its screen can show.
    """

    values: Mapping[str, Any]
    view: Mapping[str, Any]
    pins: tuple[Pin, ...]
    opened: str
    greeting: Mapping[str, Any]
    points: int = SETTLED_POINTS

    def answers(self) -> dict[str, Any]:
        """What a picture answers, with long texts cut; the page compares it with what its rail says."""
        values = self.values.items()
        return {name: value[:LONG] if isinstance(value, str) else value for name, value in values}


def beside_the_fields(few: bool) -> dict[str, Any]:
    """What else the rail has, from its first moment on; one with few controls has no menu and no heading."""
    if few:
        return {"presets": [], "guide": {**guide(), "intro": ""}}
    return {"presets": preset_menu(), "guide": {**guide(), "notation": [list(pair) for pair in NOTATION]}}


def first_state(settings: Settings, view: View, newest: OwnData | None, few: bool = False) -> dict[str, Any]:
    """All parts of a page's state before anything is drawn.

    `newest` are the data that were brought; a page with `few` controls has neither stories nor presets.
    """
    return {
        "status": {"kind": "running", "text": FIRST_CURVES},
        "frame": {},
        "third": {},
        "view": view.values(),
        "states": states_of_buttons(settings, view),
        "story": {},
        "stories": [] if few else story_list(),
        "opened": "",
        "notice": "",
        "mismatch": {},
        "plotly_js": b"",
        "value": settings.values(),
        **beside_the_fields(few),
        "usual": newest.usual_values() if newest else usual_values(),
        "problems": {},
    }


def states_of_buttons(settings: Settings, view: View) -> dict[str, Any]:
    """Where buttons lead, Reset and those of stories, and the "files" that Export has."""
    axes = {name: each for name, each in view.values().items() if name in OF_AXES}
    return {
        "files": list(WRITERS),
        "reset": {"value": settings.values(), "view": axes},
        "story": {name: _state(story.before, story.first_view) for name, story in STORIES.items()},
        "predict": {name: _state(story.after, story.view) for name, story in STORIES.items()},
    }


def _state(settings: Settings, view: View) -> dict[str, Any]:
    return {"value": settings.values(), "view": view.values()}


def mismatch(problems: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, str]:
    """What stands across a picture that is not of these values: why, and the field that mends it, if any.

    >>> mismatch({"lam": "λ = 0 is too little."}, {})
    {'text': 'λ = 0 is too little.', 'field': 'lam', 'label': 'Go to Weight λ'}
    """
    if not problems:
        return {}
    field, text = next(iter(problems.items()))
    if field in ("data", "own") and values.get("data") == "own":
        field = "upload"
    known = FIELDS[field].metadata["label"] if field in FIELDS else ""
    label = REMEDIES.get(field) or (known and go_to(known))
    return {"text": text, "field": field, "label": label}


def missed(state: Mapping[str, Any], serials: Mapping[str, Any]) -> set[str]:
    """The parts of the state that a page needs which has the frames of these serial numbers."""
    known = {name for name in HEAVY if state[name].get("serial") == serials.get(name)}
    return set(state) - known - set(OF_THE_PAGE)


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

    def _send_missed(self, serials: Mapping[str, Any]) -> None:
        """Send all but the frames that the page has; here, so that nothing older overtakes what comes."""
        if self._page is not None:
            self._page.repeat(missed(self.state, serials))

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

    def accept_file(self) -> None:
        """A file is taken: what was wrong with another, or with the settings before it, is over."""
        self._problems = {}
        self.refuse_file("")

    def _show_problems(self) -> None:
        """As told; a message may do this while the work does, and the newest of both is written last."""
        while True:
            problems, refusal = self._problems, self._refusal
            self.show("problems", {**({"upload": refusal} if refusal else {}), **problems})
            if problems is self._problems and refusal is self._refusal:
                return

    def _say(self, kind: str, text: str) -> None:
        self.show("status", {"kind": kind, "text": text})
