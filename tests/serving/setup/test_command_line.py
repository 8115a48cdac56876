"""The command `polyak-explorer`: what it serves, what it writes, and what it says is wrong."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from polyak_widgets.serving import command as command_line
from polyak_widgets.serving.command import base_url, main
from polyak_widgets.serving.notebooks import new_places, served_notebook
from server import environment, started

ROOT = Path(__file__).parents[3]
LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")


def words_of(path: Path) -> str:
    """The text of a page, or of all cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def ended_with(*arguments: str) -> str:
    """The sentence that the command leaves with."""
    with pytest.raises(SystemExit) as ending:
        main(arguments)
    return str(ending.value.code)


def test_the_notebook_served_is_the_one_in_app():
    assert served_notebook() == ROOT / "app" / "explore.ipynb"


def test_all_notebooks_are_written_and_their_links_lead_somewhere(tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    main(["notebooks", str(folder)])
    names = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} | {"explore.ipynb"}
    assert {path.name for path in folder.glob("*.ipynb")} == names
    assert capsys.readouterr().out.startswith(f"{len(names)} notebooks are in {folder}.")
    links = [(path, link) for path in folder.rglob("*.*") for link in LINK.findall(words_of(path))]
    inside = [(path, link) for path, link in links if "://" not in link]
    assert len(inside) > 20
    assert [(path.name, link) for path, link in inside if not (path.parent / link).exists()] == []


def test_the_notebooks_are_those_of_the_project_but_for_links(tmp_path):
    main(["notebooks", str(tmp_path)])
    for path, place in new_places().items():
        old, new = words_of(path), words_of(tmp_path / place)
        assert re.sub(r"\[([^\]]*)\]\([^)\s]+\)", r"\1", old) == re.sub(
            r"\[([^\]]*)\]\([^)\s]+\)", r"\1", new
        )


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "mine.ipynb").write_text("mine")
    assert ended_with("notebooks", str(tmp_path)).startswith(f"{tmp_path} is not empty: name a new folder")
    assert "is a file" in ended_with("notebooks", str(tmp_path / "mine.ipynb"))
    assert "cannot be written" in ended_with("notebooks", str(tmp_path / "mine.ipynb" / "below"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.ipynb"]


@pytest.mark.parametrize("text", ["polyak", "/polyak", "polyak/", "/polyak/"])
def test_the_slashes_of_a_path_need_not_be_typed(text):
    assert base_url(text) == "/polyak/"


def test_what_cannot_be_served_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "notes.txt").write_text("no notebook")
    assert ended_with(str(tmp_path / "none.ipynb")).startswith(f"There is no {tmp_path / 'none.ipynb'}:")
    assert "must end with .ipynb" in ended_with(str(tmp_path / "notes.txt"))
    assert ended_with("--port", "http") == "2"
    assert "'http' is no port: give a whole number from 1 to 65535" in capsys.readouterr().err
    monkeypatch.setattr(command_line, "find_spec", lambda name: None if name in ("voila", "plotly") else name)
    assert (
        ended_with()
        == 'To serve the page voila and plotly must be installed: pip install "polyak-explorer[app]"'
    )


def test_a_notebook_of_one_s_own_is_served_at_the_path_that_is_given(tmp_path):
    """With the safe settings; a busy port is said before anything starts."""
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "id": "a"}
    kernel = {"name": "python3", "display_name": "Python 3"}
    own = tmp_path / "own.ipynb"
    own.write_text(
        json.dumps(
            {
                "cells": [cell | {"source": "print('reached', 6 * 7)"}],
                "metadata": {"kernelspec": kernel},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        )
    )
    command = [sys.executable, "-m", "polyak_widgets", str(own), "--no-browser", "--base-url", "mine"]
    with started(command, tmp_path) as served:
        page = served.get("mine/")
        assert "reached 42" in page
        assert "6 * 7" not in page
        assert "cdn" not in page.lower()
        again = subprocess.run(
            [*command, "--port", str(served.port)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert again.returncode == 1
    assert f"Port {served.port} of localhost is in use" in again.stderr
    assert re.search(r"--port \d+\.$", again.stderr.strip())
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("localhost", served.port), timeout=5).close()
