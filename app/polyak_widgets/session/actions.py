"""What the buttons of the page do: a table from the name in a message to a function of the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyak_widgets.front.plotly import compressed_plotly
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.columns import Columns
from polyak_widgets.laboratory.texts import LOST_FILE
from polyak_widgets.laboratory.upload import MOST_BYTES, clean_name, own_file
from polyak_widgets.panels.frame import make_frame
from polyak_widgets.panels.pin import MOST_PINS, narrowed, pinned, unpinned, with_runs
from polyak_widgets.session.pinboard import Expected
from polyak_widgets.session.texts import AS_AT_FIRST, RESET, pinned_as, runs_are_beside
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import read_query
from polyak_widgets.share.band_columns import bands_of
from polyak_widgets.share.export import make_file
from polyak_widgets.share.manifest import manifest
from polyak_widgets.share.qr import qr_path
from polyak_widgets.share.run_files import holds_runs, runs_of_file
from polyak_widgets.stories.stories import STORIES

if TYPE_CHECKING:
    from polyak_widgets.session.session import Session

Content = Mapping[str, Any]
Buffers = Sequence[memoryview]


def cancel(session: Session, content: Content, buffers: Buffers) -> None:
    """End the runs where they are; what there is, stays."""
    session.cancel()


def reset(session: Session, content: Content, buffers: Buffers) -> None:
    """Settings and axes as they were at first, and their runs if they were cancelled."""
    view = View.from_values(session.view.values() | session.state["states"]["reset"]["view"])
    if session.state["value"] == session.first.values() and view == session.view:
        session.send({"said": AS_AT_FIRST})
    else:
        session.send({"said": RESET, "undo": True})
    session.go_to(session.first, view)


def ping(session: Session, content: Content, buffers: Buffers) -> None:
    """Say that somebody is here; see front/page/heartbeat.js."""
    session.send({"pong": True})


def here(session: Session, content: Content, buffers: Buffers) -> None:
    """A page listens from now on; it says which frames it has."""
    session.greet({name: content.get(name) for name in ("frame", "third")})


def arrived(session: Session, content: Content, buffers: Buffers) -> None:
    """A frame has come to the page, whose charts are so wide: there is room for another."""
    for name, line in session.lines.items():
        if name in content:
            line.arrived(content[name])
    if "pixels" in content:
        session.fit(content["pixels"])


def sight(session: Session, content: Content, buffers: Buffers) -> None:
    """The page says what of it is in sight: whether it is shown at all, and the closer look in it."""
    session.see(page=content.get("page") is not False, closer_look=content.get("third") is not False)


def plotly(session: Session, content: Content, buffers: Buffers) -> None:
    """Send plotly.js to a page that was served without it."""
    session.show("plotly_js", compressed_plotly())


def open_address(session: Session, content: Content, buffers: Buffers) -> None:
    """Go to the state of the page's address; the page draws nothing before it has it.

    A page that is loaded again has "kept" its state, which may be newer than its address, its "pins", and the
    "story" that was open, with what its reader has answered.
    """
    query = content.get("query")
    link = read_query(query, {name: (story.before, story.first_view) for name, story in STORIES.items()})
    state = link.settings, link.view
    former = remembered(content.get("kept"))
    resumed = former is not None and session.storyteller.resume(content.get("story"))
    if link.story and not resumed:
        session.storyteller.open(link.story)
        former = None  # its question is asked anew
    session.board.expect(remembered_pins(content.get("pins")))
    session.go_to(*(former or state), query=query if isinstance(query, str) else "")
    session.show("notice", link.message if former in (None, state) else "")


def go(session: Session, content: Content, buffers: Buffers) -> None:
    """Show a state that the page remembers, since its reader goes back or forth.

    Raises:
        ValueError: it is none.
    """
    state = remembered(content)
    if state is None:
        raise ValueError("This page was asked to show what is no state of it; reload it.")
    session.go_to(state[0], _as_now(session, state[1]))


def pin(session: Session, content: Content, buffers: Buffers) -> None:
    """Keep what is drawn beside what comes."""
    pins = pinned(session.board.pins, session.experiment)
    session.send({"said": pinned_as(pins[-1].letter)})
    session.board.pins = pins
    session.ask()


def unpin(session: Session, content: Content, buffers: Buffers) -> None:
    """Remove a pin."""
    session.board.pins = unpinned(session.board.pins, content.get("id"))
    session.ask()


def narrow(session: Session, content: Content, buffers: Buffers) -> None:
    """Keep one method alone of a pin, or all of them again."""
    session.board.pins = narrowed(session.board.pins, content.get("id"), content.get("only"))
    session.ask()


def export(session: Session, content: Content, buffers: Buffers) -> None:
    """Send a file of what is drawn."""
    experiment, view = session.experiment, session.view
    try:
        link = content.get("link")
        bands = bands_of(session.closer_look.bands) if session.closer_look else None
        facts = None if experiment is None else manifest(experiment, view, session.data, link, bands)
        file = make_file(content.get("kind"), experiment, facts, whole_state(session), bands)
    except ValueError as error:
        session.send({"said": str(error)})
        return
    session.send({"download": {"name": file.name, "type": file.type, "gzip": file.gzip}}, [file.data])


def whole_state(session: Session) -> dict[str, Any]:
    """The page's state with all numbers of the picture: a page that stands alone cannot ask for more."""
    if session.experiment is None:
        return session.state
    frame, pins = session.state["frame"], session.shown.pins
    whole = make_frame(session.experiment, session.view, session.panels, frame["serial"], pins)
    numbers = {name: whole[name] for name in ("panels", "cursor", "data")}
    return session.state | {"frame": frame | numbers}


