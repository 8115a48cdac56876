"""People's own h and psi: plain objects on plain points, checked, and carried without images.

f* and x* come from a reference run, so that a gap is a difference of two values, with a floor that is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from polyak_core.arrays import EPS, Array, Scalar, choose, inner, norm, root
from polyak_core.certificates.long_run import reference_run
from polyak_core.certificates.reference import Reference
from polyak_core.checks import SCALES, Given, checked_scale, finite_array, real_array, real_number, shown
from polyak_core.lifted.form import GRADIENT_NOISE, VANISHING, Form, Sizes
from polyak_core.matrices.counted import Counts

VALUE_NOISE = 1e3 * EPS
"""Rounding of a difference of two values of f, relative to them (generous)."""
PROBE, SHORTER = 1e-5, 1e-2
"""The gradient is compared with values of h over this part of a step ||grad||/L, then over shorter ones."""


class Smooth(Protocol):
    """h as people write it, on points of shape (n,)."""

    def value(self, x: Array) -> float:
        """h(x)."""

    def grad(self, x: Array) -> Array:
        """Its gradient, shape (n,)."""


class Proximable(Protocol):
    """psi as people write it, on points of shape (n,)."""

    def value(self, x: Array) -> float:
        """psi(x), infinite outside of the domain."""

    def prox(self, x: Array, step: float) -> Array:
        """The minimiser u of psi(u) + ||u - x||^2 / (2 step), shape (n,)."""


def is_own(h: Given, psi: Given) -> bool:
    """Whether h or psi is one of people's own, not one of this package."""
    ready = hasattr(h, "form") and hasattr(h, "formula")
    return not ready or (psi is not None and not hasattr(psi, "bregman"))


def own_parts(
    h: Given, psi: Given, x0: npt.ArrayLike | None, L: Given, mu: Given
) -> tuple[OwnLoss, OwnPenalty | None]:
    """Checked loss and penalty of one's own.

    Raises:
        ValueError: a method is missing, L or x0 is not given, mu outside of [0, L], what the methods return
            at x0 has a wrong shape or is not finite, or grad does not fit value.
    """
    _require_methods(h, "h", ("value", "grad"))
    if psi is not None:
        _require_methods(psi, "psi", ("value", "prox"))
    if x0 is None:
        raise ValueError("x0 is missing: a problem of your own needs a start; give an array of shape (n,).")
    start = finite_array(x0, "x0", ndim=1).copy()
    if L is None:
        raise ValueError("L is missing: it is a Lipschitz constant of grad h; give a number > 0.")
    smoothness = real_number(L, "L", "a number > 0")
    checked_scale(smoothness, "give a number > 0")
    curvature = 0.0 if mu is None else real_number(mu, "mu", "a number from 0 to L")
    if not (curvature == 0 or SCALES[0] <= curvature <= smoothness):
        allowed = f"give 0, or a number from {SCALES[0]:g} to L = {smoothness:g}"
        raise ValueError(f"mu = {shown(mu)} is not allowed: {allowed}.")
    penalty = None if psi is None else OwnPenalty(psi, start.size)
    loss = OwnLoss(h, penalty, start.size, smoothness, curvature)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is said in words
        _probe(loss, penalty, start)
    return loss, penalty


def _require_methods(thing: Given, name: str, methods: tuple[str, ...]) -> None:
    missing = [method for method in methods if not callable(getattr(thing, method, None))]
    if missing:
        raise ValueError(
            f"{name} = {type(thing).__name__} has no method {' and no method '.join(missing)}; "
            f"give an object with {' and '.join(methods)}."
        )


def _probe(loss: OwnLoss, penalty: OwnPenalty | None, x: Array) -> None:
    """At x0 everything must be finite, and the gradient must be that of the values."""
    value, grad = loss.value(x), loss.grad(x)
    if not (np.isfinite(value) and np.isfinite(grad).all()):
        name = "h.grad" if np.isfinite(value) else "h.value"
        raise ValueError(f"{name}(x0) is not finite; give an x0 where h is finite.")
    if penalty is not None:
        penalty.check(x, "x0")
        if not np.all(np.isfinite(penalty.prox(x, 1 / loss.L))):
            raise ValueError("psi.prox(x0, 1/L) is not finite; give a prox that is.")
    _compare(loss, x, value, grad)


