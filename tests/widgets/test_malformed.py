"""The public functions of the page with each argument replaced by what is none: answered in words."""

from dataclasses import fields

import polyak_widgets as pw
import pytest
from malformed import PROBLEM, TRACE, wrong_answers

SMALL = pw.Settings(iterations=3, n=5)


def opened(**keywords):
    pw.Explorer(**keywords).close()


def drawn(number):
    if not isinstance(number, int | float) or number != 1:  # which is a figure, and takes its time
        pw.paper_figure(number)


def figure_four(**keywords):
    return pw.paper_figure(4, iterations=3, gammas=[5], folder=None, progress=False, **keywords)


def defaults(kind):
    return {each.name: getattr(kind(), each.name) for each in fields(kind)}


CALLS = {
    **{kind.__name__: (kind, defaults(kind)) for kind in (pw.Settings, pw.View, pw.Budget)},
    "compare": (
        pw.compare,
        {"problem": PROBLEM, "methods": ("apg", TRACE), "iterations": 5, "x": "iterations", "gamma": 2.0},
    ),
    "gap_figure": (pw.gap_figure, {"source": SMALL, "x": "iterations", "template": "light"}),
    "overlay": (pw.overlay, {"runs": {"a": TRACE}, "y": "gap", "lines": ("0.5^k",), "template": "light"}),
    "overlay, ratio": (
        lambda **keywords: pw.overlay(y="ratio", **keywords),
        {"runs": {"a": TRACE, "b": [TRACE, TRACE]}, "beside": "a"},
    ),
    "overlay, one": (lambda trace: pw.overlay({"a": trace}), {"trace": TRACE}),
    "exported": (pw.exported, {"paths": []}),
    "exported, one": (lambda path: pw.exported([path]), {"path": ""}),
    "run_experiment": (pw.run_experiment, {"settings": SMALL}),
    "paper_figure": (drawn, {"number": 1}),
    "figure 4": (figure_four, {"losses": ["lasso"], "template": "light"}),
    "Explorer": (
        opened,
        {"settings": SMALL, "show": ("gap",), "view": pw.View(), "budget": pw.Budget(), "data": None}
        | {"controls": ("mu0",)},
    ),
    "Predict": (
        lambda **keywords: pw.Predict(**keywords).close(),
        {
            "question": "Which?",
            "options": ("a", "b"),
            "answer": lambda: "a",
            "why": "It is.",
            "unit": "times",
        },
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_malformed_arguments_are_answered_in_words(name):
    call, keywords = CALLS[name]
    assert wrong_answers(call, keywords, ("polyak_core", "polyak_widgets")) == {}
