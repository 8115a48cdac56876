"""The logistic loss of a sample: values, gradients, and both with all rounding bounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import scipy

from polyak_core.arrays import EPS, EXTENDED_EPS, Array, Extended
from polyak_core.matrices.exact import Whole, affordable, exact_times, rounded_sum
from polyak_core.matrices.factors import Factors, factorise
from polyak_core.matrices.kinds import Centred, Matrix, is_dense

MANY_DIGITS = Context(prec=50, traps=[])
MOST_ROWS = 5000
"""So many logarithms of so many digits take a tenth of a second."""
ACCURATE = 1e-40
"""Values in many digits are right to this, relative to them, with much to spare."""
NOTHING = 10_000
"""e^-m of such a margin m is far below the smallest float64."""
UNLIKE = 1024
"""Columns are scaled where the largest entries of two of them differ so many times."""


@dataclass(frozen=True)
class Sample:
    """h(x) = sum log(1 + exp(-y_i a_i'x)) + lam ||x||^2.

    Attributes:
        A: shape (m, n); dense, sparse or centred.
        labels: y, entries +-1.
        lam: >= 0.
        factors: those of A; None where it is too large.
    """

    A: Matrix
    labels: Array
    lam: float
    factors: Factors | None = None

    @property
    def dependent(self) -> bool:
        """Whether there may be many minimisers: the columns are dependent up to rounding."""
        return self.lam == 0 and self.factors is not None and not self.factors.full_column_rank

    def margins(self, x: Array) -> Array:
        """y_i a_i'x."""
        return np.asarray(self.labels * (self.A @ x))

    def value(self, x: Array) -> float:
        """h(x)."""
        return float(np.logaddexp(0.0, -self.margins(x)).sum() + self.lam * (x @ x))

    def grad(self, x: Array) -> Array:
        """Gradient of h."""
        return np.asarray(2 * self.lam * x - (self.labels * scipy.special.expit(-self.margins(x))) @ self.A)

    def curvatures(self, x: Array) -> Array:
        """phi'' = p (1 - p) of each margin."""
        margins = self.margins(x)
        return np.asarray(scipy.special.expit(margins) * scipy.special.expit(-margins))


@dataclass(frozen=True)
class Slope:
    """h at a point in extended precision, with bounds on what rounding did.

    Attributes:
        value, value_off: h, and a bound on its error before it was rounded to float64.
        gradient, rounding: its gradient, and a bound on the error of each entry.
        curvatures, inexact: phi'' of each margin, and a bound on their relative error.
    """

    value: float
    value_off: float
    gradient: Array
    rounding: Array
    curvatures: Array
    inexact: float


def slope_at(sample: Sample, wide: Matrix, x: Extended) -> Slope:
    """Value and gradient, with bounds made of the rounding error of every product; `wide` is A, extended.

    A margin that is off by e puts p = 1/(1 + e^m) off by at most p (e^e - 1), and by at most 1. What bounds
    errors is made in float64, and a little larger for that.
    """
    rows, columns = wide.shape
    size, larger = abs(sample.A), 1 + 2 * (rows + columns + 8) * EPS
    margins = sample.labels * (wide @ x)
    off = EXTENDED_EPS * (columns + 4) * larger * (size @ _from_above(np.abs(x)))
    e = np.exp(-np.abs(margins))
    p = np.where(margins > 0, e, 1.0) / (1 + e)
    value = rounded_sum(np.append(np.log1p(e) + np.maximum(-margins, 0), sample.lam * (x @ x)))
    gradient = 2 * sample.lam * x - (sample.labels * p) @ wide
    p_off = np.where(off < 1, p * np.expm1(np.minimum(off, 1)), 1) + p * (EXTENDED_EPS * (rows + 12))
    rounding = (
        larger * (_from_above(p_off) @ size)
        + 4 * EXTENDED_EPS * 2 * sample.lam * np.abs(x)
        + EPS * np.abs(gradient)
    )
    value_off = np.minimum(off, p * np.expm1(np.minimum(off, 1)) + (off >= 1) * off).sum()
    return Slope(
        value,
        float(value_off + EXTENDED_EPS * 12 * value + EXTENDED_EPS * columns * sample.lam * (x @ x)),
        np.asarray(gradient, np.float64),
        np.asarray(rounding, np.float64),
        np.asarray(e / np.square(1 + e), np.float64),
        float(np.expm1(min(float(off.max()), 1.0))) + 16 * EPS,
    )


def _from_above(bound: Extended) -> Array:
    """In float64, and not 0 where it was not."""
    return np.maximum(bound.astype(np.float64), np.where(bound > 0, np.finfo(np.float64).tiny, 0.0))


def value_at(sample: Sample, x: Array, slope: Slope) -> tuple[float, float]:
    """h(x) rounded once, and a bound on what rounding before that did; `slope` is that at x."""
    if not affordable(sample.A) or sample.labels.size > MOST_ROWS:
        return slope.value, slope.value_off
    point = Whole.of(x)
    margins = exact_times(sample.A, point)
    digits, total = MANY_DIGITS, Decimal(0)
    for number, label in zip(margins.numbers, sample.labels, strict=True):
        total = digits.add(
            total, _softplus(_decimal(Fraction(int(label) * number) * Fraction(2) ** margins.exponent))
        )
    squares = _decimal(Fraction(sample.lam) * point.dot(point))
    value = float(digits.add(total, squares))
    return value, ACCURATE * value


def _decimal(value: Fraction) -> Decimal:
    return MANY_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def _softplus(margin: Decimal) -> Decimal:
    """log(1 + e^-m)."""
    digits = MANY_DIGITS
    size = abs(margin)
    e = digits.exp(-size) if size < NOTHING else Decimal(0)
    grown = digits.subtract(e, digits.divide(digits.multiply(e, e), Decimal(2)))
    if e > Decimal("1e-25"):
        grown = digits.ln(digits.add(Decimal(1), e))
    return digits.add(grown, size) if margin < 0 else grown


def entry_scale(A: Matrix) -> Array:
    """Powers of 2 that bring the largest entries of columns near 1; all 1 where they are alike already."""
    largest = np.abs(A).max(axis=0) if is_dense(A) else _largest_entries(A)
    used = largest[largest > 0]
    if not used.size or used.max() < UNLIKE * used.min():
        return np.ones(A.shape[1])
    return np.exp2(-np.round(np.log2(np.where(largest > 0, largest, 1.0))))


def _largest_entries(A: Matrix) -> Array:
    X = A.X if isinstance(A, Centred) else A
    largest = np.asarray(abs(X).max(axis=0).toarray()).ravel()
    return np.maximum(largest, np.abs(A.mean)) if isinstance(A, Centred) else largest


def scaled(sample: Sample, scale: Array) -> Sample:
    """The same sample without penalty in z with x = scale z; exact, for powers of 2."""
    A = sample.A
    if (scale == 1).all():
        return sample
    if isinstance(A, Centred):
        A = Centred(A.X.multiply(scale).tocsr(), A.mean * scale)
    else:
        A = A * scale if is_dense(A) else A.multiply(scale).tocsr()
    return Sample(A, sample.labels, 0.0, None if sample.factors is None else factorise(A))
