"""The notebooks that come with the package, and how they are written into a folder of one's own."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, relpath

import polyak_widgets

PACKAGE = Path(polyak_widgets.__file__).parent
SHIPPED = PACKAGE / "shipped"
"""Where a wheel has the notebooks and pages that lie beside the packages in a checkout."""
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def source_folder() -> Path:
    """The folder that holds app/explore.ipynb, notebooks/ and docs/."""
    return SHIPPED if SHIPPED.is_dir() else PACKAGE.parents[1]


def served_notebook() -> Path:
    """The notebook that is the page."""
    return source_folder() / "app" / "explore.ipynb"


def new_places() -> dict[Path, str]:
    """Each notebook, and each page that notebooks link, with its place in the folder that is written."""
    source = source_folder()
    notebooks = [served_notebook(), *sorted((source / "notebooks").glob("*.ipynb"))]
    pages = sorted((source / "docs").glob("*.md"))
    return {path: path.name for path in notebooks} | {path: f"docs/{path.name}" for path in pages}


def relinked(text: str, path: Path, places: dict[Path, str]) -> str:
    """The text with links that hold in the new folder; one that leads out of it becomes its words."""

    def moved(link: re.Match[str]) -> str:
        words, target = link.groups()
        file, mark, anchor = target.partition("#")
        if "://" in target or not file:
            return link[0]
        place = places.get((path.parent / file).resolve())
        if place is None:
            return words
        place = relpath(place, dirname(places[path]) or ".")
        return f"[{words}]({place}{mark}{anchor})"

    return LINK.sub(moved, text)


def moved_text(path: Path, places: dict[Path, str]) -> str:
    """What is written for a notebook or a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return relinked(text, path, places)
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = relinked("".join(cell["source"]), path, places).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write_notebooks(folder: Path) -> Iterator[Path]:
    """Write all notebooks, and the pages that they link in docs/; yield the notebooks' new paths.

    Nothing that is there is written over.

    Raises:
        SystemExit: the folder holds something already, or cannot be written; it is said in a sentence.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            sys.exit(
                f"{folder} {'is not empty' if folder.is_dir() else 'is a file'}: name a new folder, or an "
                "empty one, so that nothing is written over."
            )
        (folder / "docs").mkdir(parents=True, exist_ok=True)
        places = {path.resolve(): place for path, place in new_places().items()}
        for path, place in places.items():
            (folder / place).write_text(moved_text(path, places), encoding="utf-8")
            if path.suffix == ".ipynb":
                yield folder / place
    except OSError as error:
        sys.exit(f"{folder} cannot be written: {error.strerror}. Name a folder of your own.")
