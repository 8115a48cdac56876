"""Agreement with trajectories computed in 200-digit arithmetic by another program (golden.md)."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.arrays import EXTENDED_EPS

CASES = json.loads((Path(__file__).parent / "golden.json").read_text())["cases"]
CALLS = {
    "pgd": {"method": "pgd"},
    "apg": {"method": "apg"},
    "fista": {"method": "fista"},
    "fista_printed": {"method": "fista_printed"},
    "restart1": {"method": "restart", "gamma": 1.0},
    "restart2": {"method": "restart", "gamma": 2.0},
    "adapt": {"method": "adapt_apg"},
    "adapt_cert": {"method": "adapt_apg", "estimator": "certified"},
    "v2": {"method": "adapt_apg_v2"},
    "v2_cert": {"method": "adapt_apg_v2", "estimator": "certified"},
}
REPRESENTATIONS = {
    "quad_pow2": ["A", "G", "eigenbasis"],
    "ls_hilbert": ["A", "G", "eigenbasis"],
    "logistic": ["A"],
    "lasso": ["A", "G"],
    "svm_box_linear": ["A", "G"],
    "matcomp4": [None],
}
RUNS = [
    (case, representation, name)
    for case, forms in REPRESENTATIONS.items()
    for representation in forms
    for name in CALLS
    if name in CASES[case]["methods"]  # apg is left out where mu = 0
]
COLUMNS = {  # column of the file -> column of a trace, relative tolerance
    "gap": ("gap", 1e-6),
    "mu_hat": ("mu_hat", 1e-7),
    "mu_used": ("mu", 1e-7),
    "mu_loc_x": ("mu_loc", 5e-6),
    "logA": ("log_A", 1e-7),
    "t": ("t", 1e-12),
}
CLOSER = {"matcomp4": 1e-9}
"""Where all columns agree better: the completion's own arithmetic is short."""


def problem(case, representation):
    data = CASES[case]["problem"]
    if case == "quad_pow2":
        return pc.quadratic(data["lam"], x0=data["x0"], representation=representation)
    if case == "logistic":
        return pc.logistic(
            data["A"], data["y"], data["lam"], x0=data["x0"], L=data["L"], representation=representation
        )
    if case == "lasso":
        return pc.lasso(
            data["A"], data["b"], data["lam"], x0=data["x0"], L=data["L"], representation=representation
        )
    if case == "svm_box_linear":
        return pc.svm_dual(
            data["X"], data["y"], data["C"], x0=data["x0"], L=data["L"], representation=representation
        )
    if case == "matcomp4":
        return pc.matrix_completion(data["Y"], data["mask"], data["lam"], x0=data["x0"])
    return pc.least_squares(data["A"], data["b"], x0=data["x0"], L=data["L"], representation=representation)


def test_all_methods_of_the_file_are_compared():
    assert {name for case in REPRESENTATIONS for name in CASES[case]["methods"]} <= set(CALLS)


@pytest.mark.parametrize(("case", "representation", "name"), RUNS)
def test_every_column_agrees(case, name, representation):
    rows = CASES[case]["methods"][name]
    trace = pc.solve(problem(case, representation), iterations=rows[-1]["k"], **CALLS[name])
    gap0 = float(CASES[case]["gap0"])
    compared = 0
    for row in rows:
        k = row["k"]
        if float(row["gap"]) <= 1e-12 * gap0:
            continue
        for theirs, (ours, tolerance) in COLUMNS.items():
            if theirs in row:
                closest = min(tolerance, CLOSER.get(case, 1.0))
                expected = pytest.approx(float(row[theirs]), rel=closest, abs=1e-300)
                assert getattr(trace, ours)[k] == expected, (k, ours)
                compared += 1
        if "restarts" in row:
            assert trace.restarted[: k + 1].sum() == row["restarts"]
    assert compared >= 10


@pytest.mark.parametrize(("case", "representation", "name"), RUNS)
def test_points_agree(case, name, representation):
    rows = {row["k"]: row for row in CASES[case]["methods"][name] if "y" in row}
    far = np.linalg.norm(np.ravel(CASES[case]["xstar"]).astype(float))  # points are carried as x - x*
    steps = pc.iterates(problem(case, representation), **CALLS[name])
    for step in islice(steps, max(rows) + 1):
        if step.k in rows:
            for column in ("x", "y"):
                expected = np.array(rows[step.k][column], dtype=float).ravel()
                allowed = 1e-9 * np.linalg.norm(expected) + 1e-14 * far
                np.testing.assert_allclose(getattr(step, column).ravel(), expected, rtol=0, atol=allowed)


@pytest.mark.parametrize("case", REPRESENTATIONS)
def test_constants_agree(case):
    last_bit = 4e-16 if EXTENDED_EPS < 1e-18 else 1e-12
    p, truth = problem(case, None), CASES[case]
    assert p.L == float(truth["L"])
    assert p.mu == pytest.approx(float(truth["mu"]), rel=1e-8)
    assert p.f_star == pytest.approx(float(truth["fstar"]), rel=last_bit)
    np.testing.assert_allclose(
        p.x_star.ravel(), np.ravel(truth["xstar"]).astype(float), rtol=max(last_bit, 1e-14)
    )
    assert p.gap(p.x0) == pytest.approx(float(truth["gap0"]), rel=1e-12)
