"""Formulas are made of the tags that the page knows, and fit what is shown."""

import re

import pytest
from polyak_widgets.front.bundle import read
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels import gap_panel, mu_panel
from polyak_widgets.panels.charts.formulas import (
    AT_X,
    DIFFERENCE,
    ESTIMATE_FORMULAS,
    LOSS_FORMULAS,
    PROPOSITION,
)
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View


def tags(part):
    if isinstance(part, str):
        return set()
    return {part[0]}.union(*(tags(inner) for inner in part[1:]))


ALL = [
    *LOSS_FORMULAS.values(),
    *(part for parts in ESTIMATE_FORMULAS.values() for part in parts),
    *AT_X,
    PROPOSITION,
    DIFFERENCE,
]


@pytest.mark.parametrize("formula", ALL)
def test_only_tags_that_the_page_makes(formula):
    known = set(re.findall(r'"(m\w+)"', read("ground/formula.js").split("new Set(")[1].split(")")[0]))
    assert tags(formula) <= known


def test_the_formula_follows_the_view():
    experiment = run_experiment(Settings(iterations=20))
    assert gap_panel(experiment)["formula"] == [LOSS_FORMULAS["quadratic"]]
    assert gap_panel(experiment, View(bounds=True))["formula"] == [PROPOSITION]
    assert mu_panel(experiment)["formula"] == ESTIMATE_FORMULAS["polyak"]
    assert mu_panel(experiment, View(differences=True))["formula"] == [DIFFERENCE]
    fista = run_experiment(Settings(iterations=20, methods=("fista", "adapt_apg")))
    assert gap_panel(fista, View(bounds=True))["formula"] == [LOSS_FORMULAS["quadratic"]], "2.3 is about APG"
    free = run_experiment(Settings(iterations=20, methods=("adapt_apg_free", "nag_free")))
    assert mu_panel(free)["formula"] == AT_X
    blind = run_experiment(Settings(iterations=20, methods=("nag_free",), estimator="certified"))
    assert mu_panel(blind)["formula"] == [ESTIMATE_FORMULAS["polyak"][0][:-1]], "no minimum of these is taken"
    flat = run_experiment(Settings(spectrum="own", eigenvalues="1 0", iterations=20))
    assert gap_panel(flat, View(bounds=True))["formula"] == [LOSS_FORMULAS["quadratic"]]
