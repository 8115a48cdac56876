"""The address is the state: settings and view to a query string and back, pure.

``v=1&problem=lasso&data=sonar&gamma=5``: the version of this form, then only what differs from the defaults
(or from a story's own state) and has a part in the picture, in words that people can read and change by hand.
That somebody presents is no part of what is passed on: whoever opens the link wants the controls. What is
none of ours is left out, and said. Whatever cannot be read gives the defaults and a sentence; nothing in an
address can raise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from polyak_core.data.written_numbers import UnclearNumberError
from polyak_widgets.laboratory.problems import acts
from polyak_widgets.numbers import typed_number
from polyak_widgets.settings.fields import SettingsError
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.texts import foreign_parts, not_understood

VERSION = "1"
LONGEST = 1800
"""Letters of a query string; with the server's name in front the whole stays below 2 kB."""
FOREIGN = re.compile(
    r"voila-[\w-]*|template|theme|token|reset"
    r"|utm_\w+|(fb|g|d|msclk|ig|tw|tt|y)clid|igshid|gad_\w+|[gw]braid|mc_[ce]id|_hs(enc|mi)"
)
"""Parameters of Voila and Jupyter, and what mail and networks add to a link: not worth a word."""
MOST_SHOWN = 3
"""Foreign parameters that are named."""
SETTINGS = {name: each.default for name, each in FIELDS.items()}
VIEW = {each.name: each.default for each in fields(View)}
FOLLOWS = [name for name, default in SETTINGS.items() if default is None]
"""Settings whose default follows from the others, as the usual weight does from the problem."""
SWITCHES = {"on": True, "true": True, "off": False, "false": False}
"""How a switch is written by the page, and by people who write a link themselves."""
OURS = {"v", "story", *SETTINGS, *VIEW}
State = tuple[Settings, View]


class AddressError(ValueError):
    """An address that cannot be written or read, in words."""


@dataclass(frozen=True)
class Opened:
    """What an address asks for.

    Attributes:
        settings, view: the state, the defaults where the address cannot be read.
        story: name of the story that it opens, or "".
        message: why it cannot be read, or what was left out, or "".
    """

    settings: Settings
    view: View
    story: str = ""
    message: str = ""


def write_query(settings: Settings, view: View, story: str = "", base: State | None = None) -> str:
    """The query string of a state, without "?"; `base` is the story's own state.

    >>> write_query(Settings(gamma=5, methods=("apg", "fista")), View())
    'v=1&gamma=5&methods=apg,fista'

    Raises:
        AddressError: it would be longer than `LONGEST` letters.
    """
    first, first_view = base or (Settings(), View())
    pairs = {"v": VERSION} | ({"story": story} if story else {})
    view = replace(view, present=first_view.present)
    pairs |= _texts(_changes(first, settings)) | _texts(_differences(first_view, view))
    query = "&".join(f"{name}={quote_plus(value, safe=',;:')}" for name, value in pairs.items())
    if len(query) > LONGEST:
        name, text = max(pairs.items(), key=lambda pair: len(pair[1]))
        raise AddressError(
            f"This state does not fit into an address: {name!r} alone takes {len(text)} letters, and "
            f"{LONGEST} is the limit. Copy the code instead, or make {name!r} shorter."
        )
    return query


def read_query(query: Any, stories: Mapping[str, State] | None = None) -> Opened:
    """The state of a query string, with or without "?"; never raises.

    >>> read_query("?v=1&gamma=5").settings.gamma
    5.0
    >>> read_query("gama=5").message
    "In this address 'gama' is not a setting of this page and was left out."
    >>> read_query("gamma=five").message
    "This address was not understood: gamma = 'five' is no number. The page shows its defaults."
    """
    try:
        return _read(query, stories or {})
    except ValueError as error:
        why = str(error).rstrip(".")
        return Opened(Settings(), View(), message=not_understood(why))


