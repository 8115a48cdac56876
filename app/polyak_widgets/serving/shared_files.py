"""Files that every page of the server asks for, at addresses that browsers may keep for good."""

import atexit
import os
import shutil
import subprocess
import sys
import threading
from importlib.metadata import distribution
from pathlib import Path

from voila.paths import collect_static_paths


def share_files(folder: str) -> dict[str, str]:
    """Put plotly.js and Voila's own scripts among the files of our template; return their addresses.

    The addresses are under the page's own and change with the version, so that browsers may keep what is
    there for good. Else every page would send plotly through its socket, and ask for Voila's scripts anew.

    Raises:
        OSError: there is no room for them in the folder.
    """
    shared = Path(folder) / "voila" / "templates" / "polyak" / "static"
    plotly, voila = distribution("plotly"), f"voila-{distribution('voila').version}"
    link(Path(str(plotly.locate_file("plotly/package_data/plotly.min.js"))), shared / "plotly.min.js")
    for source in collect_static_paths(["voila"], "lab"):
        for path in Path(source).glob("*voila.js"):
            link(path, shared / voila / path.name)
    draw_first_look(shared)
    others = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([folder, others] if others else [folder])
    address = "voila/templates/polyak/static"
    return {"plotly": f"{address}/plotly.min.js?v={plotly.version}", "voila": f"{address}/{voila}"}


def draw_first_look(folder: Path) -> None:
    """Have the still picture made which the page shows until it is there; until it is made there is none."""
    command = [sys.executable, "-m", "polyak_widgets.page.first_look", str(folder / "first_look.html")]
    maker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end() -> None:
        maker.kill()
        maker.wait()

    atexit.register(end)
    threading.Thread(target=maker.wait, daemon=True).start()  # else it stays in the list of processes


def link(source: Path, target: Path) -> None:
    """Make the file be in a second place; a symbolic link that leads out of a folder would be refused."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        return
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy(source, target)
