"""Traces of any origin over each other: axes, bands, typed lines, files of several pages."""

import gzip

import numpy as np
import pytest
from polyak_widgets import Settings, run_experiment
from polyak_widgets.figures.overlay import exported, overlay, typed_line, values_of
from polyak_widgets.settings.view import View
from polyak_widgets.share.export import make_file
from polyak_widgets.share.manifest import manifest

import polyak_core as pc

PROBLEM = pc.quadratic(pc.spectrum("log", n=20, condition_number=100))
RUNS = {name: pc.solve(PROBLEM, name, 50) for name in ("apg", "cg", "item")}


def drawn(figure):
    return {curve.name: np.array(curve.y, dtype=float) for curve in figure.data if curve.name}


def test_every_axis_shows_its_column():
    np.testing.assert_allclose(drawn(overlay(RUNS))["cg"], RUNS["cg"].relative_gap)
    distance = drawn(overlay(RUNS, y="distance"))["item"]
    np.testing.assert_allclose(distance, RUNS["item"].distance / RUNS["item"].distance[0])
    gradient = drawn(overlay({"pgd": pc.solve(PROBLEM, "pgd", 30)}, y="gradient"))["pgd"]
    steps = [step.y for step, _ in zip(pc.iterates(PROBLEM, "pgd"), range(31), strict=False)]
    np.testing.assert_allclose(gradient, [np.linalg.norm(PROBLEM.loss.grad(y)) for y in steps], rtol=1e-9)
    ratio = drawn(overlay(RUNS, y="ratio", beside="apg"))
    np.testing.assert_allclose(ratio["apg"], 1)
    np.testing.assert_allclose(ratio["cg"], RUNS["cg"].gap / RUNS["apg"].gap)


def test_an_estimate_of_another_kind_tells_no_gradient():
    trace = pc.solve(PROBLEM, "adapt_apg_v2", 20, estimator="certified")
    assert np.isnan(values_of(trace, "gradient")).all()


def test_a_bundle_is_a_band_with_its_median():
    starts = np.random.default_rng(3).standard_normal((20, 20))
    bundle = [pc.solve(PROBLEM, "apg", 40, x0=x0) for x0 in starts]
    figure = overlay({"APG, 20 starts": bundle, "cg": RUNS["cg"]})
    gaps = np.array([trace.relative_gap for trace in bundle])
    np.testing.assert_allclose(drawn(figure)["APG, 20 starts"], np.median(gaps, axis=0))
    (band,) = [each for each in figure.data if each.fill == "toself"]
    np.testing.assert_allclose(band.y[:41], gaps.max(axis=0))
    np.testing.assert_allclose(band.y[41:][::-1], gaps.min(axis=0))


@pytest.mark.parametrize(
    ("text", "legend", "at_2"),
    [
        ("0.5*0,9^k", "0.5 · 0.9ᵏ", 0.405),
        ("0.9 ^ k", "0.9ᵏ", 0.81),
        ("3/k", "3/k", 1.5),
        ("8/k^3", "8/k^3", 1.0),
    ],
)
def test_a_typed_line_is_drawn_with_its_legend(text, legend, at_2):
    name, values = typed_line(text, np.array([0.0, 2.0]))
    assert (name, values[1]) == (legend, pytest.approx(at_2))
    assert legend in drawn(overlay(RUNS, lines=[text]))


def test_what_cannot_be_drawn_is_refused_in_words():
    for text in ("k", "2^n", "a*b^k", ""):
        with pytest.raises(ValueError, match="cannot be read"):
            overlay(RUNS, lines=[text])
    with pytest.raises(ValueError, match="runs is empty"):
        overlay({})
    with pytest.raises(ValueError, match="beside 'pgd' is unknown; choose one of 'apg', 'cg', 'item'"):
        overlay(RUNS, y="ratio", beside="pgd")


def test_files_of_several_pages_become_one_picture_whose_names_tell_them_apart(tmp_path):
    paths = []
    for gamma, methods in ((1.0, ("restart", "apg")), (3.0, ("restart", "cg"))):
        experiment = run_experiment(Settings(gamma=gamma, methods=methods, iterations=30))
        file = make_file("json", experiment, manifest(experiment, View()), {})
        paths.append(tmp_path / f"page{len(paths)}.json")
        paths[-1].write_bytes(gzip.decompress(file.data))
    runs = exported(paths)
    assert len(runs) == 4
    assert {"APG, true μ", "CG"} <= set(runs)
    assert {trace.settings.get("gamma") for trace in runs.values()} == {None, 1.0, 3.0}
    assert len(drawn(overlay(runs))) == 4
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ValueError, match=r"other.json is no export"):
        exported([tmp_path / "other.json"])
