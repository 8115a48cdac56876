"""Serve a notebook with app/serving/voila.py and try what a visitor must not be able to do.

The notebook prints what its kernel sees, fails in its last cell, and has private files beside it.
"""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from importlib.metadata import version
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest
from jupyter_core.paths import jupyter_path
from server import (
    MIB,
    ROOT,
    SETTINGS,
    Served,
    channel,
    command,
    environment,
    free_port,
    in_a_loop,
    is_answered,
    serve,
)

CELLS = (
    "import os, sys; say = lambda words: sys.stdout.write(f'{words}\\n') and None; say(f'reached {6 * 7}')",
    "say(' '.join(['threads', *(os.environ[f'{n}_NUM_THREADS'] for n in ('OPENBLAS', 'OMP', 'MKL'))]))",
    "from polyak_widgets import Budget; say(f'limits {Budget.of_server()} {os.environ[\"POLYAK_NICE\"]}')",
    "names = {'UNRELATED', 'JUPYTER_TOKEN', 'POLYAK_KEY'}; say(f'leaked {[*names & {*os.environ}]}')",
    "secret_source = 1 / 0",
)
"""Each writes once: what is written in pieces may be sent in pieces, and the page would show them."""
HIDDEN = (".hidden.png", "picture.png", "data.json", "table.csv", "served.ipynb", "sub/deep.svg")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    for name in HIDDEN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("private")
    waits = ("--PageKernels.patience=600", "--PageKernels.hold=0.5")  # tests come one after the other
    with serve(folder, CELLS, *waits) as served:
        yield served


@pytest.fixture(scope="module")
def page(served):
    return served.get("")


