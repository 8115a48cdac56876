"""Every public function with each of its arguments replaced by what is no such argument at all.

The answer is a value, or a ValueError or TypeError that the package itself raises, in words; no warning.
"""

import numpy as np
import pytest
from malformed import METHODS, PROBLEM, TRACE, wrong_answers

import polyak_core as pc
from polyak_core import theory

A, B, SIGNS = np.array([[1.0, 0.5], [0.2, 1.0], [0.3, -0.4]]), [1.0, 2.0, -1.0], [1.0, -1.0, 1.0]
PLANE = np.eye(2)
PLAIN = TRACE.to_dict()


class Smooth:
    def value(self, x):
        return float(x @ x) / 2

    def grad(self, x):
        return x


class Absolute:
    def value(self, x):
        return float(np.abs(x).sum())

    def prox(self, x, step):
        return np.sign(x) * np.maximum(np.abs(x) - step, 0)


def returning(thing, name, value):
    setattr(thing, name, lambda *arguments: value)
    return thing


def registered(**keywords):
    try:
        return pc.register(**keywords)
    finally:
        for name in set(pc.METHODS) - set(METHODS):
            del pc.METHODS[name]


def watched(**keywords):
    with pc.watched(**keywords):
        return PROBLEM.f_star


def advanced(**keywords):
    run = pc.Run(**keywords)
    run.advance()
    return run.trace()


def still(problem, x0):
    while True:
        yield pc.Iterate(0, x0, x0)


