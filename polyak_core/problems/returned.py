"""What the methods of people's own h and psi return, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import Given, real_array, shown


def _returned(value: Given, name: str, what: str) -> npt.NDArray[Any]:
    try:
        return real_array(value, name)
    except ValueError:
        raise ValueError(f"{name} must return {what}; it returned {shown(value)}.") from None


def returned_number(value: Given, name: str) -> float:
    """A float, or a ValueError that names the method."""
    array = _returned(value, name, "one real number")
    if array.size != 1:
        raise ValueError(f"{name} must return one real number; it returned {shown(value)}.")
    return float(array.reshape(()))


def returned_vector(value: Given, name: str, n: int) -> Array:
    """A float64 copy of shape (n,), or a ValueError that names the method."""
    array = _returned(value, name, f"real numbers of shape ({n},)")
    if array.shape != (n,):
        raise ValueError(
            f"{name} must return real numbers of shape ({n},); it returned {array.dtype} of shape "
            f"{array.shape}."
        )
    return np.array(array, dtype=np.float64)  # a copy: it may be a buffer that is used again
