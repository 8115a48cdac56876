"""Where one may start from: a preset is a whole state, goes far enough to show something, and can be had."""

from itertools import pairwise

import pytest
from polyak_widgets.laboratory import datasets
from polyak_widgets.laboratory.datasets import Shelf
from polyak_widgets.laboratory.experiment import Laboratory, run_experiment
from polyak_widgets.session.rail import rail
from polyak_widgets.settings.presets import PRESETS, preset_menu
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import read_query, write_query

QUICK = [preset for preset in PRESETS if preset.seconds < 1 and preset.values.get("data") != "madelon"]


def settings_of(preset, **more):
    return Settings.from_values({**preset.values, "iterations": preset.iterations, **more})


def test_the_first_preset_is_the_first_picture():
    assert settings_of(PRESETS[0]) == Settings()


def test_names_differ_and_groups_stand_together():
    assert len({preset.label for preset in PRESETS}) == len(PRESETS)
    groups = [preset.group for preset in PRESETS]
    assert [group for i, group in enumerate(groups) if group not in groups[:i]] == list(dict.fromkeys(groups))
    assert sum(one != other for one, other in pairwise(groups)) == len(set(groups)) - 1


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.label)
def test_a_preset_gives_what_is_true_and_fits_into_a_link(preset):
    settings = settings_of(preset)
    assert (settings.f_star, settings.L_factor, settings.mu_factor) == ("exact", 1.0, 1.0)
    assert settings.iterations <= FIELDS["iterations"].metadata["bounds"].high
    assert read_query(write_query(settings, View())).settings == settings


@pytest.mark.parametrize("preset", QUICK, ids=lambda preset: preset.label)
def test_its_iterations_show_where_the_curves_go(preset):
    (run,) = run_experiment(settings_of(preset, methods=["adapt_apg_v2"])).runs
    assert run.trace.first_below(1e-10), preset.label


def test_what_takes_long_is_said_before():
    notes = {each["label"]: each["note"] for each in preset_menu()}
    assert notes["Quadratic, κ = 10⁴"] == ""
    assert notes["Sonar, LASSO"] == ""
    assert notes["Musk, SVM"] == "about 15 s"


@pytest.mark.parametrize("can_be_had", [True, False])
def test_data_that_cannot_be_had_say_so(monkeypatch, can_be_had):
    monkeypatch.setattr(datasets, "can_be_had", lambda: can_be_had)
    shelf, settings = Shelf(), Settings(problem="lasso")
    groups = rail(settings, Laboratory().problem(settings), shelf=shelf)
    (data,) = (field for group in groups for field in group["fields"] if field["name"] == "data")
    assert {value: why for value, _, why in data["options"] if why} == (
        {} if can_be_had else {"madelon": "not on this server"}
    )


def test_an_old_link_still_means_the_same():
    """Problems and data are settings; names of presets are in no link."""
    opened = read_query("v=1&problem=logistic&data=musk&iterations=300&methods=apg,fista")
    assert not opened.message
    assert (opened.settings.problem, opened.settings.data, opened.settings.lam) == ("logistic", "musk", 100.0)
    assert read_query("v=1&problem=matrix_completion").settings.problem == "matrix_completion"
