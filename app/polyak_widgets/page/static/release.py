"""Pyodide's files: Python and its two packages as built for browsers, from its own release or from folders.

The version and the sha256 of each file are pinned here, so that a folder is made of the same bytes wherever
they come from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from polyak_widgets.page.texts import files_by_hand

VERSION = "0.27.7"
PYTHON = "3.12.7"
URL = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
FOLDERS_VARIABLE = "POLYAK_PYODIDE_DIR"
SECONDS = 60


class Package(NamedTuple):
    """What Pyodide has to know of a package before it loads it; a `library` is linked, and not imported."""

    name: str
    version: str
    file: str
    depends: tuple[str, ...] = ()
    library: bool = False

    @property
    def entry(self) -> dict[str, Any]:
        """Its entry in a lock file of Pyodide."""
        return {
            "name": self.name,
            "version": self.version,
            "file_name": self.file,
            "install_dir": "dynlib" if self.library else "site",
            "sha256": SHA256[self.file],
            "package_type": "shared_library" if self.library else "package",
            "imports": [] if self.library else [self.name],
            "depends": list(self.depends),
            "unvendored_tests": False,
        }


NUMPY = Package("numpy", "2.0.2", "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl")
OPENBLAS = Package("openblas", "0.3.26", "openblas-0.3.26.zip", library=True)
SCIPY = Package(
    "scipy", "1.14.1", "scipy-1.14.1-cp312-cp312-pyodide_2024_0_wasm32.whl", ("numpy", "openblas")
)
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", NUMPY.file)
"""Without these the page does not wake up."""
LATER = (OPENBLAS.file, SCIPY.file)
"""What SciPy takes, which is wanted beyond quadratics."""
SHA256 = {
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    NUMPY.file: "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
    OPENBLAS.file: "787ea9a8a5cd160204388d03324b3b7ce5c9aea14b5680cec987f837e76c5198",
    SCIPY.file: "997c50a61564a8ce6a56ea98a42e7f4427e5eb98475a73233e83df6a184f415c",
}
INFO = {
    "abi_version": "2024_0",
    "arch": "wasm32",
    "platform": "emscripten_3_1_58",
    "python": PYTHON,
    "version": VERSION,
}


class ReleaseError(ValueError):
    """A file of Pyodide is not to be had, or is not the one that is pinned; in words, with what to do."""


def lock() -> dict[str, Any]:
    """The lock file with the packages of this page alone."""
    return {"info": INFO, "packages": {each.name: each.entry for each in (NUMPY, OPENBLAS, SCIPY)}}


def folders() -> tuple[Path, ...]:
    """The folders that whoever builds has named, as PATH names them."""
    return tuple(map(Path, filter(None, os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep))))


def absent(places: Iterable[Path]) -> list[str]:
    """The files that lie in none of these folders."""
    here = tuple(places)
    return [name for name in SHA256 if not any((place / name).is_file() for place in here)]


def part(name: str, places: Iterable[Path] = (), url: str = URL, cache: Path | None = None) -> Path:
    """Where a file of the release lies on this machine, its bytes those that are pinned.

    Args:
        name: one of `SHA256`.
        places: folders in which it is looked for first.
        url: the folder that it is fetched from where none has it.
        cache: where fetched files are kept; by default pooch's folder for this project.

    Raises:
        ReleaseError: it is neither there nor to be fetched, or has other bytes.
    """
    for place in places:
        if (path := place / name).is_file():
            return _right(path)
    return _fetched(name, url, cache)


def _right(path: Path) -> Path:
    """The path, if its bytes are those that are pinned."""
    measured = sha256(path.read_bytes()).hexdigest()
    if measured != SHA256[path.name]:
        raise ReleaseError(
            f"{path} is not the file of Pyodide {VERSION}: its sha256 is {measured} and should be "
            f"{SHA256[path.name]}. Perhaps its download was cut off: fetch it anew, or remove it."
        )
    return path


def _fetched(name: str, url: str, cache: Path | None) -> Path:
    try:
        import pooch
    except ImportError:
        raise ReleaseError(
            f"{name} of Pyodide {VERSION} is fetched by pooch: "
            f'pip install "polyak-explorer[static]". {_remedy()}'
        ) from None
    try:
        path = pooch.retrieve(
            url + name,
            known_hash=f"sha256:{SHA256[name]}",
            fname=name,
            path=(cache or pooch.os_cache("polyak-explorer")) / f"pyodide-{VERSION}",
            downloader=pooch.HTTPDownloader(timeout=SECONDS),
        )
    except ValueError:
        raise ReleaseError(
            f"{url}{name} came with other bytes than those of Pyodide {VERSION}: cut off on the way, or "
            f"replaced. Try again. {_remedy()}"
        ) from None
    except OSError as error:
        raise ReleaseError(
            f"{url}{name} could not be fetched ({type(error).__name__}). {_remedy()}"
        ) from None
    return Path(path)


def _remedy() -> str:
    return files_by_hand(SHA256, FOLDERS_VARIABLE, VERSION)
