"""x* and f* of matrix completion: a long run finds the rank, Newton on the factors the last digits.

The problem is min ||P(X - Y)||^2 + lam ||X||_*, P keeping the observed entries. Its dual is
max <Xi, Y> - ||Xi||^2/4 over Xi = P Xi with largest singular value <= lam.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from polyak_core.arrays import EPS, EXTENDED, EXTENDED_EPS, PRECISION, Array, Extended
from polyak_core.certificates.factored import LowRank, Observed, polished, value_of
from polyak_core.certificates.growing import grown
from polyak_core.certificates.momentum import Momentum
from polyak_core.certificates.reference import Reference
from polyak_core.matrices.exact import Whole, rounded_sum
from polyak_core.penalties import Decomposition, Nuclear
from polyak_core.progress.watch import step as watched_step

GOAL = 1e-12
"""A bound below this times f* (squared for X* = 0) shows that the rank is right; Newton leaves far less."""
WORK = 4e9
ITERATIONS = 50, 40_000
"""First-order steps: so many times n m min(n, m) as `WORK` allows, within these limits."""
LARGEST_EXTENDED = 1e8
"""Most multiplications of matrices in extended precision that a last digit is worth."""
ENOUGH_STEPS = 5000
"""Where fewer steps are allowed, the rank is first sought from below."""
LARGEST_NEWTON = 1500
"""Most unknowns that Newton's method is used for."""


def completion_reference(Y: Array, mask: Array, penalty: Nuclear) -> Reference:
    """Certified solution; Y and mask flattened, Y = 0 where mask = 0.

    Guarantee: for X = G H' + E and any Xi = P Xi with ||Xi|| <= lam, weak duality gives f(X) - min f <=
    ||P(Y - X) - Xi/2||^2 + lam/2 (||G||^2 + ||H||^2) - <Xi, X> + lam ||E||_*, whatever was found. With Xi =
    2 P(Y - G H'), scaled down, all but the rounding E of the entries cancels at the solution.
    """
    Y_wide, mask_wide = (penalty.tall(a).astype(EXTENDED) for a in (Y, mask))
    data = Observed(Y_wide, mask_wide, penalty.lam)
    tried: list[tuple[float, Array, LowRank, str]] = []
    doubt = "; the rank is not certain, a weaker bound"
    for factors, how, goal in _candidates(data):
        X = factors.product()
        tried.append((duality_bound(data, X, factors), X, factors, how))
        if tried[-1][0] <= goal * value_of(data, factors):
            doubt = ""
            break
    error, X, factors, how = min(tried, key=lambda candidate: candidate[0])
    xi = penalty.flat(np.asarray(2 * data.residual(factors.G @ factors.H.T), dtype=np.float64))
    x_star = penalty.flat(X)
    source = f"{how}, with a dual point scaled to be feasible{doubt}"
    f_star, gradient = _rounded_value(data, X, factors), -penalty.tidy(x_star, xi)
    return Reference(x_star, f_star, error, source, gradient=gradient)


def _rounded_value(data: Observed, X: Array, factors: LowRank) -> float:
    """||P(X - Y)||^2 + lam/2 (||G||^2 + ||H||^2), rounded once: no further from min f than the bound says.

    It is what the bound is made of, less the dual value and, for the rounding of X, lam ||E||_*.
    """
    observed = data.mask > 0
    r = Whole.of(np.asarray(data.Y[observed], dtype=np.float64)) - Whole.of(X[observed])
    squares = Fraction(0)
    for factor in factors:
        high = np.asarray(factor, dtype=np.float64)
        low = np.asarray(factor - high, dtype=np.float64)
        both = Whole.of(high) - Whole.of(-low)
        squares += both.dot(both)
    return float(r.dot(r) + Fraction(data.lam) / 2 * squares)


def _candidates(data: Observed) -> Iterator[tuple[LowRank, str, float]]:
    """Factors, source and goal of X = 0, then of points of a long run, each polished and as it is."""
    p, q = data.Y.shape
    rank = -1
    nothing = np.zeros((p, 0), EXTENDED), np.zeros((q, 0), EXTENDED)
    yield LowRank(*nothing), "X* = 0, lam being at least the norm of 2 P(Y)", GOAL**2
    factors = grown(data) if _steps(data) < ENOUGH_STEPS else None
    if factors is not None:
        yield factors, f"Newton on factors grown to rank {factors.G.shape[1]}", GOAL
    for X in _long_run(data, None if factors is None else factors.product()):
        positive = X.s > 0
        root = np.sqrt(X.s[positive])
        G, H = X.U[:, positive] * root, X.Vt[positive].T * root
        rough = LowRank(G.astype(EXTENDED), H.astype(EXTENDED))
        before, rank = rank, int(positive.sum())
        settled = abs(rank - before) <= 1 or _reaches_goal(data, rough)
        if settled and 0 < rank * (p + q) <= LARGEST_NEWTON:
            smooth = polished(data, rough)
            yield smooth, f"Newton on the factors of rank {smooth.G.shape[1]} in {PRECISION} precision", GOAL
        yield rough, f"an accelerated run, rank {rank}", GOAL


