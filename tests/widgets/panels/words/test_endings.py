"""Each way in which a run can end is named on the page, with the iteration, the cause, and what to do."""

from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets import Explorer
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.panels.charts.captions import gap_caption
from polyak_widgets.panels.charts.gap import gap_panel
from polyak_widgets.panels.charts.mu import mu_panel
from polyak_widgets.panels.closer_look.momentum_panel import momentum_panel
from polyak_widgets.panels.words.headline import sentence
from polyak_widgets.panels.words.table import rows
from polyak_widgets.panels.words.words import outcome, place_and_words, status
from polyak_widgets.settings.settings import Settings

import polyak_core as pc
from polyak_core.runs.endings import Cause, Note

ENDS = {
    "target reached": (Settings(target=1e-6, methods=("apg",)), ["(k = ", "reached the target"]),
    "solved exactly": (
        Settings(spectrum="own", eigenvalues="1", methods=("apg",)),
        ["(k = ", "solved it exactly"],
    ),
    "precision floor": (
        Settings(problem="least_squares", methods=("apg",), iterations=20_000),
        ["(k = ", "only rounding error"],
    ),
    "stalled": (
        Settings(f_star="too_low", f_star_delta=1e-6, methods=("adapt_apg_v2",), iterations=5000),
        ["(k = ", "given too low by 10⁻⁶ of the initial gap", "Give a larger f*"],
    ),
    "bouncing": (Settings(L_factor=0.5, methods=("pgd",)), ["(from k ≈ ", "too long", "Give L ≥"]),
    "diverged": (Settings(L_factor=0.3, methods=("fista",)), ["(k = ", "too long", "give an L"]),
    "budget": (Settings(methods=("apg",), iterations=50), ["stopped at 50 iterations"]),
}
BREAKS_AT = 5


@pytest.mark.parametrize("ended", ENDS)
def test_every_end_has_its_iteration_cause_and_remedy(ended):
    settings, words = ENDS[ended]
    experiment = run_experiment(settings)
    assert [str(run.trace.outcome) for run in experiment.runs] == [ended]
    line = status(experiment)
    assert line["kind"] == "done"
    for word in words:
        assert word in line["text"].replace("\u202f", "")


def test_a_weak_certificate_is_told_as_a_part_of_the_initial_gap():
    trace = pc.solve(pc.quadratic([1.0, 0.1]), "pgd", iterations=5)
    numbers = {"floor": 0.02 * float(trace.gap[0]), "source": "a guess"}
    where, words = place_and_words(Note(cause=Cause.WEAK, k=3, numbers=numbers), trace)
    assert where == "from k = 3 on"
    assert "f* is known only to 0.02 of the initial gap" in words
    assert words.endswith("How f* was found: a guess.")


def test_ends_that_are_alike_share_their_words():
    text = status(run_experiment(Settings(f_star="too_high", iterations=5000)))["text"]
    assert text.count("f* is given too high") == text.count("All six stopped at 5\u202f000 iterations.") == 1
    assert text.count("(from k = ") == 3, "each of the three methods that are given f*, with its iteration"
    diverged = run_experiment(Settings(L_factor=0.3))
    text = status(diverged)["text"]
    assert text.count("diverged") == 1
    assert all(f"(k = {len(run.trace) - 1})" in text for run in diverged.runs)
    assert "times the initial gap" in "".join(part for part, _ in sentence(diverged))


def test_what_a_run_met_on_its_way_to_the_budget_is_said():
    text = status(run_experiment(Settings(L_factor=0.7, methods=("adapt_apg_v2",), iterations=100)))["text"]
    assert "Adaptive v2 stopped at 100 iterations. Adaptive v2: the last step meets" in text


@pytest.fixture
def own_method():
    """A method of one's own that goes wrong in the way that is asked for."""
    steps = pc.METHODS["pgd"].generator

    def register(go_wrong):
        def generator(problem, x0):
            for it in steps(problem, x0):
                yield go_wrong(it) if it.k == BREAKS_AT else it

        pc.register("own", generator, label="My method")
        return Settings(methods=("own", "fista"), iterations=60)

    yield register
    pc.METHODS.pop("own", None)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_method_without_finite_numbers_any_more(own_method, number):
    settings = own_method(lambda it: it._replace(y=it.y * number))
    experiment = run_experiment(settings)
    own = next(run for run in experiment.runs if run.method == "own")
    assert own.trace.outcome is pc.Outcome.NON_FINITE
    assert len(own.trace) - 1 == BREAKS_AT
    text = status(experiment)["text"]
    assert f"My method (k = {BREAKS_AT}): the gap is not finite" in text
    assert "The curve before is kept" in text
    assert "FISTA stopped at 60 iterations." in text
    assert outcome(own, experiment.problem) == "non-finite"
    assert "My method: no longer finite." in gap_caption(experiment)
    alone = run_experiment(replace(settings, methods=("own",)))
    assert (
        "".join(part for part, _ in sentence(alone))
        == "My method no longer has finite numbers after 5 iterations."
    )
    panels = [gap_panel(alone)["summary"], mu_panel(alone)["summary"], momentum_panel(alone)["sentence"]]
    written = str([rows(alone), sentence(alone), panels, status(alone)])
    assert not any(word in written for word in ("nan", "∞", "none left"))


def test_a_method_that_raises_is_said_and_the_page_goes_on(own_method):
    def go_wrong(it):
        raise RuntimeError("my own mistake")

    settings = own_method(go_wrong)
    explorer = Explorer(Settings(methods=("fista",), iterations=60), show=("gap",))
    try:
        assert explorer.wait(30)
        first = explorer.stage.frame
        explorer.controls.value = settings.values()
        assert explorer.wait(30)
        status = explorer.stage.status
        assert status["kind"] == "error"
        assert "RuntimeError: my own mistake" in status["text"]
        assert "Change a setting" in status["text"]
        assert "Traceback" not in status["text"]
        assert explorer.stage.frame["panels"][0]["curves"], "something is drawn still"
        explorer.controls.value = {**settings.values(), "methods": ["pgd"]}
        assert explorer.wait(30)
        assert explorer.stage.status["kind"] == "done"
        assert explorer.stage.frame["serial"] > first["serial"]
    finally:
        explorer.close()
