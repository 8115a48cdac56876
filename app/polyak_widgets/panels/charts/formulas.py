"""Real mathematics for the page: formulas as nested lists of MathML tags, which the page makes nodes.

A panel has a list of them; they stand side by side, or one below the other where there is no room.
"""

from __future__ import annotations

from html import escape
from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.look import ESTIMATING
from polyak_widgets.panels.charts.theory_lines import bound_lines
from polyak_widgets.panels.curves import drawn
from polyak_widgets.settings.view import View

MathPart = Any
"""A text, or a list of a tag and its parts."""


def markup(part: MathPart) -> str:
    """A formula as text, for pages that are written before any script runs; brackets as the page draws them.

    >>> markup(["mrow", ["mi", "x"], ["mo", "<"]])
    '<mrow><mi>x</mi><mo>&lt;</mo></mrow>'
    """
    if isinstance(part, str):
        return escape(part)
    tag, *inner = part
    if tag == "mspace":
        return f'<mspace width="{escape(inner[0])}"></mspace>'
    fixed = ' stretchy="false"' if tag == "mo" and inner[0] in ("(", ")") else ""
    return f"<{tag}{fixed}>{''.join(map(markup, inner))}</{tag}>"


def i(name: str) -> MathPart:
    """A variable."""
    return ["mi", name]


def o(sign: str) -> MathPart:
    """An operator, a bracket."""
    return ["mo", sign]


def n(number: str) -> MathPart:
    """A number."""
    return ["mn", number]


def row(*parts: MathPart) -> MathPart:
    """Several parts that stand together."""
    return ["mrow", *parts]


def sub(base: MathPart, index: MathPart) -> MathPart:
    """A lower index."""
    return ["msub", base, index]


def sup(base: MathPart, power: MathPart) -> MathPart:
    """A power."""
    return ["msup", base, power]


def over(top: MathPart, bottom: MathPart) -> MathPart:
    """A fraction."""
    return ["mfrac", top, bottom]


def gap() -> MathPart:
    """f(y_k) - f*."""
    return row(i("f"), o("("), sub(i("y"), i("k")), o(")"), o("−"), STAR_F)


def norm(*inner: MathPart, power: bool = True) -> MathPart:
    """A Euclidean norm, squared."""
    bars = row(o("‖"), *inner, o("‖"))
    return sup(bars, n("2")) if power else bars


STAR_F = sup(i("f"), o("∗"))
STAR_X = sup(i("x"), o("∗"))
MU = i("μ")
MU_K = sub(MU, i("k"))
X_K = sub(i("x"), i("k"))
Y_K = sub(i("y"), i("k"))
HALF = over(n("1"), n("2"))
GRADIENT = row(sub(i("g"), i("L")), o("("), Y_K, o(")"))
F_OF_X = row(i("f"), o("("), i("x"), o(")"), o("="))
SUM = sub(o("∑"), i("i"))
FIT = row(HALF, norm(i("A"), i("x"), o("−"), i("b")))
MARGIN = row(sub(i("y"), i("i")), sup(sub(i("a"), i("i")), i("T")), i("x"))

LOSS_FORMULAS: dict[str, MathPart] = {
    "quadratic": row(F_OF_X, HALF, SUM, sub(i("λ"), i("i")), sup(sub(i("x"), i("i")), n("2"))),
    "least_squares": row(F_OF_X, FIT),
    "logistic": row(
        F_OF_X, SUM, i("log"), o("("), n("1"), o("+"), sup(i("e"), row(o("−"), MARGIN)), o(")"),
        o("+"), i("λ"), norm(i("x")),
    ),
    "lasso": row(F_OF_X, FIT, o("+"), i("λ"), sub(norm(i("x"), power=False), n("1"))),
    "svm_dual": row(
        i("f"), o("("), i("α"), o(")"), o("="), over(i("C"), n("4")), sup(i("α"), i("T")), i("Q"), i("α"),
        o("−"), sup(n("1"), i("T")), i("α"), o(","), n("0"), o("≤"), i("α"), o("≤"), n("1"),
    ),
    "squared_hinge": row(
        i("f"), o("("), i("α"), o(")"), o("="), HALF, sup(i("α"), i("T")), i("Q"), i("α"), o("+"),
        over(n("1"), i("C")), norm(i("α")), o("−"), sup(n("1"), i("T")), i("α"), o(","), i("α"), o("≥"),
        n("0"),
    ),
    "matrix_completion": row(
        i("f"), o("("), i("X"), o(")"), o("="),
        sub(o("∑"), row(o("("), i("i"), i("j"), o(")"), o("∈"), i("Ω"))), o("("),
        sub(i("X"), row(i("i"), i("j"))), o("−"), sub(i("Y"), row(i("i"), i("j"))), sup(o(")"), n("2")),
        o("+"), i("λ"), sub(norm(i("X"), power=False), o("∗")),
    ),
}  # fmt: skip

