"""Joins the small front-end files into the one string that anywidget takes.

The files under ``front/`` are ordinary ES modules, which any editor or linter understands. anywidget wants a
single module, and a bundler would be a build step. Joining is enough: follow the relative imports depth first
and put each file in once, dependencies first. Each becomes a function that is called at once, so its names
are its own; what it exports goes into a table, where the files after it find it. Only the entry stands as it
is, at the end, with its ``export default``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath

_IMPORT = re.compile(r'^import\s+\{([^}]*)\}\s+from\s+"(\.[\w./]+)";$', re.MULTILINE)
_DEFAULT = re.compile(r"^export default .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n|/\*.*?\*/\n?", re.MULTILINE)
"""Of lines of their own in scripts, and any in style sheets: a tenth of what a page has to wait for."""


def read(name: str) -> str:
    """Return the text of one front-end file without its comments, for example ``"page/style.css"``."""
    return _COMMENT.sub("", files(__package__).joinpath(name).read_text(encoding="utf-8"))


STYLES = (
    *("page/style.css", "rail/rail.css", "rail/strip.css", "rail/explain.css"),
    *("page/desk/desk.css", "charts/cards/panels.css", "charts/cards/cards.css", "page/story/story.css"),
    *("page/contrast.css", "page/share/paper.css"),
)
"""The tokens and the page first; later files may refine earlier ones."""


@cache
def style() -> str:
    """Return the style sheet of the page, all its files in order."""
    return "\n".join(read(name) for name in STYLES)


def imports(name: str) -> dict[str, list[str]]:
    """Return the files that one file imports from, each with the names that it takes."""
    return {_resolved(name, path): re.findall(r"\w+", names) for names, path in _IMPORT.findall(read(name))}


def exports(name: str) -> list[str]:
    """Return the names that one file exports, its default not among them."""
    return [exported for _, exported in _EXPORT.findall(read(name))]


def order(entry: str) -> list[str]:
    """Return the files that ``entry`` needs, each once and after what it imports."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name not in ordered:
            for needed in imports(name):
                visit(needed)
            ordered.append(name)

    visit(entry)
    return ordered


@cache
def bundle(entry: str) -> str:
    """Return ``entry`` and all it imports as the text of one module; only its ``export default`` is left."""
    *needed, _ = order(entry)
    return "\n".join(["const $files = {};", *map(_enclosed, needed), _body(entry)])


def _enclosed(name: str) -> str:
    """One file as a function that is called at once and puts what it exports into the table."""
    body = _DEFAULT.sub("", _body(name))
    return f'$files["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exports(name))} }};\n}})();'


def _body(name: str) -> str:
    """The text of a file that takes its imports from the table and marks no export but the default."""

    def from_table(match: re.Match[str]) -> str:
        return f'const {{{match[1]}}} = $files["{_resolved(name, match[2])}"];'

    return _EXPORT.sub(r"\1", _IMPORT.sub(from_table, read(name)))


def _resolved(name: str, path: str) -> str:
    """The file that a path in an import of the file ``name`` means."""
    return normpath(join(dirname(name), path))
