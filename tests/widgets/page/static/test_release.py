"""Pyodide's files: from folders, by a download that is checked, or a sentence that says what to put where."""

import functools
import hashlib
import http.server
import threading

import pytest
from polyak_widgets.page.static import release

WHOLE = b"import sys\n" * 400
NAME = "pyodide.js"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.paths.append(self.path)


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A server in place of Pyodide's release, whose folder is empty, and an empty cache."""
    folder = tmp_path / "release"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(release.SHA256, NAME, hashlib.sha256(WHOLE).hexdigest())
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.paths, running.folder = [], folder
        running.url = f"http://127.0.0.1:{running.server_port}/"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_once_and_kept(host, tmp_path):
    (host.folder / NAME).write_bytes(WHOLE)
    for _ in range(2):
        path = release.part(NAME, url=host.url, cache=tmp_path / "cache")
        assert path.read_bytes() == WHOLE
    assert len(host.paths) == 1


@pytest.mark.parametrize("wrong", [WHOLE[:-7], WHOLE[:-1] + b"!"], ids=["truncated", "another"])
def test_other_bytes_are_refused_and_not_kept(host, tmp_path, wrong):
    (host.folder / NAME).write_bytes(wrong)
    with pytest.raises(release.ReleaseError, match=r"came with other bytes.*POLYAK_PYODIDE_DIR"):
        release.part(NAME, url=host.url, cache=tmp_path / "cache")
    (host.folder / NAME).write_bytes(WHOLE)
    assert release.part(NAME, url=host.url, cache=tmp_path / "cache").read_bytes() == WHOLE


def test_what_cannot_be_fetched_says_what_to_put_where(tmp_path):
    words = r"could not be fetched .*Without a network: put .* POLYAK_PYODIDE_DIR"
    with pytest.raises(release.ReleaseError, match=words) as offline:
        release.part(NAME, url="http://127.0.0.1:9/", cache=tmp_path / "cache")
    assert all(name in str(offline.value) for name in release.SHA256)


def test_a_folder_comes_first_and_its_file_is_checked(host, tmp_path):
    (tmp_path / NAME).write_bytes(WHOLE)
    assert release.part(NAME, [host.folder, tmp_path], url=host.url) == tmp_path / NAME
    (tmp_path / NAME).write_bytes(WHOLE[:100])
    with pytest.raises(release.ReleaseError, match=r"is not the file of Pyodide .* cut off"):
        release.part(NAME, [host.folder, tmp_path], url=host.url)
    assert host.paths == []


def test_without_pooch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(release.ReleaseError, match=r"polyak-explorer\[static\]"):
        release.part(NAME)


def test_the_folders_that_are_missing_files(tmp_path, monkeypatch):
    monkeypatch.setenv(release.FOLDERS_VARIABLE, f"{tmp_path}{release.os.pathsep}{tmp_path / 'more'}")
    (tmp_path / NAME).write_bytes(b"")
    assert release.folders() == (tmp_path, tmp_path / "more")
    assert set(release.absent(release.folders())) == set(release.SHA256) - {NAME}


def test_the_lock_names_what_the_build_copies():
    packages = release.lock()["packages"]
    assert {each["file_name"] for each in packages.values()} < {*release.CORE, *release.LATER}
    assert {*release.CORE, *release.LATER} == set(release.SHA256)
    assert set(packages["scipy"]["depends"]) < set(packages)
