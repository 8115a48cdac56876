"""What notebooks show: facts in well formed HTML and in plain text; showing starts no long work."""

import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import polyak_core as pc
from polyak_core.display import CURVE_POINTS, curve_svg
from polyak_core.problems.facts import problem_facts

VOID = {"br"}


class Reader(HTMLParser):
    """Checks that tags close in the order they open, and collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag):
        if tag != "polyline":
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_data(self, data):
        self.words.append(data)


def words(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return " ".join(reader.words)


@pytest.fixture
def problem():
    return pc.paper_problem("sonar", "lasso")


def test_a_problem_shows_its_constants_and_starts_no_work(problem):
    before = words(problem._repr_html_())
    assert "f(x) = 1/2 ||Ax - b||^2 + 1 ||x||_1" in before
    for value in (problem.L, problem.mu, problem.condition_number):
        assert f"{value:.6g}" in before
    assert "not computed yet" in before
    assert not problem.solution.begun
    f_star = problem.f_star
    after = words(problem._repr_html_())
    assert "not computed yet" not in after
    assert f"{f_star:.17g}" in after
    assert f"{problem.f_star_error:.2g}" in after
    assert problem.f_star_source in after
    text = problem.describe()
    for name, between, value in problem_facts(problem):
        assert f"{name}{between}{value}" in text.splitlines()
        assert value in after or name == "representation"


def test_a_given_L_is_told_from_the_true_one():
    shown = words(pc.quadratic([1.0, 0.5, 0.0], L=3.0)._repr_html_())
    assert "3 (given; true L = 1)" in shown
    assert "smallest non-zero curvature 0.5" in shown


def test_an_error_that_is_no_bound_is_not_called_one():
    class Bowl:
        def value(self, x):
            return float(x @ x) / 2

        def grad(self, x):
            return x

    problem = pc.Problem(Bowl(), L=1.0, x0=np.ones(2))
    _ = problem.f_star
    assert "an estimate" in words(problem._repr_html_())


def test_a_trace_shows_how_far_it_came(problem):
    trace = pc.solve(problem, "adapt_apg_v2", iterations=600)
    html, text = words(trace._repr_html_()), trace.describe()
    for shown in (html, text):
        assert "adapt_apg_v2 on sonar, LASSO" in shown
        for tolerance, power in ((1e-4, "1e-4"), (1e-8, "1e-8"), (1e-10, "1e-10")):
            assert f"{power}: k = {trace.first_below(tolerance)}" in shown
        assert trace.message in shown
        assert f"{trace.gradients[-1]:.0f} gradients" in shown
        assert f"{trace.mu[-1]:.6g}" in shown
    short = pc.solve(problem, "pgd", iterations=5)
    assert "1e-10: not reached" in short.describe()
    assert "μ_k" not in short.describe()


def test_an_empty_trace_has_a_picture_too(problem):
    full = pc.solve(problem, "pgd", iterations=1).to_dict()
    empty = pc.Trace.from_dict({name: [] if isinstance(v, list) else v for name, v in full.items()})
    assert "none" in words(empty._repr_html_())


def test_the_small_curve_keeps_what_is_extreme():
    k = np.arange(5000.0)
    gap = 10.0 ** -(k / 500)
    gap[1234], gap[777], gap[20] = 1e-9, np.inf, -1.0
    svg = ElementTree.fromstring(curve_svg(k, gap))
    line = svg.find("{*}polyline").get("points")
    points = np.array([pair.split(",") for pair in line.split()], dtype=float)
    assert len(points) <= CURVE_POINTS + 2
    dip = points[np.abs(points[:, 0] - 4 - 1234 / 4999 * 280).argmin()]
    assert dip[1] == pytest.approx(16 + 96 * 9 / (4999 / 500), abs=0.2)
    assert np.isfinite(points).all()
    assert curve_svg(k[:1], gap[:1]) == curve_svg(k[:3], np.zeros(3)) == ""


def test_texts_are_escaped():
    failure = pc.Failure({"method": "<b>"}, "x < y & y > z")
    assert "<b>" not in failure._repr_html_()
    assert "x < y & y > z" in words(failure._repr_html_())
    data = pc.dataset([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]], [0.5, 7.0, 2.0], name="<i>mine</i>")
    assert "<i>" not in data._repr_html_()
    assert "0.5 to 7" in words(data._repr_html_())
    assert repr(data) == "<Dataset <i>mine</i>: 3 observations, 2 features>"


def test_a_sweep_is_a_list_that_shows_a_table(problem):
    runs = pc.sweep(problem, method=["restart", "apg"], gamma=[5, -2], iterations=450)
    assert isinstance(runs, list)
    assert runs == list(runs)
    for shown in (repr(runs), words(runs._repr_html_())):
        assert "4 runs with iterations = 450" in shown
        assert str(runs[0][1].first_below(1e-4)) in shown
        assert "not reached" in shown
        assert shown.count("failed") == sum(isinstance(result, pc.Failure) for _, result in runs) == 3
        assert runs[1][1].message in shown
    many = pc.sweep(problem, method="restart", gamma=list(range(1, 60)), iterations=2)
    assert "19 more" in repr(many)
    assert repr(many).count("budget") == 40
    assert repr(many[:0]) == "[]"


def test_what_is_no_problem_is_told_what_to_give():
    for call in (lambda: pc.solve("x"), lambda: pc.sweep([[1.0]], gamma=[1])):
        with pytest.raises(ValueError, match="give a Problem, for instance"):
            call()


def test_parts_of_a_problem_show_their_formulas(problem):
    assert repr(problem.loss) == "<LassoLoss: f(x) = 1/2 ||Ax - b||^2 + 1 ||x||_1>"
    assert repr(problem.penalty) == "<L1: 1 ||x||_1>"
    run = pc.Run(problem, "pgd", 10)
    run.advance()
    assert repr(run) == f"<Run pgd: k = 10, gap {run.last_gap:.3g}>"


def test_methods_are_a_table():
    html, text = words(pc.METHODS._repr_html_()), repr(pc.METHODS)
    for name, method in pc.METHODS.items():
        for cell in (name, method.label, method.summary, ", ".join(method.needs)):
            assert cell in html
            assert cell in text
        assert method.reference in words(method._repr_html_())
        assert "0x" not in repr(method)
    assert text.count("\n") == len(pc.METHODS) - 1


def test_the_data_of_the_paper_name_their_givers():
    text = pc.load_dataset("sonar").describe()
    assert "208 observations, 60 features" in text
    assert "111 times +1, 97 times −1" in text
    assert "CC BY 4.0" in text


def test_a_trace_as_a_table(problem):
    trace = pc.solve(problem, "restart", iterations=30)
    table = trace.to_pandas()
    assert list(table.index) == list(range(31))
    np.testing.assert_array_equal(table["gap"], trace.gap)
    np.testing.assert_array_equal(table["restarted"], trace.restarted)
    assert "distance" in table.columns


def test_a_sweep_as_a_table(problem):
    runs = pc.sweep(problem, method="restart", gamma=[-1.0, 1.0, 5.0], iterations=400, target=1e-8)
    table = pc.to_pandas(runs)
    assert list(table["gamma"]) == [-1.0, 1.0, 5.0]
    assert table["outcome"][0] == "failed"
    assert "gamma = -1" in table["message"][0]
    for row, (_, trace) in enumerate(runs[1:], 1):
        reached = table["first below 1e-08"]
        assert (None if reached.isna()[row] else reached[row]) == trace.first_below(1e-8)
        assert table["gap"][row] == trace.gap[-1]
    assert table["first below 1e-10"].isna().all()


def test_without_pandas_the_error_says_what_to_install(problem, monkeypatch):
    trace = pc.solve(problem, "pgd", iterations=2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "polyak-explorer\[tables\]"'):
        trace.to_pandas()
