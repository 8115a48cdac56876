"""The peers on the problem of a `Case`, behind one interface: reach the target, then run to be timed."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import lsmr
from scipy.special import expit

LOOK_EVERY = 5
"""Gaps of iterates are looked at so often, in iterations."""


class MissingError(Exception):
    """A peer is not installed."""


def imported(name, package):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        raise MissingError(f"{package} is not installed") from None


class ReachedError(Exception):
    """A followed run is below the target, or out of time."""


class Followed:
    """A peer that tells its iterates: `solve(iterations, see)`, `see` called with each."""

    steady = True

    def __init__(self, case, solve):
        self._problem, self._solve = case.exact, solve

    def reach(self, goal, seconds):
        """The number of iterations after which the gap is below the goal; None if time is up before."""
        stop, count, self._each = perf_counter() + seconds, 0, 0.0
        counts = []

        def see(x):
            nonlocal count
            count += 1
            if count % LOOK_EVERY == 0 and self._problem.gap(inside(self._problem, x)) <= goal:
                counts.append(count)
                raise ReachedError
            if perf_counter() > stop:
                raise ReachedError

        started = perf_counter()
        with suppress(ReachedError):
            self._solve(10**7, see)
        self._each = (perf_counter() - started) / max(count, 1)
        return counts[0] if counts else None

    def named(self, budget):
        """The budget, for people."""
        return budget

    def part(self, budget, seconds):
        """Iterations that take about so long, where each costs the same."""
        return min(budget, max(20, int(seconds / self._each))) if self.steady else budget

    def scale(self, part, budget):
        return budget / part

    def run(self, budget):
        self._solve(budget, None)


class Laddered:
    """A peer that is told when to stop by a number: `solve(rung)` gives x, rungs ever stricter."""

    def __init__(self, case, solve, rungs):
        self._problem, self._solve, self._rungs = case.exact, solve, rungs

    def reach(self, goal, seconds):
        """The first rung whose result is below the goal."""
        stop = perf_counter() + seconds
        for rung in self._rungs:
            if self._problem.gap(inside(self._problem, self._solve(rung))) <= goal:
                return rung
            if perf_counter() > stop:
                return None
        return None

    def named(self, budget):
        """The budget, for people."""
        return budget if isinstance(budget, int) else f"tol {budget:.0e}"

    def part(self, budget, seconds):
        return budget

    def scale(self, part, budget):
        return 1.0

    def run(self, budget):
        self._solve(budget)


def inside(problem, x):
    """x, but for rounding that took it out of the domain of psi."""
    penalty = problem.penalty
    return np.clip(x, penalty.low, penalty.high) if hasattr(penalty, "low") else np.asarray(x, dtype=float)


TOLERANCES = [10 ** (-half / 2) for half in range(4, 33)]
BUDGETS = sorted({int(1.1**step) for step in range(150)})


def value_and_gradient(case):
    """h and its gradient, coded plainly, as a user would."""
    A, b, weight = case.A, case.b, case.weight
    if case.kind in ("least squares", "LASSO"):

        def plain(x):
            r = A @ x - b
            return 0.5 * (r @ r), A.T @ r

    elif case.kind == "logistic":

        def plain(x):
            m = b * (A @ x)
            return np.logaddexp(0, -m).sum() + weight * (x @ x), A.T @ (-b * expit(-m)) + 2 * weight * x

    else:
        rows = A * b[:, None]

        def plain(x):
            w = rows.T @ x
            return weight / 4 * (w @ w) - x.sum(), weight / 2 * (rows @ w) - 1

    return plain


def prox_of(case):
    if case.kind == "LASSO":
        return lambda v, step: np.sign(v) * np.maximum(np.abs(v) - case.weight * step, 0)
    if case.kind == "SVM":
        return lambda v, step: np.clip(v, 0, 1)
    return lambda v, step: v


def copt(case):
    """copt: accelerated proximal gradient, step 1/L."""
    solver = imported("copt", "copt").minimize_proximal_gradient
    plain, prox, L = value_and_gradient(case), prox_of(case), case.exact.L

    def solve(iterations, see):
        callback = None if see is None else lambda local: see(local["x"])
        solver(plain, case.exact.x0, prox, jac=True, tol=0, max_iter=iterations, step=lambda _: 1 / L,
               accelerated=True, callback=callback)  # fmt: skip

    return Followed(case, solve)


def pyproximal(case):
    """pyproximal: accelerated proximal gradient (FISTA), step 1/L."""
    package = imported("pyproximal", "pyproximal")
    solver = imported("pyproximal.optimization.primal", "pyproximal").ProximalGradient
    plain, prox, L = value_and_gradient(case), prox_of(case), case.exact.L

    class Smooth(package.ProxOperator):
        def __call__(self, x):
            return plain(x)[0]

        def grad(self, x):
            return plain(x)[1]

    class Penalty(package.ProxOperator):
        def __call__(self, x):
            return 0.0

        def prox(self, x, tau):
            return prox(x, tau)

    def solve(iterations, see):
        solver(Smooth(), Penalty(), case.exact.x0, tau=(1 - 1e-7) / L, niter=iterations,
               acceleration="fista", callback=see)  # fmt: skip

    return Followed(case, solve)


def l_bfgs_b(case):
    """SciPy's L-BFGS-B with ten pairs; with bounds for the box."""
    bounds = [(0, 1)] * case.exact.x0.size if case.kind == "SVM" else None

    def solve(iterations, see):
        options = {"maxiter": min(iterations, 10**6), "maxfun": 10**7, "ftol": 0, "gtol": 0}
        minimize(value_and_gradient(case), case.exact.x0, jac=True, method="L-BFGS-B", bounds=bounds,
                 callback=see, options=options)  # fmt: skip

    followed = Followed(case, solve)
    followed.steady = False
    return followed