def without_identifiers(page: str) -> str:
    return re.sub(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", "ID", page)


def test_the_notebook_runs(page):
    assert "reached 42" in page


def test_source_and_traceback_are_hidden(page):
    assert "There was an error when executing cell" in page  # so there was a traceback to hide
    for word in ("ZeroDivisionError", "secret_source", "Traceback"):
        assert word not in page


def test_kernels_have_one_blas_thread(page):
    assert "threads 1 1 1" in page


def test_kernels_know_what_their_work_may_cost(page):
    limits = (
        "seconds=20.0, megabytes=500.0, picture_seconds=120.0, minute_seconds=60.0, frames=30.0, "
        "unseen_seconds=0.1"
    )
    assert f"limits Budget({limits}) 5" in page


def test_kernels_see_nothing_of_the_server_s_environment(page):
    assert "leaked []" in page


@pytest.mark.parametrize(
    "query", ["template=nosuch", "template=base", "voila-template=nosuch", "theme=nosuch"]
)
def test_the_address_chooses_neither_template_nor_theme(served, page, query):
    assert without_identifiers(served.get(f"?{query}")) == without_identifiers(page)


@pytest.mark.parametrize("name", HIDDEN)
def test_files_beside_the_notebook_are_not_served(served, name):
    for path in (f"voila/files/{name}", name):
        with pytest.raises(HTTPError, match="403") as refused:
            served.get(path)
        refused.value.close()


def test_idle_kernels_are_ended(served, page):
    assert "Culling kernels with idle durations > 600 seconds at 60 second intervals" in served.log
    assert "even with connected clients" not in served.log


@pytest.mark.skipif(
    os.name != "posix" or len(tempfile.gettempdir()) > 20,
    reason="sockets need a short path to a temporary folder",
)
def test_kernels_open_no_port(served, page):
    assert "over TCP" not in served.log


def test_messages_are_limited_to_8_mib(served, page):
    address = f"localhost:{served.port}{channel(page)}"
    assert in_a_loop(is_answered(address, 8 * MIB))
    assert not in_a_loop(is_answered(address, 8 * MIB + 1))


@pytest.mark.parametrize(
    ("origin", "status"), [("http://localhost:{}", 101), ("http://elsewhere.example:{}", 403)]
)
def test_only_our_own_page_opens_a_channel(served, page, origin, status):
    headers = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    headers |= {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": origin.format(served.port)}
    with closing(HTTPConnection("localhost", served.port, timeout=10)) as connection:
        connection.request("GET", channel(page), headers=headers)
        with closing(connection.getresponse()) as answer:
            assert answer.status == status


FOREVER = "public, max-age=31536000, immutable"
SHARED = "voila/templates/polyak/static"


def fetched(served: Served, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    """What a browser gets: the answer, and its bytes as they came."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(HTTPConnection("localhost", served.port, timeout=30)) as connection:
        connection.request("GET", f"/{path}", headers=names)
        answer = connection.getresponse()
        return answer, answer.read()


def shared_addresses() -> list[str]:
    """Files that the page asks for: plotly, Voila's own, and one of an extension."""
    installed = [Path(root) for root in jupyter_path("voila", "templates", "base", "static")]
    sizes = {path.name: path.stat().st_size for root in installed for path in root.glob("*voila.js")}
    longest = max(sizes, key=sizes.__getitem__)
    extension = next(
        path
        for root in jupyter_path("labextensions", "anywidget", "static")
        for path in Path(root).glob("remoteEntry.*.js")
    )
    return [
        f"{SHARED}/plotly.min.js?v={version('plotly')}",
        f"{SHARED}/voila-{version('voila')}/voila.js",
        f"{SHARED}/voila-{version('voila')}/{longest}",
        f"voila/labextensions/anywidget/static/{extension.name}",
    ]


@pytest.mark.parametrize("address", shared_addresses())
def test_files_are_compressed_and_kept_for_good(served, page, address):
    plain, whole = fetched(served, address)
    assert (plain.status, plain.getheader("Content-Encoding")) == (200, None)
    for _ in range(2):  # compressed on the way, then from memory
        answer, squeezed = fetched(served, address, Accept_Encoding="gzip")
        assert answer.getheader("Content-Encoding") == "gzip"
        assert answer.getheader("Vary") == "Accept-Encoding"
        assert answer.getheader("Cache-Control") == plain.getheader("Cache-Control") == FOREVER
        assert gzip.decompress(squeezed) == whole
        assert len(squeezed) < 0.6 * len(whole)
    assert int(answer.getheader("Content-Length")) == len(squeezed)


def test_who_has_a_file_is_sent_none(served, page):
    address = shared_addresses()[0]
    answer, _ = fetched(served, address, Accept_Encoding="gzip")
    since = {"If_None_Match": answer.getheader("ETag"), "Accept_Encoding": "gzip"}
    again, nothing = fetched(served, address, **since)
    assert (again.status, nothing) == (304, b"")


def test_a_name_that_may_mean_another_file_tomorrow_is_not_kept_for_good(served, page):
    answer, _ = fetched(served, "voila/static/voila.js", Accept_Encoding="gzip")
    assert answer.getheader("Content-Encoding") == "gzip"
    assert answer.getheader("Cache-Control") != FOREVER


def test_the_page_is_compressed_and_never_kept(served, page):
    answer, squeezed = fetched(served, "", Accept_Encoding="gzip")
    assert answer.getheader("Content-Encoding") == "gzip"
    assert "no-store" in answer.getheader("Cache-Control")
    assert "reached 42" in gzip.decompress(squeezed).decode()


def test_a_page_may_end_its_own_kernel_and_nobody_else_s(served):
    answer, text = fetched(served, "")
    token = re.search("_xsrf=([^;]+)", answer.getheader("Set-Cookie")).group(1)
    kernel = channel(text.decode()).split("/")[3]

    def end(sent: str) -> int:
        with closing(HTTPConnection("localhost", served.port, timeout=30)) as connection:
            headers = {"Cookie": f"_xsrf={token}", "Content-Type": "application/x-www-form-urlencoded"}
            connection.request("POST", f"/voila/api/shutdown/{kernel}", f"_xsrf={sent}", headers)
            with closing(connection.getresponse()) as ended:
                return ended.status

    assert end("") == 403
    assert end(token) == 204
    assert fetched(served, f"api/kernels/{kernel}")[0].status == 404


def kernel_of(page: bytes) -> str:
    return channel(page.decode()).split("/")[3]


def test_of_pages_on_their_way_to_one_browser_the_newest_two_have_kernels(served):
    """Who reloads in haste leaves pages behind that say no goodbye, since their scripts have not run."""
    answer, page = fetched(served, "")
    cookie = {"Cookie": re.search("_xsrf=[^;]+", answer.getheader("Set-Cookie"))[0]}
    kernels = [kernel_of(page), kernel_of(fetched(served, "", **cookie)[1])]
    with closing(HTTPConnection("localhost", served.port, timeout=10)) as connection:
        connection.request("GET", "/", headers=cookie)
        time.sleep(0.25)  # half of what it would wait for the others
    kernels.append(kernel_of(fetched(served, "", **cookie)[1]))
    assert [fetched(served, f"api/kernels/{one}")[0].status for one in kernels] == [404, 200, 200]
    ended = re.findall("No page has come to kernel (\\S+):", served.log)
    assert ended == kernels[:1], "and who hangs up meanwhile is given none"


def test_messages_to_the_page_are_compressed(served, page):
    headers = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    headers |= {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": f"http://localhost:{served.port}"}
    headers["Sec-WebSocket-Extensions"] = "permessage-deflate"
    with closing(HTTPConnection("localhost", served.port, timeout=10)) as connection:
        connection.request("GET", channel(page), headers=headers)
        with closing(connection.getresponse()) as answer:
            assert "permessage-deflate" in answer.getheader("Sec-WebSocket-Extensions")


def test_the_server_still_answers(served, page):
    assert without_identifiers(served.get("")) == without_identifiers(page)


def ended_in_words(arguments: list[str], words: str, **changes: str) -> bool:
    """Return whether the program ends at once with these words and without a traceback."""
    ended = subprocess.run(
        arguments, env=environment(**changes), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1, ended
    assert "Traceback" not in ended.stderr
    return re.search(words, ended.stderr) is not None


def test_a_busy_port_is_said_in_words(served):
    words = rf"Port {served.port} of localhost is in use.*take another port: PORT=\d+"
    assert ended_in_words(command(served.folder), words, PORT=str(served.port))


WRONG = {
    ("PORT", "http"): "PORT is 'http', but must be a whole number",
    ("PORT", "65536"): "PORT is '65536', but must be a whole number",
    ("POLYAK_SECONDS", "long"): "POLYAK_SECONDS is 'long', but must be a number above 0",
    ("POLYAK_MEGABYTES", "0"): "POLYAK_MEGABYTES is '0', but must be a number above 0",
    ("POLYAK_KERNELS", "all"): "POLYAK_KERNELS is 'all', but must be a number above 0",
    ("POLYAK_START", "warm"): "POLYAK_START is 'warm', but must be fresh or forked",
    ("POLYAK_BASE_URL", "polyak"): "POLYAK_BASE_URL is 'polyak', but must be a path that begins",
    ("POLYAK_FRAME_ANCESTORS", "a;b"): "POLYAK_FRAME_ANCESTORS is 'a;b', but must list addresses",
    ("HOST", "no such host"): "HOST is 'no such host', which is no address of this machine",
}
LOAD_EACH = """
import json, os, sys
from traitlets.config.loader import PyFileConfigLoader
usual, ends = dict(os.environ), []
for name, value in json.loads(sys.argv[3]):
    os.environ.clear()
    os.environ.update(usual | {name: value})
    try:
        PyFileConfigLoader(*sys.argv[1:3]).load_config()
    except SystemExit as end:
        ends.append(end.code)
print(json.dumps(ends))
"""


def test_wrong_settings_are_said_in_words():
    arguments = [sys.executable, "-c", LOAD_EACH, "voila.py", str(SETTINGS), json.dumps(list(WRONG))]
    loaded = subprocess.run(arguments, env=environment(), capture_output=True, text=True, check=True)
    ends = json.loads(loaded.stdout)
    assert len(ends) == len(WRONG), "each of them ends the server"
    for words, text in zip(WRONG.values(), ends, strict=True):
        assert text.startswith(words)


def test_nothing_listens_before_the_server_is_up():
    """The checks above would pass on any server, so a port that no one serves must fail them."""
    with pytest.raises(URLError):
        Served(free_port(), Path()).get("")


def test_a_server_that_is_ended_while_it_starts_leaves_nothing_behind(tmp_path):
    starts = "import os, signal, sys, traitlets.config.loader as t"
    ended = "t.PyFileConfigLoader(*sys.argv[1:]).load_config(); os.kill(os.getpid(), signal.SIGTERM)"
    command = [sys.executable, "-c", f"{starts}; {ended}", "voila.py", str(SETTINGS)]
    changed = environment(PORT=str(free_port()), TMPDIR=str(tmp_path))
    assert subprocess.run(command, check=False, env=changed).returncode == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


SIGNALLED = """
import os, signal, sys
from voila.app import Voila, main
made = Voila.init_handlers
Voila.init_handlers = lambda self: os.kill(os.getpid(), signal.SIGTERM) or made(self)
sys.exit(main())
"""
"""Voila, to which the signal comes when it has begun and does not yet listen."""


def test_a_server_that_is_ended_before_it_listens_ends_in_order(tmp_path):
    command = [sys.executable, "-c", SIGNALLED, "app/explore.ipynb", "--no-browser"]
    command.append(f"--Voila.config_file_paths={SETTINGS}")
    changed = environment(PORT=str(free_port()), TMPDIR=str(tmp_path))
    ended = subprocess.run(
        command, check=False, env=changed, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 0
    assert not list(tmp_path.iterdir())
