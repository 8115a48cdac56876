"""Madelon: too large to ship, so read from a local folder or fetched from the UCI repository, once."""

from __future__ import annotations

import hashlib
import os
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from polyak_core.arrays import Array

FOLDER_VARIABLE = "POLYAK_DATA_DIR"
FILE = "madelon.npz"
SHAPE = 2000, 500
URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/madelon/MADELON/"
RAW_SHA256 = {
    "madelon_train.data": "0b6e37711efdc7ab74250c51e7d6966bffd9f8f2b0e9971e882c3a7a380c2314",
    "madelon_train.labels": "10bffcc3b017467cb810d326b931951adcbde2b4870faf981da2991993b48689",
}
ARRAY_SHA256 = {
    "X": "795b67c6656c15833b3d450d335f74c08f07a97355c31c4e8d8bc55d8f8cf02b",
    "y": "a452da29fd8c4c180f4ff431f71b4ec4b956ed23b91d0ca579606985c9d4bf01",
}
"""Of the little-endian float64 numbers, row by row."""
SECONDS = 60


class UnfetchedError(ValueError):
    """A data set is not on this machine and cannot be fetched.

    Attributes:
        remedy: where to put it by hand, in words.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why, remedy)
        self.remedy = remedy

    def __str__(self) -> str:
        """What went wrong, and what to do."""
        return ". ".join(self.args)


class MissingExtraError(UnfetchedError, ImportError):
    """A package is missing that an extra of this project installs."""


def load_madelon() -> tuple[Array, Array]:
    """The 2000 training rows of Madelon: X of shape (2000, 500) and y of shape (2000,), each -1 or +1.

    Looked for as madelon.npz in the folder that POLYAK_DATA_DIR names, else fetched by pooch into its cache.
    Either way the numbers must be those that UCI publishes, or they are refused.

    Raises:
        ValueError: not here and not to be fetched (with what to put where), or not the right numbers.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    local = Path(folder) / FILE if folder else None
    if local is not None and local.is_file():
        return _checked(*_from_npz(local), str(local))
    data, labels = _fetched()
    X = np.array(data.read_text().split(), dtype=np.float64)
    y = np.array(labels.read_text().split(), dtype=np.float64)
    if X.size == np.prod(SHAPE):
        X = X.reshape(SHAPE)
    return _checked(X, y, f"what {URL} sent")


def can_be_had() -> bool:
    """Whether `load_madelon` may succeed: a file is here, or there is what fetches it. Nothing is read.

    >>> can_be_had() in (True, False)
    True
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    return bool(folder and (Path(folder) / FILE).is_file()) or find_spec("pooch") is not None


def _from_npz(path: Path) -> tuple[Array, Array]:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return np.array(arrays["X"], dtype=np.float64), np.array(arrays["y"], dtype=np.float64)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} cannot be read ({error}); it must be a file of numpy.savez with arrays X and y: replace "
            f"or remove it"
        ) from None


def _fetched() -> tuple[Path, Path]:
    """Both files in pooch's cache, fetched if they are not there yet."""
    try:
        import pooch
    except ImportError:
        raise MissingExtraError(
            'to fetch Madelon the package pooch is needed: pip install "polyak-explorer[data]"', _remedy()
        ) from None
    paths = []
    for name, sha256 in RAW_SHA256.items():
        try:
            path = pooch.retrieve(
                URL + name,
                known_hash=f"sha256:{sha256}",
                fname=name,
                path=pooch.os_cache("polyak-explorer"),
                downloader=pooch.HTTPDownloader(timeout=SECONDS),
            )
        except (OSError, ValueError) as error:
            raise UnfetchedError(
                f"Madelon is not on this machine and could not be fetched from {URL}{name}: {error}",
                _remedy(),
            ) from error
        paths.append(Path(path))
    return paths[0], paths[1]


def _remedy() -> str:
    folder = os.environ.get(FOLDER_VARIABLE)
    where = f"the folder {folder} (which {FOLDER_VARIABLE} names)" if folder else "a folder of yours"
    set_it = "" if folder else f" and set the environment variable {FOLDER_VARIABLE} to that folder"
    return (
        f"Without a network, put the file {FILE} into {where}{set_it}; it holds the arrays X "
        f"({SHAPE[0]} x {SHAPE[1]}) and y ({SHAPE[0]}, each -1 or +1), written by numpy.savez"
    )


def _checked(X: Array, y: Array, origin: str) -> tuple[Array, Array]:
    for name, array in (("X", X), ("y", y)):
        digest = hashlib.sha256(np.ascontiguousarray(array, dtype="<f8").tobytes()).hexdigest()
        if digest != ARRAY_SHA256[name]:
            raise ValueError(
                f"{origin} is not Madelon as UCI publishes it: {name} of shape {array.shape} hashes to "
                f"{digest[:12]}..., not {ARRAY_SHA256[name][:12]}...; it is refused. Replace it by a good "
                "copy, or load it as data of your own by its path"
            )
    return X, y
