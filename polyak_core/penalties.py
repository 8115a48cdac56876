"""The penalty psi of a problem: value, prox, and the exact distance from its tangent.

Points have shape ``(..., n)``; leading axes are independent runs and sums are kept as an axis of length 1
for them, as in `polyak_core.arrays.inner`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array, Scalar, paired, total
from polyak_core.display import Formula


class Penalty(Protocol):
    """What a `Problem` asks of psi.

    Attributes:
        formula: for people.
        cheap: whether a prox costs O(n), so that the record may use one more.
    """

    formula: str
    cheap: bool

    def value(self, x: Array) -> float:
        """psi(x) for a plain point; infinite outside of the domain."""

    def prox(self, v: Array, step: float) -> Array:
        """The minimiser of psi(x) + ||x - v||^2 / (2 step)."""

    def tidy(self, v: Array, xi: Array) -> Array:
        """The subgradient of psi at v that xi is, apart from rounding."""

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """psi(u) - psi(v) - xi'(u - v) for a tidy xi of v, a sum of terms that are not negative."""

    def check(self, x: Array, name: str) -> None:
        """Raise ValueError, in words, for a point where psi is infinite."""


class L1(Formula):
    """psi(x) = lam ||x||_1, lam >= 0."""

    cheap = True

    def __init__(self, lam: float) -> None:
        """Keep lam."""
        self.lam = lam
        self.formula = f"{lam:g} ||x||_1"

    def value(self, x: Array) -> float:
        """Sum of absolute values."""
        return self.lam * float(np.abs(x).sum())

    def prox(self, v: Array, step: float) -> Array:
        """Soft threshold at lam step."""
        size = self.lam * step
        return np.asarray(v - np.minimum(np.maximum(v, -size), size))

    def tidy(self, v: Array, xi: Array) -> Array:
        """Exactly +-lam on the support, within [-lam, lam] off it."""
        return np.where(v != 0, self.lam * np.sign(v), np.clip(xi, -self.lam, self.lam))

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """Sum of |u_i| (lam - xi_i sign u_i): v drops out, since lam |v_i| = xi_i v_i."""
        above, below = np.maximum(u, 0.0), np.minimum(u, 0.0)
        return paired(self.lam - xi, above) - paired(self.lam + xi, below)

    def check(self, x: Array, name: str) -> None:
        """Finite everywhere."""


class Box(Formula):
    """psi(x) = 0 on low <= x_i <= high, infinite elsewhere."""

    cheap = True

    def __init__(self, low: float, high: float) -> None:
        """Keep the bounds; `high` may be infinite."""
        self.low, self.high = low, high
        self.formula = f"0 if {low:g} <= x_i <= {high:g}" if np.isfinite(high) else f"0 if x_i >= {low:g}"

    def value(self, x: Array) -> float:
        """0 or infinity."""
        return 0.0 if bool(np.all((x >= self.low) & (x <= self.high))) else np.inf

    def prox(self, v: Array, step: float) -> Array:
        """The nearest point of the box."""
        return np.clip(v, self.low, self.high)

    def tidy(self, v: Array, xi: Array) -> Array:
        """0 on free coordinates, <= 0 at the lower bound, >= 0 at the upper one."""
        at_low, at_high = v <= self.low, v >= self.high
        return np.where(at_low & (xi < 0), xi, 0.0) + np.where(at_high & (xi > 0), xi, 0.0)

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """-xi'(u - v), each term not negative for u in the box."""
        return total(xi * (v - u))

    def check(self, x: Array, name: str) -> None:
        """Each entry within the bounds."""
        outside = int(np.count_nonzero((x < self.low) | (x > self.high)))
        if outside:
            raise ValueError(
                f"{name} has {outside} entries outside of [{self.low:g}, {self.high:g}], where f is "
                "infinite; give a feasible point, for instance zeros."
            )


TOUCHING = 1 - 500 * EPS
"""Singular values of a subgradient above this are 1 but for rounding."""


class Decomposition(NamedTuple):
    """M = U diag(s) Vt, shapes (..., p, q), (..., q), (..., q, q), p >= q, s descending."""

    U: Array
    s: Array
    Vt: Array

    @classmethod
    def of(cls, matrices: Array) -> Decomposition:
        """Singular value decomposition of matrices with at least as many rows as columns.

        A matrix that is not finite gets singular values NaN: a run that diverges ends in words.
        """
        finite = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
        if np.all(finite):
            return cls(*np.linalg.svd(matrices, full_matrices=False))
        U, s, Vt = np.linalg.svd(np.where(finite[..., None, None], matrices, 0.0), full_matrices=False)
        return cls(U, np.where(finite[..., None], s, np.nan), Vt)

    def with_values(self, s: Array) -> Decomposition:
        """The same vectors, other singular values."""
        return Decomposition(self.U, s, self.Vt)

    def matrix(self) -> Array:
        """U diag(s) Vt."""
        return np.asarray((self.U * s_as_row(self.s)) @ self.Vt)


