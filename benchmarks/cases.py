"""The problems that are measured: data, our problem on them, and the products that an iteration must do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import polyak_core as pc
from polyak_core.problems.paper import PAPER_WEIGHTS

TARGET = 1e-10
"""The relative gap to which times are taken."""


@dataclass(frozen=True)
class Case:
    """One problem.

    Attributes:
        name: for people.
        kind: "least squares", "LASSO", "logistic" or "SVM".
        A: samples in rows.
        b: targets, labels for "logistic" and "SVM".
        weight: lam, or C for "SVM".
        representations: those worth measuring; None is the problem's own choice.
    """

    name: str
    kind: str
    A: np.ndarray
    b: np.ndarray
    weight: float
    representations: tuple

    def problem(self, representation=None):
        """Ours, with x* known."""
        if self.kind == "least squares":
            problem = pc.least_squares(self.A, self.b, representation=representation)
        elif self.kind == "LASSO":
            problem = pc.lasso(self.A, self.b, self.weight, representation=representation)
        elif self.kind == "logistic":
            problem = pc.logistic(self.A, self.b, self.weight)
        else:
            problem = pc.svm_dual(self.A, self.b, self.weight, representation=representation)
        _ = problem.form
        return problem

    @cached_property
    def exact(self):
        """Our problem, to measure gaps with."""
        return self.problem()

    def floor(self, form):
        """The products of one iteration in the representation named `form`, None where there are none."""
        rows, columns = self.A.shape if self.kind != "SVM" else self.A.shape[::-1]
        A = self.A if self.kind != "SVM" else np.ascontiguousarray(self.A.T)
        x, r = np.ones(columns), np.ones(rows)
        if form == "G":
            G = A.T @ A
            return lambda: G @ x
        if form == "A":
            return lambda: (A @ x, r @ A)
        return None


def planted(rows, columns, kappa, seed=0):
    """A with singular values from 1/sqrt(kappa) to 1, so that A'A has the condition number kappa."""
    rng = np.random.default_rng(seed)
    left = np.linalg.qr(rng.standard_normal((rows, columns)))[0]
    right = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
    return (left * np.sqrt(pc.spectrum("log", columns, kappa))) @ right.T


def large(effort):
    """Least squares, LASSO and logistic regression on one matrix of 2000 x 500, condition number 1e4."""
    rows, columns = effort.size((2000, 500), (80, 20))
    rng = np.random.default_rng(1)
    A = planted(rows, columns, 1e4)
    b = rng.standard_normal(rows)
    labels = np.where(A @ rng.standard_normal(columns) + 0.02 * rng.standard_normal(rows) > 0, 1.0, -1.0)
    lam = 0.3 * float(np.abs(A.T @ b).max())
    return [
        Case(f"least squares {rows} x {columns}", "least squares", A, b, 0.0, ("A", "G", None)),
        Case(f"LASSO {rows} x {columns}", "LASSO", A, b, lam, ("A", "G")),
        Case(f"logistic {rows} x {columns}", "logistic", A, labels, 1.25e-5, (None,)),
    ]


def paper(effort):
    """The paper's four losses on its two small data sets."""
    cases = []
    for name in effort.size(("sonar", "musk"), ("sonar",)):
        data = pc.load_dataset(name, scaling="center")
        A, b = np.asarray(data.X), np.asarray(data.y)
        label = name.capitalize()
        cases += [
            Case(f"{label} least squares", "least squares", A, b, 0.0, (None,)),
            Case(f"{label} LASSO", "LASSO", A, b, PAPER_WEIGHTS["lasso"][name], (None,)),
            Case(f"{label} logistic", "logistic", A, b, PAPER_WEIGHTS["logistic"][name], (None,)),
            Case(f"{label} SVM", "SVM", A, b, PAPER_WEIGHTS["svm_dual"][name], (None,)),
        ]
    return cases
