"""x* and f* of a problem of which only values, gradients and proxes are known: a long accelerated run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from polyak_core.arrays import EPS, Array
from polyak_core.certificates.momentum import Momentum
from polyak_core.certificates.reference import Reference
from polyak_core.checks import SCALES
from polyak_core.progress.watch import step as watched_step

LONGEST = 20_000
PATIENCE = 2_000
"""Steps without a smaller gradient after which the run ends: mostly rounding errors dominate then."""
ROUNDING = 10 * EPS


class Function(Protocol):
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
    """The step y = T_L(x) with the smallest reduced gradient so far, and `slope`, grad h at x."""

    k: int
    size: float
    L: float
    x: Array
    y: Array
    slope: Array

    @property
    def length(self) -> float:
        """The length to which the rounding of the step is relative."""
        return self.L * float(np.linalg.norm(self.x)) + float(np.linalg.norm(self.slope))


def reference_run(function: Function, x0: Array, value_noise: float) -> Reference:
    """FISTA with restarts on the gradient until g_L is rounding, or for 20,000 steps.

    Where the given L turns out to be too small the run is made again with an L found on the way.
    Guarantee: none, for nobody knows how people's h and psi are rounded: the error is an estimate. With the
    given mu > 0 and an L that is true along the last step, y = T_L(x) has f(y) - f* <= ||g_L(x)||^2
    (1/mu - 1/L)/2 but for rounding, which is taken as ten units in the last place of the step. Without them
    it is ||g_L(x)|| times the distance from x_0.
    Reference: Barre and d'Aspremont, lemma 2.1 at x*; O'Donoghue and Candes 2015.

    Raises:
        ValueError: the run leaves what float64 can hold.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        best, steps = _accelerated(function, x0, _step_with_L)
        if not _fits(function, best):
            best, steps = _accelerated(function, x0, _searched)
        f_star = function.total(best.y)
    if not np.isfinite(f_star):
        raise ValueError(f"f is not finite where the reference run ended; it is {f_star:g}. Check psi.value.")
    noise = ROUNDING * best.length
    size = best.size + noise
    if function.mu > 0 and _fits(function, best):
        error = 0.5 * size * size * max(1 / function.mu - 1 / best.L, 0.0) + noise * noise / function.mu
        words = "from the given mu and L, since how h is rounded is not known"
    else:
        error = size * max(float(np.linalg.norm(best.y - x0)), EPS * float(np.linalg.norm(x0)))
        words = "without a bound: " + ("L is too small" if function.mu > 0 else "mu is not given")
    source = f"reference run of {steps} accelerated steps"
    if best.L != function.L:
        source += f" with L = {best.L:.3g} found on the way, as the given {function.L:.3g} is too small"
    source += f"; error estimated as {error:.1g} {words}"
    if best.size > 100 * noise:
        source += f"; not converged, ||g_L|| = {best.size:.1e}"
    level = max(value_noise * abs(f_star), error)
    return Reference(best.y, f_star, error, source, level=level, proven=False)


def _fits(function: Function, best: Best) -> bool:
    """Whether the best step meets no more curvature than its L, and whether there is one."""
    return best.k > 0 and _curvature(function, best) <= best.L * (1 + 1e-6)


def _curvature(function: Function, step: Best) -> float:
    """The curvature of h along a step, less what may be rounding; infinite where h is not finite."""
    s = step.y - step.x
    squared = float(s @ s)
    if squared == 0:
        return 0.0
    rise = float((function.grad(step.y) - step.slope) @ s) - ROUNDING * step.length * squared**0.5
    return rise / squared if np.isfinite(rise) else np.inf


def _step(function: Function, k: int, x: Array, slope: Array, L: float) -> Best:
    y = function.target(x, slope, L)
    return Best(k, L * float(np.linalg.norm(x - y)), L, x, y, slope)


def _step_with_L(function: Function, k: int, x: Array, slope: Array, L: float) -> Best:
    """A step with the L at hand."""
    return _step(function, k, x, slope, L)


def _searched(function: Function, k: int, x: Array, slope: Array, L: float) -> Best:
    """A step with the first of L, 2 L, 4 L, ... that is no smaller than the curvature met.

    Raises:
        ValueError: there is none.
    """
    while L <= SCALES[1]:
        step = _step(function, k, x, slope, L)
        if np.isfinite(step.size) and _curvature(function, step) <= L * (1 + 1e-6):
            return step
        L *= 2
    raise ValueError(
        f"The reference run for x* met numbers that are not finite at step {k}, whatever L is: h.grad or "
        "psi.prox returns such numbers, or the two do not fit each other. Correct them."
    )


def _accelerated(
    function: Function, x0: Array, step: Callable[[Function, int, Array, Array, float], Best]
) -> tuple[Best, int]:
    """The best step, and how many were taken; with a fixed L none where the run leaves the finite numbers."""
    x, y, L = x0, x0, function.L
    momentum = Momentum(x0)
    best = Best(0, np.inf, L, x0, x0, x0)
    for k in range(1, LONGEST + 1):
        watched_step("reference run", k)
        x = momentum.ahead(x, y)
        new = step(function, k, x, function.grad(x), L)
        y, L = new.y, new.L
        if not np.isfinite(new.size):
            return Best(0, np.inf, L, x0, x0, x0), k
        if new.size < best.size:
            best = new
        if new.size <= EPS * L * float(np.linalg.norm(x)) or k - best.k >= PATIENCE:
            break
    return best, k