def s_as_row(s: Array) -> Array:
    """Singular values as a factor for columns."""
    return s[..., None, :]


def above_tangent(X: Decomposition, Z: Decomposition) -> Array:
    """||X||_* - <Z, X> for ||Z|| <= 1, shape (...): the sum of sigma_i (1 - u_i'Z v_i), X's triples.

    With singular values d_j and right vectors q_j of Z, 1 - u'Zv = ||u - Zv||^2/2 + sum (1 - d_j^2)
    (q_j'v)^2/2: squares, so that a touching pair costs no digits.
    """
    along = Z.Vt @ np.swapaxes(X.Vt, -1, -2)
    missed = X.U - Z.U @ (Z.s[..., :, None] * along)
    lost = np.where(Z.s < TOUCHING, (1 - Z.s) * (1 + Z.s), 0.0)
    slack = np.sum(missed * missed, axis=-2) + np.sum(lost[..., :, None] * along * along, axis=-2)
    return np.asarray(0.5 * np.sum(X.s * slack, axis=-1))


def as_scalar(value: npt.NDArray[np.float64]) -> Scalar:
    """A bare float for one run, shape (runs, 1) for stacked ones."""
    return float(value) if value.ndim == 0 else value[..., None]


class Nuclear(Formula):
    """psi(X) = lam ||X||_*, the sum of singular values of an n x m matrix, lam > 0.

    A subgradient at X is lam Z with ||Z|| <= 1 and <Z, X> = ||X||_*.
    Reference: Cai, Candes, Shen 2010, A singular value thresholding algorithm for matrix completion.
    """

    cheap = False

    def __init__(self, lam: float, shape: tuple[int, int]) -> None:
        """Keep lam and the shape of matrices."""
        self.lam = lam
        self.shape = shape
        self.formula = f"{lam:g} ||X||_*"

    def tall(self, x: Array) -> Array:
        """Flattened (..., n * m) to matrices (..., p, q) with p >= q."""
        matrices = x.reshape(*x.shape[:-1], *self.shape)
        return matrices if self.shape[0] >= self.shape[1] else np.swapaxes(matrices, -1, -2)

    def flat(self, matrices: Array) -> Array:
        """The way back."""
        if self.shape[0] < self.shape[1]:
            matrices = np.swapaxes(matrices, -1, -2)
        return matrices.reshape(*matrices.shape[:-2], -1)

    def decomposed(self, x: Array) -> Decomposition:
        """One decomposition a run."""
        return Decomposition.of(self.tall(x))

    def value(self, x: Array) -> float:
        """lam times the sum of singular values."""
        return self.lam * float(np.linalg.svd(self.tall(x), compute_uv=False).sum())

    def split(self, v: Array, step: float) -> tuple[Decomposition, Decomposition]:
        """The prox X of v, and Z with v = X + lam step Z, from one decomposition."""
        level = self.lam * step
        whole = self.decomposed(v)
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = np.where(whole.s >= level, 1.0, whole.s / level)
        return whole.with_values(np.maximum(whole.s - level, 0.0)), whole.with_values(cut)

    def prox(self, v: Array, step: float) -> Array:
        """Singular value thresholding at lam step."""
        return self.flat(self.split(v, step)[0].matrix())

    def tidy(self, v: Array, xi: Array) -> Array:
        """The projection of c v + xi onto ||.|| <= lam: xi itself for a true subgradient and any c > 0.

        Its singular values at those of v are exactly lam, the others at most that. No rank is decided: what
        is rounding in v moves nothing by more than rounding.
        """
        size = np.linalg.norm(v, axis=-1, keepdims=True)
        scale = self.lam / np.where(size > 0, size, 1.0)
        whole = self.decomposed(scale * v + xi)
        return self.flat(whole.with_values(np.minimum(whole.s, self.lam)).matrix())

    def unit(self, xi: Array) -> Decomposition:
        """Z of a subgradient lam Z."""
        whole = self.decomposed(xi)
        return whole.with_values(whole.s / self.lam)

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """The sum of lam sigma_i(u) (1 - u_i'Z v_i): v drops out, since lam ||v||_* = <xi, v>."""
        return as_scalar(self.lam * above_tangent(self.decomposed(u), self.unit(xi)))

    def check(self, x: Array, name: str) -> None:
        """Finite everywhere."""