def _read(query: Any, stories: Mapping[str, State]) -> Opened:
    values, foreign = _pairs(query)
    version = values.pop("v", VERSION)
    if version != VERSION:
        raise AddressError(f"it is of version {_quoted(version)}, and this page reads version {VERSION}")
    story = values.pop("story", "")
    if story and story not in stories:
        raise AddressError(f"there is no story {_quoted(story)}")
    settings, view = stories[story] if story else (Settings(), View())
    changes, view_changes = _parsed(values, SETTINGS), _parsed(values, VIEW)
    state = Opened(_changed(settings, changes), View.from_values(view.values() | view_changes), story)
    return replace(state, message=_left_out(foreign)) if foreign else state


def _left_out(names: list[str]) -> str:
    listing = ", ".join(map(_quoted, names[:MOST_SHOWN])) + (", …" if len(names) > MOST_SHOWN else "")
    return foreign_parts(listing, len(names) > 1)


def _changed(base: Settings, changes: Mapping[str, Any]) -> Settings:
    """The base with these changes; a value that follows from others follows anew."""
    follows = dict.fromkeys(FOLLOWS if changes else ())
    return Settings.from_values({**base.values(), **follows, **changes})


def _changes(base: Settings, settings: Settings) -> dict[str, Any]:
    """The least that `_changed` needs to make out of the base these settings, as far as they act."""
    differences = {
        name: value for name, value in _differences(base, settings).items() if acts(name, settings)
    }
    changes = {name: value for name, value in differences.items() if name not in FOLLOWS}
    followed, values = _changed(base, changes).values(), settings.values()
    following = [name for name in FOLLOWS if acts(name, settings) and followed[name] != values[name]]
    return changes | {name: values[name] for name in following}


def _pairs(query: Any) -> tuple[dict[str, str], list[str]]:
    """Our names and their texts, each once; and other names that may be meant as ours."""
    if not isinstance(query, str):
        raise AddressError("it is no text")
    query = query.removeprefix("?")
    if len(query) > LONGEST:
        raise AddressError(f"it has {len(query)} letters, and {LONGEST} is the limit")
    ours: dict[str, str] = {}
    foreign: dict[str, None] = {}
    for part in filter(None, query.split("&")):
        raw, _, text = part.partition("=")
        name = re.sub("^(amp;)+", "", _decoded(raw))  # of "&amp;", copied from the source of a page
        if name in OURS and name in ours:
            raise AddressError(f"{_quoted(name)} stands in it more than once")
        if name in OURS:
            ours[name] = _decoded(text)
        elif name and not FOREIGN.fullmatch(name):
            foreign[name] = None
    return ours, list(foreign)


def _decoded(text: str) -> str:
    """Text without its % and +; but a + in 1e+06 stays."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise AddressError("a % in it is not followed by two digits")
    try:
        return re.sub(r"(?<=\d[eE]) (?=\d)", "+", unquote_plus(text, errors="strict"))
    except UnicodeDecodeError:
        raise AddressError("letters in it are no UTF-8") from None


def _differences(first: Settings | View, state: Settings | View) -> dict[str, Any]:
    before, now = first.values(), state.values()
    return {name: now[name] for name in now if now[name] != before[name]}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items()}


def _text(value: Any) -> str:
    """A value as it stands in an address; `_value` is the inverse."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return ",".join(value) if isinstance(value, list) else str(value)


def _parsed(values: Mapping[str, str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(name, values[name], default) for name, default in defaults.items() if name in values}


def _value(name: str, text: str, default: Any) -> Any:
    """The value of a text, of the type that the default has; its field judges it."""
    if isinstance(default, bool):
        if text not in SWITCHES:
            raise SettingsError(name, f"{name} = {_quoted(text)} is not allowed, give on or off")
        return SWITCHES[text]
    if default is None or isinstance(default, int | float):
        return _number(name, text)
    if isinstance(default, tuple):
        return text.split(",") if text else []
    return text


def _number(name: str, text: str) -> float:
    with suppress(ValueError):
        return int(text) if re.fullmatch(r"-?\d{1,30}", text, re.ASCII) else float(text)
    try:
        return typed_number(text)
    except UnclearNumberError as error:
        raise SettingsError(name, str(error)) from None
    except ValueError:
        raise SettingsError(name, f"{name} = {_quoted(text)} is no number") from None


def _quoted(text: str) -> str:
    return repr(text[:40])
