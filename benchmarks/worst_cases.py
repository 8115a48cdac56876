"""Exact worst cases of pgd, apg and FISTA by PEPit, written to polyak_core/data/worst_cases.json.

Each is the largest f(y_k) - f* over all f = h + psi, h 1-smooth and 1/kappa-strongly convex, and all starts
with ||x_0 - x*|| = 1: the value of a semidefinite program, which the solver knows to within the gap in each
row. It needs the group `pep`: ``python benchmarks/worst_cases.py``. Rows that the file has are kept, and each
new one is written at once, so that it may be ended at any time; up to k = 10 all are wanted, beyond it some.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from itertools import count
from pathlib import Path

FILE = Path(__file__).parents[1] / "polyak_core" / "data" / "worst_cases.json"
KAPPAS = (10, 100)
STEPS = (*range(1, 11), 12, 15, 20, 25, 30)
NEAR = 2.0
METHODS = ("pgd", "apg", "fista")
UNIT = "L ||x_0 - x*||^2"


def momenta(method, kappa):
    """beta_k for k = 0, 1, ...; FISTA's t_0 = 1 is one step before PEPit's."""
    root, t = kappa**-0.5, 1.0
    for _ in count():
        t_next = (1 + (1 + 4 * t * t) ** 0.5) / 2
        yield {"pgd": 0.0, "apg": (1 - root) / (1 + root), "fista": (t - 1) / t_next}[method]
        t = t_next


def worst_case(method, kappa, steps):
    """The dual value, which is the proof, and how far it is from the primal one.

    The value grows with the square of the start distance, which is chosen so that the value is about 1: the
    solver's tolerances are absolute, and mean nothing where all of the value is below them.
    """
    squared = 1.0
    while True:
        dual, primal = solved(method, kappa, steps, squared)
        if 1 / NEAR < dual < NEAR:
            return dual / squared, abs(dual - primal) / squared
        squared /= max(dual, 1e-3)


def solved(method, kappa, steps, squared):
    """Both values where the square of the start distance is `squared`."""
    from PEPit import PEP
    from PEPit.functions import ConvexFunction, SmoothStronglyConvexFunction
    from PEPit.primitive_steps import proximal_step

    pep = PEP()
    h = pep.declare_function(SmoothStronglyConvexFunction, mu=1 / kappa, L=1.0)
    psi = pep.declare_function(ConvexFunction)
    f = h + psi
    x_star = f.stationary_point()
    y = y_before = pep.set_initial_point()
    pep.set_initial_condition((y - x_star) ** 2 <= squared)
    for _, beta in zip(range(steps), momenta(method, kappa), strict=False):
        x = y + beta * (y - y_before)
        y_before, (y, _, value) = y, proximal_step(x - h.gradient(x), psi, 1.0)
    pep.set_performance_metric(h(y) + value - f(x_star))
    dual = pep.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0, return_primal_or_dual="dual")
    return float(dual), float(pep.objective.eval())


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
    before = json.loads(FILE.read_text(encoding="utf-8"))
    rows = before["rows"] if before == about | {"unit": UNIT, "rows": before["rows"]} else []
    for method, kappa, k in missing(rows):
        try:
            value, gap = worst_case(method, kappa, k)
        except SolverError as error:  # it gives up; the next time it may have another version
            print(method, kappa, k, error, flush=True)
            continue
        rows.append({"method": method, "kappa": kappa, "k": k, "value": value, "gap": gap})
        rows.sort(key=lambda row: (METHODS.index(row["method"]), row["kappa"], row["k"]))
        partial = FILE.with_suffix(".partial")
        partial.write_text(json.dumps({**about, "unit": UNIT, "rows": rows}, indent=1) + "\n")
        partial.replace(FILE)
        print(method, kappa, k, value, gap, flush=True)


if __name__ == "__main__":
    main()
