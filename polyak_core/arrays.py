"""Array types, precision, and sums along the last axis, for one run and for stacked runs."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Extended = npt.NDArray[np.longdouble]
Scalar = Any
"""A float (or a flag) for one run, an array of shape (runs, 1) for stacked runs."""

EPS = float(np.finfo(np.float64).eps)
EXTENDED: type[np.longdouble] = np.longdouble
"""The precision of certificates: wider than float64 on x86 under Linux and macOS, elsewhere no wider."""
if os.environ.get("POLYAK_EXTENDED") == "double":  # as on Windows and on ARM, for tests
    EXTENDED = np.float64  # type: ignore[assignment]
EXTENDED_EPS = float(np.finfo(EXTENDED).eps)
PRECISION = "extended" if EXTENDED_EPS < EPS else "double (no wider type on this machine)"


def inner(u: Array, v: Array) -> Scalar:
    """Inner product along the last axis; for stacked runs the axis is kept, with length 1.

    One run gets a bare float: arithmetic on it, and of it with arrays, is several times as quick as on
    NumPy's scalars.
    """
    return float(u.dot(v)) if u.ndim == 1 else np.vecdot(u, v)[..., None]


def paired(u: Array, v: Array) -> Scalar:
    """Inner product where either may be one vector for all stacked runs."""
    return inner(u, v) if u.ndim >= v.ndim else inner(v, u)


def total(u: Array) -> Scalar:
    """Sum along the last axis; for stacked runs the axis is kept, with length 1."""
    return u.sum() if u.ndim == 1 else u.sum(axis=-1, keepdims=True)


def norm(u: Array) -> Scalar:
    """Euclidean norm along the last axis."""
    return root(inner(u, u))


def shape_of(point: npt.ArrayLike) -> tuple[int, ...]:
    """The shape of a point; of an array the quick way, since the record asks for two at every step."""
    return point.shape if isinstance(point, np.ndarray) else np.shape(point)


def root(value: Scalar) -> Scalar:
    """Square root; a bare float takes the quick way, since methods take one or two a step."""
    if isinstance(value, float):
        return math.sqrt(value) if value >= 0 else math.nan
    return np.sqrt(value)


def one_by_one(function: Callable[[float], float], value: Scalar) -> Scalar:
    """A function of `math`, of one number or of each.

    Its bits depend on the number alone; those of NumPy's own differ with the processor, and where a loop
    ends, so that a run among others could differ from the same run alone.
    """
    if isinstance(value, np.ndarray):
        return np.array([function(number) for number in value.ravel().tolist()]).reshape(value.shape)
    return function(value)


def nonnegative(value: Scalar) -> Scalar:
    """The value, or 0 where rounding brought it below; NaN stays."""
    return choose(value < 0, 0.0, value)


def choose(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition holds, else `no`; for one run a plain choice, copying nothing."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, yes, no)
    return yes if condition else no


def doubled(column: Array) -> Array:
    """The same with room for as many more, so that a record is moved a few times however many come."""
    return np.concatenate([column, np.empty_like(column)])
