"""The page under a path, behind the proxies of deploy/ with TLS, also in a frame: `make faults`."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from server import ROOT, Served, free_port, started, stop, wait_until_up

NAME = "explorer.localhost"
COURSE = "https://course.localhost/"
FRAMED = '<!doctype html><iframe src="https://{}:{}/polyak/" width="1200" height="700"></iframe>'
# Chromium takes a page that a test makes up for one of the internet, which may not frame this machine.
FLAGS = ("--no-sandbox", "--disable-features=LocalNetworkAccessChecks")
PROXIES = {"nginx": "nginx.conf", "caddy": "Caddyfile"}
pytestmark = pytest.mark.faults


@pytest.fixture(scope="module", params=["class", "public"])
def served(request, tmp_path_factory) -> Iterator[Served]:
    """The page as `make serve` serves it by each preset, which a course may show in a frame."""
    words = ["sh", ".make/serve.sh", str(Path(sys.executable).parent), request.param]
    changes = {"POLYAK_FRAME_ANCESTORS": f"self {COURSE.rstrip('/')}"}
    with started(words, tmp_path_factory.mktemp(request.param), **changes) as served:
        yield served


@contextmanager
def before(proxy: str, served: Served, folder: Path) -> Iterator[int]:
    """The port of a proxy that is set up as in deploy/, but for names, ports and the certificate."""
    port = free_port()
    pem, key = folder / "explorer.pem", folder / "explorer.key"
    self_signed = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=explorer.localhost"
    subprocess.run([*self_signed.split(), "-keyout", key, "-out", pem], check=True, capture_output=True)
    text = (ROOT / "deploy" / PROXIES[proxy]).read_text().replace("8866", str(served.port))
    text = text.replace("explorer.example.org", NAME).replace("/etc/ssl", str(folder))
    if proxy == "nginx":
        text = re.sub(r"listen 443", f"listen {port}", text)
        around = f"pid {folder}/pid; error_log {folder}/errors; daemon off; events {{}}"
        text = f"{around}\nhttp {{ access_log off;\n{text}\n}}"
        command = ["nginx", "-p", str(folder), "-e", str(folder / "errors"), "-c", str(folder / "conf")]
    else:
        text = text.replace(f"{NAME} {{", f"{NAME}:{port} {{\n\ttls {pem} {key}", 1)
        text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "conf")]
    (folder / "conf").write_text(text)
    homes = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, env=os.environ | homes, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_until_up(process, Served(port, folder))
        yield port
    finally:
        stop(process)


def kernels(served: Served) -> int:
    """How many have been started and not been ended, as the server tells."""
    started, ended = (
        set(re.findall(rf"Kernel {word}: (\S+)", served.log)) for word in ("started", "shutdown")
    )
    return len(started - ended)


@pytest.mark.parametrize("proxy", PROXIES)
def test_the_page_behind_a_proxy(served, tmp_path, proxy):
    if shutil.which(proxy) is None:
        pytest.skip(f"there is no {proxy}")
    with before(proxy, served, tmp_path) as port, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"),
            args=[*FLAGS, f"--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP {NAME} 127.0.0.1"],
        )
        context = chromium.new_context(ignore_https_errors=True)
        page = context.new_page()
        others = kernels(served)
        refused = []
        page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
        page.goto(f"https://{NAME}:{port}/polyak/")
        page.wait_for_selector(".pk-stage[data-drawn-whole=true]", timeout=60_000)
        assert refused == []
        assert kernels(served) == others + 1
        page.goto("about:blank")
        for _ in range(100):
            if kernels(served) == others:
                break
            time.sleep(0.1)
        assert kernels(served) == others, "the goodbye gets through"

        for address, is_shown in ((COURSE, True), ("https://elsewhere.localhost/", False)):
            page.route(
                address, lambda route: route.fulfill(content_type="text/html", body=FRAMED.format(NAME, port))
            )
            page.goto(address)
            frame = page.frame_locator("iframe")
            if is_shown:
                frame.locator(".pk-stage[data-drawn-whole=true]").wait_for(timeout=60_000)
            else:
                page.wait_for_timeout(3000)  # what is refused does not come later either
                assert not frame.locator("#rendered_cells").count()
        context.close()


@pytest.mark.parametrize("proxy", PROXIES)
def test_another_name_is_not_answered(served, tmp_path, proxy):
    """So that no foreign name that is pointed here makes a browser speak to the page."""
    if shutil.which(proxy) is None:
        pytest.skip(f"there is no {proxy}")
    with before(proxy, served, tmp_path) as port:
        for name, status in ((NAME, 200), ("elsewhere.localhost", 0)):
            assert status_of(f"https://{name}:{port}/polyak/voila/static/voila.js", port) == status


def status_of(address: str, port: int) -> int:
    """Of the answer; 0 for none."""
    name = address.split("/")[2].split(":", maxsplit=1)[0]
    command = [
        "curl",
        "-sk",
        "-o",
        os.devnull,
        "-w",
        "%{http_code}",
        "--resolve",
        f"{name}:{port}:127.0.0.1",
        address,
    ]
    return int(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_takes_the_unit(tmp_path):
    unit = tmp_path / "polyak-explorer.service"
    program = tmp_path / ".venv" / "bin" / "voila"
    program.parent.mkdir(parents=True)
    program.symlink_to("/bin/true")
    text = (ROOT / "deploy" / unit.name).read_text()
    unit.write_text(text.replace("/opt/polyak-explorer/.venv", f"{tmp_path}/.venv"))
    judged = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (judged.returncode, judged.stderr) == (0, "")
