"""The closer look against the core: every number is that of single solves or of a computation apart."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from polyak_widgets.laboratory.experiment import Experiment, run_experiment
from polyak_widgets.page.explorer import Explorer
from polyak_widgets.panels.closer_look.directions.components import kept_iterations
from polyak_widgets.panels.closer_look.panel import CloserLook
from polyak_widgets.panels.closer_look.sensitivity.sensitivity import DEPTHS, Sensitivity, even_ratios
from polyak_widgets.session.actions import act
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import ALONG, CLOSER_LOOKS, PLANES, SPREADS, SWEPT, View

import polyak_core as pc

SMALL = Settings(iterations=300, condition_number=100.0, n=20)


class Frames(list[dict]):
    """All frames of the panel."""


def grow(look: CloserLook, *request: object) -> None:
    """All of the work, without a pause."""
    for _ in look.grow(*request):
        pass


def grown(experiment: Experiment, **view: str) -> dict:
    """The last frame of the panel."""
    frames = Frames()
    grow(CloserLook(frames.append), experiment, View(**view), lambda: False)
    return frames[-1]


def columns(frame: dict, uid: str, k: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """x and y of a curve as the page takes them out of the buffer."""
    floats = np.frombuffer(frame["data"])
    curve = next(curve for curve in frame["panel"]["curves"] if curve["uid"] == uid)
    x, count = curve["start"], curve["count"]
    y = x + count
    if "steps" in curve:
        at = curve["steps"]
        ks = floats[at["start"] : at["start"] + at["count"]]
        step = int(np.searchsorted(ks, k, side="right")) - 1
        x, y = x + step * at["x"], at["y"] + step * count
    return floats[x : x + count], floats[y : y + count]


@pytest.mark.parametrize(
    ("method", "keyword", "values"),
    [("restart", "gamma", even_ratios(0.1, 20, 64)), ("adapt_apg", "mu0", even_ratios(1e-6, 1, 64))],
)
def test_a_sweep_in_slices_is_64_single_solves(method, keyword, values):
    problem = pc.quadratic(pc.spectrum("log", 20, 100))
    keywords = {"method": method, "iterations": 400}
    study = Sensitivity([(problem, keywords | {keyword: value}) for value in values], values)
    turns = 0
    while not study.advance(1e-4):
        turns += 1
        early = study.result()
    assert turns > 3
    assert len(values) == 64
    result = study.result()
    for i, value in enumerate(values):
        trace = pc.solve(problem, method, 400, **{keyword: value})
        for tolerance in DEPTHS:
            k = trace.first_below(tolerance)
            assert result.needed[tolerance][i] == (np.nan if k is None else k) or k is None
            assert np.isnan(result.needed[tolerance][i]) == (k is None)
    there = ~np.isnan(early.needed[1e-3])
    np.testing.assert_array_equal(early.needed[1e-3][there], result.needed[1e-3][there])


def test_runs_that_cannot_be_stacked_are_made_one_by_one_with_the_same_numbers():
    problem = pc.paper_problem("matrix_completion")
    values = [0.5, 2.0, 8.0]
    keywords = {"method": "restart", "iterations": 30}
    study = Sensitivity([(problem, keywords | {"gamma": value}) for value in values], values)
    while not study.advance(0.01):
        pass
    counts = [pc.solve(problem, "restart", 30, gamma=value).first_below(1e-3) for value in values]
    assert study.result().needed[1e-3].tolist() == counts


def test_a_study_that_is_refused_says_why_and_what_is_known_can_still_be_read():
    problem = pc.quadratic(pc.spectrum("log", 20, 100))
    values = [-1.0, 1.0, 2.0, 3.0]
    keywords = {"method": "restart", "iterations": 30}
    study = Sensitivity([(problem, keywords | {"gamma": value}) for value in values], values)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"gamma = -1.0 is not allowed"):
            study.advance()
        assert study.result().values.tolist() == values


def test_the_sensitivity_does_not_depend_on_gamma_and_follows_the_condition_number():
    frames = Frames()
    look = CloserLook(frames.append)
    before = run_experiment(SMALL)
    grow(look, before, View(), lambda: False)
    first = columns(frames[-1], "line:restart")
    for changed, same in (({"gamma": 7.0}, True), ({"condition_number": 900.0}, False)):
        settings = replace(SMALL, **changed)
        runs = run_experiment(settings).runs
        problem = before.problem if same else run_experiment(settings).problem
        grow(look, Experiment(settings, problem, runs), View(), lambda: False)
        assert np.array_equal(columns(frames[-1], "line:restart")[1], first[1], equal_nan=True) == same
    at = columns(frames[-2], "line:restart")
    assert len(at[0]) == 64


def test_the_study_of_another_gamma_is_there_at_once():
    frames = Frames()
    look = CloserLook(frames.append)
    experiment = run_experiment(SMALL)
    grow(look, experiment, View(), lambda: False)
    count, (_, known) = len(frames), columns(frames[-1], "line:restart")
    grow(look, replace(experiment, settings=replace(SMALL, gamma=9.0)), View(), lambda: False)
    assert len(frames) > count
    for frame in frames[count:]:  # one, or two where the run at 9 itself takes its time
        np.testing.assert_array_equal(columns(frame, "line:restart")[1], known)
    assert frames[-1]["settled"]


def test_an_unwanted_study_stops_and_goes_on_later():
    frames = Frames()
    look = CloserLook(frames.append)
    experiment = run_experiment(SMALL)
    grow(look, experiment, View(), lambda: True)
    assert [frame["serial"] for frame in frames] == [0]
    grow(look, experiment, View(), lambda: False)
    assert frames[-1]["settled"]


def test_gradient_calls_are_those_of_the_traces():
    experiment = run_experiment(SMALL)
    frame = grown(experiment, swept="mu0", x="gradients")
    mu0, calls = columns(frame, "line:adapt_apg")
    i = int(np.nanargmin(calls))
    trace = pc.solve(experiment.problem, "adapt_apg", 1200, mu0=mu0[i] * experiment.problem.L)
    assert calls[i] == trace.gradients[trace.first_below(1e-10)]
    apg = pc.solve(experiment.problem, "apg", 300)
    assert columns(frame, "level:apg")[1][0] == apg.gradients[apg.first_below(1e-10)]


def test_over_the_condition_number_each_point_is_a_problem_of_its_own():
    frame = grown(run_experiment(SMALL), swept="condition_number")
    kappa, needed = columns(frame, "line:adapt_apg_v2")
    for i in (10, 25):
        problem = pc.quadratic(pc.spectrum("log", 20, kappa[i]))
        assert needed[i] == pc.solve(problem, "adapt_apg_v2", 1200).first_below(1e-10)


def test_momentum_is_the_traces():
    experiment = run_experiment(SMALL)
    frame = grown(experiment, third="momentum")
    for method in ("fista", "adapt_apg_v2", "restart"):
        k, memory = columns(frame, f"beta:{method}")
        run = next(run for run in experiment.runs if run.method == method)
        np.testing.assert_allclose(1 - 1 / memory, run.trace.beta[k.astype(int)], atol=1e-12)
    assert frame["panel"]["sentence"].endswith(
        "AdaptAPG extrapolates from an averaged point, so it has no single βₖ."
    )
    rings = columns(frame, "restarts:restart")[0]
    restart = next(run for run in experiment.runs if run.method == "restart")
    restarts = np.flatnonzero(restart.trace.restarted).tolist()
    assert rings[0] == restarts[0]
    assert set(rings) <= set(restarts), "of those that would lie on each other only the first"


def test_a_direction_that_no_mark_is_seen_in_is_said():
    two = grown(run_experiment(Settings(n=2)), third="components")["panel"]
    assert two["sentence"].endswith(" In 1 of the 2 directions every method is below the axis.")
    small_steps = run_experiment(Settings(n=2, L_factor=2, iterations=9))
    assert "below the axis" not in grown(small_steps, third="components")["panel"]["sentence"]


def test_frames_stay_below_a_megabyte_and_kept_iterations_below_two_hundred():
    assert kept_iterations(99_999).size <= 200
    assert {0, 99_999} <= set(kept_iterations(99_999).tolist())
    wide = Settings(n=1000, iterations=2000)
    for kind in ("components", "path"):
        assert len(grown(run_experiment(wide), third=kind)["data"]) < 1_000_000


EMPTY = [
    (Settings(problem="matrix_completion", iterations=20), {"third": "components"}, "its penalty bends"),
    (Settings(n=1, iterations=20), {"third": "path"}, "one direction"),
    (Settings(methods=("adapt_apg",), iterations=20), {"third": "momentum"}, "AdaptAPG extrapolates"),
    (Settings(iterations=5, condition_number=1e8), {}, "no run comes below"),
    (Settings(problem="lasso", lam=1000, iterations=20), {}, "all methods start at x*"),
    (Settings(spectrum="own", iterations=20), {"swept": "condition_number"}, "list of your own"),
]


@pytest.mark.parametrize(("settings", "view", "words"), EMPTY)
def test_where_nothing_can_be_drawn_it_says_why(settings, view, words):
    panel = grown(run_experiment(settings), **view)["panel"]
    assert panel["curves"] == []
    assert words in panel["empty"]
    assert panel["empty"].endswith(".")


VIEWS = [
    *({"third": "sensitivity", "swept": swept} for swept in SWEPT),
    *({"third": "path", "plane": plane} for plane in PLANES),
    *({"third": "estimates", "along": along} for along in ALONG),
    *({"third": "band", "spread": spread} for spread in SPREADS),
    *({"third": kind} for kind in ("momentum", "components")),
]


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_every_kind_says_what_is_seen(view):
    panel = grown(run_experiment(SMALL), **view)["panel"]
    for part in ("title", "subtitle", "sentence", "summary"):
        assert panel[part], part
        assert "nan" not in panel[part].lower()
        assert "None" not in panel[part]


def test_a_study_that_is_stopped_says_so_and_one_that_takes_too_long_keeps_what_it_has():
    frames = Frames()
    experiment = run_experiment(SMALL)
    grow(CloserLook(frames.append), experiment, View(third="path"), lambda: False, lambda: True)
    assert frames[-1]["settled"]
    assert "stopped before" in frames[-1]["panel"]["empty"]
    grow(CloserLook(frames.append, seconds=1e-9), experiment, View(), lambda: False)
    assert "the time for this chart is used up" in frames[-1]["panel"]["subtitle"]


def test_the_closer_look_comes_after_the_curves_and_nobody_waits_for_it():
    explorer = Explorer(Settings(n=20, condition_number=100.0, iterations=20_000), show=("gap", "third"))
    order: list[str] = []
    explorer.stage.observe(lambda change: order.append(change["name"]), ["frame", "third"])
    try:
        explorer.controls.value = {**explorer.controls.value, "condition_number": 144.0}
        assert explorer.wait(60)
        assert explorer.stage.frame["settled"]
        early = dict(explorer.stage.third)
        assert not early.get("settled"), "the picture is there before the study"
        explorer.cancel()
        for _ in range(600):
            if explorer.stage.third.get("settled"):
                break
            time.sleep(0.05)
        assert (
            "stopped" in explorer.stage.third["panel"]["subtitle"] + explorer.stage.third["panel"]["sentence"]
        )
        assert order.index("frame") < len(order) - 1
    finally:
        explorer.close()


def test_components_at_the_cursor_and_the_path_are_the_iterates():
    experiment = run_experiment(SMALL)
    iterates = {}
    for it in pc.iterates(experiment.problem, "fista"):
        if it.k > 300:
            break
        iterates[it.k] = it.y
    eigenvalues = experiment.problem.loss.eigenvalues
    order = np.argsort(eigenvalues)
    frame = grown(experiment, third="components")
    for k in (0, 3, 300):
        x, sizes = columns(frame, "error:fista", k)
        np.testing.assert_allclose(x, eigenvalues[order])
        left = np.abs(iterates[k][order])
        np.testing.assert_allclose(sizes, np.where(left > 0, left, np.nan), rtol=1e-12)
    path = grown(experiment, third="path", plane="ends")
    for k in (0, 41, 300):
        u, v = columns(path, "dot:fista", k)
        assert (u[0], v[0]) == pytest.approx((iterates[k][order[0]], iterates[k][order[-1]]), abs=1e-15)


def test_the_first_plane_spreads_the_paths_and_two_directions_leave_no_choice():
    experiment = run_experiment(SMALL)
    spread = {}
    for plane in PLANES:
        frame = grown(experiment, third="path", plane=plane)
        assert frame["panel"]["second"]["value"] == plane
        u, v = columns(frame, "path:fista")
        spread[plane] = np.abs(u[1:] * v[:-1] - v[1:] * u[:-1]).sum()
    assert next(iter(PLANES)) == View().plane
    assert spread[View().plane] > 3 * spread["slow"], "the area that a path runs around"
    two = grown(run_experiment(replace(SMALL, n=2)), third="path")
    assert "second" not in two["panel"]
    assert two["panel"]["curves"]


def test_a_point_sets_its_value_and_nothing_else_is_taken():
    explorer = Explorer(SMALL, show=("third",))
    try:
        act(explorer.session, {"do": "set", "values": {"gamma": 4.79}}, [])
        assert explorer.wait(60)
        assert explorer.settings.gamma == 4.79
        for values in ({"gamma": "x"}, {"gamma": float("nan")}, {"nothing": 1}, {1: 2}, "gamma", None):
            with pytest.raises(ValueError, match=r"\w"):
                act(explorer.session, {"do": "set", "values": values}, [])
        assert explorer.controls.value["gamma"] == 4.79
    finally:
        explorer.close()


def test_while_only_other_methods_are_there_the_sweep_waits(monkeypatch):
    """FISTA has reached the tolerance that counts, and no run of the sweep any tolerance yet."""
    monkeypatch.setattr("polyak_widgets.panels.closer_look.panel.FRAME_SECONDS", 0.0)
    monkeypatch.setattr("polyak_widgets.panels.closer_look.panel.SLICE_SECONDS", 0.0)
    frames = Frames()
    grow(CloserLook(frames.append), run_experiment(replace(SMALL, methods=("fista",))), View(), lambda: False)
    panels = [frame["panel"] for frame in frames[1:]]
    assert any("waiting" in panel for panel in panels)
    assert not any("empty" in panel for panel in panels)
    assert panels[-1]["curves"]


@pytest.mark.parametrize("kind", CLOSER_LOOKS)
def test_a_panel_without_curves_has_its_heading_too(kind):
    frames = Frames()
    grow(CloserLook(frames.append), run_experiment(SMALL), View(third=kind), lambda: False, lambda: True)
    full = grown(run_experiment(SMALL), third=kind)["panel"]
    nothing = frames[-1]["panel"]
    assert nothing["title"] == full["title"]
    assert full["title"][0].isupper()