def lsmr_(case):
    """SciPy's LSMR."""
    return Laddered(case, lambda k: lsmr(case.A, case.b, atol=0, btol=0, conlim=0, maxiter=k)[0], BUDGETS)


def sklearn_lasso(case):
    """scikit-learn: coordinate descent on the Gram matrix."""
    package = imported("sklearn.linear_model", "scikit-learn")

    def solve(tolerance):
        model = package.Lasso(alpha=case.weight / len(case.b), fit_intercept=False, tol=tolerance,
                              max_iter=10**6, precompute=case.A.shape[0] > case.A.shape[1])  # fmt: skip
        return model.fit(case.A, case.b).coef_

    return Laddered(case, solve, TOLERANCES)


def celer(case):
    """celer: coordinate descent on working sets."""
    package = imported("celer", "celer")
    A = np.asfortranarray(case.A)

    def solve(tolerance):
        keywords = {"alpha": case.weight / len(case.b), "fit_intercept": False}
        return package.Lasso(tol=tolerance, max_iter=10**4, **keywords).fit(A, case.b).coef_

    return Laddered(case, solve, TOLERANCES)


def sklearn_logistic(name):
    """scikit-learn: logistic regression by one of its solvers."""

    def make(case):
        package = imported("sklearn.linear_model", "scikit-learn")

        def solve(tolerance):
            model = package.LogisticRegression(C=1 / (2 * case.weight), fit_intercept=False, solver=name,
                                               tol=tolerance, max_iter=10**5)  # fmt: skip
            return model.fit(case.A, case.b).coef_[0]

        return Laddered(case, solve, TOLERANCES)

    return make


FIRST_ORDER = {"copt": copt, "pyproximal": pyproximal}
SOLVERS = {
    "least squares": {**FIRST_ORDER, "LSMR": lsmr_, "L-BFGS-B": l_bfgs_b},
    "LASSO": {**FIRST_ORDER, "scikit-learn": sklearn_lasso, "celer": celer},
    "logistic": {
        **FIRST_ORDER,
        "L-BFGS-B": l_bfgs_b,
        "scikit-learn, lbfgs": sklearn_logistic("lbfgs"),
        "scikit-learn, newton-cholesky": sklearn_logistic("newton-cholesky"),
    },
    "SVM": {**FIRST_ORDER, "L-BFGS-B": l_bfgs_b},
}
