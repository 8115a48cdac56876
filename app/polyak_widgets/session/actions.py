"""What the buttons of the page do: a table from the name in a message to a function of the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyak_widgets.front.plotly import compressed_plotly
from polyak_widgets.laboratory.upload import read_upload
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.pins import pinned, unpinned
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import read_query
from polyak_widgets.share.export import make_file
from polyak_widgets.share.manifest import manifest
from polyak_widgets.stories.stories import STORIES

if TYPE_CHECKING:
    from polyak_widgets.session.session import Session

Content = Mapping[str, Any]
Buffers = Sequence[memoryview]


def cancel(session: Session, content: Content, buffers: Buffers) -> None:
    """End the runs where they are; what there is, stays."""
    session.cancel()


def reset(session: Session, content: Content, buffers: Buffers) -> None:
    """All settings as they were at first, and their runs if they were cancelled; how they are shown stays."""
    session.change(session.first.values())
    session.resume()


def ping(session: Session, content: Content, buffers: Buffers) -> None:
    """Say that somebody is here; see front/page/heartbeat.js."""
    session.send({"pong": True})


def here(session: Session, content: Content, buffers: Buffers) -> None:
    """A page listens from now on; it says which frames it has."""
    session.greet({name: content.get(name) for name in ("frame", "third")})


def arrived(session: Session, content: Content, buffers: Buffers) -> None:
    """A frame has come to the page, whose charts are so wide: there is room for another."""
    session.screen.hear(content)
    if session.screen.shows_more():
        session.ask()


def plotly(session: Session, content: Content, buffers: Buffers) -> None:
    """Send plotly.js to a page that was served without it."""
    session.show("plotly_js", compressed_plotly())


def open_address(session: Session, content: Content, buffers: Buffers) -> None:
    """Go to the state of the page's address; the page draws nothing before it has it."""
    query = content.get("query")
    opened = read_query(query, {name: (story.before, story.first_view) for name, story in STORIES.items()})
    if opened.story:
        session.storyteller.open(opened.story)
    session.go_to(opened.settings, opened.view, opened=query if isinstance(query, str) else "")
    session.show("notice", opened.message)


def pin(session: Session, content: Content, buffers: Buffers) -> None:
    """Keep what is drawn beside what comes."""
    session.keep(pinned(session.pins, session.experiment))


def unpin(session: Session, content: Content, buffers: Buffers) -> None:
    """Let a pinned picture go."""
    session.keep(unpinned(session.pins, content.get("id")))


def whole_state(session: Session) -> dict[str, Any]:
    """The page's state with all numbers of the picture: a page that stands alone cannot ask for more."""
    drawn = session.state["frame"]
    if session.experiment is None:
        return session.state
    whole = make_frame(session.experiment, session.view, session.panels, drawn["serial"], session.shown.pins)
    return session.state | {"frame": drawn | {name: whole[name] for name in ("panels", "cursor", "data")}}


def export(session: Session, content: Content, buffers: Buffers) -> None:
    """Send a file of what is drawn."""
    experiment, view = session.experiment, session.view
    try:
        told = None if experiment is None else manifest(experiment, view, session.data)
        file = make_file(content.get("kind"), experiment, told, whole_state(session))
    except ValueError as error:
        session.send({"said": str(error)})
        return
    session.send({"download": {"name": file.name, "type": file.type, "gzip": file.gzip}}, [file.data])


def story(session: Session, content: Content, buffers: Buffers) -> None:
    """Open a story: its question, and the picture that goes with it."""
    opened = session.storyteller.open(content.get("name"))
    session.go_to(opened.before, _as_now(session, opened.first_view))


def _as_now(session: Session, view: View) -> View:
    """The view of a story, on the projector if that is where the page is."""
    return replace(view, present=session.view.present)


def predict(session: Session, content: Content, buffers: Buffers) -> None:
    """Lock the reader's prediction; the picture turns to the answer."""
    asked = session.storyteller.predict(content.get("value"))
    session.go_to(asked.after, _as_now(session, asked.view))


def leave(session: Session, content: Content, buffers: Buffers) -> None:
    """Close the story; the picture stays."""
    session.storyteller.leave()


def set_values(session: Session, content: Content, buffers: Buffers) -> None:
    """Some settings, as if typed into the rail: a click on a point of a chart sets what it stands for."""
    values = content.get("values")
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ValueError("This page was asked to set something without a name; reload it.")
    session.change(Settings.from_values({**session.settings.values(), **values}).values())


def upload(session: Session, content: Content, buffers: Buffers) -> None:
    """Read the file in a message, and show it.

    Raises:
        SettingsError: what is wrong with it; the picture stays.
    """
    try:
        brought = read_upload(content.get("name"), buffers)
    except SettingsError as error:
        session.show("problems", {**session.state["problems"], error.name: str(error)})
        raise
    session.bring(brought)


ACTIONS: dict[str, Callable[[Session, Content, Buffers], None]] = {
    "cancel": cancel,
    "reset": reset,
    "here": here,
    "arrived": arrived,
    "ping": ping,
    "plotly": plotly,
    "set": set_values,
    "open": open_address,
    "pin": pin,
    "unpin": unpin,
    "export": export,
    "story": story,
    "predict": predict,
    "leave": leave,
    "upload": upload,
}


def act(session: Session, content: Any, buffers: Buffers) -> None:
    """Do what a message asks.

    Raises:
        ValueError: there is no such action, or it cannot be done, in words.
    """
    name = content.get("do") if isinstance(content, Mapping) else None
    if not isinstance(name, str) or name not in ACTIONS:
        raise ValueError(f"This page does not know what to do with {str(name)[:40]!r}; reload it.")
    ACTIONS[name](session, content, buffers)
