"""The pages of the checkout as pages of the site: links that hold there, notebooks and sources as texts."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "README.md": "index",
    "deploy/README.md": "serving",
    "polyak_core/README.md": "core",
    "polyak_core/data/README.md": "data",
    "benchmarks/README.md": "speed",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "SECURITY.md": "security",
    "CODE_OF_CONDUCT.md": "conduct",
    "RELEASING.md": "releasing",
}
"""Pages that lie elsewhere than in docs/, and their names on the site."""
LANGUAGES = {".py": "python", ".js": "javascript", ".css": "css", ".json": "json", ".sh": "sh"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
SPECIAL = re.compile(r"([\\*_\[\]<>|#$])")
"""What means something in Markdown, but for backticks, which mean the same in docstrings."""


def escaped(text: str) -> str:
    """A text as it stands, whatever Markdown would make of its signs; code between backticks stays code."""
    parts = re.split(r"(`+[^`]+`+)", text)
    return "".join(part if k % 2 else SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts))


def fenced(code: str, language: str = "python") -> str:
    """A block of code."""
    return f"``````{language}\n{code.rstrip()}\n``````"


def folded_html(html: str) -> str:
    """A block of HTML that Markdown leaves alone."""
    return f"``````{{raw}} html\n{html}\n``````"


def place_of(path: Path) -> str | None:
    """The name on the site of a file of the checkout; None if it has none."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    if name in PLACES:
        return PLACES[name]
    if path.parent == ROOT / "docs" and path.suffix == ".md":
        return path.stem
    if path.suffix == ".ipynb":
        return f"notebooks/{path.stem}"
    if path.is_dir():
        path = path / "__init__.py"
        name = f"{name}/__init__.py"
    return f"source/{name}" if path.is_file() and name else None


class Site:
    """The texts of the site as they are written, and the sources that they link."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources: dict[str, Path] = {}

    def write(self, name: str, text: str) -> None:
        """A page by its name."""
        path = self.folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.rstrip() + "\n", encoding="utf-8")

    def relinked(self, text: str, path: Path, name: str) -> str:
        """The text of a file with links that hold on its page; one to what has no page becomes its words."""
        up = "../" * name.count("/")

        def moved(link: re.Match[str]) -> str:
            mark, words, target = link.groups()
            file, hash_mark, anchor = target.partition("#")
            if "://" in target or not file:
                return link[0]
            there = (path.parent / file).resolve()
            if mark:
                return f"![{words}]({up}_static/{there.name})"
            place = place_of(there)
            if place is None:
                return words
            if place.startswith("source/"):
                self.add_source(ROOT / place.removeprefix("source/"))
            return f"[{words}]({up}{place}.md{hash_mark}{anchor})"

        return LINK.sub(moved, text)

    def page(self, path: Path, *, before: str = "", after: str = "") -> None:
        """Write a page of the checkout, with something before and after it."""
        name = place_of(path)
        assert name is not None
        self.write(name, before + self.relinked(path.read_text(encoding="utf-8"), path, name) + after)

    def add_source(self, path: Path) -> None:
        """A source that some page links."""
        self.sources[f"source/{path.relative_to(ROOT).as_posix()}"] = path

    def notebook(self, path: Path) -> str:
        """Write a notebook as a text with its code, and return its name."""
        name = place_of(path)
        assert name is not None
        parts = []
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            is_text = cell["cell_type"] == "markdown"
            parts.append(self.relinked(source, path, name) if is_text else fenced(source))
        self.write(name, "\n\n".join(parts))
        return name

    def write_sources(self) -> None:
        """Write a page for each source that some page links; they are left out of the search."""
        for name, path in sorted(self.sources.items()):
            text = path.read_text(encoding="utf-8")
            block = fenced(text, LANGUAGES.get(path.suffix, "text"))
            title = path.relative_to(ROOT).as_posix()
            self.write(name, f"---\norphan: true\nnosearch: true\n---\n\n# {title}\n\n{block}")
