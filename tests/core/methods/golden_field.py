"""Writes golden_field.json: runs of the rivals in 60 digits, made without any code of this project.

Points are plain, f* is a value that is subtracted, and every method is written from its paper's own form. It
needs mpmath, which the tests do not: ``python golden_field.py > golden_field.json``.
"""

import json
import sys
from typing import ClassVar

from mpmath import diag, exp, floor, inf, log, matrix, mp, mpf, sqrt

mp.dps = 60
STEPS = 40


def dot(u, v):
    return (u.T * v)[0]


def size(u):
    return sqrt(dot(u, u))


def column(numbers):
    return matrix([mpf(number) for number in numbers])


class Quadratic:
    """1/2 x'Gx with eigenvalues given; x* = 0."""

    inputs: ClassVar[dict] = {
        "eigenvalues": [1.0, 0.75, 0.5, 0.3125, 0.125, 0.0625],
        "x0": [1.0, -2.0, 0.5, 3.0, -1.5, 2.5],
    }

    def __init__(self):
        self.G = diag([mpf(v) for v in self.inputs["eigenvalues"]])
        self.L, self.mu = mpf(1), mpf(0.0625)
        self.x0, self.x_star, self.f_star = column(self.inputs["x0"]), matrix(6, 1), mpf(0)

    def h(self, x):
        return dot(x, self.G * x) / 2

    def grad(self, x):
        return self.G * x

    def f(self, x):
        return self.h(x)

    def prox(self, x, step):
        return x


class Logistic(Quadratic):
    """sum_i log(1 + exp(-y_i a_i'x)) + lam ||x||^2; x* by Newton."""

    inputs: ClassVar[dict] = {
        "A": [[1.0, 0.5, -0.25], [-0.5, 1.5, 0.75], [0.25, -1.0, 1.25], [2.0, 0.25, 0.5], [-1.0, -0.75, 1.0]],
        "y": [1, -1, 1, 1, -1],
        "lam": 0.125,
        "L": 4.0,
        "x0": [1.0, -1.0, 2.0],
    }

    def __init__(self):
        self.A, self.y, self.lam = matrix(self.inputs["A"]), self.inputs["y"], mpf(self.inputs["lam"])
        self.L, self.mu, self.x0 = mpf(4), 2 * self.lam, column(self.inputs["x0"])
        x = matrix(3, 1)
        for _ in range(12):
            H = 2 * self.lam * mp.eye(3)
            for i, y in enumerate(self.y):
                a = self.A[i, :].T
                p = 1 / (1 + exp(-y * dot(a, x)))
                H += p * (1 - p) * a * a.T
            x -= mp.lu_solve(H, self.grad(x))
        self.x_star, self.f_star = x, self.f(x)

    def h(self, x):
        margins = (y * dot(self.A[i, :].T, x) for i, y in enumerate(self.y))
        return sum(log(1 + exp(-m)) for m in margins) + self.lam * dot(x, x)

    def grad(self, x):
        g = 2 * self.lam * x
        for i, y in enumerate(self.y):
            a = self.A[i, :].T
            g -= y / (1 + exp(y * dot(a, x))) * a
        return g


class Lasso(Quadratic):
    """1/2 ||Ax - b||^2 + lam ||x||_1; x* by many proximal steps."""

    inputs: ClassVar[dict] = {
        "A": [[1.0, 0.5, -0.25], [-0.5, 1.5, 0.75], [0.25, -1.0, 1.25], [2.0, 0.25, 0.5]],
        "b": [1.0, -2.0, 0.5, 1.5],
        "lam": 0.5,
        "L": 6.0,
        "x0": [1.0, -1.0, 2.0],
    }

    def __init__(self):
        self.A, self.b, self.lam = matrix(self.inputs["A"]), column(self.inputs["b"]), mpf(self.inputs["lam"])
        self.L, self.x0 = mpf(6), column(self.inputs["x0"])
        x = self.x0
        for _ in range(3000):
            x = self.prox(x - self.grad(x) / self.L, 1 / self.L)
        self.x_star, self.f_star = x, self.f(x)

    def h(self, x):
        r = self.A * x - self.b
        return dot(r, r) / 2

    def grad(self, x):
        return self.A.T * (self.A * x - self.b)

    def f(self, x):
        return self.h(x) + self.lam * sum(abs(entry) for entry in x)

    def prox(self, x, step):
        cut = self.lam * step
        return matrix([(abs(e) - cut) * (1 if e > 0 else -1) if abs(e) > cut else mpf(0) for e in x])


