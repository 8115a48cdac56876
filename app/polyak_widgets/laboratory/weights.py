"""The weight of a penalty from which on 0 is the minimiser."""

from __future__ import annotations

import numpy as np

import polyak_core as pc
from polyak_core.penalties import L1, Nuclear
from polyak_core.problems.completion import ObservedEntries
from polyak_core.problems.lasso import LassoLoss


def largest_lam(problem: pc.Problem) -> float | None:
    """The largest lam worth a run: from here on x* = 0; None where the problem has no such weight.

    The dual norm of the gradient of h at 0: max |A'b| for an l1 norm, the largest singular value for a
    nuclear one.
    """
    loss = problem.loss
    if isinstance(problem.penalty, L1) and isinstance(loss, LassoLoss):
        return float(np.abs(loss.A.T @ loss.b).max())
    if isinstance(problem.penalty, Nuclear) and isinstance(loss, ObservedEntries):
        return float(np.linalg.norm(2 * loss.Y.reshape(loss.shape), 2))
    return None
