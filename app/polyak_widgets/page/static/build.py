"""The folder of files: ``python -m polyak_widgets.page.static.build`` writes build/static, for any host.

Everything that the page asks for lies in it. Addresses are relative and carry a part of the file's sha256, so
that hosts and browsers may keep all but index.html and sw.js for good.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.front.plotly import plotly_path
from polyak_widgets.page.first_look import first_look
from polyak_widgets.page.static.recorded import recorded_state
from polyak_widgets.page.static.release import CORE, LATER, ReleaseError, folders, lock, part
from polyak_widgets.page.static.wheels import NEEDED, installed_wheel, plotly_wheel, project_wheel
from polyak_widgets.page.texts import folder_written
from polyak_widgets.panels.help.guide import INTRO

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
"""Scripts of this folder alone, and none written into the page; plotly and the still picture write styles."""
LETTERS = 12
"""Of a sha256, in an address."""


def build(target: Path, checkout: Path, places: Iterable[Path] = ()) -> None:
    """Write the folder anew; the one before stays until all is there.

    Args:
        target: the folder.
        checkout: where pyproject.toml lies.
        places: folders that hold files of Pyodide, which are fetched else.

    Raises:
        ReleaseError: a file of Pyodide is not to be had.
    """
    new = target.with_name(f"{target.name}.part")
    shutil.rmtree(new, ignore_errors=True)
    for folder in ("pyodide", "python"):
        (new / folder).mkdir(parents=True)
    here = tuple(places)
    for name in (*CORE, *LATER):
        shutil.copyfile(part(name, here), new / "pyodide" / name)
    project_wheel(checkout, new / "python")
    for name in NEEDED:
        installed_wheel(name, new / "python")
    plotly_wheel(new / "python")
    shutil.copyfile(plotly_path(), new / "plotly.min.js")
    for name, text in texts().items():
        (new / name).write_text(text, encoding="utf-8")
    entries = listing(new)
    (new / "index.html").write_text(page(entries), encoding="utf-8")
    (new / "sw.js").write_text(keeper(entries), encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)


def texts() -> dict[str, str]:
    """The files that are made of the page's own sources, by their names."""
    return {
        "page.css": f"{style()}\n{own('page.css')}",
        "start.js": closed(f"{bundle('page/story/newcomer.js')}\n{own('start.js')}"),
        "page.js": closed(bundle("alone/page.js")),
        "worker.js": own("worker.js"),
        "recorded.json": json.dumps(recorded_state(), ensure_ascii=False, allow_nan=False),
    }


def own(name: str) -> str:
    """The text of a file that lies beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def closed(text: str) -> str:
    """A script whose names are its own."""
    return f'(() => {{\n"use strict";\n{text}\n}})();\n'


def page(entries: Mapping[str, dict[str, Any]]) -> str:
    """The text of index.html for the other files of a folder."""
    address = {path: addressed(entry) for path, entry in entries.items()}
    return own("index.html").format(
        policy="; ".join(f"{name} {value}" for name, value in POLICY.items()),
        intro=escape(INTRO),
        still=first_look(),
        files=json.dumps(facts(entries)).replace("<", "\\u003c"),
        style=address["page.css"],
        plotly=address["plotly.min.js"],
        start=address["start.js"],
        page=address["page.js"],
    )


def keeper(entries: Mapping[str, dict[str, Any]]) -> str:
    """The text of the service worker, with the addresses that it keeps."""
    later = {addressed(entry) for path, entry in entries.items() if is_later(path)}
    at_first = [addressed(entry) for entry in entries.values() if addressed(entry) not in later]
    text = own("sw.js").replace("$KEPT", json.dumps(at_first))
    return text.replace("$LATER", json.dumps(sorted(later)))


def addressed(entry: dict[str, Any]) -> str:
    """The address of a file, which other bytes do not have."""
    return f"{entry['path']}?v={entry['sha256'][:LETTERS]}"


def is_later(path: str) -> bool:
    """Whether a file is fetched once it is needed, and not before the page is alive."""
    return path.rpartition("/")[2] in LATER or path.startswith("python/plotly-")


def listing(folder: Path) -> dict[str, dict[str, Any]]:
    """Path, size and sha256 of each file, by its path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        (name := path.relative_to(folder).as_posix()): {
            "path": name,
            "bytes": path.stat().st_size,
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
        for path in paths
    }


def facts(entries: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What the page and its worker have to know of the folder."""
    python = [path for path in entries if path.startswith(("pyodide/", "python/"))]
    return {
        "cache": "polyak-explorer",
        "worker": addressed(entries["worker.js"]),
        "recorded": addressed(entries["recorded.json"]),
        "core": [entries[path] for path in python if not is_later(path)],
        "later": {
            "scipy": [entries[f"pyodide/{name}"] for name in LATER],
            "plotly": [entries[path] for path in python if path.startswith("python/plotly-")],
        },
        "lock": lock(),
    }


def main(arguments: list[str]) -> int:
    """Build, and say how to look at it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", type=Path, default=Path("build/static"))
    target = parser.parse_args(arguments).target
    try:
        build(target, Path.cwd(), folders())
    except (ReleaseError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(entry["bytes"] for entry in listing(target).values()) / 1e6
    print(folder_written(str(target), f"{size:.0f}"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
