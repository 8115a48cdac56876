"""The rivals against runs in 60 digits by another program (golden_field.py)."""

import json
from pathlib import Path

import pytest

import polyak_core as pc

CASES = json.loads((Path(__file__).parent / "golden_field.json").read_text())
REPRESENTATIONS = {"quadratic": ("eigenbasis", "A", "G"), "logistic": ("A",), "lasso": ("A", "G")}
RUNS = [
    (case, representation, method)
    for case, forms in REPRESENTATIONS.items()
    for representation in forms
    for method in CASES[case]["methods"]
]
TOLERANCE = 1e-6


def problem(case, representation):
    inputs = CASES[case]["problem"]
    if case == "quadratic":
        return pc.quadratic(inputs["eigenvalues"], x0=inputs["x0"], representation=representation)
    make, target = (pc.logistic, "y") if case == "logistic" else (pc.lasso, "b")
    more = {"x0": inputs["x0"], "L": inputs["L"], "representation": representation}
    return make(inputs["A"], inputs[target], inputs["lam"], **more)


@pytest.mark.parametrize(("case", "representation", "method"), RUNS)
def test_every_number_agrees(case, representation, method):
    rows = CASES[case]["methods"][method]
    trace = pc.solve(problem(case, representation), method, rows[-1]["k"])
    compared = 0
    for row in rows:
        k = row["k"]
        if float(row["gap"]) <= 1e-12 * trace.gap[0]:
            continue
        assert trace.gap[k] == pytest.approx(float(row["gap"]), rel=TOLERANCE), k
        if "distance" in row:
            assert trace.distance[k] == pytest.approx(float(row["distance"]), rel=TOLERANCE), k
        if "mu" in row:
            assert trace.mu[k] == pytest.approx(float(row["mu"]), rel=TOLERANCE), k
        compared += 1
    assert compared >= 5


def test_all_methods_of_the_field_are_there():
    methods = set().union(*(CASES[case]["methods"] for case in CASES))
    assert methods == {name for name, method in pc.METHODS.items() if not method.stacks}
