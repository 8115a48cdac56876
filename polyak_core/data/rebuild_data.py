# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2.0", "rdata>=0.11"]  # rdata reads R's own file format
# ///
"""Rebuild sonar.npz and musk1.npz from packages of Debian, on a Debian or Ubuntu machine.

    uv run --script polyak_core/data/rebuild_data.py

The packages are fetched into a temporary folder and not installed. The arrays are written only if they hash
to the values below, which were taken from the files of the UCI repository.
"""

import hashlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rdata


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Where a data set lies in a package of R's, and what it must hash to."""

    package: str
    file: str
    frame: str
    positive: str
    negative: str
    stored: str
    sha256: dict[str, str]


RECIPES = {
    "sonar.npz": Recipe(
        package="r-cran-mlbench",
        file="usr/lib/R/site-library/mlbench/data/Sonar.rda",
        frame="Sonar",
        positive="M",
        negative="R",
        stored="<f8",
        sha256={
            "X": "0d6ab10c8d741bdda9f7525380780a205260255ac763c9e103fe0da3e41deec8",
            "y": "87c8606ddf7deaec744fef6b7261927f7478ffc3e6a3292606c5fa9ba141c370",
        },
    ),
    "musk1.npz": Recipe(
        package="r-cran-kernlab",
        file="usr/lib/R/site-library/kernlab/data/musk.rda",
        frame="musk",
        positive="1",
        negative="0",
        stored="<i2",
        sha256={
            "X": "95e7b38177932feaf39bb8e0d95f7e9b899532f0b1d12b65d90c540e1fbc7d6b",
            "y": "55cd457111211cbded89575f2311ebd2d39977d5a5040f2404325f73f2affe34",
        },
    ),
}


def fetch(recipe: Recipe, folder: Path) -> Path:
    """Download and unpack the package into the folder; return the path of the data file."""
    subprocess.run(["apt-get", "download", "-q", recipe.package], cwd=folder, check=True)
    package = next(folder.glob(f"{recipe.package}_*.deb"))
    print(f"from {package.name}")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / recipe.file


def parse(recipe: Recipe, path: Path) -> dict[str, np.ndarray]:
    """Return X and y, +1 for the positive label and -1 for the other, in the order of the file."""
    frame = rdata.read_rda(path)[recipe.frame]
    labels = frame.pop("Class").astype(str)
    if set(labels) != {recipe.positive, recipe.negative}:
        sys.exit(f"unexpected labels {sorted(set(labels))} in {path.name}")
    return {
        "X": np.ascontiguousarray(frame.to_numpy(), dtype="<f8"),
        "y": np.where(labels == recipe.positive, 1.0, -1.0).astype("<f8"),
    }


def stored(arrays: dict[str, np.ndarray], recipe: Recipe) -> dict[str, np.ndarray]:
    """Check the hashes, then return X in the type in which it is kept, no digit lost."""
    for name, expected in recipe.sha256.items():
        digest = hashlib.sha256(arrays[name].tobytes()).hexdigest()
        if digest != expected:
            sys.exit(f"sha256 of {name} is {digest}, not {expected}: nothing was written")
    short = arrays["X"].astype(recipe.stored)
    if not np.array_equal(short, arrays["X"]):
        sys.exit(f"X does not fit into {recipe.stored}: nothing was written")
    return {"X": short, "y": arrays["y"] if recipe.stored == "<f8" else arrays["y"].astype("i1")}


def main() -> None:
    """Fetch, parse, check, write."""
    for name, recipe in RECIPES.items():
        with tempfile.TemporaryDirectory() as folder:
            arrays = stored(parse(recipe, fetch(recipe, Path(folder))), recipe)
        target = Path(__file__).with_name(name)
        np.savez_compressed(target, **arrays)
        print(f"wrote {target} ({target.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
