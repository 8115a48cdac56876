"""deploy/selfcheck finds nothing wrong with the page as it is served, and much with a server of notebooks."""

import os
import re
import runpy
import subprocess
import sys
from email.message import Message
from pathlib import Path

import pytest
from server import ROOT, Served, free_port, started


def selfcheck(address: str) -> tuple[int, str]:
    """Exit code and report."""
    command = [sys.executable, "deploy/selfcheck", address]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def kernels(served: Served) -> set[str]:
    """Those that have been started and not been ended, as the server tells."""
    first, last = (set(re.findall(rf"Kernel {word}: (\S+)", served.log)) for word in ("started", "shutdown"))
    return first - last


def test_the_page_as_it_is_served_is_ok(tmp_path):
    words = ["sh", ".make/serve.sh", str(Path(sys.executable).parent), "class"]
    with started(words, tmp_path) as served:
        code, report = selfcheck(f"http://localhost:{served.port}/polyak")
        assert "NOT OK" not in report
        assert code == 0
        assert len(re.findall("^ok  ", report, re.MULTILINE)) > 30
        assert report.endswith("Nothing not ok.\n")
        assert kernels(served) == set()
    code, report = selfcheck(f"http://localhost:{served.port}/polyak")
    assert code == 2
    assert "There is no answer" in report


def test_a_server_of_notebooks_is_not_ok(tmp_path):
    port = free_port()
    words = [
        sys.executable,
        "-m",
        "jupyter_server",
        "--no-browser",
        f"--port={port}",
        "--ServerApp.port_retries=0",
    ]
    words += ["--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"]
    words += ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with started(words, tmp_path, PORT=str(port)) as served:
        code, report = selfcheck(f"http://localhost:{served.port}/")
    assert code == 1
    wrong = re.findall("^NOT OK  (.*)", report, re.MULTILINE)
    assert "the page is there" in wrong[0]
    for path in ("api/contents", "api/terminals", "api/sessions", "api/kernels"):
        assert any(line.startswith(f"{path} is closed") for line in wrong), path


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ({}, "NOT OK  the page shows no traceback"),
        ({"Content-Security-Policy": "frame-ancestors *"}, "NOT OK  no page of just any site may show it"),
    ],
)
def test_a_bad_page_is_seen(page, words, capsys):
    names = runpy.run_path(str(ROOT / "deploy" / "selfcheck"))
    headers = Message()
    for name, value in page.items():
        headers[name] = value
    answer = names["Answer"](200, headers, b"Traceback (most recent call last)</html>")
    check = names["Check"]("http://localhost/")
    names["check_page"](check, answer)
    assert words in capsys.readouterr().out
    assert check.wrong
