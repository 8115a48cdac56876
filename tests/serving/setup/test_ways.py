"""Other ways to serve the page: in a server of notebooks, and by the Dockerfile's steps: `make faults`."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection

import pytest
from playwright.sync_api import sync_playwright
from server import ROOT, free_port, started

pytestmark = pytest.mark.faults


def test_voila_as_an_extension_of_a_plain_server_of_notebooks(tmp_path):
    """As on a hub or on Binder, where none of our settings are read."""
    port = free_port()
    words = [sys.executable, "-m", "jupyter_server", "--no-browser", f"--port={port}"]
    words += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={ROOT}"]
    words += ["--ServerApp.base_url=/user/ada/"]
    words += ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with started(words, tmp_path, PORT=str(port)), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page()
        page.set_default_timeout(120_000)
        failed = []
        page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 500 else None)
        page.goto(f"http://localhost:{port}/user/ada/voila/render/app/explore.ipynb?condition_number=100")
        page.wait_for_selector(".pk-stage[data-drawn-whole=true]")
        assert page.get_by_label("Condition number L/μ, number").input_value() == "100"
        assert failed == []
        chromium.close()


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile, an instruction a row."""
    lines = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line and not line.startswith("#")]


def test_the_steps_of_the_dockerfile_as_a_script_in_a_new_folder(tmp_path):
    """But for the user and the image: the copied files are enough, and what they install serves the page."""
    place = tmp_path / "image"
    place.mkdir()
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run, entry = [], []
    for kind, rest in instructions():
        if kind == "COPY":
            *sources, target = rest.split()
            for source in sources:
                into = place / target if target != "./" else place / source
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                copy(ROOT / source, into)
        elif kind == "RUN" and not rest.startswith("useradd"):
            run.append(rest.replace("python -m venv", f"{shlex.quote(sys.executable)} -m venv"))
        elif kind == "ENTRYPOINT":
            entry = json.loads(rest)
    assert len(run) == 1
    subprocess.run(["sh", "-ec", run[0]], cwd=place, env=clean, check=True)
    log = tmp_path / "log"
    words = ["sh", "-c", f"cd {shlex.quote(str(place))} && unset PYTHONPATH && exec {shlex.join(entry)}"]
    with (
        started(words, tmp_path) as served,
        closing(HTTPConnection("localhost", served.port, timeout=120)) as line,
    ):
        line.request("GET", "/")
        answer = line.getresponse()
        page = answer.read().decode()
        assert answer.status == 200, log.read_text()
        assert re.search("kernelId", page)
        assert "There was an error when executing cell" not in page
        imported = subprocess.run(
            [place / ".venv/bin/python", "-c", "import polyak_widgets; print(polyak_widgets.__file__)"],
            cwd=tmp_path,
            env=clean,
            capture_output=True,
            text=True,
            check=True,
        )
        assert imported.stdout.startswith(str(place)), "nothing comes from this checkout"
