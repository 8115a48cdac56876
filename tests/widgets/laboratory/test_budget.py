"""What would cost too much is refused or ended, with a sentence that says which limit and what to do."""

import threading
from dataclasses import replace
from itertools import count

import numpy as np
import polyak_widgets.laboratory.experiment as module
import pytest
from polyak_widgets.laboratory import budget
from polyak_widgets.laboratory import datasets as shelf
from polyak_widgets.laboratory.budget import NO_LIMIT, Budget
from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.numbers import count_text
from polyak_widgets.panels.words.words import status
from polyak_widgets.settings.settings import Settings, SettingsError
from scipy import sparse

import polyak_core as pc

LONG = Settings(iterations=100_000)


def some_data(rows, features):
    X = np.zeros((rows, features))
    X[0, 0] = 1
    y = np.ones(rows)
    y[0] = -1
    return pc.dataset(X, y, scaling="none")


def test_what_the_page_starts_with_fits():
    Budget().require(Settings())
    Budget().require(LONG)


def test_records_are_counted_before_there_are_any():
    with pytest.raises(
        SettingsError, match=r"iterations of 6 methods need about .* MB, and 100 MB are allowed"
    ) as raised:
        Budget(megabytes=100).require(LONG)
    assert raised.value.name == "iterations"
    Budget(megabytes=100).require(replace(LONG, iterations=10_000))
    Budget(megabytes=100).require(replace(LONG, methods=("apg",)))


@pytest.mark.parametrize(
    ("settings", "rows", "features", "advice"),
    [
        (
            Settings(problem="svm_dual", data="own", kernel="rbf"),
            5_000,
            1,
            "fewer rows, or the linear kernel",
        ),
        (Settings(problem="least_squares", data="own"), 5_000, 4_000, "fewer rows or fewer features"),
    ],
)
def test_a_problem_is_weighed_before_it_is_made(settings, rows, features, advice):
    with pytest.raises(SettingsError, match=advice) as raised:
        Budget().require(settings, some_data(rows, features))
    assert raised.value.name == "problem"


def test_tall_and_sparse_data_need_little():
    tall = Settings(problem="svm_dual", data="own")
    Budget().require(tall, some_data(100_000, 1))
    X = sparse.random_array((20_000, 3_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    y = np.where(np.arange(20_000) % 2, 1.0, -1.0)
    Budget().require(Settings(problem="lasso", data="own"), pc.dataset(X, y, scaling="center"))


def test_the_laboratory_refuses_before_it_builds(monkeypatch):
    monkeypatch.setattr(module, "build_problem", lambda *arguments: pytest.fail("it was made"))
    with pytest.raises(SettingsError, match="1 MB are allowed"):
        Laboratory(Budget(megabytes=1)).problem(Settings(problem="least_squares"))


def test_a_run_that_uses_up_its_seconds_keeps_what_it_has_and_says_so():
    growing = Laboratory(Budget(seconds=0.01)).begin(replace(LONG, methods=("pgd", "apg")))
    while not growing.advance():
        pass
    line = status(growing.snapshot())
    for run in growing.snapshot().runs:
        assert 1 <= len(run.trace) < 100_001
    assert line["kind"] == "done"
    apg, pgd = (count_text(len(run.trace) - 1) for run in growing.snapshot().runs)
    assert line["text"] == (
        f"APG, true μ (k = {apg}) and Proximal gradient (k = {pgd}): stopped at the limit of 0.01 seconds of "
        "processor time for a run. Take fewer iterations or a smaller problem."
    )


def test_seconds_that_a_run_waits_for_a_processor_are_not_its_own(monkeypatch):
    monkeypatch.setattr(module, "process_time", lambda: 7.0)
    growing = Laboratory(Budget(seconds=1e-9)).begin(replace(LONG, methods=("apg",), iterations=300))
    while not growing.advance():
        pass
    assert len(growing.snapshot().runs[0].trace) == 301


def test_a_picture_that_has_used_up_its_seconds_says_so_and_what_one_method_leaves_the_others_get(
    monkeypatch,
):
    """By a clock that ticks when it is looked at, which is once in a turn of all methods."""
    monkeypatch.setattr(budget, "process_time", count().__next__)
    settings = replace(LONG, methods=("apg", "pgd"), target=1e-6, condition_number=1e6)
    laboratory = Laboratory(Budget(seconds=500, picture_seconds=60))
    laboratory.problem(settings)
    growing = laboratory.begin(settings)
    turns = next(number for number in count(1) if growing.advance())
    assert turns == 60, "of which APG has taken a few, and the other method all that were left"
    apg, pgd = growing.snapshot().runs
    assert apg.trace.outcome is pc.Outcome.TARGET
    assert pgd.trace.outcome is pc.Outcome.BUDGET
    assert 1 < len(pgd.trace) < 100_001
    assert status(growing.snapshot())["text"] == (
        f"Proximal gradient (k = {count_text(len(pgd.trace) - 1)}): stopped at the limit of 60 seconds of "
        "processor time for a picture. Take fewer methods, fewer iterations or a "
        f"smaller problem. APG, true μ (k = {count_text(len(apg.trace) - 1)}) reached the target."
    )
    assert "the 60 seconds are used up" in pgd.trace.message
    again = laboratory.begin(settings).snapshot().runs
    assert [run.finished for run in again] == [True, False], "what has come to its own end is known"


@pytest.mark.parametrize("made_already", [False, True])
def test_a_search_that_uses_up_its_seconds_is_left(monkeypatch, made_already):
    settings = Settings(problem="logistic")
    laboratory = Laboratory(Budget(seconds=1e-9))
    if made_already:
        problem = module.build_problem(settings, laboratory.shelf.data(settings))
        monkeypatch.setattr(module, "build_problem", lambda *arguments: problem)
    with pytest.raises(pc.Cancelled):
        laboratory.problem(settings)
    assert not laboratory.knows(settings)
    assert Laboratory(NO_LIMIT).problem(settings).f_star > 0


def test_a_server_sets_its_own_limits():
    assert Budget.of_server({}) == Budget()
    assert Budget.of_server({"POLYAK_SECONDS": "5", "POLYAK_MEGABYTES": "200"}) == Budget(5, 200)
    assert Budget.of_server({"POLYAK_PICTURE_SECONDS": "60"}).picture_seconds == 60


@pytest.mark.parametrize("text", ["many", "0", "-1", "nan"])
def test_a_limit_that_is_none_is_said(text):
    with pytest.raises(ValueError, match="above 0"):
        Budget.of_server({"POLYAK_SECONDS": text})


@pytest.mark.parametrize("work", ["synthetic_data", "build_problem"])
def test_work_that_nobody_wants_is_left_in_the_middle_of_it(monkeypatch, work):
    """Numbers made up, norms and kernels are left while they go on; for x* the core sees to that."""
    inside, go_on = threading.Event(), threading.Event()

    def hang(*arguments):
        inside.set()
        go_on.wait(30)

    monkeypatch.setattr(shelf if work == "synthetic_data" else module, work, hang)
    with pytest.raises(pc.Cancelled):
        Laboratory().problem(Settings(problem="svm_dual", data="synthetic", rows=30, n=5), inside.is_set)
    assert not go_on.is_set()
    go_on.set()
