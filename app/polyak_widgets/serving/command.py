"""The command `polyak-explorer`: it serves the page or a notebook of one's own, and writes the notebooks."""

import argparse
import os
import sys
import webbrowser
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from polyak_widgets.serving.notebooks import served_notebook, write_notebooks
from polyak_widgets.serving.texts import (
    COPYING,
    COPYING_FOLDER,
    LAB_NEEDED,
    SERVING,
    SERVING_OPTIONS,
    missing_to_serve,
    more_commands,
    notebooks_written,
)

NEEDED = ("voila", "ipykernel", "ipywidgets", "anywidget", "plotly", "cachetools", "segno", "tornado")
"""Packages of the extra `app`, as Python imports them."""
COPY = "notebooks"
"""The first word of the command that writes all notebooks; a folder of that name is served as ./notebooks."""


def port(text: str) -> str:
    """A port as the server's settings take it."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a whole number from 1 to 65535")
    return text


def base_url(text: str) -> str:
    """A path that begins and ends with a slash, whether or not they are typed."""
    path = text.strip("/")
    return f"/{path}/" if path else "/"


def serving_options() -> argparse.ArgumentParser:
    """What can be said of the server."""
    options = argparse.ArgumentParser(
        prog="polyak-explorer",
        description=SERVING,
        epilog=more_commands(COPY),
    )
    options.add_argument("notebook", nargs="?", type=Path, help=SERVING_OPTIONS["notebook"])
    options.add_argument("--port", type=port, help=SERVING_OPTIONS["--port"])
    options.add_argument("--host", help=SERVING_OPTIONS["--host"])
    options.add_argument("--base-url", type=base_url, metavar="PATH", help=SERVING_OPTIONS["--base-url"])
    options.add_argument("--no-browser", action="store_true", help=SERVING_OPTIONS["--no-browser"])
    options.add_argument(
        "--version", action="version", version=f"polyak-explorer {version('polyak-explorer')}"
    )
    return options


def copying_options() -> argparse.ArgumentParser:
    """What can be said of the notebooks."""
    options = argparse.ArgumentParser(
        prog=f"polyak-explorer {COPY}",
        description=COPYING,
    )
    options.add_argument("folder", type=Path, metavar="DIR", help=COPYING_FOLDER)
    return options


def require_extra() -> None:
    """Leave with the line that installs what is missing to serve the page."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(missing_to_serve(missing))


def require_notebook(path: Path) -> None:
    """Leave with a sentence when there is nothing to serve."""
    if not path.exists():
        sys.exit(
            f"There is no {path}: name a notebook (.ipynb) or a folder of them, or nothing for the page."
        )
    if not path.is_dir() and path.suffix != ".ipynb":
        sys.exit(f"{path} is no notebook: its name must end with .ipynb.")


def serve(options: argparse.Namespace) -> None:
    """Serve until the program is ended, with the settings that every served page has."""
    notebook = options.notebook or served_notebook()
    require_notebook(notebook)
    require_extra()
    for name, value in (
        ("PORT", options.port),
        ("HOST", options.host),
        ("POLYAK_BASE_URL", options.base_url),
    ):
        if value:
            os.environ[name] = value

    from traitlets.config import Config
    from voila.app import Voila

    from polyak_widgets.serving.settings import configure

    settings = Config()
    configure(settings, options=())
    settings.Voila.config_file_paths = []  # a file of the user's could undo what keeps the server safe
    settings.VoilaConfiguration.template = "polyak"  # Voila's own asks a CDN for style sheets

    class PolyakExplorer(Voila):  # type: ignore[misc]
        """Voila, but for the address that it opens: its own has the path of the page twice."""

        def launch_browser(self) -> None:
            """Open the page; otherwise a browser in the terminal would hold the server."""
            host = "localhost" if self.ip in ("", "0.0.0.0", "::") else self.ip
            Thread(target=webbrowser.open, args=[self._url(host)], daemon=True).start()

    flags = ["--no-browser"] * options.no_browser
    PolyakExplorer.launch_instance([str(notebook), *flags], config=settings)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says.

    Raises:
        SystemExit: something is wrong, which is said in a sentence; or the server has ended.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [COPY]:
        folder = copying_options().parse_args(words[1:]).folder
        names = [path.name for path in write_notebooks(folder)]
        print(notebooks_written(len(names), str(folder)), end="")
        print("" if find_spec("jupyterlab") else LAB_NEEDED)
    else:
        serve(serving_options().parse_args(words))
