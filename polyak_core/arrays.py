"""Array types, the inner product along the last axis, and the checks of what people hand in."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.entries import real_entries

Array = npt.NDArray[np.float64]
Extended = npt.NDArray[np.longdouble]
Scalar = Any
"""A float (or a flag) for one run, an array of shape (runs, 1) for stacked runs."""
Given = Any
"""What people hand in, not checked yet."""

EPS = float(np.finfo(np.float64).eps)
EXTENDED: type[np.longdouble] = np.longdouble
"""What certificates are made in: wider than float64 on x86 under Linux and macOS, elsewhere no wider."""
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


def root(value: Scalar) -> Scalar:
    """Square root; a bare float takes the quick way, since methods take one or two a step."""
    if isinstance(value, float):
        return math.sqrt(value) if value >= 0 else math.nan
    return np.sqrt(value)


def nonnegative(value: Scalar) -> Scalar:
    """The value, or 0 where rounding brought it below; NaN stays."""
    return choose(value < 0, 0.0, value)


def choose(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition holds, else `no`; for one run a plain choice, copying nothing."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, yes, no)
    return yes if condition else no


def finite_array(value: npt.ArrayLike, name: str, ndim: int) -> Array:
    """A float64 copy-free view of what was given, or a ValueError in words.

    Raises:
        ValueError: not numeric, wrong number of axes, empty, or not finite.
    """
    array = real_entries(value, name)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes; got shape {array.shape}. Reshape it first.")
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}); give at least one entry.")
    if not np.isfinite(array).all():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} has {bad} entries that are NaN or infinite; remove or replace them.")
    return array


def real_number(value: Given, name: str, allowed: str) -> float:
    """A finite float, or a ValueError that says what is allowed."""
    number = math.nan
    if not isinstance(value, bool | np.bool_ | str | bytes) and np.ndim(value) == 0:
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} = {value!r} is not a number that can be used; allowed is {allowed}.")
    return number


def whole_number(value: Given, name: str, low: int, high: int) -> int:
    """An int between ``low`` and ``high``, both included, or a ValueError."""
    number = real_number(value, name, f"a whole number from {low} to {high}")
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{name} = {value!r} is not allowed: give a whole number from {low} to {high}.")
    return int(number)


def one_of(value: Given, name: str, allowed: Sequence[str]) -> str:
    """A known name, or a ValueError that lists them."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} {value!r} is unknown; choose one of {', '.join(map(repr, allowed))}.")
    return str(value)
