"""Joins the small front-end files into the one string that anywidget takes.

The files under ``front/`` are ordinary ES modules, which any editor or linter understands. anywidget wants a
single module, and a bundler would be a build step. Joining is enough: follow the relative imports depth
first, drop the import lines and the ``export`` words, and put each file in once, dependencies first. This
holds as long as top-level names differ between the files, which a test watches.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath

_IMPORT = re.compile(r'^import\s+\{[^}]*\}\s+from\s+"(\.[\w./]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def read(name: str) -> str:
    """Return the text of one front-end file, for example ``"page/style.css"``."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


STYLES = ("page/style.css", "rail/rail.css", "page/desk.css", "charts/panels.css", "charts/cards.css")
"""The tokens and the page first; later files may refine earlier ones."""


@cache
def style() -> str:
    """Return the style sheet of the page, all its files in order."""
    return "\n".join(read(name) for name in STYLES)


def order(entry: str) -> list[str]:
    """Return the files that ``entry`` needs, each once and after what it imports."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name not in ordered:
            for needed in _IMPORT.findall(read(name)):
                visit(normpath(join(dirname(name), needed)))
            ordered.append(name)

    visit(entry)
    return ordered


@cache
def bundle(entry: str) -> str:
    """Return ``entry`` and all it imports as the text of one module; only its ``export default`` is left."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", read(name))) for name in order(entry))
