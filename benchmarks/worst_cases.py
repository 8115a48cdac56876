"""Exact worst cases of pgd, apg and FISTA by PEPit, written to polyak_core/data/worst_cases.json.

Each is the largest f(y_k) - f* over all f = h + psi, h 1-smooth and 1/kappa-strongly convex, and all starts
with ||x_0 - x*|| = 1: the value of a semidefinite program, which the solver knows to within the gap in each
row. It needs the group `pep`: ``python benchmarks/worst_cases.py``. k ends where a program takes a minute.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from itertools import count
from pathlib import Path
from time import perf_counter

FILE = Path(__file__).parents[1] / "polyak_core" / "data" / "worst_cases.json"
KAPPAS = (10, 100)
STEPS = (*range(1, 11), 12, 15, 20, 25, 30)
LONGEST = 60.0
UNIT = "L ||x_0 - x*||^2"


def momenta(method, kappa):
    """beta_k for k = 0, 1, ...; FISTA's t_0 = 1 is one step before PEPit's."""
    root, t = kappa**-0.5, 1.0
    for _ in count():
        t_next = (1 + (1 + 4 * t * t) ** 0.5) / 2
        yield {"pgd": 0.0, "apg": (1 - root) / (1 + root), "fista": (t - 1) / t_next}[method]
        t = t_next


def worst_case(method, kappa, steps):
    """The dual value, which is the proof, and how far it is from the primal one."""
    from PEPit import PEP
    from PEPit.functions import ConvexFunction, SmoothStronglyConvexFunction
    from PEPit.primitive_steps import proximal_step

    pep = PEP()
    h = pep.declare_function(SmoothStronglyConvexFunction, mu=1 / kappa, L=1.0)
    psi = pep.declare_function(ConvexFunction)
    f = h + psi
    x_star = f.stationary_point()
    y = y_before = pep.set_initial_point()
    pep.set_initial_condition((y - x_star) ** 2 <= 1)
    for _, beta in zip(range(steps), momenta(method, kappa), strict=False):
        x = y + beta * (y - y_before)
        y_before, (y, _, value) = y, proximal_step(x - h.gradient(x), psi, 1.0)
    pep.set_performance_metric(h(y) + value - f(x_star))
    dual = pep.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0, return_primal_or_dual="dual")
    return float(dual), abs(float(dual) - float(pep.objective.eval()))


def main():
    """All rows, written down after each method."""
    versions = {name: version(name) for name in ("PEPit", "cvxpy", "clarabel")}
    rows = []
    for method in ("pgd", "apg", "fista"):
        for kappa in KAPPAS:
            for k in STEPS:
                since = perf_counter()
                value, gap = worst_case(method, kappa, k)
                rows.append({"method": method, "kappa": kappa, "k": k, "value": value, "gap": gap})
                if perf_counter() - since > LONGEST:
                    break
            command = "python " + " ".join(["benchmarks/worst_cases.py", *sys.argv[1:]])
            about = {"command": command, "solver": "CLARABEL", "versions": versions, "unit": UNIT}
            FILE.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
