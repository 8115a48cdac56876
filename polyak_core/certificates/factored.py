"""Low rank matrices as products of two factors, and Newton's method on these.

With ||X||_* = min (||G||^2 + ||H||^2)/2 over G H' = X, matrix completion becomes smooth in (G, H).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy

from polyak_core.arrays import EXTENDED, EXTENDED_EPS, Array, Extended
from polyak_core.progress.budget import FACTORED, SEARCH
from polyak_core.progress.watch import step as watched_step

NEWTON_STEPS, NEWTON_WORK = (10, 80), 3e10
"""Newton steps, within limits, and their work: each takes the cube of the number of unknowns."""
CONJUGATE_STEPS, CONJUGATE_GAIN = 150, 1e-8
EXTENDED_PRODUCT = 3.0
"""Price of a multiplication of matrices in extended precision (`polyak_core.progress.budget`)."""
DAMPING = 1e-3
STILL = 64 * EXTENDED_EPS
LARGEST_NEWTON = 1000
"""Unknowns up to which the Hessian is made."""


class LowRank(NamedTuple):
    """X = G H', ||X||_* <= (||G||^2 + ||H||^2)/2."""

    G: Extended
    H: Extended

    def product(self) -> Array:
        """X as float64."""
        return np.asarray(self.G @ self.H.T, dtype=np.float64)


@dataclass(frozen=True)
class Observed:
    """The data: Y with zeros where nothing is observed, the mask as 0 and 1, lam > 0; tall matrices."""

    Y: Extended
    mask: Extended
    lam: float

    def residual(self, X: Extended) -> Extended:
        """P(Y - X)."""
        return np.asarray(self.mask * (self.Y - X), dtype=EXTENDED)

    def gradient(self, at: LowRank) -> LowRank:
        """Gradient of ||P(G H' - Y)||^2 + lam/2 (||G||^2 + ||H||^2)."""
        R = 2 * self.residual(at.G @ at.H.T)
        return LowRank(self.lam * at.G - R @ at.H, self.lam * at.H - R.T @ at.G)


def value_of(data: Observed, at: LowRank) -> float:
    """`energy`, rounded."""
    return float(energy(data, at))


def energy(data: Observed, at: LowRank) -> np.longdouble:
    """||P(G H' - Y)||^2 + lam/2 (||G||^2 + ||H||^2), never below f(G H')."""
    R = data.residual(at.G @ at.H.T)
    return EXTENDED(np.sum(R * R) + data.lam * nuclear_bound(at))


def nuclear_bound(at: LowRank) -> np.longdouble:
    """(||G||^2 + ||H||^2)/2."""
    return EXTENDED(np.sum(at.G * at.G) + np.sum(at.H * at.H)) / 2


def polished(data: Observed, start: LowRank) -> LowRank:
    """Newton, damped where f would grow, with gradients in extended precision.

    A column that is not needed shrinks to rounding; it is left out, and the rest polished again.
    Reference: Levenberg and Marquardt's damping; the turns of `_turns` are given curvature of their own.
    """
    at, value, slope = start, energy(data, start), data.gradient(start)
    newton, damping = _newton(data, at), 0.0
    allowed = _allowed(at)
    for k in range(allowed):
        watched_step("Newton on the factors", k)
        step = newton(damping, slope)
        new = None if step is None else LowRank(at.G + step.G, at.H + step.H)
        rise = np.inf if new is None else energy(data, new) - value
        if new is None or rise > STILL * value:
            damping = max(4 * damping, DAMPING * data.lam)
            continue
        new_slope = data.gradient(new)
        if -rise <= STILL * value and not _size(new_slope) < 0.5 * _size(slope):
            break
        at, value, slope, newton = new, value + rise, new_slope, _newton(data, new)
        damping = damping / 8 if damping > DAMPING * data.lam else 0.0
    trimmed = _trimmed(at)
    return at if trimmed is None else polished(data, trimmed)


def _allowed(at: LowRank) -> int:
    """How many Newton steps the work allows."""
    (p, rank), q = at.G.shape, at.H.shape[0]
    if at.G.size + at.H.size <= LARGEST_NEWTON:
        return int(np.clip(NEWTON_WORK / (at.G.size + at.H.size) ** 3, *NEWTON_STEPS))
    products = 4 * EXTENDED_PRODUCT * rank + CONJUGATE_STEPS * (6 * FACTORED * rank + 6)
    return int(np.clip(SEARCH / 5 / (p * q * products), 2, NEWTON_STEPS[1]))


def _trimmed(at: LowRank) -> LowRank | None:
    """The factors turned so that unneeded columns show, and these left out; None if there are none."""
    gram = np.asarray(at.G.T @ at.G + at.H.T @ at.H, dtype=np.float64)
    sizes, turn = np.linalg.eigh(gram)
    needed = sizes > 1e-12 * sizes[-1]
    return None if needed.all() else LowRank(at.G @ turn[:, needed], at.H @ turn[:, needed])


def _size(slope: LowRank) -> float:
    return float(np.sqrt(np.sum(slope.G**2) + np.sum(slope.H**2)))