def qr(session: Session, content: Content, buffers: Buffers) -> None:
    """Send the QR code of the page's link."""
    try:
        session.send({"qr": qr_path(content.get("link"))})
    except ValueError as error:
        session.send({"said": str(error)})


def story(session: Session, content: Content, buffers: Buffers) -> None:
    """Open a story: its question, and the picture that goes with it."""
    story = session.storyteller.open(content.get("name"))
    session.go_to(story.before, _as_now(session, story.first_view))


def _as_now(session: Session, view: View) -> View:
    """The view of a story, on the projector if that is where the page is."""
    return replace(view, present=session.view.present)


def predict(session: Session, content: Content, buffers: Buffers) -> None:
    """Lock the reader's prediction; the picture turns to the answer."""
    story = session.storyteller.predict(content.get("value"))
    session.go_to(story.after, _as_now(session, story.view))


def go_on(session: Session, content: Content, buffers: Buffers) -> None:
    """Measure after all what was cancelled."""
    session.storyteller.wait("measuring")
    session.resume()


def leave(session: Session, content: Content, buffers: Buffers) -> None:
    """Close the story; the picture stays, without the one that it was compared with."""
    session.storyteller.leave()
    session.ask()


def return_to_answer(session: Session, content: Content, buffers: Buffers) -> None:
    """Show the picture of the answer again, after the reader has tried other settings."""
    story = session.storyteller.answered
    session.go_to(story.after, _as_now(session, story.view))


def set_values(session: Session, content: Content, buffers: Buffers) -> None:
    """Some settings, as if typed into the rail: a click on a point of a chart sets what it stands for."""
    values = content.get("values")
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ValueError("This page was asked to set something without a name; reload it.")
    session.change(Settings.from_values({**session.settings.values(), **values}).values())


