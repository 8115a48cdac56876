"""Make the site: `make docs` writes its texts into build/site/source and has Sphinx make build/site/html.

Every warning is an error. What is read asks no other server for anything.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

import gallery
import polyak_widgets
from polyak_widgets.settings.choices import PROBLEMS
from reference import reference
from sphinx.cmd.build import build_main
from texts import ROOT, Site, place_of

import polyak_core as pc

HERE = Path(__file__).resolve().parent
ALSO = {
    "Begin": ["explore"],
    "Methods and problems": ["methods/index", "problems/index"],
    "Understand": ["figures"],
    "Teach": ["stories", "notebooks/index"],
    "Look inside": ["reference/polyak_core", "reference/polyak_widgets"],
}
"""Pages that are made of the code, by the part of the index that they stand in."""


def contents(index: str) -> str:
    """The tree of pages: those that docs/index.md links, part by part, and those made of the code."""
    trees = []
    for part in index.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", body, re.MULTILINE)
        names = [place_of((ROOT / "docs" / link).resolve()) for link in links] + ALSO.get(title, [])
        trees.append("```{toctree}\n:hidden:\n:caption: " + f"{title}\n\n" + "\n".join(names) + "\n```")
    return "\n\n" + "\n\n".join(trees)


def write_texts(folder: Path) -> None:
    """All pages, as Markdown."""
    shutil.rmtree(folder, ignore_errors=True)
    static = folder / "_static"
    static.mkdir(parents=True)
    shutil.copy(HERE / "conf.py", folder)
    shutil.copy(HERE / "site.css", static)
    shutil.copy(ROOT / "docs" / "explorer.png", static)
    site = Site(folder)
    index = ROOT / "docs" / "index.md"
    more = contents(index.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "docs").glob("*.md")):
        site.page(path, after=more if path == index else "")
    for name in ("deploy", "polyak_core", "benchmarks"):
        site.page(ROOT / name / "README.md")
    for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT", "RELEASING"):
        site.page(ROOT / f"{name}.md")
    site.page(ROOT / "polyak_core" / "data" / "README.md", before="---\norphan: true\n---\n\n")
    paths = [*sorted((ROOT / "notebooks").glob("*.ipynb")), ROOT / "app" / "explore.ipynb"]
    notebooks = [site.notebook(path) for path in paths]
    names = [name.removeprefix("notebooks/") for name in notebooks]
    words = "# Notebooks\n\nOne idea each. `polyak-explorer notebooks DIR` writes them into a folder.\n\n"
    site.write("notebooks/index", words + gallery.toctree(names))
    for name, method in pc.METHODS.items():
        site.add_source(gallery.source(method.generator))
        site.write(f"methods/{name}", gallery.method_page(name, method))
    for name in PROBLEMS:
        site.add_source(gallery.source(getattr(pc, name)))
        site.write(f"problems/{name}", gallery.problem_page(name))
    site.write("methods/index", gallery.method_list())
    site.write("problems/index", gallery.problem_list())
    site.write("stories", gallery.stories())
    site.write("figures", gallery.figures(static))
    site.write("explore", gallery.standalone(static))
    for package in (pc, polyak_widgets):
        site.write(f"reference/{package.__name__}", reference(package))
    site.write_sources()


def main() -> int:
    """Write the texts and make the site; 0 if there was no warning."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "site", help="where it goes")
    folder = parser.parse_args().folder
    write_texts(folder / "source")
    shutil.rmtree(folder / "html", ignore_errors=True)
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--fresh-env"]
    folders = ["-d", folder / "doctrees", folder / "source", folder / "html"]
    code = build_main([*options, "-b", "html", *map(str, folders)])
    if code == 0:
        print(f"The site is in {folder / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
