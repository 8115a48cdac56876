"""x* and f* of a problem of which only values, gradients and proxes are known: a long accelerated run."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.reference import Reference
from polyak_core.watch import step as watched_step

LONGEST = 20_000
PATIENCE = 2_000
"""Steps without a smaller gradient after which the run ends: mostly rounding rules then."""
ROUNDING = 10 * EPS


class Oracle(Protocol):
    """f = h + psi."""

    L: float
    mu: float

    def grad(self, x: Array) -> Array:
        """Gradient of h."""

    def target(self, x: Array, gradient: Array, L: float) -> Array:
        """T_L(x)."""

    def total(self, x: Array) -> float:
        """f(x)."""


class Best(NamedTuple):
    """The step with the smallest reduced gradient so far."""

    k: int
    size: float
    x: Array
    y: Array
    slope: Array


def reference_run(oracle: Oracle, x0: Array, value_noise: float) -> Reference:
    """FISTA with restarts on the gradient until g_L is rounding, or for 20,000 steps.

    Guarantee: none, for nobody knows how people's h and psi are rounded: the error is an estimate. With the
    given mu > 0 and an L that is true along the last step, y = T_L(x) has f(y) - f* <= ||g_L(x)||^2
    (1/mu - 1/L)/2 but for rounding, which is taken as ten units in the last place of the step. Without them
    it is ||g_L(x)|| times the way from x_0.
    Reference: Barre and d'Aspremont, lemma 2.1 at x*; O'Donoghue and Candes 2015.

    Raises:
        ValueError: the run leaves what float64 can hold.
    """
    best, steps = _accelerated(oracle, x0)
    f_star = oracle.total(best.y)
    if not np.isfinite(f_star):
        raise ValueError(f"f is not finite where the reference run ended; it is {f_star:g}. Check psi.value.")
    s = best.y - best.x
    length = oracle.L * float(np.linalg.norm(best.x)) + float(np.linalg.norm(best.slope))
    noise = ROUNDING * length
    size = best.size + noise
    met = float((oracle.grad(best.y) - best.slope) @ s)
    fits = met <= oracle.L * float(s @ s) * (1 + 1e-6) + noise * float(np.linalg.norm(s))
    if oracle.mu > 0 and fits:
        error = 0.5 * size * size * (1 / oracle.mu - 1 / oracle.L) + noise * noise / oracle.mu
        words = "from the given mu and L, since how h is rounded is not known"
    else:
        error = size * max(float(np.linalg.norm(best.y - x0)), EPS * float(np.linalg.norm(x0)))
        words = "without a bound: " + ("L is too small" if oracle.mu > 0 else "mu is not given")
    source = f"reference run of {steps} accelerated steps; error estimated {words}"
    if best.size > 100 * noise:
        source += f"; not converged, ||g_L|| = {best.size:.1e}"
    level = max(value_noise * abs(f_star), error)
    return Reference(best.y, f_star, error, source, level=level, proven=False)


def _accelerated(oracle: Oracle, x0: Array) -> tuple[Best, int]:
    y = y_before = x0
    t, L = 1.0, oracle.L
    best = Best(0, np.inf, x0, x0, x0)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, LONGEST + 1):
            watched_step("reference run", k)
            t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
            x = y + (t - 1) / t_next * (y - y_before)
            slope = oracle.grad(x)
            y_before, y, t = y, oracle.target(x, slope, L), t_next
            size = L * float(np.linalg.norm(x - y))
            if not np.isfinite(size):
                raise ValueError(
                    f"The reference run for x* left the finite numbers at step {k}: either L = {L:g} is too "
                    "small, or h.grad or psi.prox return what is not finite. Give a larger L, or mend them."
                )
            if size < best.size:
                best = Best(k, size, x, y, slope)
            if size <= EPS * L * float(np.linalg.norm(x)) or k - best.k >= PATIENCE:
                break
            if (x - y) @ (y - y_before) > 0:
                t, y_before = 1.0, y
    return best, k