def _compare(loss: OwnLoss, x: Array, value: float, grad: Array) -> None:
    """Compare over shorter and shorter lengths while they do not fit: L may be far below the true one."""
    size = float(np.linalg.norm(grad))
    if not np.isfinite(size):
        raise ValueError(f"||h.grad(x0)|| overflows (entries up to {np.abs(grad).max():.1e}); scale h.")
    move, wrong = min(PROBE * size / loss.L, SCALES[1]), ""
    while move * size > 100 * VALUE_NOISE * abs(value):  # else it is too flat here to tell
        change = loss.value(x + move * grad / size) - value
        if abs(change - move * size) <= 0.1 * move * size:
            return
        wrong = wrong or (
            f"h.grad does not fit h.value: along the gradient at x0, h changes by {change:.3g} over a length "
            f"of {move:.3g}, where grad says {move * size:.3g}. Check grad, or give a larger L."
        )
        move *= SHORTER
    if wrong:
        raise ValueError(wrong)


class OwnPenalty:
    """psi of one's own as a `Penalty`, without what only certified problems need."""

    cheap = False

    def __init__(self, psi: Proximable, n: int) -> None:
        """psi and the size of points."""
        self._psi = psi
        self._n = n
        self.formula = f"psi(x) of {type(psi).__name__}"

    def value(self, x: Array) -> float:
        """psi(x)."""
        return returned_number(self._psi.value(x.copy()), "psi.value")

    def prox(self, v: Array, step: float) -> Array:
        """The prox of psi."""
        return returned_vector(self._psi.prox(v.copy(), step), "psi.prox", self._n)

    def tidy(self, v: Array, xi: Array) -> Array:
        """Not known for one's own psi, and never called, since `OwnForm` subtracts values."""
        raise NotImplementedError("gaps of a psi of your own are computed by subtraction")

    def bregman(self, u: Array, v: Array, xi: Array) -> Scalar:
        """Not known for one's own psi, and never called, since `OwnForm` subtracts values."""
        raise NotImplementedError("gaps of a psi of your own are computed by subtraction")

    def check(self, x: Array, name: str) -> None:
        """psi must be finite at a start."""
        value = self.value(x)
        if not np.isfinite(value):
            raise ValueError(f"psi({name}) = {value:g}, so f is not finite there; give a feasible point.")


class OwnLoss:
    """h of one's own as a `Loss`; it knows psi as well, for the reference run."""

    mu_restricted = float("nan")
    notes: tuple[str, ...] = ()

    def __init__(self, h: Smooth, penalty: OwnPenalty | None, n: int, L: float, mu: float) -> None:
        """h, psi, the size of points, L and mu as given."""
        self._h, self._penalty = h, penalty
        self.size, self.L, self.mu = n, L, mu
        psi = "" if penalty is None else " + psi(x)"
        names = f"h = {type(h).__name__}" + ("" if penalty is None else f", {penalty.formula}")
        self.formula = f"f(x) = h(x){psi}, {names}"

    def value(self, x: Array) -> float:
        """h(x)."""
        return returned_number(self._h.value(x.copy()), "h.value")

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return returned_vector(self._h.grad(x.copy()), "h.grad", self.size)

    def total(self, x: Array) -> float:
        """f(x)."""
        return self.value(x) + (0.0 if self._penalty is None else self._penalty.value(x))

    def target(self, x: Array, gradient: Array, L: float) -> Array:
        """T_L(x)."""
        return self.prox(x - gradient / L, 1 / L)

    def prox(self, x: Array, step: float) -> Array:
        """prox_{step psi}(x)."""
        return x if self._penalty is None else self._penalty.prox(x, step)

    def grain(self, reference: Reference) -> float:
        """Rounding of a gap: f(y) - f* is a subtraction."""
        return VALUE_NOISE * abs(reference.f_star)

    def reference(self, x0: Array) -> Reference:
        """By a long accelerated run."""
        return reference_run(self, x0, VALUE_NOISE)

    def form(self, name: str | None, reference: Reference) -> Form:
        """Plain points; there is nothing to choose."""
        if name is not None:
            raise ValueError(f"representation = {name!r} is not for a problem of your own; leave it out.")
        return OwnForm(self, reference)