SOLVED = {
    "problem": PROBLEM,
    "method": "adapt_apg",
    "iterations": 5,
    "x0": None,
    "mu0": None,
    "f_star": None,
    "estimator": "polyak",
    "reference": True,
}
# fmt: off
CALLS = {
    "spectrum": (pc.spectrum, {"kind": "log", "n": 5, "condition_number": 10.0}), "quadratic": (
        pc.quadratic, {"eigenvalues": [1, 0.25], "x0": None, "x_star": None, "f_star": 0.0, "L": None,
            "representation": None,},),
    "least_squares": (pc.least_squares, {"A": A, "b": B, "x0": None, "L": None, "representation": None}),
    "least_squares, plane": (pc.least_squares, {"A": PLANE, "b": [1, 2]}),
    "lasso": (pc.lasso, {"A": PLANE, "b": [1, 2], "lam": 0.1, "x0": None, "L": None, "representation": None}),
    "logistic": (pc.logistic,
        {"A": PLANE, "y": [1, -1], "lam": 0.1, "x0": None, "L": None, "representation": None},),
    "svm_dual": (pc.svm_dual, {"X": PLANE, "y": [1, -1], "C": 1.0, "loss": "hinge", "kernel": "linear",
            "width": None, "representation": None,},), "svm_dual, rbf": (pc.svm_dual,
        {"X": PLANE, "y": [1, -1], "C": 1.0, "loss": "squared_hinge", "kernel": "rbf", "width": 1.0},),
    "matrix_completion": (pc.matrix_completion,
        {"Y": [[1, 2], [2, 4]], "mask": [[1, 1], [1, 0]], "lam": 0.1, "x0": None, "L": None},), "Problem": (
        pc.Problem, {"loss": Smooth(), "penalty": Absolute(), "certify": None, "x0": [1, 1], "L": 1.0,
            "mu": None, "representation": None, "name": "own",},), **{f"own {name}": (
            lambda value, name=name: pc.Problem(returning(Smooth(), name, value), x0=[1, 1], L=1.0),
            {"value": good},) for name, good in (("value", 1.0), ("grad", np.ones(2)))}, **{
        f"own psi.{name}": (lambda value, name=name: pc.Problem(
                Smooth(), returning(Absolute(), name, value), x0=[1, 1], L=1.0), {"value": good},)
        for name, good in (("value", 1.0), ("prox", np.ones(2)))},
    "paper_problem": (pc.paper_problem, {"dataset": "sonar", "loss": "least_squares"}),
    "load_dataset": (pc.load_dataset, {"name": "sonar", "scaling": "center", "label": None}),
    "dataset": (pc.dataset, {"X": A, "y": SIGNS, "name": "own", "scaling": "center"}),
    "solve": (pc.solve, {**SOLVED, "mu": None, "gamma": 1.0, "C": None, "window": None, "target": None,
            "seconds": None, "progress": None, "cancel": None,},), "solve, backtracking": (pc.solve,
        {"problem": PROBLEM, "method": "fista", "iterations": 5, "backtracking": True},),
    "solve, no reference": (pc.solve, {"problem": PROBLEM, "method": "fista", "iterations": 5,
            "reference": False, "target": None, "seconds": None},),
    "solve, schedule": (pc.solve, {"problem": PROBLEM, "method": "adapt_apg", "iterations": 5,
            "estimator": "schedule", "C": 1.0, "mu": 0.1,},), "iterates": (
        lambda **keywords: next(pc.iterates(**keywords)),
        {k: v for k, v in SOLVED.items() if k != "iterations"},),
    "Run": (advanced, {name: value for name, value in SOLVED.items() if name != "x0"}), "sweep": (pc.sweep,
        {"problem": PROBLEM, "executor": None, "progress": None, "cancel": None, "done": (),
            "method": "restart", "gamma": [1, 2, 3], "iterations": 5, "reference": True,},),
    "register": (registered,
        {"name": "own", "generator": still, "label": "", "summary": "", "reference": "own"},),
    "to_pandas": (pc.to_pandas, {"runs": TRACE}),
    "watched": (watched, {"progress": None, "cancel": None, "seconds": None}),
    "from_dict": (pc.Trace.from_dict, {"plain": PLAIN}), **{f"from_dict, {name}": (
            lambda value, name=name: pc.Trace.from_dict({**PLAIN, name: value}), {"value": good},)
        for name, good in PLAIN.items()}, "f": (PROBLEM.f, {"x": [1, 1]}),
    "gap": (PROBLEM.gap, {"x": [1, 1]}), "first_below": (TRACE.first_below, {"relative_gap": 0.1}), **{
        name: (getattr(theory, name), {"problem": PROBLEM, "k": [0, 1]})
        for name in ("gradient_rate", "accelerated_rate", "chebyshev_rate", "best_distance_rate")}, **{
        name: (getattr(theory, name), {"problem": PROBLEM, "trace": TRACE}) for name in ("bound_known_mu",
            "bound_estimated_mu", "bound_scheduled_mu", "bound_fista", "envelope_constant",
            "bound_conjugate_gradients", "bound_triple_momentum",)},
    "Problem, ready": (pc.Problem, {"loss": PROBLEM.loss, "penalty": None, "x0": None, "L": None}),
    "worst_case": (theory.worst_case, {"method": "apg", "condition_number": 10.0}),
    "record": (pc.record, {"problem": PROBLEM, "points": [[1.0, 1.0], [0.0, 1.0]], "name": "recorded"}),
    "recording": (pc.record(PROBLEM), {"x": [1.0, 1.0]}),
    "lbfgs": (pc.lbfgs, {"problem": PROBLEM, "iterations": 5}),
    "largest_schedule_constant": (theory.largest_schedule_constant, {"problem": PROBLEM, "mu0": 0.1}),
    "estimate_error_of_gradient_descent": (theory.estimate_error_of_gradient_descent,
        {"eigenvalues": [1.0, 0.5], "d0": [1, 1], "k": 3},),
    "envelope": (theory.envelope, {"C": 1.0, "k": [0, 1]}),
}
# fmt: on


def used(thing):
    """What people do next: numbers must be finite, or said not to be."""
    if isinstance(thing, pc.Problem):
        assert thing.describe()
        assert np.isfinite([thing.L, thing.mu, thing.f_star, *thing.x_star.ravel()]).all()
        assert thing.f_star_error >= 0  # not NaN
        assert repr(thing)


@pytest.mark.parametrize("name", CALLS)
def test_malformed_arguments_are_answered_in_words(name):
    call, keywords = CALLS[name]
    assert wrong_answers(call, keywords, ("polyak_core",), used) == {}
