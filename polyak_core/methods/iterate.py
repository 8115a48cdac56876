"""One step of a method, as it is recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polyak_core.arrays import Array, Scalar
from polyak_core.methods.estimators import Estimate
from polyak_core.methods.f_star import GapSeen


class Iterate(NamedTuple):
    """One step of a method.

    Attributes:
        k: index.
        x, y: x_k and y_k = T_L(x_k).
        mu, beta: form x_{k+1}; NaN where a method has none.
        log_A: log A_k of the estimate sequence, NaN where there is none.
        t: momentum counter t_k after the test at y_k, NaN where there is none.
        restarted: whether a restart fired at y_k.
        mu_hat, frozen: the estimate that the method made at this step (None: it made none), and whether it
            was refused.
        seen: what the method has learned of f*, where that changes on the way.
        L: the L that made y_k, where it changes on the way (NaN: it is problem.L).
        gap: f(y_k) - f*, where the method has asked for it (NaN: it has not).
        z: a third point, of which the guarantee speaks; the record's distance is its own (None: that of x).
    """

    k: int
    x: Array
    y: Array
    mu: Scalar = np.nan
    beta: Scalar = np.nan
    log_A: Scalar = np.nan
    t: Scalar = np.nan
    restarted: Scalar = False
    mu_hat: Scalar | None = None
    frozen: Scalar = False
    seen: GapSeen | None = None
    L: float = np.nan
    gap: Scalar = np.nan
    z: Array | None = None

    @classmethod
    def of(
        cls, k: int, x: Array, y: Array, estimate: Estimate, beta: Scalar = np.nan, log_A: Scalar = np.nan
    ) -> Iterate:
        """A step with the estimate of a rule at y_k: mu, mu_hat, frozen, what is known of f*, and the gap."""
        mu, mu_hat, frozen, _, seen, gap = estimate
        return cls(
            k, x, y, mu, beta, log_A, mu_hat=mu_hat, frozen=frozen, seen=seen, gap=gap,
        )  # fmt: skip
