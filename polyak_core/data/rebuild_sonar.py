# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2.0", "rdata>=0.11"]  # rdata reads R's own file format
# ///
"""Rebuild sonar.npz from Debian's package r-cran-mlbench, on a Debian or Ubuntu machine.

    uv run --script polyak_core/data/rebuild_sonar.py

The package is fetched into a temporary folder and not installed. The arrays are written only if they hash to
the values below, which were taken from the file of the UCI repository.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import rdata

PACKAGE = "r-cran-mlbench"
INSIDE = "usr/lib/R/site-library/mlbench/data/Sonar.rda"
TARGET = Path(__file__).with_name("sonar.npz")
SHA256 = {
    "X": "0d6ab10c8d741bdda9f7525380780a205260255ac763c9e103fe0da3e41deec8",
    "y": "87c8606ddf7deaec744fef6b7261927f7478ffc3e6a3292606c5fa9ba141c370",
}


def fetch(folder: Path) -> Path:
    """Download and unpack the package into the folder; return the path of Sonar.rda."""
    subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=folder, check=True)
    package = next(folder.glob(f"{PACKAGE}_*.deb"))
    print(f"from {package.name}")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / INSIDE


def parse(path: Path) -> dict[str, np.ndarray]:
    """Return X (208, 60) and y (208,), +1 for a mine and -1 for a rock, in the order of the file."""
    frame = rdata.read_rda(path)["Sonar"]
    labels = frame.pop("Class").astype(str)
    if set(labels) != {"M", "R"}:
        sys.exit(f"the labels should be M and R, but are {sorted(set(labels))}")
    return {
        "X": np.ascontiguousarray(frame.to_numpy(), dtype="<f8"),
        "y": np.where(labels == "M", 1.0, -1.0).astype("<f8"),
    }


def main() -> None:
    """Fetch, parse, check, write."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = parse(fetch(Path(folder)))
    for name, expected in SHA256.items():
        found = hashlib.sha256(arrays[name].tobytes()).hexdigest()
        if found != expected:
            sys.exit(f"sha256 of {name} is {found}, not {expected}: nothing was written")
    np.savez_compressed(TARGET, **arrays)
    print(f"wrote {TARGET} ({TARGET.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