PROPOSITION = row(
    gap(), o("≤"), o("("), row(i("f"), o("("), sub(i("x"), n("0")), o(")"), o("−"), STAR_F), o("+"),
    over(MU, n("2")),
    norm(sub(i("x"), n("0")), o("−"), STAR_X), o(")"),
    sup(row(o("("), n("1"), o("−"), ["msqrt", row(MU, o("/"), i("L"))], o(")")), i("k")),
)  # fmt: skip
"""Proposition 2.3."""

DIFFERENCE = row(
    n("0"), o("≤"), MU_K, o("−"), MU, o("≤"),
    over(i("C"), sup(row(o("("), i("k"), o("+"), n("1"), o(")")), n("2"))),
)  # fmt: skip


def _estimate(denominator: MathPart, gradient: MathPart = GRADIENT) -> list[MathPart]:
    fraction = over(norm(gradient), denominator)
    minimum = row(sub(MU, row(i("k"), o("+"), n("1"))), o("="), i("min"), o("("), MU_K, o(","), HAT_K, o(")"))
    return [row(HAT_K, o("="), fraction, o(",")), minimum]


HAT_K = sub(["mover", MU, o("^")], i("k"))
AFTER = row(i("f"), o("("), sub(i("T"), i("L")), o("("), Y_K, o(")"), o(")"), o("−"), STAR_F)
MODEL = row(i("q"), o("("), sub(i("T"), i("L")), o("("), Y_K, o(")"), o(")"), o("−"), STAR_F)
STEP = over(norm(GRADIENT), i("L"))
ESTIMATE_FORMULAS: dict[str, list[MathPart]] = {
    "polyak": _estimate(row(n("2"), o("("), gap(), o(")"))),
    "certified": _estimate(row(n("2"), o("("), AFTER, o(")"), o("+"), STEP)),
    "model": _estimate(row(n("2"), o("("), MODEL, o(")"), o("+"), STEP)),
}
GRADIENT_X = row(sub(i("g"), i("L")), o("("), X_K, o(")"))
AT_X = _estimate(row(n("2"), o("("), gap(), o(")"), o("+"), over(norm(GRADIENT_X), i("L"))), GRADIENT_X)
"""Of one-gradient v2, which makes the certified estimate at x_k: its step from there ends at y_k."""


def loss_formula(experiment: Experiment, view: View) -> list[MathPart]:
    """What is minimised; with the bounds, what proposition 2.3 says of APG where it holds."""
    if view.bounds and any(line.uid == "bound:apg" for line in bound_lines(experiment)):
        return [PROPOSITION]
    settings = experiment.settings
    squared = settings.problem == "svm_dual" and settings.svm_loss == "squared_hinge"
    formula = LOSS_FORMULAS.get("squared_hinge" if squared else settings.problem)
    return [formula] if formula else []


def estimate_formula(experiment: Experiment, view: View) -> list[MathPart]:
    """How the first method estimates mu; of the differences, the envelope that proposition 2.8 asks for.

    Where that method makes no estimate at y_k, mu_hat is only what an iterate would tell.
    """
    if view.differences and experiment.problem.mu > 0:
        return [DIFFERENCE]
    methods = {run.method for run, _ in drawn(experiment)}
    lead = next((method for method in ESTIMATING if method in methods), "")
    if lead == "adapt_apg_free":
        return AT_X
    estimating = "rule" in pc.METHODS[lead].parameters if lead else False
    return (
        ESTIMATE_FORMULAS[experiment.settings.estimator]
        if estimating
        else [ESTIMATE_FORMULAS["polyak"][0][:-1]]
    )
