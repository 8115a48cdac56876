"""Minima of LASSO and of the SVM dual in rational numbers, against which claims are held."""

import math
from fractions import Fraction
from itertools import product

import numpy as np


def fractions(array):
    return [[Fraction(float(entry)) for entry in row] for row in np.atleast_2d(array)]


def times(M, x):
    return [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in M]


def solved(H, r):
    """H x = r by elimination; None if H is singular."""
    rows = [[*row, value] for row, value in zip(H, r, strict=True)]
    for k in range(len(r)):
        pivot = next((i for i in range(k, len(r)) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(len(r)):
            if i != k:
                ratio = rows[i][k] / rows[k][k]
                rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][-1] / rows[k][k] for k in range(len(r))]


class Exact:
    """1/2 x'Hx + c'x + constant, with lam ||x||_1, or on 0 <= x <= high (None: no end)."""

    def __init__(self, H, c, constant=0, lam=None, high=None):
        self.H, self.c, self.constant, self.lam, self.high = H, c, constant, lam, high

    def value(self, x):
        x = [Fraction(v) for v in x]
        curved = sum((a * b for a, b in zip(x, times(self.H, x), strict=True)), Fraction(0)) / 2
        linear = sum((a * b for a, b in zip(x, self.c, strict=True)), Fraction(0))
        return curved + linear + self.constant + (self.lam or 0) * sum(map(abs, x))

    def minimum(self):
        """The value on the first face whose stationary point is optimal for all of f."""
        kinds = (0, 1, -1) if self.lam is not None else (0, None) if self.high is None else (0, None, 1)
        for face in product(kinds, repeat=len(self.c)):
            x = self.stationary(face)
            if x is not None and self.optimal(x, face):
                return self.value(x)
        raise AssertionError("no face is optimal")

    def stationary(self, face):
        moving = [i for i, kind in enumerate(face) if (kind is None if self.lam is None else kind)]
        x = [Fraction(1 if self.lam is None and kind == 1 else 0) * (self.high or 1) for kind in face]
        pull = times(self.H, x)
        right = [-self.c[i] - pull[i] - (self.lam * face[i] if self.lam is not None else 0) for i in moving]
        solution = solved([[self.H[i][j] for j in moving] for i in moving], right)
        for i, value in zip(moving, solution or (), strict=solution is not None):
            x[i] = value
        return x if solution is not None else None

    def optimal(self, x, face):
        g = [a + b for a, b in zip(times(self.H, x), self.c, strict=True)]
        if self.lam is not None:
            return all(v * s >= 0 and abs(d) <= self.lam for v, s, d in zip(x, face, g, strict=True))
        ends = [self.high is not None and v == self.high for v in x]
        inside = all(v >= 0 and (self.high is None or v <= self.high) for v in x)
        signs = (
            d == 0 or (v == 0 and d > 0) or (end and d < 0) for v, d, end in zip(x, g, ends, strict=True)
        )
        return inside and all(signs)


def exact_lasso(A, b, lam):
    rows, target = fractions(A), [Fraction(float(v)) for v in b]
    columns = [list(column) for column in zip(*rows, strict=True)]
    H = [times(columns, column) for column in columns]
    return Exact(H, [-v for v in times(columns, target)], sum(t * t for t in target) / 2, lam=Fraction(lam))


def exact_svm(X, y, C, loss):
    rows = fractions(np.asarray(y)[:, None] * np.asarray(X))
    return exact_dual([times(rows, row) for row in rows], Fraction(C), loss)


def exact_dual(Q, C, loss):
    """From Q = y_i y_j K_ij, with the constants C/2 and 2/C not rounded."""
    scale, ridge = (C / 2, 0) if loss == "hinge" else (1, 2 / C)
    H = [[scale * q + (ridge if i == j else 0) for j, q in enumerate(row)] for i, row in enumerate(Q)]
    return Exact(H, [Fraction(-1)] * len(Q), high=1 if loss == "hinge" else None)


def assert_certified(problem, exact):
    """f(x_star) - min f <= f_star_error, and f_star is that near, but for half a unit in its last place."""
    best, error = exact.minimum(), Fraction(problem.f_star_error)
    assert problem.reference.proven
    assert 0 <= exact.value(problem.x_star) - best <= error
    assert abs(Fraction(problem.f_star) - best) <= error + Fraction(math.ulp(problem.f_star)) / 2
    return best
