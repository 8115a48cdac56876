"""Data sets that come with the package, as a matrix of features and a vector of labels."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCALINGS = ("none", "center", "standardize")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification data set.

    Attributes:
        X: features, shape (m, n), float64, C-contiguous: one row per observation.
        y: labels, shape (m,), float64, each -1 or +1.
        name: the name it was loaded by.
        source: where the numbers come from, with the names of those who gave them.
        licence: the terms on which they may be passed on.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    name: str
    source: str
    licence: str


@dataclass(frozen=True)
class _Packaged:
    """A file in polyak_core/data and what is to be said about it."""

    file: str
    source: str
    licence: str


_PACKAGED = {
    "sonar": _Packaged(
        file="sonar.npz",
        source=(
            "T. Sejnowski, R. Gorman: Connectionist Bench (Sonar, Mines vs. Rocks), "
            "UCI Machine Learning Repository 151, doi:10.24432/C5T01Q"
        ),
        licence="CC BY 4.0",
    ),
    "musk": _Packaged(
        file="musk1.npz",
        source=(
            "D. Chapman, A. Jain: Musk (Version 1), UCI Machine Learning Repository 74, doi:10.24432/C5ZK5B"
        ),
        licence="CC BY 4.0",
    ),
}


def load_dataset(name: str, scaling: str = "center") -> Dataset:
    """Load a data set by name, offline, and scale its features.

    The labels are never scaled. Each call returns arrays of its own, free to be changed.

    Args:
        name: "sonar" (208 observations, 60 features; +1 a metal cylinder, -1 a rock).
        scaling: "none", "center" or "standardize", as in `scale_features`.

    Returns:
        The data set with its source and licence.

    Raises:
        ValueError: the name or the scaling is not one of these.

    >>> sonar = load_dataset("sonar")
    >>> sonar.X.shape, int((sonar.y == 1).sum())
    ((208, 60), 111)
    """
    if name not in _PACKAGED:
        raise ValueError(
            f"name is {name!r}, but the data sets are {_listed(_PACKAGED)}: give one of these names, or hand "
            "your own arrays to the problem directly"
        )
    packaged = _PACKAGED[name]
    resource = files("polyak_core").joinpath("data", packaged.file)
    with resource.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        X, y = arrays["X"], arrays["y"]
    return Dataset(
        X=scale_features(X, scaling),
        y=np.array(y, dtype=np.float64),
        name=name,
        source=packaged.source,
        licence=packaged.licence,
    )


def scale_features(X: ArrayLike, scaling: str) -> NDArray[np.float64]:
    """Return a scaled copy of a feature matrix; the argument stays as it is.

    "none" copies; "center" takes the mean off each column; "standardize" also divides each column by its
    standard deviation (the root of the mean square, no m - 1). A constant column becomes exactly zero under
    both, and is never divided by anything but 1.

    Args:
        X: shape (m, n), finite.
        scaling: "none", "center" or "standardize".

    Returns:
        Shape (m, n), float64, C-contiguous.

    Raises:
        ValueError: the scaling is unknown, X is not a matrix with a row at least, or an entry is not finite.

    >>> scale_features([[1, 7], [3, 7]], "standardize")
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}, but can be {_listed(SCALINGS)}: give one of these")
    X = np.array(X, dtype=np.float64, order="C")
    if X.ndim != 2 or X.shape[0] == 0:
        raise ValueError(f"X has shape {X.shape}, but must be (m, n), m >= 1: give one row per observation")
    if not np.isfinite(X).all():
        raise ValueError("X holds NaN or infinity, but all entries must be finite: drop or fill these rows")
    if scaling == "none":
        return X
    # The mean of equal numbers is not always that number, so a constant column is told by its entries.
    constant = (X == X[0]).all(axis=0)
    X -= np.where(constant, X[0], X.mean(axis=0))
    if scaling == "standardize":
        X /= np.where(constant, 1.0, np.sqrt((X * X).mean(axis=0)))
    return X


def _listed(names: Iterable[str]) -> str:
    """Return the names quoted, in their order, with commas between."""
    return ", ".join(map(repr, names))
