"""Exact worst cases of pgd, apg and FISTA by PEPit, written to polyak_core/data/worst_cases.json.

Each is the largest f(y_k) - f* over all f = h + psi, h 1-smooth and 1/kappa-strongly convex, and all starts
with ||x_0 - x*|| = 1: the value of a semidefinite program. A row has an upper bound that its multipliers
prove, and as its gap how far the solver's best example lies below. It needs the group `pep`:
``python benchmarks/worst_cases.py``. Rows that the file has are kept, and each new one is written at once, so
that it may be ended at any time; up to k = 10 there is every k, beyond it some.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from itertools import count, permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).parents[1] / "polyak_core" / "data" / "worst_cases.json"
KAPPAS = (10, 100)
STEPS = (*range(1, 11), 12, 15, 20, 25, 30)
METHODS = ("pgd", "apg", "fista")
UNIT = "L ||x_0 - x*||^2"
GAP = "value, which multipliers prove as an upper bound, minus the value of the example of the solver"
NUDGES = (2e-8, 6e-8, 2e-7, 6e-7, 2e-6)
SCALINGS = 2
"""So many programs tell how large the vectors are."""
SHRINK = 0.05
"""A vector is taken as that part of its first size at least: one of length 0 has no scale."""
LEAST = 1e-12


class Program(NamedTuple):
    """A semidefinite program in PEPit.

    Attributes:
        pep: it.
        vectors: those of its Gram matrix: y_0, then grad h(x_k) and y_(k+1) for each step, grad h(y_k) last.
        metric: f(y_k) - f*, divided by the square of the size of y_k.
    """

    pep: object
    vectors: list
    metric: object


def momenta(method, kappa):
    """beta_k for k = 0, 1, ...; FISTA's t_0 = 1 is one step before PEPit's."""
    root, t = kappa**-0.5, 1.0
    for _ in count():
        t_next = (1 + (1 + 4 * t * t) ** 0.5) / 2
        yield {"pgd": 0.0, "apg": (1 - root) / (1 + root), "fista": (t - 1) / t_next}[method]
        t = t_next


def first_sizes(method, kappa, steps):
    """How large the vectors of the worst example might be."""
    rate = {"pgd": 1 - 1 / kappa, "apg": (1 - kappa**-0.5) ** 0.5, "fista": 0.85}[method]
    powers = rate ** np.arange(steps + 1)
    return np.concatenate([[1.0], *([powers[k], powers[k + 1]] for k in range(steps)), [powers[-1]]])


def program(method, kappa, sizes, nudge):
    """The program in vectors of length about 1, which are `sizes` times as large in truth.

    x*, both gradients at it and both values at it are 0: adding a linear function to h and taking it from
    psi changes neither f nor a step. So all vectors shrink with k, and a solver whose tolerances are absolute
    sees each as well as the first. Its value is that of the metric and `nudge` times all squared lengths, so
    that its multipliers prove a bound on the metric although they are rounded.
    """
    from PEPit import PEP, Expression, Point

    pep = PEP()
    vectors = [pep.set_initial_point(), *(Point() for _ in sizes[1:])]
    scaled = [size * vector for size, vector in zip(sizes, vectors, strict=True)]
    pep.add_constraint(vectors[0] ** 2 <= 1)
    zero, null = 0 * vectors[0], Expression(is_leaf=False, decomposition_dict={1: 0.0})
    smooth, convex = [(zero, zero, null, 0.0)], [(zero, zero, null, 0.0)]
    y = y_before = scaled[0]
    steps = zip(scaled[1::2], scaled[2::2], sizes[1::2], sizes[2::2], momenta(method, kappa), strict=False)
    for gradient, y_next, size, size_next, beta in steps:
        x = y + beta * (y - y_before)
        smooth.append((x, gradient, size**2 * Expression(), size))
        convex.append((y_next, x - gradient - y_next, size_next**2 * Expression(), size_next))
        y_before, y = y, y_next
    smooth.append((y, scaled[-1], sizes[-2] ** 2 * Expression(), sizes[-2]))
    constrain(pep, smooth, 1 / kappa)
    constrain(pep, convex, None)
    metric = (smooth[-1][2] + convex[-1][2]) / sizes[-2] ** 2
    pep.set_performance_metric(sum((nudge * vector**2 for vector in vectors), metric))
    return Program(pep, vectors, metric)


def constrain(pep, points, mu):
    """There is a convex function with these points, gradients and values, 1-smooth and mu-strongly convex.

    The inequalities of Taylor, Hendrickx and Glineur 2017, each in units of the larger of its two points.
    """
    for (x, g, f, size), (x_other, g_other, f_other, size_other) in permutations(points, 2):
        least = f_other + g_other * (x - x_other)
        if mu is not None:
            least += (g - g_other) ** 2 / 2 + mu / (2 * (1 - mu)) * (x - x_other - g + g_other) ** 2
        pep.add_constraint((least - f) / max(size, size_other) ** 2 <= 0)


def solve(pep):
    """Clarabel's multipliers and its best example are there then."""
    return pep.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0, return_primal_or_dual="dual")


