"""The Python files that a browser unpacks: this project's wheel, and those of pure packages that it needs."""

from __future__ import annotations

import zipfile
from importlib.metadata import distribution
from pathlib import Path

from polyak_widgets.front.plotly import FILE, plotly_path

NEEDED = ("cachetools", "segno")
"""What the session needs beside NumPy and SciPy; pure Python, taken from this environment."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def project_wheel(checkout: Path, folder: Path) -> Path:
    """Build the wheel of this project into a folder.

    Raises:
        ImportError: hatchling is not installed.
    """
    from hatchling.builders.wheel import WheelBuilder

    return Path(next(iter(WheelBuilder(str(checkout)).build(directory=str(folder), versions=["standard"]))))


def installed_wheel(name: str, folder: Path) -> Path:
    """Pack an installed package of pure Python into a folder as the wheel that it came in."""
    package = distribution(name)
    path = folder / f"{name}-{package.version}-py3-none-any.whl"
    files = sorted(str(each) for each in package.files or () if is_of_wheel(str(each)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in files:
            archive.writestr(
                zipfile.ZipInfo(each, LONG_AGO), Path(str(package.locate_file(each))).read_bytes()
            )
    return path


def plotly_wheel(folder: Path) -> Path:
    """Pack plotly.js and the name of its package, which exported pages carry, and nothing else of plotly."""
    package = distribution("plotly")
    path = folder / f"plotly-{package.version}-py3-none-any.whl"
    facts = f"Metadata-Version: 2.1\nName: plotly\nVersion: {package.version}\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"plotly-{package.version}.dist-info/METADATA", LONG_AGO), facts)
        archive.writestr(zipfile.ZipInfo(FILE, LONG_AGO), plotly_path().read_bytes())
    return path


def is_of_wheel(name: str) -> bool:
    """Whether an installed file was in the wheel: no script, no compiled copy, nothing of the installer.

    >>> is_of_wheel("cachetools/keys.py"), is_of_wheel("cachetools/__pycache__/keys.cpython-312.pyc")
    (True, False)
    """
    own = not name.startswith("..") and "__pycache__" not in name
    return own and name.rpartition("/")[2] not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
