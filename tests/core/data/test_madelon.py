"""Madelon: from a folder, by a download that is checked, or a sentence that says what to put where."""

import functools
import hashlib
import http.server
import os
import socket
import sys
import threading
from pathlib import Path

import numpy as np
import pooch
import pytest

import polyak_core as pc
from polyak_core.data import madelon

SMALL_X = np.arange(20.0).reshape(5, 4)
SMALL_Y = np.array([-1.0, 1.0, 1.0, -1.0, 1.0])
DATA, LABELS = "madelon_train.data", "madelon_train.labels"
REAL = os.environ.get("POLYAK_DATA_DIR")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def published(X, y) -> dict[str, bytes]:
    """The two files as UCI writes them: whole numbers, a blank after each."""
    rows = "".join("".join(f"{int(entry)} " for entry in row) + "\n" for row in X)
    return {DATA: rows.encode(), LABELS: "".join(f"{int(label)}\n" for label in y).encode()}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.paths.append(self.path)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server in place of UCI's, an empty cache in place of the user's, and no local folder."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.paths, running.folder = [], folder
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setattr(madelon, "URL", f"http://127.0.0.1:{running.server_port}/")
        monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache")
        monkeypatch.delenv("POLYAK_DATA_DIR", raising=False)
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.delenv(variable, raising=False)
        yield running
        running.shutdown()
        thread.join()


def serve(server, monkeypatch, X=SMALL_X, y=SMALL_Y):
    """Put small files in place and expect exactly them."""
    content = published(X, y)
    for name, data in content.items():
        (server.folder / name).write_bytes(data)
    monkeypatch.setattr(madelon, "SHAPE", X.shape)
    monkeypatch.setattr(madelon, "RAW_SHA256", {name: sha256(data) for name, data in content.items()})
    hashes = {name: sha256(array.astype("<f8").tobytes()) for name, array in (("X", X), ("y", y))}
    monkeypatch.setattr(madelon, "ARRAY_SHA256", hashes)


def test_it_is_fetched_once_and_kept(server, monkeypatch):
    serve(server, monkeypatch)
    for _ in range(2):
        data = pc.load_dataset("madelon", scaling="none")
        np.testing.assert_array_equal(data.X, SMALL_X)
        np.testing.assert_array_equal(data.y, SMALL_Y)
    assert server.paths == [f"/{DATA}", f"/{LABELS}"]
    assert "10.24432/C5602H" in data.source
    np.testing.assert_allclose(pc.load_dataset("madelon").X.mean(axis=0), 0, atol=1e-14)


@pytest.mark.parametrize("name", [DATA, LABELS])
def test_a_tampered_download_is_refused(server, monkeypatch, name):
    serve(server, monkeypatch)
    path = server.folder / name
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    with pytest.raises(ValueError, match=r"could not be fetched.*SHA256.*put the file madelon\.npz"):
        pc.load_dataset("madelon")
    serve(server, monkeypatch)  # nothing bad was kept
    np.testing.assert_array_equal(pc.load_dataset("madelon", scaling="none").X, SMALL_X)


def test_arrays_must_match_even_if_the_files_do(server, monkeypatch):
    serve(server, monkeypatch)
    monkeypatch.setitem(madelon.ARRAY_SHA256, "y", "0" * 64)
    with pytest.raises(ValueError, match=r"not Madelon as UCI publishes it: y of shape \(5,\).*refused"):
        pc.load_dataset("madelon")


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """An address at which nobody listens, and an empty cache."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setattr(madelon, "URL", f"http://127.0.0.1:{unused.getsockname()[1]}/")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache")
    monkeypatch.delenv("POLYAK_DATA_DIR", raising=False)


def test_offline_says_what_to_put_where(offline):
    with pytest.raises(ValueError, match="could not be fetched") as caught:
        pc.load_dataset("madelon")
    for words in ("madelon.npz", "POLYAK_DATA_DIR", "X (2000 x 500)", "y (2000", "numpy.savez"):
        assert words in str(caught.value)


def test_offline_names_the_folder_that_is_set(offline, monkeypatch, tmp_path):
    monkeypatch.setenv("POLYAK_DATA_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="into the folder") as caught:
        pc.load_dataset("madelon")
    assert str(tmp_path) in str(caught.value)


def test_without_pooch_the_install_line_is_named(offline, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ValueError, match=r'pip install "polyak-explorer\[data\]".*madelon\.npz') as caught:
        pc.load_dataset("madelon")
    assert isinstance(caught.value, ImportError)


def test_a_local_file_comes_first(server, monkeypatch, tmp_path):
    serve(server, monkeypatch)
    np.savez(tmp_path / "madelon.npz", X=SMALL_X.astype(np.int16), y=SMALL_Y.astype(np.int8))
    monkeypatch.setenv("POLYAK_DATA_DIR", str(tmp_path))
    np.testing.assert_array_equal(pc.load_dataset("madelon", scaling="none").X, SMALL_X)
    assert server.paths == []


def test_a_local_file_with_other_numbers_is_refused(server, monkeypatch, tmp_path):
    serve(server, monkeypatch)
    np.savez(tmp_path / "madelon.npz", X=SMALL_X + (SMALL_X == 7), y=SMALL_Y)
    monkeypatch.setenv("POLYAK_DATA_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="not Madelon as UCI publishes it: X of shape") as caught:
        pc.load_dataset("madelon")
    assert str(tmp_path / "madelon.npz") in str(caught.value)
    assert pc.load_dataset(tmp_path / "madelon.npz").name == "madelon"  # as data of one's own


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_a_broken_local_file_is_answered_in_words(monkeypatch, tmp_path, content):
    (tmp_path / "madelon.npz").write_bytes(content)
    monkeypatch.setenv("POLYAK_DATA_DIR", str(tmp_path))
    with pytest.raises(ValueError, match=r"madelon\.npz cannot be read.*arrays X and y: replace"):
        pc.load_dataset("madelon")


@pytest.mark.madelon
def test_the_real_one():
    data = pc.load_dataset("madelon", scaling="none")
    assert data.X.shape == (2000, 500)
    assert sha256(np.ascontiguousarray(data.X, "<f8").tobytes()) == madelon.ARRAY_SHA256["X"]
    assert data.y.sum() == 0
    assert set(data.y) == {-1.0, 1.0}
    assert data.X.sum() == 488083511


@pytest.mark.madelon
def test_the_real_files_are_accepted_as_uci_serves_them(server):
    with np.load(Path(REAL) / "madelon.npz") as arrays:
        X, y = arrays["X"], arrays["y"]
    for name, content in published(X, y).items():
        (server.folder / name).write_bytes(content)
    np.testing.assert_array_equal(pc.load_dataset("madelon", scaling="none").X, X)
    assert len(server.paths) == 2