def _newton(data: Observed, at: LowRank) -> Callable[[float, LowRank], LowRank | None]:
    """Minus the inverse of the damped Hessian times a gradient, from factors or by conjugate gradients."""
    if at.G.size + at.H.size > LARGEST_NEWTON:
        return partial(conjugate_step, data, at)
    return partial(_newton_step, _hessian(data, at))


def _newton_step(hessian: Array, damping: float, slope: LowRank) -> LowRank | None:
    """Minus the inverse of the damped Hessian times the gradient, None where it is not positive definite."""
    right = np.concatenate([slope.G.ravel(), slope.H.ravel()]).astype(np.float64)
    damped = hessian + damping * np.eye(len(hessian))
    try:
        step = -scipy.linalg.cho_solve(scipy.linalg.cho_factor(damped), right)
    except (scipy.linalg.LinAlgError, ValueError):
        return None
    split = slope.G.size
    return LowRank(step[:split].reshape(slope.G.shape), step[split:].reshape(slope.H.shape))


def _hessian(data: Observed, at: LowRank) -> Array:
    """Of (A, B): 2 ||P(A H' + G B')||^2 - 4 <R, A B'> + lam (||A||^2 + ||B||^2), as a matrix.

    Turning both factors alike changes nothing, and the gradient has no part along such turns: they are
    given curvature, so that the matrix can be inverted.
    """
    G, H = (np.asarray(a, dtype=np.float64) for a in at)
    (p, r), q = G.shape, H.shape[0]
    rows, columns = np.nonzero(np.asarray(data.mask, dtype=np.float64))
    observed = np.arange(rows.size)
    J = np.zeros((rows.size, p + q, r))
    J[observed, rows] = H[columns]
    J[observed, p + columns] = G[rows]
    flat = J.reshape(rows.size, -1)
    R = np.asarray(data.residual((G @ H.T).astype(EXTENDED)), dtype=np.float64)
    cross = np.kron(-2 * R, np.eye(r))
    hessian = 2 * flat.T @ flat + data.lam * np.eye((p + q) * r)
    hessian[: p * r, p * r :] += cross
    hessian[p * r :, : p * r] += cross.T
    turns = _turns(np.concatenate([G, H]))
    return np.asarray(hessian + turns @ turns.T)


def conjugate_step(data: Observed, at: LowRank, damping: float, slope: LowRank) -> LowRank:
    """Minus the inverse of the damped Hessian times the gradient, about, by conjugate gradients.

    They are preconditioned with the Hessian for either factor alone, which is a small block for each row, and
    end where curvature is not positive: what there is then is a direction of descent.
    """
    G, H = (np.asarray(a, dtype=np.float64) for a in at)
    mask = np.asarray(data.mask, dtype=np.float64)
    R = 2 * np.asarray(data.residual(at.G @ at.H.T), dtype=np.float64)
    weight = data.lam + damping
    inverses = [
        np.linalg.inv(2 * row_grams(m, F) + weight * np.eye(F.shape[1])) for m, F in ((mask, H), (mask.T, G))
    ]

    def scaled(A: Array, B: Array) -> tuple[Array, Array]:
        return tuple(np.einsum("iab,ib->ia", M, V) for M, V in zip(inverses, (A, B), strict=True))

    r = tuple(-np.asarray(g, dtype=np.float64) for g in slope)
    step = tuple(np.zeros_like(v) for v in r)
    p: tuple[Array, ...] = scaled(*r)
    z = p
    first = size = _dot(r, z)
    for k in range(CONJUGATE_STEPS):
        watched_step("conjugate gradients on the factors", k)
        S = 2 * mask * (p[0] @ H.T + G @ p[1].T)
        image = (weight * p[0] + S @ H - R @ p[1], weight * p[1] + S.T @ G - R.T @ p[0])
        curvature = _dot(p, image)
        if not curvature > 0:
            step = step if k else p
            break
        step = tuple(s + size / curvature * v for s, v in zip(step, p, strict=True))
        r = tuple(v - size / curvature * w for v, w in zip(r, image, strict=True))
        z = scaled(*r)
        before, size = size, _dot(r, z)
        if not size > CONJUGATE_GAIN**2 * first:
            break
        p = tuple(v + size / before * w for v, w in zip(z, p, strict=True))
    return LowRank(*(s.astype(EXTENDED) for s in step))


def row_grams(mask: Array, F: Array) -> Array:
    """For each row of the mask, F'F over the rows of F that it shows: shape (rows, r, r)."""
    rank = F.shape[1]
    squares = (F[:, :, None] * F[:, None, :]).reshape(len(F), rank * rank)
    return np.asarray((mask @ squares).reshape(-1, rank, rank))


def _dot(u: tuple[Array, ...], v: tuple[Array, ...]) -> float:
    return float(sum(np.vdot(a, b) for a, b in zip(u, v, strict=True)))


def _turns(T: Array) -> Array:
    """Directions T K, K skew with two entries, as columns."""
    r = T.shape[1]
    pairs = [(a, b) for a in range(r) for b in range(a)]
    directions = np.zeros((len(pairs), *T.shape))
    for direction, (a, b) in zip(directions, pairs, strict=True):
        direction[:, a], direction[:, b] = T[:, b], -T[:, a]
    return directions.reshape(len(pairs), T.size).T
