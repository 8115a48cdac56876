"""h, psi and L of a problem as they are given, checked, and a problem in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.checks import SCALES, Given, called, finite_array, real_number, shown
from polyak_core.penalties import Penalty
from polyak_core.problems.custom import OwnLoss, is_own, own_parts
from polyak_core.problems.least_squares import Loss

if TYPE_CHECKING:
    pass


def checked_target(b: Given, rows: int) -> Array:
    """A copy of the right-hand side of least squares, or a ValueError in words."""
    target = finite_array(b, "b", ndim=1).copy()
    if target.size != rows:
        raise ValueError(f"b has {target.size} entries but A has {rows} rows; give one entry a row.")
    with np.errstate(over="ignore"):
        squared = float(target @ target)
    if not np.isfinite(squared):
        raise ValueError(
            f"b is so large (up to {np.abs(target).max():.1e}) that 1/2 ||b||^2 overflows; scale the data."
        )
    return target


def checked_weight(lam: Given, why: str) -> float:
    """lam >= 0, or a ValueError in words; `why` not below."""
    weight = real_number(lam, "lam", "a number >= 0")
    if weight < 0:
        raise ValueError(f"lam = {shown(lam)} is negative{why}; give a number >= 0.")
    return weight


def checked_parts(
    h: Given, psi: Given, x0: npt.ArrayLike | None, L: float | None, mu: float | None
) -> tuple[Loss, Penalty | None]:
    """h and psi as they are, or, if they are people's own, checked and wrapped."""
    if is_own(h, psi):
        return own_parts(h, psi, x0, L, mu)
    if mu is not None:
        raise ValueError(
            f"mu = {shown(mu)} is for one's own h; this one knows its mu. Give mu to solve instead."
        )
    return h, psi


def point_like(x: npt.ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """A copy of a point, or a ValueError in words."""
    point = finite_array(x, name, ndim=len(shape))
    if point.shape != shape:
        raise ValueError(
            f"{name} has {point.size} entries in shape {point.shape}; "
            f"this problem has n = {np.prod(shape)}, shape {shape}."
        )
    if np.abs(point).max() > SCALES[1]:
        raise ValueError(
            f"{name} is so far from 0 (an entry of size {np.abs(point).max():.1e}) that squares overflow; "
            f"give one that is closer, with entries up to {SCALES[1]:g}."
        )
    return np.array(point, order="C")


def seeks_long(loss: Loss, certify: Given) -> bool:
    """Whether finding x* may take long; a `certify` of unknown cost may, but not beside a loss of one's own.

    The methods of people's own losses are called in one thread only, that of the caller.
    """
    called(certify, "certify", "called with x0 and returns a Reference")
    if isinstance(loss, OwnLoss):
        return False
    return bool(getattr(loss if certify is None else certify, "long_search", certify is not None))
