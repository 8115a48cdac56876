"""The light and the dark theme for plain figures: the colours of front/page/style.css, read from there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from polyak_core.checks import one_of
from polyak_widgets.front.bundle import read

THEMES = ("light", "dark")
_PAIR = re.compile(r"--pk-(\w+):\s*light-dark\((#[0-9a-fA-F]{6}),\s*(#[0-9a-fA-F]{6})\)")
_OWN_SHARE = 0.8
"""On a dark card a curve keeps so much of its colour and takes the rest from the ink, as in look.js."""


@dataclass(frozen=True)
class Theme:
    """Colours as #rrggbb: of text and of what is quieter, of hairlines, of the ground."""

    dark: bool
    ink: str
    quiet: str
    hair: str
    card: str

    def curve(self, colour: str) -> str:
        """The colour of a curve of `polyak_widgets.look` on this ground.

        >>> theme("light").curve("#D55E00"), theme("light").curve("ink") == theme("light").ink
        ('#D55E00', True)
        """
        if not colour.startswith("#"):
            return self.ink
        if not self.dark:
            return colour
        parts = zip(_channels(colour), _channels(self.ink), strict=True)
        return "#" + "".join(f"{round(_OWN_SHARE * a + (1 - _OWN_SHARE) * b):02x}" for a, b in parts)


def theme(name: str = "light") -> Theme:
    """A theme by its name.

    Raises:
        ValueError: neither "light" nor "dark".
    """
    return _theme_of(one_of(name, "template", THEMES))  # as functions that draw call it


@cache
def _theme_of(name: str) -> Theme:
    css = read("page/style.css")
    pairs = {match[1]: match[2 + THEMES.index(name)] for match in _PAIR.finditer(css)}
    return Theme(name == "dark", *(pairs[each] for each in ("ink", "quiet", "hair", "card")))


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
