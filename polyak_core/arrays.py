"""Array types, the inner product along the last axis, and the checks of what people hand in."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.checks import real_array, shown

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
SCALES = 1e-150, 1e150
"""Where L may lie, so that squares of gradients neither overflow nor vanish."""
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


def finite_array(value: Given, name: str, ndim: int) -> Array:
    """A float64 copy-free view of what was given, or a ValueError in words.

    Raises:
        ValueError: not numeric, wrong number of axes, empty, or not finite.
    """
    array = np.asarray(real_array(value, name), dtype=np.float64)
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
    with contextlib.suppress(Exception):  # whatever an object raises that is no number
        if not isinstance(value, np.ma.MaskedArray):
            array = np.asarray(value)
            number = float(value) if array.ndim == 0 and array.dtype.kind in "iufO" else math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} = {shown(value)} is not a number that can be used; allowed is {allowed}.")
    return number


def whole_number(value: Given, name: str, low: int, high: int) -> int:
    """An int between ``low`` and ``high``, both included, or a ValueError."""
    number = real_number(value, name, f"a whole number from {low} to {high}")
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{name} = {shown(value)} is not allowed: give a whole number from {low} to {high}.")
    return int(number)


def called(value: Given, name: str, when: str) -> Callable[..., Any] | None:
    """A function or None, or a ValueError that says when it is called."""
    if value is not None and not callable(value):
        raise ValueError(
            f"{name} = {shown(value)} cannot be called; give a function that is {when}, or None."
        )
    return value  # type: ignore[no-any-return]


def text(value: Given, name: str) -> str:
    """A str, or a ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{name} = {shown(value)} is not allowed: give text.")
    return value


def checked_scale(L: float, remedy: str) -> float:
    """L, or a ValueError in words."""
    low, high = SCALES
    if not low <= L <= high:
        raise ValueError(
            f"L = {L:g} is not allowed: it must be from {low:g} to {high:g}, or squares overflow or vanish; "
            f"{remedy}."
        )
    return L


def one_of(value: Given, name: str, allowed: Sequence[str]) -> str:
    """A known name, or a ValueError that lists them."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} {shown(value)} is unknown; choose one of {', '.join(map(repr, allowed))}.")
    return str(value)