def _steps(data: Observed) -> int:
    """First-order steps that the work allows."""
    p, q = data.Y.shape
    return int(np.clip(WORK / (p * q * q), *ITERATIONS))


def _reaches_goal(data: Observed, factors: LowRank) -> bool:
    return duality_bound(data, factors.product(), factors) <= GOAL * value_of(data, factors)


def _long_run(data: Observed, start: Array | None) -> Iterator[Decomposition]:
    """FISTA, from 0 or a start, restarted where f would grow; it yields after 25, 50, 100, ... steps.

    Reference: O'Donoghue and Candes 2015, the gradient test.
    """
    Y, mask = (np.asarray(a, dtype=np.float64) for a in (data.Y, data.mask))
    last = _steps(data)
    x = np.zeros_like(Y) if start is None else start
    momentum, due = Momentum(x), 25
    for k in range(1, last + 1):
        watched_step("accelerated run", k)
        whole = Decomposition.of(x - mask * (x - Y))  # a step of 1/L = 1/2
        X = whole.with_values(np.maximum(whole.s - data.lam / 2, 0.0))
        x = momentum.ahead(x, X.matrix())
        if k in (due, last):
            due *= 2
            yield X


# -- the bound ----------------------------------------------------------------------------------


def duality_bound(data: Observed, X: Array, factors: LowRank) -> float:
    """Proven bound on f(X) - min f for the float64 matrix X near G H', rounding included."""
    product = factors.G @ factors.H.T
    R, wide = data.residual(product), X.astype(EXTENDED)
    norm = spectral_norm_bound(2 * R)
    scale = min(EXTENDED(1), data.lam / norm) if norm > 0 else EXTENDED(1)
    away = wide - product
    sizes = np.sqrt(np.sum(factors.G**2) * np.sum(factors.H**2))
    rounding = np.sqrt(np.sum(away * away)) + EXTENDED_EPS * (factors.G.shape[1] + 2) * sizes
    terms = np.concatenate([
        (data.lam / 2 * factors.G**2).ravel(),
        (data.lam / 2 * factors.H**2).ravel(),
        (-2 * scale * R * wide).ravel(),
        ((data.residual(wide) - scale * R) ** 2).ravel(),
    ])  # fmt: skip
    noise = 16 * EXTENDED_EPS * float(np.abs(terms).sum())
    spread = data.lam * np.sqrt(min(X.shape)) * float(rounding)
    return (max(rounded_sum(terms), 0.0) + noise + float(spread)) * (1 + 16 * EPS)


def spectral_norm_bound(Z: Extended) -> np.longdouble:
    """Proven upper bound on the largest singular value, tight where many are close to the largest.

    With V from a decomposition, made orthogonal in extended precision, and M = (Z V)'(Z V) cut into blocks
    where the values leave the largest one, ||M|| is at most the larger eigenvalue of the 2 x 2 matrix of the
    norms of blocks: the off-diagonal ones are rounding and count squared. Large matrices get the float64
    value and a bound on its rounding instead.
    """
    p, q = Z.shape
    if p * q * q > LARGEST_EXTENDED:
        top = np.linalg.norm(Z.astype(np.float64), 2)
        return EXTENDED(top * (1 + 4 * (p + q) * EPS))
    _, s, Vt = np.linalg.svd(Z.astype(np.float64), full_matrices=False)
    V = Vt.T.astype(EXTENDED)
    V = V @ (1.5 * np.eye(q) - 0.5 * (V.T @ V))
    skew = _frobenius(V.T @ V - np.eye(q, dtype=EXTENDED)) + 2 * EXTENDED_EPS * q * q
    C = Z @ V
    lost = 2 * EXTENDED_EPS * (q * _frobenius(Z) * _frobenius(V))
    M = C.T @ C
    lead = int(np.count_nonzero(s > (1 - 1e-8) * s[0]))
    a, c = _largest(M[:lead, :lead]), _largest(M[lead:, lead:])
    b, half = _frobenius(M[:lead, lead:]), (a - c) / 2
    top = (a + c) / 2 + np.sqrt(half * half + b * b) + 2 * EXTENDED_EPS * p * _frobenius(C) ** 2
    return EXTENDED((np.sqrt(top) + lost) / np.sqrt(1 - skew) * (1 + 16 * EXTENDED_EPS))


def _frobenius(M: Extended) -> np.longdouble:
    return EXTENDED(np.sqrt(np.sum(M * M)))


def _largest(M: Extended) -> np.longdouble:
    """Bound on the largest eigenvalue of a nearly diagonal, positive semidefinite matrix."""
    diagonal = np.diag(M)
    return EXTENDED(EXTENDED(diagonal.max(initial=0.0)) + _frobenius(M - np.diag(diagonal)))
