"""The panel of estimates by six rules: the numbers of the core along one run or several."""

from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import Laboratory, grown
from polyak_widgets.panels import make_panel
from polyak_widgets.panels.words.estimates import NAMES, is_bound
from polyak_widgets.session.estimating import Estimating
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.session.streaming import Line
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import ALONG, View

from polyak_core import solve
from polyak_core.runs.six_estimates import SIX, six_estimates

METHODS = ("apg", "adapt_apg_v2", "fista")
SMALL = Settings(n=20, condition_number=100.0, iterations=150, methods=METHODS)
ON_DATA = replace(SMALL, problem="lasso", data="synthetic", rows=40, n=10)


def whole(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def estimated(settings, view, stopped=lambda: False):
    laboratory, pictures = Laboratory(), []
    experiment = whole(grown(laboratory, settings, lambda: False))
    beside = (Line(), lambda *words: None, lambda *picture: pictures.append(picture))
    estimating = Estimating(laboratory, ("gap", "mu"), *beside)
    assert Estimating(laboratory, ("gap",), *beside).missing(experiment, view) == []
    whole(estimating.grow(experiment, view, lambda: True, stopped))
    assert pictures == [], "nobody wants them any more"
    whole(estimating.grow(experiment, view, lambda: False, stopped))
    return pictures.pop()[0]


@pytest.mark.parametrize("settings", [SMALL, ON_DATA])
@pytest.mark.parametrize("name", sorted(set(SIX) - {"growth"}))
def test_one_rule_along_all_runs_is_the_cores_and_said_to_be_what_it_is(settings, name):
    view = View(estimates=name)
    experiment = estimated(settings, view)
    panel = make_panel("mu", experiment, view)
    curves = {curve.uid: curve for curve in panel["curves"]}
    problem = experiment.problem
    for run in experiment.runs:
        last = len(run.trace) - 1
        keywords = {"mu0": settings.mu0 * problem.L} if run.method == "adapt_apg" else {}
        expected = six_estimates(problem, run.method, last, **keywords)[name]
        curve = curves[f"rule:{run.method}"]
        np.testing.assert_array_equal(curve.y, expected)
        assert set(curve.clocks) == {"gradients", "seconds"}
        if is_bound(problem, name):
            assert np.nanmin(curve.y) >= problem.mu * (1 - 1e-9)
    assert panel["subtitle"].startswith(NAMES[name])
    assert ("never below μ here" in panel["subtitle"]) == is_bound(problem, name)
    assert ("no bound" in panel["subtitle"]) != is_bound(problem, name)


@pytest.mark.parametrize("along", sorted(ALONG))
def test_all_six_along_a_run_of_choice(along):
    view = View(estimates="six", along=along)
    experiment = estimated(replace(SMALL, methods=("adapt_apg_v2", "fista")), view)
    panel = make_panel("mu", experiment, view)
    method = {"lead": "adapt_apg_v2"}.get(along, along)
    expected = six_estimates(experiment.problem, method, 150)
    curves = {curve.uid.removeprefix("rule:"): curve for curve in panel["curves"]}
    for name in set(SIX) - {"growth"}:
        np.testing.assert_array_equal(curves[name].y, expected[name])
        assert curves[name].label.endswith("≥ μ" if is_bound(experiment.problem, name) else "no bound")
    assert [choice["name"] for choice in panel["choices"]] == ["estimates", "along"]
    assert panel["summary"].startswith("Least values")


def test_growth_is_made_along_one_run_alone():
    view = View(estimates="growth")
    panel = make_panel("mu", estimated(SMALL, view), view)
    assert [curve.uid for curve in panel["curves"]] == ["rule:auto_restart", "true_mu"]
    assert "alone" in panel["subtitle"]


@pytest.mark.parametrize("view", [View(estimates="growth"), View(estimates="six", along="pgd")])
@pytest.mark.parametrize("methods", [METHODS, (*METHODS, "auto_restart")])
def test_the_cursor_finds_every_estimate_whether_or_not_its_run_is_drawn(view, methods):
    experiment = estimated(replace(SMALL, methods=methods), view)
    curves = {curve.uid: curve for curve in make_panel("mu", experiment, view)["curves"]}
    rules = [curve for uid, curve in curves.items() if uid.startswith("rule:")]
    assert all(curve.run for curve in rules)
    assert all(values.shape == curve.x.shape for curve in rules for values in curve.clocks.values())
    growth = curves["rule:auto_restart" if view.estimates == "growth" else "rule:growth"]
    costs = solve(experiment.problem, "auto_restart", 150).gradients
    np.testing.assert_array_equal(growth.clocks["gradients"], costs[: growth.x.size])


def test_until_they_are_there_the_methods_own_are_drawn_and_that_is_said():
    view = View(estimates="certified")
    laboratory = Laboratory()
    experiment = whole(grown(laboratory, SMALL, lambda: False))
    panel = make_panel("mu", experiment, view)
    assert "mu:adapt_apg_v2" in {curve.uid for curve in panel["curves"]}
    assert panel["subtitle"].startswith("Estimating")
    own = make_panel("mu", experiment, View())
    assert [curve.uid for curve in own["curves"]] == [curve.uid for curve in panel["curves"]]
    cut = estimated(SMALL, view, stopped=lambda: True)
    assert all(values.size == 0 for k, values in (its["certified"] for its in cut.estimates.values()))
    assert make_panel("mu", cut, view)["summary"].startswith("Along these runs")


def test_a_page_makes_them_when_they_are_asked_for_and_once():
    class Page:
        frames = ()

        def show(self, name, value):
            if name == "frame":
                self.frames = (*self.frames, value)

        def repeat(self, names):
            pass

        def send(self, content, buffers=()):
            pass

    session, page = Session(SMALL, show=("gap", "mu")), Page()
    slices = Slices(session.work, session.report)
    session.start(page, slices.submit)
    for _ in slices.steps():
        pass
    assert session.experiment.estimates == {}
    session.take("view", session.state["view"] | {"estimates": "polyak"})
    for _ in slices.steps():
        pass
    assert sorted(session.experiment.estimates) == sorted(METHODS)
    assert session.state["status"]["kind"] == "done"
    uids = [curve["uid"] for curve in page.frames[-1]["panels"][1]["curves"]]
    assert uids == [f"rule:{method}" for method in METHODS] + ["true_mu"]
    count, before = len(page.frames), session.experiment.estimates
    session.take("view", session.state["view"] | {"estimates": "certified"})
    for _ in slices.steps():
        pass
    assert len(page.frames) == count + 1
    assert session.experiment.estimates is before
