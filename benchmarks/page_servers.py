"""The three pages that are compared, each served by Voila from a notebook written for the occasion."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import psutil

SETTINGS = Path(__file__).parents[1] / "app" / "serving"
CULLING = ("--MappingKernelManager.cull_idle_timeout=5", "--MappingKernelManager.cull_interval=2")
"""A process ends soon after its visitor has gone, so that the next one finds the memory free."""
ECHO = """
import ipywidgets
slider = ipywidgets.IntSlider(500, 0, 1000, description="slider")
label = ipywidgets.Label("500")
label.add_class("measured")
slider.observe(lambda change: setattr(label, "value", str(change["new"])), "value")
ipywidgets.VBox([slider, label])
"""
OURS = """
from polyak_widgets import Explorer
Explorer()
"""
FIGURE_WIDGET = """
import ipywidgets
import polyak_core as pc
from plotly.graph_objects import FigureWidget
from polyak_widgets import Settings, compare

slider = ipywidgets.IntSlider(500, 0, 1000, description="slider")

def made(place):
    problem = pc.quadratic(pc.spectrum("log", 100, 10 ** (8 * place / 1000)))
    return compare(problem, Settings().methods, mu0=0.5 * problem.L, gamma=2.0)

chart = FigureWidget(made(500))

def redraw(change):
    with chart.batch_update():
        for curve, new in zip(chart.data, made(change["new"]).data):
            curve.x, curve.y = new.x, new.y

slider.observe(redraw, "value")
ipywidgets.VBox([slider, chart])
"""


@dataclass(frozen=True)
class Served:
    """A page that can be visited."""

    name: str
    address: str
    process: subprocess.Popen[bytes]

    def kernel(self, name: str) -> psutil.Process:
        """The process of that name, which computes for one visitor."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        alive = (child for child in children if child.status() != psutil.STATUS_ZOMBIE)
        return next(child for child in alive if name in " ".join(child.cmdline()))


def write_notebook(path: Path, source: str) -> None:
    """A notebook of one cell, shown by our template, so that all three pages start alike."""
    cell = {
        "cell_type": "code",
        "id": "cell",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "voila": {"template": "polyak"}}
    path.write_text(json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(address: str) -> bool:
    try:
        urlopen(address + "voila/static/none", timeout=5).close()
    except HTTPError:
        return True
    except URLError:
        return False
    return True


@contextmanager
def served(folder: Path, name: str, source: str):
    """One of the pages, served until the block ends."""
    notebook, port = folder / f"{name}.ipynb", free_port()
    write_notebook(notebook, source)
    flags = ["--no-browser", f"--port={port}", f"--Voila.config_file_paths={SETTINGS}", *CULLING]
    if source is not OURS:
        flags.append("--VoilaConfiguration.resources={}")  # a page of its own has no use for our plotly.js
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "voila", str(notebook), *flags],
            stdout=log,
            stderr=log,
            env=os.environ | {"HOST": "localhost", "PYTHONDONTWRITEBYTECODE": ""},  # compiled, as for users
        )
    page = Served(name, f"http://localhost:{port}/", process)
    try:
        while not answers(page.address):
            if process.poll() is not None:
                raise RuntimeError((folder / f"{name}.log").read_text())
            time.sleep(0.1)
        yield page
    finally:
        process.terminate()
        process.wait(30)
