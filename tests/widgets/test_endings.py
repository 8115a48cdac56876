"""Each way in which a run can end is named on the page, with the iteration, the cause, and what to do."""

import pytest
from polyak_widgets.experiment import run_experiment
from polyak_widgets.settings import Settings
from polyak_widgets.words import status

ENDS = {
    "target reached": (Settings(target=1e-6, methods=("apg",)), ["(k = ", "target reached"]),
    "solved exactly": (
        Settings(spectrum="own", eigenvalues="1", methods=("apg",)),
        ["(k = ", "solved exactly"],
    ),
    "precision floor": (
        Settings(problem="least_squares", methods=("apg",), iterations=20_000),
        ["(k = ", "rounding", "nothing more to gain"],
    ),
    "stalled": (
        Settings(f_star="too_low", f_star_delta=1e-6, methods=("adapt_apg_v2",), iterations=5000),
        ["at iteration", "given too low", "Give a larger f*"],
    ),
    "bouncing": (Settings(L_factor=0.5, methods=("pgd",)), ["iteration", "too long", "Give L >="]),
    "diverged": (Settings(L_factor=0.3, methods=("fista",)), ["at iteration", "too long", "give an L"]),
    "budget": (Settings(methods=("apg",), iterations=50), ["budget of 50 iterations"]),
}


@pytest.mark.parametrize("outcome", ENDS)
def test_every_end_has_its_iteration_cause_and_remedy(outcome):
    settings, words = ENDS[outcome]
    experiment = run_experiment(settings)
    assert [str(run.trace.outcome) for run in experiment.runs] == [outcome]
    said = status(experiment)
    assert said["kind"] == "done"
    for word in words:
        assert word in said["text"].replace("\u202f", "")
