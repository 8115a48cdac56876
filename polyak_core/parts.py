"""h, psi and L of a problem as they are given, checked, and a problem in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array, Given, finite_array
from polyak_core.losses import Loss
from polyak_core.own import OwnLoss, is_own, own_parts
from polyak_core.penalties import Penalty

if TYPE_CHECKING:
    from polyak_core.problem import Problem

SCALES = 1e-150, 1e150
"""Where L may lie, so that squares of gradients neither overflow nor vanish."""


def checked_scale(L: float, remedy: str) -> float:
    """L, or a ValueError in words."""
    low, high = SCALES
    if not low <= L <= high:
        raise ValueError(
            f"L = {L:g} is not allowed: it must be from {low:g} to {high:g}, or squares overflow or vanish; "
            f"{remedy}."
        )
    return L


def checked_parts(
    h: Given, psi: Given, x0: npt.ArrayLike | None, L: float | None, mu: float | None
) -> tuple[Loss, Penalty | None]:
    """h and psi as they are, or, if they are people's own, checked and wrapped."""
    if is_own(h, psi):
        return own_parts(h, psi, x0, L, mu)
    if mu is not None:
        raise ValueError(f"mu = {mu!r} is for one's own h; this one knows its mu. Give mu to solve instead.")
    return h, psi


def point_like(x: npt.ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """A copy of a point, or a ValueError in words."""
    point = finite_array(x, name, ndim=len(shape))
    if point.shape != shape:
        raise ValueError(
            f"{name} has {point.size} entries in shape {point.shape}; "
            f"this problem has n = {np.prod(shape)}, shape {shape}."
        )
    return np.array(point, order="C")


def seeks_long(loss: Loss, certify: Given) -> bool:
    """Whether finding x* may take long; a `certify` of unknown cost may, but not beside a loss of one's own.

    The methods of people's own losses are called in one thread only, that of the caller.
    """
    if isinstance(loss, OwnLoss):
        return False
    return bool(getattr(certify or loss, "long_search", certify is not None))


def described(problem: Problem) -> str:
    """The formula with all constants, plain text, a line each."""
    constant = problem.constant
    overridden = problem.L != problem.true_L and not constant
    bounded = "<=" if problem.reference.proven else "about"
    lines = [
        f"{problem.name}: {problem.loss.formula}, n = {problem.loss.size}",
        f"L = {problem.L:.6g}" + (f" (given; true L = {problem.true_L:.6g})" if overridden else ""),
        f"mu = {problem.mu:.6g}, condition number L/mu = {problem.condition_number:.6g}",
    ]
    if problem.mu_restricted > 0:
        lines.append(f"smallest non-zero curvature = {problem.mu_restricted:.6g}")
    lines += [
        f"f* = {problem.f_star:.17g}, "
        f"f(x*) - min f {bounded} {problem.f_star_error:.2g} ({problem.f_star_source})",
        f"representation: {problem.form.name}",
    ]
    if problem.mu > problem.L / 2:
        lines.append(
            "note: L/mu < 2, so the default mu_0 = L/2 of AdaptAPG lies below mu; give mu0= for more"
        )
    if constant:
        why = "f is constant" if problem.penalty is None else "h has no curvature"
        lines.append(f"note: {why}, so every L is right; L = 1 is used")
    return "\n".join(lines + [f"note: {note}" for note in problem.loss.notes])
