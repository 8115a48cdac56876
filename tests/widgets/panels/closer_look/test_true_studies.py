"""What is said of a study, complete, cut off or stopped, against its runs, on random results."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets.laboratory.experiment import Experiment, run_experiment
from polyak_widgets.numbers import number_text
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.closer_look.sensitivity.panel import best_value, sensitivity_panel, strictest
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import DEPTHS, Sensitivity, Swept
from polyak_widgets.panels.closer_look.sensitivity.sweeps import Sweeps
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

METHODS = ("apg", "adapt_apg_v2", "restart", "adapt_apg")
LIMIT = 500
GAMMA, MU0 = View(), View(swept="mu0")
NUMBER = r"(\d[\d\u202f]*)"


@dataclass
class Known:
    """A study that has this result."""

    known: Swept

    @property
    def finished(self) -> bool:
        return self.known.finished

    def result(self) -> Swept:
        return self.known


@pytest.fixture(scope="module")
def drawn() -> Experiment:
    return run_experiment(Settings(n=10, condition_number=30.0, methods=METHODS, iterations=400))


@st.composite
def results(draw: st.DrawFn) -> Swept:
    """Some runs at the strictest level, some on their way, some past the limit, some not begun."""
    count = draw(st.integers(2, 12))
    kinds = draw(
        st.lists(st.sampled_from(["there", "there", "past", "way", "new"]), min_size=count, max_size=count)
    )
    if draw(st.booleans()):
        kinds = [kind if kind in ("there", "past") else "there" for kind in kinds]
    needed = {tolerance: np.full(count, np.nan) for tolerance in DEPTHS}
    ended = np.zeros(count, dtype=bool)
    for i, kind in enumerate(kinds):
        steps = sorted(draw(st.integers(0, 8)) for _ in DEPTHS)
        reached = {"there": 3, "new": 0}.get(kind, draw(st.integers(0, 2)))
        for tolerance, k in list(zip(DEPTHS[::-1], steps, strict=True))[:reached]:
            needed[tolerance][i] = k
        ended[i] = kind in ("there", "past")
    over = bool(ended.all() or draw(st.booleans()))
    return Swept(np.geomspace(0.1, 20, count), needed, ended, LIMIT, over)


@settings(max_examples=100, deadline=None)
@given(result=results(), stopped=st.booleans(), target=st.sampled_from([0.0, 1e-3, 1e-7]), data=st.data())
def test_what_is_said_of_a_study_is_true_of_its_runs(drawn, result, stopped, target, data):
    swept = data.draw(st.sampled_from(["gamma", "mu0"]))
    experiment = Experiment(
        Settings.from_values({**drawn.settings.values(), "target": target}), drawn.problem, drawn.runs
    )
    method = {"gamma": "restart", "mu0": "adapt_apg"}[swept]
    now = Known(Swept(np.array([1.0]), {t: np.array([np.nan]) for t in DEPTHS}, np.array([False]), LIMIT))
    sweeps = Sweeps({method: Known(result)}, {method: now})
    tolerance = strictest(experiment, {method: result})
    assert tolerance is not None, "methods of the picture reach all"
    assert tolerance >= target
    panel = sensitivity_panel(experiment, View(swept=swept), sweeps, stopped)
    text, y = panel["sentence"], result.needed[tolerance]
    known = np.isfinite(y) | result.ended
    assert not re.search(r"Of 1 values|\b1 times|nan|None|on their way", text), text
    over, complete = result.finished or stopped, bool(known.all())
    of_all = f"{known.sum() or 'none'} of {y.size} runs"
    if not over:
        assert text.startswith(f"{known.sum()} of {y.size} runs are known so far"), text
        return
    assert ("quickest" in text) <= complete, text
    assert ("Best of those tried" in text) <= (not complete), text
    assert text.startswith("Stopped with " if stopped else "The time for this chart") == (not complete), text
    assert (of_all in text) == (not complete), text
    check_values(text, result, y, complete, swept)
    if swept == "gamma":
        best = best_value(experiment, sweeps)
        differs = complete and np.isfinite(y).any() and bool((y != np.nanmin(y)).any())
        assert (best is not None) == differs
        if best is not None:
            assert y[result.values.tolist().index(best)] == np.nanmin(y)


def check_values(text: str, result: Swept, y: np.ndarray, complete: bool, swept: str) -> None:
    """The least number, the value that needs it, and how many do not get there."""
    if not np.isfinite(y).any():
        assert "quickest" not in text
        assert "Best" not in text
        return
    least = re.search(
        rf"(?:quickest for .*?: |with |takes |10⁻\d+ .*?: |initial gap: ){NUMBER} iteration", text
    )
    assert least, text
    assert int(least[1]) == np.nanmin(y), text
    if swept == "gamma" and "Whatever" not in text:
        first = result.values[int(np.nanargmin(y))]
        assert f"γ = {number_text(first, 3)}" in text, text
    missing = re.search(rf"{NUMBER} of them (?:does|do) not get there in 500", text)
    assert bool(missing) == bool(complete and np.isnan(y).any()), text
    if missing:
        assert int(missing[1]) == np.isnan(y).sum()


def grown(
    experiment: Experiment, view: View = GAMMA, seconds: float = 20.0, stop_after: float = np.inf
) -> tuple[dict, CloserLook]:
    """The last panel of the closer look, and the closer look."""
    frames: list[dict] = []
    look, slices = CloserLook(frames.append, seconds=seconds), 0

    def stopped() -> bool:
        nonlocal slices
        slices += 1
        return slices > stop_after

    for _ in look.grow(experiment, view, lambda: False, stopped):
        pass
    return frames[-1]["panel"], look


def test_a_study_whose_time_ran_out_claims_nothing_of_what_it_has_not_seen():
    experiment = run_experiment(Settings(n=4000, iterations=1500))
    panel, look = grown(experiment, seconds=1e-6)
    assert "for no γ in this range" not in panel["sentence"]
    assert panel["sentence"].startswith("The time for this chart is used up with")
    assert "; the time for this chart is used up" in panel["subtitle"]
    assert look.landmarks(experiment) == {}


def test_a_study_that_is_stopped_is_not_on_its_way():
    panel, _ = grown(run_experiment(Settings(n=4000, iterations=1500)), stop_after=2)
    sentence = panel.get("sentence") or panel["empty"]
    assert "stopped" in sentence.lower()


def test_single_runs_begin_in_the_middle():
    problem = pc.paper_problem("matrix_completion")
    values = np.geomspace(0.1, 20, 5).tolist()
    keywords = {"method": "restart", "iterations": 3}
    study = Sensitivity([(problem, keywords | {"gamma": value}) for value in values], values)
    while not study.result().ended.any():
        study.advance(0.0)
    assert np.flatnonzero(study.result().ended)[0] == 2


def test_the_chart_asks_for_nothing_beyond_the_target():
    settings = Settings(n=20, condition_number=100.0, iterations=300, target=1e-3)
    assert grown(run_experiment(settings))[0]["subtitle"] == "iterations to 10⁻³ of the initial gap"


def test_equal_values_have_no_best():
    experiment = run_experiment(Settings(condition_number=1.0, n=5, iterations=20))
    panel, look = grown(experiment)
    assert panel["sentence"].startswith("Whatever γ is, the restarted method takes 1 iteration")
    assert look.landmarks(experiment) == {}


def test_a_value_of_mu0_is_written_as_everywhere_else():
    panel, _ = grown(run_experiment(Settings(n=10, condition_number=100.0, iterations=300)), MU0)
    assert "Now μ₀ = L/2 takes" in panel["sentence"]
    assert [curve["label"] for curve in panel["curves"] if curve["uid"] == "now"] == ["μ₀ = L/2 now"]