def proven(pep, metric):
    """An upper bound on the metric that the multipliers prove; None if rounding spoils the proof.

    The multipliers of all constraints e <= 0 are moved, each by a part of itself, until the values of the
    two functions cancel in metric - sum of multiplier times e. What is left is a constant minus a quadratic
    form of the vectors, and the constant is a bound where that form has no negative eigenvalue.
    """
    from PEPit.tools.expressions_to_matrices import expression_to_matrices

    constraints = pep.list_of_constraints
    multipliers = np.maximum([float(each.eval_dual()) for each in constraints], 1e-14)
    forms, values, constants = zip(
        *(expression_to_matrices(each.expression) for each in constraints), strict=True
    )
    form, target, _ = expression_to_matrices(metric)
    matrix = np.array(values).T
    for _ in range(3):
        part = np.linalg.lstsq((matrix * multipliers) @ matrix.T, target - matrix @ multipliers, rcond=1e-14)[
            0
        ]
        multipliers = multipliers * (1 + matrix.T @ part)
    rest = np.tensordot(multipliers, np.array(forms), 1) - form
    cancels = np.abs(target - matrix @ multipliers).max() < LEAST
    if not (cancels and (multipliers >= 0).all() and np.linalg.eigvalsh(rest + rest.T)[0] > LEAST):
        return None
    return -float(multipliers @ np.array(constants))


def worst_case(method, kappa, steps):
    """A bound that is proven, and how far the value of the solver's example lies below it.

    Raises:
        ValueError: no bound could be proven.
    """
    sizes = first_sizes(method, kappa, steps)
    for _ in range(SCALINGS):
        pep, vectors, _ = program(method, kappa, sizes, 0.0)
        solve(pep)
        lengths = np.array([float((vector**2).eval()) ** 0.5 for vector in vectors])
        sizes[1:] *= np.maximum(lengths, SHRINK)[1:]
    for nudge in NUDGES:
        pep, _, metric = program(method, kappa, sizes, nudge)
        solve(pep)
        bound = proven(pep, metric)
        if bound is not None:
            return bound * sizes[-2] ** 2, (bound - float(metric.eval())) * sizes[-2] ** 2
    raise ValueError("the multipliers prove no bound")


def missing(rows):
    """What the file lacks, the shortest programs first."""
    known = {(row["method"], row["kappa"], row["k"]) for row in rows}
    every = ((method, kappa, k) for k in STEPS for method in METHODS for kappa in KAPPAS)
    return [each for each in every if each not in known]


def main():
    """All rows, written down one by one, in the order of methods, kappa and k."""
    from cvxpy import SolverError

    versions = {name: version(name) for name in ("PEPit", "cvxpy", "clarabel")}
    about = {"command": "python benchmarks/worst_cases.py", "solver": "CLARABEL", "versions": versions}
    about |= {"gap": GAP, "unit": UNIT}
    before = json.loads(FILE.read_text(encoding="utf-8"))
    rows = before["rows"] if before == about | {"rows": before["rows"]} else []
    for method, kappa, k in missing(rows):
        try:
            value, gap = worst_case(method, kappa, k)
        except (SolverError, ValueError) as error:  # it gives up; the next time it may have another version
            print(method, kappa, k, error, flush=True)
            continue
        rows.append({"method": method, "kappa": kappa, "k": k, "value": value, "gap": gap})
        rows.sort(key=lambda row: (METHODS.index(row["method"]), row["kappa"], row["k"]))
        partial = FILE.with_suffix(".partial")
        partial.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
        partial.replace(FILE)
        print(method, kappa, k, value, gap, flush=True)


if __name__ == "__main__":
    main()