def upload(session: Session, content: Content, buffers: Buffers) -> None:
    """Read the file in a message, and show it; by the columns of the settings where these mean it.

    Runs that a page has exported are drawn beside what is there.

    One that the page has kept comes "again", with the columns that it was read by, to be had only.

    Raises:
        SettingsError: what is wrong with it; the picture stays.
    """
    with told_beside_the_file(session):
        if len(buffers) == 1 and len(buffers[0]) <= MOST_BYTES and holds_runs(bytes(buffers[0])):
            _pin_runs(session, clean_name(str(content.get("name"))), bytes(buffers[0]))
            return
        file, now = own_file(content.get("name"), buffers), session.state["value"]
        if content.get("again"):
            _put(session, session.laboratory.shelf.read(file, columns_in(content)))
            return
        columns = Columns(str(now["label"]), str(now["leave_out"])) if now["own"] == file.sha256 else None
        _bring(session, session.laboratory.shelf.read(file, columns))


def _pin_runs(session: Session, name: str, content: bytes) -> None:
    """Keep the runs of a file beside what is drawn."""
    problem = session.laboratory.problem(session.settings)
    try:
        session.board.pins = with_runs(session.board.pins, runs_of_file(name, content, problem), name)
    except SettingsError:
        raise
    except ValueError as error:
        raise SettingsError("upload", str(error)) from None
    session.accept_file()
    session.describe()
    session.send({"said": runs_are_beside(name, session.board.pins[-1].letter)})
    session.ask()


def columns(session: Session, content: Content, buffers: Buffers) -> None:
    """Read the file that came last by other columns, and show it.

    Raises:
        SettingsError: what is wrong with it then; the picture stays.
    """
    with told_beside_the_file(session):
        choice = columns_in(content)
        file = session.laboratory.shelf.file
        if file is None or file.sha256 != content.get("own"):
            raise SettingsError("upload", LOST_FILE)
        _bring(session, session.laboratory.shelf.read(file, choice))


def _put(session: Session, own: OwnData) -> None:
    """Keep data of one's own."""
    session.laboratory.shelf.put(own)
    session.accept_file()
    session.show("usual", own.usual_values())


def _bring(session: Session, own: OwnData) -> None:
    """Keep data of one's own, and show them."""
    _put(session, own)
    session.describe()
    session.change(own.values_with(session.state["value"]))


def columns_in(content: Content) -> Columns:
    """The columns that a message names.

    Raises:
        SettingsError: it names none, or what are no columns.
    """
    settings = Settings.from_values({name: content.get(name) for name in Columns._fields})
    return Columns(settings.label, settings.leave_out)


@contextmanager
def told_beside_the_file(session: Session) -> Iterator[None]:
    """What is wrong with a file is said at its control, with a preview of its columns where it is a table.

    Raises:
        SettingsError: what is wrong.
    """
    try:
        yield
    except SettingsError as error:
        session.refuse_file(str(error))
        session.describe()
        raise


def remembered(content: Any) -> tuple[Settings, View] | None:
    """A state as a page keeps it, {"value", "view"}; None if it is none."""
    if not isinstance(content, Mapping):
        return None
    with suppress(ValueError, KeyError):
        return Settings.from_values(content["value"]), View.from_values(content.get("view", {}))
    return None


def remembered_pins(content: Any) -> list[Expected]:
    """The pins that a page has kept; what is none is left out."""
    pins: dict[int, Expected] = {}
    for each in content[:MOST_PINS] if isinstance(content, list) else ():
        state, number = remembered(each), each.get("id") if isinstance(each, Mapping) else None
        if state and type(number) is int and 1 <= number <= MOST_PINS:
            only = each.get("only")
            alone = only if only in state[0].methods else ""
            pins.setdefault(number, Expected(number, state[0], alone))
    return list(pins.values())


ACTIONS: dict[str, Callable[[Session, Content, Buffers], None]] = {
    "cancel": cancel,
    "reset": reset,
    "here": here,
    "arrived": arrived,
    "sight": sight,
    "ping": ping,
    "plotly": plotly,
    "set": set_values,
    "open": open_address,
    "go": go,
    "pin": pin,
    "unpin": unpin,
    "narrow": narrow,
    "export": export,
    "qr": qr,
    "story": story,
    "predict": predict,
    "go_on": go_on,
    "leave": leave,
    "back": return_to_answer,
    "upload": upload,
    "columns": columns,
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