class OwnForm:
    """Points z = x, without images. Values of f are subtracted, and a number that is only rounding is NaN."""

    name = "plain points"
    free_estimate = False

    def __init__(self, loss: OwnLoss, reference: Reference) -> None:
        """h + psi and what the reference run found."""
        self._loss = loss
        self._x_star, self._f_star = reference.x_star, reference.f_star
        self._grain = loss.grain(reference) + reference.error

    def lift(self, x: Array) -> Array:
        """x itself."""
        return x.copy()

    def point(self, z: Array) -> Array:
        """x itself."""
        return z

    def displacement(self, z: Array) -> Array:
        """x - x*."""
        return np.asarray(z - self._x_star)

    def stepper(self, L: float) -> Callable[[Array], Array]:
        """Gradient step and prox, run by run."""
        return lambda z: _rows(lambda x: self._loss.target(x, self._loss.grad(x), L), z)

    def slope(self, z: Array) -> Array:
        """The gradient, run by run."""
        return _rows(self._loss.grad, z)

    def prox(self, z: Array, step: float) -> Array:
        """The prox, run by run."""
        return _rows(lambda x: self._loss.prox(x, step), z)

    def gap(self, z: Array) -> Scalar:
        """f(x) - f*, by subtraction; it may come out below 0 by rounding."""
        return _numbers(self._loss.total, z) - self._f_star

    def sizes(self, z: Array, L: float, kind: str) -> Sizes:
        """One gradient and one prox; values of f at z, and for some kinds at T_L(z)."""
        g = _rows(self._loss.grad, z)
        target = _rows(lambda both: self._loss.target(both[: z.shape[-1]], both[z.shape[-1] :], L), z, g)
        s = target - z
        squared = L * L * inner(s, s)
        after: Scalar | None = None
        if kind == "certified":
            after = self.gap(target)
        elif kind == "model":
            above = inner(g, s) + 0.5 * L * inner(s, s) - _numbers(self._loss.value, target)
            after = _numbers(self._loss.value, z) + above + self.gap(target)
        return Sizes(squared, self.gap(z), after)

    def squared_step(self, x: Array, y: Array, L: float) -> Scalar:
        """L^2 ||x - y||^2."""
        return L * L * inner(x - y, x - y)

    def excess(self, x: Array, y: Array, L: float, gap: Scalar) -> Scalar:
        """mu_loc(x) ||x - x*||^2 / 2 by subtraction, NaN where that is rounding."""
        s = x - y
        difference = L * inner(s, x - self._x_star) - 0.5 * L * inner(s, s) - gap
        return choose(difference > self._grain + VALUE_NOISE * abs(gap), difference, np.nan)

    def curvature(self, x: Array, y: Array) -> Scalar:
        """From values of h, or from its gradients where the difference of values is rounding.

        It is 0 where the difference of gradients is rounding too: a longer step may meet more.
        """
        s = y - x
        squared, slope, slope_after = inner(s, s), _rows(self._loss.grad, x), _rows(self._loss.grad, y)
        low, high = _numbers(self._loss.value, x), _numbers(self._loss.value, y)
        above = high - low - inner(slope, s)
        by_gradients = inner(slope_after - slope, s)
        rounding = 100 * GRADIENT_NOISE * (norm(slope) + norm(slope_after)) * root(squared)
        hidden = (by_gradients <= rounding) & (rounding < np.inf)
        by_gradients = choose(hidden, 0.0 * squared, by_gradients)
        resolved = above > 100 * VALUE_NOISE * (abs(low) + abs(high) + abs(inner(slope, s)))
        known = choose(squared > self.noise(x, 1.0) ** 2, squared, np.nan)
        return choose(resolved, 2 * above, by_gradients) / known

    def noise(self, z: Array, L: float) -> Scalar:
        """Rounding of points and gradients."""
        return GRADIENT_NOISE * L * norm(z) + VANISHING

    def counted_by(self, counts: Counts) -> OwnForm:
        """The same: there are no products to count."""
        return self


def _rows(work: Callable[[Array], Array], *points: Array) -> Array:
    """Do the work on each run; several points of a run are joined into one array."""
    z = points[0] if len(points) == 1 else np.concatenate(points, axis=-1)
    if z.ndim == 1:
        return work(z)
    return np.stack([work(row) for row in z])


def _numbers(work: Callable[[Array], Any], z: Array) -> Scalar:
    return work(z) if z.ndim == 1 else np.array([[work(row)] for row in z])


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
