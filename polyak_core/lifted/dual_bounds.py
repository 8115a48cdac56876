"""Dual lower bounds of f*: D of each loss, from f and the gradient at hand, without a product.

f* - D is no subtraction: with d = x - x*, w = G d and g = grad h(x*) each is a sum of terms that are not
negative, as the gap is. (Only the logistic one subtracts, f - D less f - f*.)
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from polyak_core.arrays import Array, Scalar, choose, inner, nonnegative, total
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.form import Form, Sizes


class Dual(Protocol):
    """Dual bounds of one problem."""

    def shortfall(self, form: Form, z: Array, sizes: Sizes) -> Scalar:
        """f* - D >= 0 for the bound D that f and the gradient at z give; no product."""


def _parts(form: Form, z: Array) -> tuple[Array, Array, Scalar]:
    assert isinstance(form, Composite)
    return form.parts(z)


class StrongConvexityDual:
    """D = f(x) - ||grad f(x)||^2 / (2 mu), for psi = 0 (logistic: mu = 2 lam)."""

    def __init__(self, mu: float) -> None:
        """mu > 0."""
        self._mu = mu

    def shortfall(self, form: Form, z: Array, sizes: Sizes) -> Scalar:
        """||grad||^2/(2 mu) less the gap."""
        return nonnegative(sizes.squared / (2 * self._mu) - sizes.gap)


class LassoDual:
    """D = s b'r - s^2 ||r||^2/2, r = b - Ax, s = clip(b'r/||r||^2, +-lam/||A'r||_inf).

    f* - D = 1/2 ||s r - r*||^2 + sum |x*_i| (lam - s sign(x*_i) (A'r)_i), r* = b - Ax*, A'r* = -g and
    A'r = -(g + w). Where x*_i != 0, |g_i| = lam, so that |(A'r)_i| - lam = sign(g_i) w_i without subtraction.
    """

    def __init__(self, lam: float, x_star: Array, g: Array, residual: float) -> None:
        """`g` = grad h(x*), exactly -lam sign(x*_i) where x*_i != 0; `residual` = ||r*||^2."""
        self._lam, self._x_star, self._g, self._residual = lam, x_star, g, residual

    def shortfall(self, form: Form, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        d, w, energy = _parts(form, z)
        lam, x_star, g = self._lam, self._x_star, self._g
        v, gd, xw = g + w, inner(d, g), inner(w, x_star)
        squared = nonnegative(self._residual + 2 * gd + 2 * energy)  # ||r||^2
        free = choose(squared > 0, squared, np.inf)
        rest = (gd + 2 * energy + float(x_star @ g) + xw) / free  # 1 - b'r/||r||^2
        over = np.where(v * g > 0, np.sign(g) * w + (np.abs(g) - lam), np.abs(v) - lam)
        excess = over.max(axis=-1, keepdims=v.ndim > 1)  # ||A'r||_inf - lam
        largest = choose(lam + excess > 0, lam + excess, np.finfo(float).tiny)
        high = excess / largest  # 1 - s at s = lam/||A'r||_inf; at minus that s it is 2 - high
        missing = choose(rest < high, high, choose(rest > 2 - high, 2 - high, rest))
        missing = choose(squared > 0, missing, 1.0)
        s = 1 - missing
        apart = missing * missing * self._residual - 2 * s * missing * gd + 2 * s * s * energy
        slack = total(np.maximum(lam * missing * np.abs(x_star) + s * x_star * w, 0.0))
        return nonnegative(0.5 * apart) + slack


class HingeDual:
    """D = -[sum max(0, -grad_i) + a'(grad + 1)/2], minus the primal value at w(a).

    f* - D = 1/2 d'Hd + sum a*_i max(grad_i, 0) + (1 - a*_i) max(-grad_i, 0), grad = g + w.
    """

    def __init__(self, x_star: Array, g: Array) -> None:
        """`g` = grad h(a*), exactly 0 on free coordinates."""
        self._x_star, self._g = x_star, g

    def shortfall(self, form: Form, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        _, w, energy = _parts(form, z)
        grad = self._g + w
        up, down = np.maximum(grad, 0.0), np.maximum(-grad, 0.0)
        return energy + total(self._x_star * up + (1 - self._x_star) * down)


class SquaredHingeDual:
    """D = -[a'm/2 + (C/4) sum max(0, 1 - m_i)^2], m = Qa = grad + 1 - (2/C) a.

    f* - D = 1/2 d'Qd + sum (C/4) (max(0, 1 - m_i) - (2/C) a*_i)^2 + a*_i max(0, m_i - 1), and
    1 - m_i - (2/C) a*_i = (2/C) d_i - grad_i, grad = g + w.
    """

    def __init__(self, x_star: Array, g: Array, C: float) -> None:
        """`g` = grad h(a*), exactly 0 where a*_i > 0."""
        self._x_star, self._g, self._C = x_star, g, C

    def shortfall(self, form: Form, z: Array, sizes: Sizes) -> Scalar:
        """No product."""
        d, w, energy = _parts(form, z)
        grad, ridge = self._g + w, 2 / self._C
        kernel_energy = nonnegative(energy - 0.5 * ridge * inner(d, d))  # 1/2 d'Qd
        off = np.maximum(ridge * d - grad, -ridge * self._x_star)
        above = np.maximum(grad - ridge * (self._x_star + d), 0.0)
        return kernel_energy + total(0.25 * self._C * off * off + self._x_star * above)
