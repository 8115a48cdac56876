"""Matrix completion with the nuclear norm: f(X) = sum over observed entries (X - Y)^2 + lam ||X||_*."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import Array
from polyak_core.certificates.completion import completion_reference
from polyak_core.certificates.reference import Reference
from polyak_core.checks import Given, checked_weight, finite_array, real_array, visible
from polyak_core.display import Formula
from polyak_core.lifted.form import Form
from polyak_core.lifted.quadratic import Eigenbasis
from polyak_core.penalties import Nuclear
from polyak_core.problems.problem import Problem


class ObservedEntries(Formula):
    """h(X) = sum over the mask (X - Y)^2, no 1/2: L = 2, and mu = 2 if all is observed, else 0.

    Attributes:
        shape: (n, m); points are flattened to n * m entries.
        Y, mask: flattened, Y = 0 where nothing is observed, the mask as 0.0 and 1.0.
    """

    L = 2.0

    def __init__(self, Y: Array, mask: Array, lam: float = 0.0) -> None:
        """Keep the arrays, of shape (n, m); nobody else may change them. lam is for the formula alone."""
        self.shape = Y.shape
        self.size = Y.size
        self.Y, self.mask = Y.ravel(), mask.ravel()
        self.mu = 2.0 if mask.all() else 0.0
        self.mu_restricted = 2.0 if mask.all() else float("nan")
        self.formula = "f(X) = sum over observed entries (X - Y)^2" + (f" + {lam:g} ||X||_*" if lam else "")
        n, m = Y.shape
        self.notes: tuple[str, ...] = (f"points are {n} x {m} matrices, {int(mask.sum())} entries observed",)

    def value(self, x: Array) -> float:
        """h(X), by subtraction: see the gap of a problem for accuracy."""
        r = self.mask * (x - self.Y)
        return float(r @ r)

    def grad(self, x: Array) -> Array:
        """2 P(X - Y)."""
        return np.asarray(2 * self.mask * (x - self.Y))

    def reference(self, x0: Array) -> Reference:
        """Without a penalty: Y where it is observed, x0 elsewhere."""
        return Reference(np.where(self.mask > 0, self.Y, x0), 0.0, 0.0, "the observed entries, exact")

    def form(self, name: str | None, reference: Reference) -> Form:
        """The Hessian is diagonal."""
        if name not in (None, "eigenbasis"):
            raise ValueError(
                f"representation {name!r} is not for matrix completion, where the Hessian is diagonal; "
                "leave it out."
            )
        return Eigenbasis(2 * self.mask, reference.x_star)


LARGEST = 1e100
"""The largest observed entry that is allowed, so that nothing made of squares overflows."""
LONG = 2000
"""Matrices of more entries take more than about a second to complete."""


@dataclass
class Certificate:
    """x* of matrix completion, made once: it does not depend on the start."""

    loss: ObservedEntries
    penalty: Nuclear
    _reference: Reference | None = field(default=None, repr=False)

    @property
    def long_search(self) -> bool:
        """Whether x* is sought in a thread of its own."""
        return self.loss.size > LONG

    def __call__(self, x0: Array) -> Reference:
        """The reference, from whatever start."""
        if self._reference is None:
            self._reference = completion_reference(self.loss.Y, self.loss.mask, self.penalty)
        return self._reference


def matrix_completion(
    Y: npt.ArrayLike,
    mask: npt.ArrayLike,
    lam: float,
    *,
    x0: npt.ArrayLike | None = None,
    L: float | None = None,
) -> Problem:
    """Matrix completion: f(X) = sum over the mask (X - Y)^2 + lam ||X||_* (no 1/2, so L = 2).

    Points go in and come out as n x m matrices. A prox step takes one singular value decomposition, and
    recording adds none.

    Args:
        Y: shape (n, m); entries that are not observed do not matter and may be NaN.
        mask: shape (n, m), boolean or 0 and 1: which entries are observed.
        lam: weight of the nuclear norm (sum of singular values), >= 0.
        x0: start, shape (n, m); zeros by default.
        L: overrides 2 (a wrong L on purpose).

    Raises:
        ValueError: shapes that do not fit, a mask of other values, an observed entry that is not finite,
            lam < 0, L <= 0.

    >>> import numpy as np
    >>> import polyak_core as pc
    >>> Y = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0])
    >>> observed = np.ones((3, 3), dtype=bool)
    >>> observed[0, 0] = False
    >>> trace = pc.solve(pc.matrix_completion(Y, observed, lam=0.01), "fista", iterations=2000)
    >>> round(float(trace.y[0, 0]), 1)  # it was not observed
    1.0
    """
    values = real_array(np.ma.getdata(Y) if isinstance(Y, np.ma.MaskedArray) else Y, "Y")
    observed = _mask(mask, values.shape)
    if isinstance(Y, np.ma.MaskedArray):
        visible(np.ma.array(values, mask=np.ma.getmaskarray(Y) & observed), "Y, where it is observed,")
    if values.ndim == 2:
        values = np.where(observed, values, 0)
    entries = np.array(finite_array(values, "Y, where it is observed,", ndim=2), order="C")
    if np.abs(entries).max() > LARGEST:
        raise ValueError(
            f"Y has observed entries up to {np.abs(entries).max():.1e}, and squares overflow; scale Y."
        )
    weight = checked_weight(lam, "")
    loss = ObservedEntries(entries, observed.astype(np.float64), weight)
    penalty = Nuclear(weight, entries.shape) if weight > 0 else None
    certify = None if penalty is None else Certificate(loss, penalty)
    return Problem(loss, penalty, certify=certify, x0=x0, L=L, name="matrix completion")


def _mask(mask: Given, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    entries = real_array(mask, "mask, boolean or 0 and 1,")
    if entries.shape != shape:
        raise ValueError(f"mask has shape {entries.shape} but Y has {shape}; give one entry for each of Y.")
    if not np.isin(entries, (0, 1)).all():
        raise ValueError(
            f"mask must be boolean, or 0 and 1 alone; got {entries.dtype} with other values. For instance "
            "mask = ~np.isnan(Y)."
        )
    return entries.astype(bool)


def random_completion(
    n: int = 30, rank: int = 5, entries: int = 200, lam: float = 0.01, seed: int = 0
) -> Problem:
    """The random problem of the paper's figure 1: Y = G H', G and H of shape (n, rank), standard normal.

    A matrix of rank 5 has 275 degrees of freedom against 200 entries, so that Y is not recovered.
    """
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n))
    mask = np.zeros(n * n, dtype=bool)
    mask[rng.choice(n * n, size=entries, replace=False)] = True
    problem = matrix_completion(Y, mask.reshape(n, n), lam)
    problem.name = f"matrix completion, {n} x {n}, rank {rank}, {entries} entries, seed {seed}"
    return problem