def cg(p):
    """Hestenes and Stiefel, with products by the matrix."""
    x, r = p.x0, -p.grad(p.x0)
    d = r
    while True:
        yield {"gap": p.f(x) - p.f_star}
        q = p.G * d
        alpha = dot(r, r) / dot(d, q)
        x, r_next = x + alpha * d, r - alpha * q
        d = r_next + dot(r_next, r_next) / dot(r, r) * d
        r = r_next


def heavy_ball_polyak(p):
    """x_{k+1} = x_k - (1 + m_k) h_k g_k + m_k (x_k - x_{k-1}), from the second step on with m_k."""
    x, x_before, g_before, delta_before = p.x0, None, None, None
    while True:
        delta, g = p.f(x) - p.f_star, p.grad(x)
        yield {"gap": delta}
        m = mpf(0)
        if x_before is not None:
            m = -delta * dot(g, g_before) / (delta_before * dot(g, g) + delta * dot(g, g_before))
        h = 2 * delta / dot(g, g)
        move = -(1 + m) * h * g + (m * (x - x_before) if x_before is not None else 0 * g)
        x_before, x, g_before, delta_before = x, x + move, g, delta


def item(p):
    """Taylor and Drori, algorithm 1."""
    q, A, x, z = p.mu / p.L, mpf(0), p.x0, p.x0
    while True:
        yield {"gap": p.f(x) - p.f_star, "distance": size(z - p.x_star)}
        following = ((1 + q) * A + 2 * (1 + sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
        beta = A / ((1 - q) * following)
        delta = ((1 - q) ** 2 * following - (1 + q) * A) / (1 + q + q * A) / 2
        y = (1 - beta) * z + beta * x
        x = y - p.grad(y) / p.L
        z = (1 - q * delta) * z + q * delta * y - delta / p.L * p.grad(y)
        A = following


def tmm(p):
    """Van Scoy, Freeman and Lynch, equations (3)."""
    kappa = p.L / p.mu
    rho = 1 - 1 / sqrt(kappa)
    alpha, beta = (1 + rho) / p.L, rho**2 / (2 - rho)
    gamma, delta = rho**2 / ((1 + rho) * (2 - rho)), rho**2 / (1 - rho**2)
    before = now = p.x0
    while True:
        yield {"gap": p.f((1 + delta) * now - delta * before) - p.f_star}
        y = (1 + gamma) * now - gamma * before
        before, now = now, (1 + beta) * now - beta * before - alpha * p.grad(y)


def silver(p):
    """The schedule as a list: h of twice the length is h, 1 + silver^(m - 1), h."""
    ratio, steps = 1 + sqrt(2), []
    for m in range(7):
        steps = [*steps, 1 + ratio ** (m - 1), *steps]
    x = p.x0
    for h in steps:
        yield {"gap": p.f(x) - p.f_star}
        x = x - h / p.L * p.grad(x)


def silver_mu(p):
    """Each length that is a power of 2 by its own schedule; what lies between by that of the next."""
    kappa = p.L / p.mu

    def psi(t):
        return (1 + kappa * t) / (1 + t)

    z = 1 / kappa
    schedules = [[psi(z)]]
    while len(schedules[-1]) < 2 * STEPS:
        e = 1 - z
        r, first = e + sqrt(1 + e**2), schedules[-1][:-1]
        schedules.append([*first, psi(z / r), *first, psi(z * r)])
        z = z * r
    for k in range(2 * STEPS):
        x = p.x0
        steps = next(s for s in schedules if len(s) >= k)
        for h in steps[:k]:
            x = x - h / p.L * p.grad(x)
        yield {"gap": p.f(x) - p.f_star}


def auto_restart(p):
    """Aujol, Dossal, Labarriere and Rondepierre, algorithm 2, C = 6.38."""
    C = mpf("6.38")
    n = int(floor(2 * C))
    ends, lengths, bound = [p.x0], [], p.L
    yield {"gap": p.f(p.x0) - p.f_star}
    while True:
        x = x_before = ends[-1]
        for i in range(1, n + 1):
            y = x + mpf(i - 1) / (i + 2) * (x - x_before)
            x_before, x = x, p.prox(y - p.grad(y) / p.L, 1 / p.L)
            if i < n:
                yield {"gap": p.f(x) - p.f_star, "mu": bound}
        ends.append(x)
        lengths.append(n)
        j = len(lengths)
        if j >= 2:
            F = [p.f(r) for r in ends]
            candidates = [
                4 * p.L / (lengths[i - 1] + 1) ** 2 * (F[i - 1] - F[j]) / (F[i] - F[j]) for i in range(1, j)
            ]
            bound = min(*candidates, p.L)
            if n <= C * sqrt(p.L / bound):
                n = 2 * n
        yield {"gap": p.f(x) - p.f_star, "mu": bound}


def adgd_accel(p):
    """Malitsky and Mishchenko, algorithm 2; the first step is 1e-5 long."""
    g = p.grad(p.x0)
    yield {"gap": p.f(p.x0) - p.f_star}
    lam, theta, Theta = mpf(1e-5) / size(g), inf, inf
    Lam = 1 / lam
    x_before, g_before = p.x0, g
    x = y = p.x0 - lam * g
    yield {"gap": p.f(x) - p.f_star}
    while True:
        g = p.grad(x)
        run, rise = size(x - x_before), size(g - g_before)
        lam_next = min(sqrt(1 + theta / 2) * lam, run / (2 * rise))
        Lam_next = min(sqrt(1 + Theta / 2) * Lam, rise / (2 * run))
        theta, Theta, lam, Lam = lam_next / lam, Lam_next / Lam, lam_next, Lam_next
        beta = (sqrt(1 / lam) - sqrt(Lam)) / (sqrt(1 / lam) + sqrt(Lam))
        y_next = x - lam * g
        x_before, g_before = x, g
        x, y = y_next + beta * (y_next - y), y_next
        yield {"gap": p.f(x) - p.f_star, "mu": Lam}


def ac_fgm(p):
    """Li and Lan, algorithm 1 with tau_1 = 0, tau_2 = 1; L_t by values of h."""
    alpha, beta = mpf(0.1), 1 - sqrt(mpf(6)) / 3
    x, g = p.x0, p.grad(p.x0)
    yield {"gap": p.f(x) - p.f_star}
    probe = x - mpf(1e-5) / size(g) * g
    L = size(p.grad(probe) - g) / size(probe - x) / 4
    while True:
        eta = 1 / (mpf(2.5) * L)
        x_next = p.prox(x - eta * g, eta)
        g_next = p.grad(x_next)
        if size(g_next - g) <= L * size(x_next - x):
            break
        L = L * mpf(1.5)
    y, x, g, taus, t = x, x_next, g_next, [None, mpf(0)], 2
    while True:
        yield {"gap": p.f(x) - p.f_star}
        if t == 2:
            eta, tau = min((1 - beta) * eta, 1 / (4 * L)), mpf(1)
        else:
            eta = min(mpf(4) / 3 * eta, (taus[t - 2] + 1) / taus[t - 1] * eta, taus[t - 1] / (4 * L))
            tau = taus[t - 1] + alpha / 2 + 2 * (1 - alpha) * eta * L / taus[t - 1]
        taus.append(tau)
        z = p.prox(y - eta * g, eta)
        y = (1 - beta) * y + beta * z
        x_next = (z + tau * x) / (1 + tau)
        g_next = p.grad(x_next)
        L = dot(g_next - g, g_next - g) / (2 * (p.h(x) - p.h(x_next) - dot(g_next, x - x_next)))
        x, g, t = x_next, g_next, t + 1


SMOOTH = (item, tmm, silver, silver_mu, auto_restart, adgd_accel, ac_fgm)
CASES = {
    "quadratic": (Quadratic, (*SMOOTH, cg, heavy_ball_polyak)),
    "logistic": (Logistic, SMOOTH),
    "lasso": (Lasso, (auto_restart, ac_fgm)),
}
LAST = {"cg": 5, "heavy_ball_polyak": 5}


def rows_of(method, p):
    rows = []
    for k, row in enumerate(method(p)):
        rows.append({"k": k, **{name: mp.nstr(value, 20) for name, value in row.items()}})
        if k == LAST.get(method.__name__, STEPS):
            return rows
    return rows


if __name__ == "__main__":
    cases = {}
    for name, (make, methods) in CASES.items():
        p = make()
        runs = {method.__name__: rows_of(method, p) for method in methods}
        cases[name] = {"problem": p.inputs, "f_star": mp.nstr(p.f_star, 20), "methods": runs}
    json.dump(cases, sys.stdout, indent=1)
