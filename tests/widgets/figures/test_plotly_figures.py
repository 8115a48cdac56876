"""Plain figures: the numbers and looks of the panels, names that stand apart, words for empty panels."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polyak_widgets import Settings, compare, gap_figure, mu_figure, run_experiment
from polyak_widgets.figures.compare import compared
from polyak_widgets.figures.end_labels import end_of, label_heights, spread
from polyak_widgets.figures.plotly_figures import LINE, plotly_figure
from polyak_widgets.figures.theme import theme
from polyak_widgets.look import METHOD_LOOKS
from polyak_widgets.panels import gap_panel, mu_panel

import polyak_core as pc


@pytest.fixture(scope="module")
def experiment():
    return run_experiment(Settings(iterations=1000))


def names(figure):
    """Names at the ends of curves with their height as a part of the axis."""
    return {note.text: note.y for note in figure.layout.annotations if "domain" in note.xref}


@pytest.mark.parametrize(("make", "panel"), [(gap_figure, gap_panel), (mu_figure, mu_panel)])
def test_a_figure_shows_what_the_panel_holds(experiment, make, panel):
    figure, expected = make(experiment), panel(experiment)
    drawn = {curve.name: curve for curve in figure.data if curve.name}
    for curve in expected["curves"]:
        shown = drawn[curve.label or curve.uid]
        np.testing.assert_array_equal(shown.x, curve.x)
        np.testing.assert_array_equal(shown.y, np.where(curve.y > 0, curve.y, np.nan))
        assert shown.mode == curve.mode
        if curve.mode == "lines":
            assert shown.line.dash == curve.look.dash
            assert shown.line.width == curve.look.width
    assert figure.layout.yaxis.type == "log"
    assert 10.0 ** np.array(figure.layout.yaxis.range) == pytest.approx(expected["y"]["range"])
    assert set(names(figure)) == {curve.label for curve in expected["curves"] if curve.label}


def test_names_stand_apart_in_the_order_of_the_ends(experiment):
    figure = gap_figure(experiment)
    height = figure.layout.height * np.ptp(figure.layout.yaxis.domain)
    placed = sorted(names(figure).items(), key=lambda item: item[1])
    ends = {curve.name: curve.y[-1] for curve in figure.data if curve.name in names(figure)}
    assert [name for name, _ in placed] == sorted(ends, key=ends.get)
    assert np.diff([y for _, y in placed]).min() * height >= LINE - 1e-9


def test_themes_are_those_of_the_style_sheet(experiment):
    light, dark = gap_figure(experiment), gap_figure(experiment, template="dark")
    colours = {
        name: {curve.name: curve.line.color for curve in figure.data if curve.name}
        for name, figure in (("light", light), ("dark", dark))
    }
    assert colours["light"]["AdaptAPG"] == METHOD_LOOKS["adapt_apg"].colour
    assert colours["light"]["APG, true μ"] == theme("light").ink
    assert colours["dark"]["APG, true μ"] == theme("dark").ink != theme("light").ink
    assert colours["dark"]["AdaptAPG"] != colours["light"]["AdaptAPG"]
    assert dark.layout.paper_bgcolor == theme("dark").card != light.layout.paper_bgcolor
    with pytest.raises(ValueError, match="'light', 'dark'"):
        gap_figure(experiment, template="sepia")


def test_the_fair_unit_counts_gradients(experiment):
    figure = gap_figure(experiment, x="gradients")
    drawn = {curve.name: curve for curve in figure.data if curve.name}
    for run in experiment.runs:
        if run.method in ("adapt_apg", "fista"):
            curve = drawn[pc.METHODS[run.method].label]
            np.testing.assert_array_equal(curve.x, run.trace.gradients)
    assert "gradient calls" in figure.layout.xaxis.title.text
    assert figure.layout.xaxis.range[1] == max(run.trace.gradients[-1] for run in experiment.runs)
    with pytest.raises(ValueError, match="'iterations', 'gradients', 'seconds'"):
        compare(experiment.problem, ["fista"], iterations=5, x="hours")


def test_a_panel_without_curves_says_why():
    panel = gap_panel(run_experiment(Settings(iterations=5, methods=("apg",))))
    figure = plotly_figure([panel | {"curves": [], "summary": "Madelon <is> not here."}])
    assert "Madelon &lt;is&gt; not here." in names(figure)
    with pytest.raises(ValueError, match="panels is empty"):
        plotly_figure([])


def test_texts_are_escaped():
    pc.register("sly", pc.METHODS["fista"].generator, label="<b>sly</b>")
    try:
        figure = compare(pc.quadratic([1.0, 0.1]), methods=["sly", "fista"], iterations=20)
    finally:
        del pc.METHODS["sly"]
    assert "&lt;b&gt;sly&lt;/b&gt;" in names(figure)


def test_importing_the_package_leaves_plotly_alone():
    code = (
        "import sys, polyak_widgets; print([m for m in ('plotly', 'pandas', 'joblib') if m in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_compare_draws_what_solve_finds():
    problem = pc.paper_problem("sonar", "lasso")
    figure = compare(problem, methods=["restart", "adapt_apg"], iterations=60, gamma=4.0, mu0=problem.L / 8)
    drawn = {curve.name: curve.y for curve in figure.data if curve.name}
    alone = pc.solve(problem, "adapt_apg", 60, mu0=problem.L / 8)
    np.testing.assert_array_equal(drawn["AdaptAPG, μ₀ = L/8"], alone.relative_gap)
    np.testing.assert_array_equal(drawn["μₖ AdaptAPG, μ₀ = L/8"], alone.mu)
    restart = pc.solve(problem, "restart", 60, gamma=4.0)
    np.testing.assert_array_equal(drawn["Restart, γ = 4"], restart.relative_gap)
    assert figure.layout.title.text == "<b>Sonar, LASSO</b>"


def test_compare_leaves_out_what_cannot_run():
    problem = pc.quadratic([1.0, 0.5, 0.0])
    experiment = compared(problem, ["apg", "fista"], iterations=20)
    assert [(run.method, run.trace is None) for run in experiment.runs] == [("apg", True), ("fista", False)]
    assert len(names(compare(problem, ["apg", "fista"], iterations=20))) > 0


def test_an_estimator_that_the_page_does_not_offer_is_named():
    figure = compare(pc.quadratic([1.0, 0.1]), ["adapt_apg"], iterations=9, estimator="schedule", C=0.1)
    assert any("mu + C/(k+2)^2" in note.text for note in figure.layout.annotations)


@pytest.mark.parametrize(
    ("methods", "keywords", "words"),
    [
        (["fista"], {"gamma": 2.0}, "none of fista uses gamma"),
        (["fista"], {"colour": 1}, "colour is not a keyword of solve"),
        (["nesterov"], {}, "nesterov"),
        ([], {}, "choose at least one"),
        (["restart"], {"gamma": -1.0}, "gamma = -1.0"),
    ],
)
def test_compare_refuses_in_words(methods, keywords, words):
    with pytest.raises(ValueError, match=words):
        compare(pc.quadratic([1.0, 0.1]), methods, iterations=5, **keywords)


@given(st.lists(st.floats(0, 400), min_size=1, max_size=12), st.floats(1, 40))
def test_spread_keeps_apart_in_order_and_moves_nothing_that_has_room(heights, gap):
    placed = np.array(spread(heights, gap, 0.0, 400.0))
    room = min(gap, 400.0 / max(len(heights) - 1, 1))
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= room - 1e-6).all()
    assert placed.min() >= -1e-6
    assert placed.max() <= 400 + 1e-6
    if (np.diff(np.sort(heights)) > gap).all():
        np.testing.assert_allclose(placed, heights)


def crosses(first, second):
    """Whether two segments, each two points, cross inside both."""

    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    (a, b), (c, d) = first, second
    return side(a, b, c) * side(a, b, d) < -1e-6 and side(c, d, a) * side(c, d, b) < -1e-6


@given(
    st.lists(
        st.tuples(st.floats(0, 300), st.sampled_from([0.0, 2.0, 400.0]) | st.floats(0, 400)),
        min_size=1,
        max_size=8,
        unique=True,
    )
)
def test_no_leaders_cross(ends):
    heights = label_heights(ends, (300.0, 400.0), 17.0)
    assert np.diff(np.sort(heights)).min(initial=17.0) >= 17 - 1e-6
    leaders = [(end, (300.5, height)) for end, height in zip(ends, heights, strict=True)]
    assert not [1 for i, a in enumerate(leaders) for b in leaders[:i] if crosses(a, b)]


def test_an_end_is_where_a_curve_leaves():
    x = np.array([0.0, 10.0, 20.0, np.nan])
    assert end_of(x, np.array([30.0, 20.0, -20.0, 1.0]), 100, 100) == pytest.approx((15.0, 0.0))
    assert end_of(x, np.array([30.0, 20.0, 10.0, 1.0]), 100, 100) == (20.0, 10.0)
    assert end_of(x, np.full(4, 200.0), 100, 100) is None
    assert end_of(x, np.full(4, np.nan), 100, 100) is None
